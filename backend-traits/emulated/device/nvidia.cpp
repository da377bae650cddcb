// The emulated NVIDIA device: 32 lanes and mma.sync.

// Both devices are linked into one program: their functions must not be taken for each
// other's.
#define mmafft mmafft_emulated_nvidia
#define MMAFFT_EMULATED(name) mmafft_emulated_nvidia_##name
#define MMAFFT_WAVE 32
#define MMAFFT_MORE_KERNELS "test_nvidia.hpp"

#include "fragments_nvidia.hpp"

#include "../nvidia/fragments.hpp"

#include "emulator.cpp"
