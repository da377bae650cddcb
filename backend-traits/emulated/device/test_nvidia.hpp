// The instructions of an NVIDIA device, one a kernel, for the golden vectors.
#include "test_kernels.hpp"

namespace mmafft {
namespace test {

MMAFFT_DEVICE void f16_k16(float (&d)[4], const u32 *a, const u32 *b) {
  mma_f16_m16n8k16(d, a[0], a[1], a[2], a[3], b[0], b[1]);
}
MMAFFT_DEVICE void bf16_k16(float (&d)[4], const u32 *a, const u32 *b) {
  mma_bf16_m16n8k16(d, a[0], a[1], a[2], a[3], b[0], b[1]);
}
MMAFFT_DEVICE void f16_k8(float (&d)[4], const u32 *a, const u32 *b) { mma_f16_m16n8k8(d, a[0], a[1], b[0]); }
MMAFFT_DEVICE void bf16_k8(float (&d)[4], const u32 *a, const u32 *b) { mma_bf16_m16n8k8(d, a[0], a[1], b[0]); }
MMAFFT_DEVICE void f64_k4(double (&d)[2], const u32 *a, const u32 *b) {
  mma_f64_m8n8k4(d, value_of<double>(a), value_of<double>(b));
}

}  // namespace test
}  // namespace mmafft

#define MMAFFT_MORE_ENTRIES                                                      \
  MMAFFT_TEST_ENTRIES, {"test_mma_f16_m16n8k16", test::product<float, 4, test::f16_k16>, STORES},      \
      {"test_mma_bf16_m16n8k16", test::product<float, 4, test::bf16_k16>, STORES},                     \
      {"test_mma_f16_m16n8k8", test::product<float, 4, test::f16_k8>, STORES},                         \
      {"test_mma_bf16_m16n8k8", test::product<float, 4, test::bf16_k8>, STORES},                       \
      {"test_mma_f64_m8n8k4", test::product<double, 2, test::f64_k4>, STORES},
