// The emulated AMD device: 64 lanes and MFMA.

// See nvidia.cpp.
#define mmafft mmafft_emulated_amd
#define MMAFFT_EMULATED(name) mmafft_emulated_amd_##name
#define MMAFFT_WAVE 64
#define MMAFFT_MORE_KERNELS "test_amd.hpp"

#include "fragments_amd.hpp"

#include "../amd/fragments.hpp"

#include "emulator.cpp"
