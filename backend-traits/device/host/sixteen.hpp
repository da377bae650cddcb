// FP16 and BF16 as bits. Rounding is to nearest, ties to even; subnormals are kept,
// infinities and NaN stay what they are.
#pragma once
#include <cstring>

#include "../config.hpp"

namespace mmafft {

static inline u32 bits_of(float x) {
  u32 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float float_of(u32 bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

static inline float widen_half(u16 x) {
  u32 sign = u32(x & 0x8000) << 16, exponent = (x >> 10) & 31, fraction = x & 0x3ff;
  if (exponent == 31) return float_of(sign | 0x7f800000 | (fraction ? 0x400000 : 0) | fraction << 13);
  if (exponent == 0) {
    // A multiple of 2^-24: exact.
    return float_of(sign | bits_of(float(fraction) * 0x1p-24f));
  }
  return float_of(sign | (exponent + 112) << 23 | fraction << 13);
}

static inline u16 round_half(float x) {
  u32 sign = (bits_of(x) >> 16) & 0x8000, size = bits_of(x) & 0x7fffffff;
  if (size > 0x7f800000) return u16(sign | 0x7e00 | ((size >> 13) & 0x3ff));
  if (size >= 0x477ff000) return u16(sign | 0x7c00);  // from 65520 on
  if (size >= 0x38800000) {                           // from 2^-14 on: normal
    u32 rebiased = size - (112u << 23);
    return u16(sign | (rebiased + 0xfff + ((rebiased >> 13) & 1)) >> 13);
  }
  u32 exponent = size >> 23;
  if (exponent < 102) return u16(sign);  // below 2^-25
  // A multiple of 2^-24; a carry out of the fraction makes the least normal number.
  u32 fraction = (size & 0x7fffff) | 0x800000, shift = 126 - exponent;
  u32 quotient = fraction >> shift, rest = fraction & ((1u << shift) - 1), half = 1u << (shift - 1);
  return u16(sign | (quotient + (rest > half || (rest == half && (quotient & 1)))));
}

static inline float widen_bf16(u16 x) { return float_of(u32(x) << 16); }

static inline u16 round_bf16(float x) {
  u32 b = bits_of(x);
  if (x != x) return u16((b >> 16) | 0x40);
  return u16((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}

}  // namespace mmafft
