// The instructions of an AMD device, one a kernel, for the golden vectors.
#include "test_kernels.hpp"

namespace mmafft {
namespace test {

MMAFFT_DEVICE void f16_k16(float (&d)[4], const u32 *a, const u32 *b) { mfma_f16_16x16x16(d, a[0], a[1], b[0], b[1]); }
MMAFFT_DEVICE void bf16_k16(float (&d)[4], const u32 *a, const u32 *b) {
  mfma_bf16_16x16x16(d, a[0], a[1], b[0], b[1]);
}
MMAFFT_DEVICE void f16_small(float (&d)[4], const u32 *a, const u32 *b) { mfma_f16_4x4x4(d, a[0], a[1], b[0], b[1]); }
MMAFFT_DEVICE void bf16_small(float (&d)[4], const u32 *a, const u32 *b) { mfma_bf16_4x4x4(d, a[0], a[1], b[0], b[1]); }
MMAFFT_DEVICE void f32_small(float (&d)[4], const u32 *a, const u32 *b) {
  mfma_f32_4x4x1(d, value_of<float>(a), value_of<float>(b));
}
MMAFFT_DEVICE void f32_k4(float (&d)[4], const u32 *a, const u32 *b) {
  mfma_f32_16x16x4(d, value_of<float>(a), value_of<float>(b));
}
MMAFFT_DEVICE void f64_k4(double (&d)[4], const u32 *a, const u32 *b) {
  mfma_f64_16x16x4(d, value_of<double>(a), value_of<double>(b));
}

}  // namespace test
}  // namespace mmafft

#define MMAFFT_MORE_ENTRIES                                                     \
  MMAFFT_TEST_ENTRIES, {"test_mfma_f16_16x16x16", test::product<float, 4, test::f16_k16>, STORES}, \
      {"test_mfma_bf16_16x16x16", test::product<float, 4, test::bf16_k16>, STORES},                \
      {"test_mfma_f16_4x4x4", test::product<float, 4, test::f16_small>, STORES},                   \
      {"test_mfma_bf16_4x4x4", test::product<float, 4, test::bf16_small>, STORES},                 \
      {"test_mfma_f32_4x4x1", test::product<float, 4, test::f32_small>, STORES},                   \
      {"test_mfma_f32_16x16x4", test::product<float, 4, test::f32_k4>, STORES},                    \
      {"test_mfma_f64_16x16x4", test::product<double, 4, test::f64_k4>, STORES},
