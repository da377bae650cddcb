// Small forward DFTs on values in registers: X[k] = sum over n of x[n]·exp(-2πi·kn/R).
// Inverse transforms swap real and imaginary parts on either side, which costs nothing.
#pragma once

namespace mmafft {

template <class T> MMAFFT_DEVICE Pair<T> operator+(Pair<T> a, Pair<T> b) { return {a.x + b.x, a.y + b.y}; }
template <class T> MMAFFT_DEVICE Pair<T> operator-(Pair<T> a, Pair<T> b) { return {a.x - b.x, a.y - b.y}; }
template <class T> MMAFFT_DEVICE Pair<T> conjugate(Pair<T> a) { return {a.x, -a.y}; }
template <class T> MMAFFT_DEVICE Pair<T> swapped(Pair<T> a) { return {a.y, a.x}; }
// -i·a
template <class T> MMAFFT_DEVICE Pair<T> turned(Pair<T> a) { return {a.y, -a.x}; }
template <class T> MMAFFT_DEVICE Pair<T> multiply(Pair<T> a, Pair<T> w) {
  return {multiply_add(a.x, w.x, -(a.y * w.y)), multiply_add(a.x, w.y, a.y * w.x)};
}
// a·(c - is)
template <class T> MMAFFT_DEVICE Pair<T> rotate(Pair<T> a, double c, double s) {
  return {multiply_add(a.x, T(c), a.y * T(s)), multiply_add(a.y, T(c), -(a.x * T(s)))};
}

// cos and sin of 2πm/p, for 0 < m <= p/2.
template <int P> MMAFFT_DEVICE constexpr double cosine(int m) {
  if (P == 3) return -0.5;
  if (P == 5) return m == 1 ? 0.30901699437494745 : -0.8090169943749475;
  if (P == 7) return m == 1 ? 0.6234898018587335 : m == 2 ? -0.2225209339563144 : -0.9009688679024191;
  if (P == 11)
    return m == 1   ? 0.8412535328311812
           : m == 2 ? 0.41541501300188644
           : m == 3 ? -0.14231483827328514
           : m == 4 ? -0.6548607339452851
                    : -0.9594929736144974;
  return m == 1   ? 0.8854560256532099
         : m == 2 ? 0.5680647467311558
         : m == 3 ? 0.12053668025532305
         : m == 4 ? -0.3546048870425356
         : m == 5 ? -0.7485107481711011
                  : -0.970941817426052;
}
template <int P> MMAFFT_DEVICE constexpr double sine(int m) {
  if (P == 3) return 0.8660254037844386;
  if (P == 5) return m == 1 ? 0.9510565162951535 : 0.5877852522924731;
  if (P == 7) return m == 1 ? 0.7818314824680298 : m == 2 ? 0.9749279121818236 : 0.4338837391175581;
  if (P == 11)
    return m == 1   ? 0.5406408174555976
           : m == 2 ? 0.9096319953545183
           : m == 3 ? 0.9898214418809327
           : m == 4 ? 0.7557495743542583
                    : 0.28173255684142967;
  return m == 1   ? 0.46472317204376856
         : m == 2 ? 0.8229838658936564
         : m == 3 ? 0.992708874098054
         : m == 4 ? 0.9350162426854148
         : m == 5 ? 0.6631226582407952
                  : 0.23931566428755777;
}

// Odd primes: even and odd parts first, a quarter of the arithmetic of the definition.
//   e = x[n] + x[P-n], o = x[n] - x[P-n]
//   X[k], X[P-k] = x[0] + Σ cos·e ∓ i·Σ sin·o
template <int P, class T> struct Butterfly {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    constexpr int H = (P - 1) / 2;
    Pair<T> even[H], odd[H];
    Pair<T> sum = v[0];
    MMAFFT_UNROLL for (int n = 1; n <= H; n++) {
      even[n - 1] = v[n] + v[P - n];
      odd[n - 1] = v[n] - v[P - n];
      sum = sum + even[n - 1];
    }
    MMAFFT_UNROLL for (int k = 1; k <= H; k++) {
      Pair<T> a = v[0], b = {T(0), T(0)};
      MMAFFT_UNROLL for (int n = 1; n <= H; n++) {
        const int turn = (k * n) % P;
        const int m = turn <= H ? turn : P - turn;
        const T c = T(cosine<P>(m)), s = T(turn <= H ? sine<P>(m) : -sine<P>(m));
        a = {multiply_add(c, even[n - 1].x, a.x), multiply_add(c, even[n - 1].y, a.y)};
        b = {multiply_add(s, odd[n - 1].x, b.x), multiply_add(s, odd[n - 1].y, b.y)};
      }
      v[k] = a + turned(b);
      v[P - k] = a - turned(b);
    }
    v[0] = sum;
  }
};

template <class T> struct Butterfly<1, T> {
  static MMAFFT_DEVICE void run(Pair<T> *) {}
};

// With one pair each output is one fused multiply-add behind a sum: a rounding less.
template <class T> struct Butterfly<3, T> {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    const Pair<T> even = v[1] + v[2], odd = v[1] - v[2];
    const Pair<T> a = {multiply_add(T(-0.5), even.x, v[0].x), multiply_add(T(-0.5), even.y, v[0].y)};
    const T s = T(sine<3>(1));
    v[0] = v[0] + even;
    v[1] = {multiply_add(s, odd.y, a.x), multiply_add(-s, odd.x, a.y)};
    v[2] = {multiply_add(-s, odd.y, a.x), multiply_add(s, odd.x, a.y)};
  }
};

template <class T> struct Butterfly<2, T> {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  }
};

template <class T> struct Butterfly<4, T> {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};

constexpr double ROOT_HALF = 0.7071067811865476;
constexpr double COS_16 = 0.9238795325112867, SIN_16 = 0.3826834323650898;  // of π/8

// exp(-πi/4)·a and exp(-3πi/4)·a: one product fewer than a rotation.
template <class T> MMAFFT_DEVICE Pair<T> eighth(Pair<T> a) {
  return {T(ROOT_HALF) * (a.x + a.y), T(ROOT_HALF) * (a.y - a.x)};
}
template <class T> MMAFFT_DEVICE Pair<T> three_eighths(Pair<T> a) {
  return {T(ROOT_HALF) * (a.y - a.x), T(-ROOT_HALF) * (a.x + a.y)};
}

// 8 = 2·4 points: x[2n+j], a DFT of 4 each, twiddles of order 8, a DFT of 2.
template <class T> struct Butterfly<8, T> {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> e[4] = {v[0], v[2], v[4], v[6]}, o[4] = {v[1], v[3], v[5], v[7]};
    Butterfly<4, T>::run(e);
    Butterfly<4, T>::run(o);
    o[1] = eighth(o[1]);
    o[2] = turned(o[2]);
    o[3] = three_eighths(o[3]);
    MMAFFT_UNROLL for (int k = 0; k < 4; k++) {
      v[k] = e[k] + o[k];
      v[k + 4] = e[k] - o[k];
    }
  }
};

// 9 = 3·3: X[k + 3l] from y[j][k] = DFT3 of x[3n + j], times exp(-2πi·jk/9).
template <class T> struct Butterfly<9, T> {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> y[3][3];
    MMAFFT_UNROLL for (int j = 0; j < 3; j++) {
      MMAFFT_UNROLL for (int n = 0; n < 3; n++) y[j][n] = v[3 * n + j];
      Butterfly<3, T>::run(y[j]);
    }
    y[1][1] = rotate(y[1][1], 0.766044443118978, 0.6427876096865394);
    y[1][2] = rotate(y[1][2], 0.17364817766693036, 0.984807753012208);
    y[2][1] = rotate(y[2][1], 0.17364817766693036, 0.984807753012208);
    y[2][2] = rotate(y[2][2], -0.9396926207859084, 0.3420201433256687);
    MMAFFT_UNROLL for (int k = 0; k < 3; k++) {
      Pair<T> z[3] = {y[0][k], y[1][k], y[2][k]};
      Butterfly<3, T>::run(z);
      MMAFFT_UNROLL for (int l = 0; l < 3; l++) v[k + 3 * l] = z[l];
    }
  }
};

// 16 = 4·4, likewise with twiddles of order 16.
template <class T> struct Butterfly<16, T> {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> y[4][4];
    MMAFFT_UNROLL for (int j = 0; j < 4; j++) {
      MMAFFT_UNROLL for (int n = 0; n < 4; n++) y[j][n] = v[4 * n + j];
      Butterfly<4, T>::run(y[j]);
    }
    y[1][1] = rotate(y[1][1], COS_16, SIN_16);
    y[1][2] = eighth(y[1][2]);
    y[1][3] = rotate(y[1][3], SIN_16, COS_16);
    y[2][1] = eighth(y[2][1]);
    y[2][2] = turned(y[2][2]);
    y[2][3] = three_eighths(y[2][3]);
    y[3][1] = rotate(y[3][1], SIN_16, COS_16);
    y[3][2] = three_eighths(y[3][2]);
    y[3][3] = rotate(y[3][3], -COS_16, -SIN_16);
    MMAFFT_UNROLL for (int k = 0; k < 4; k++) {
      Pair<T> z[4] = {y[0][k], y[1][k], y[2][k], y[3][k]};
      Butterfly<4, T>::run(z);
      MMAFFT_UNROLL for (int l = 0; l < 4; l++) v[k + 4 * l] = z[l];
    }
  }
};

// cos and sin of 2πm/n where twiddles within a butterfly need them; by symmetry for n = 32.
MMAFFT_DEVICE constexpr double cosine32(int m) {
  const int half = m > 16 ? 32 - m : m, quarter = half > 8 ? 16 - half : half;
  const double c = quarter == 0   ? 1.0
                   : quarter == 1 ? 0.9807852804032304
                   : quarter == 2 ? COS_16
                   : quarter == 3 ? 0.8314696123025452
                   : quarter == 4 ? ROOT_HALF
                   : quarter == 5 ? 0.5555702330196022
                   : quarter == 6 ? SIN_16
                   : quarter == 7 ? 0.19509032201612828
                                  : 0.0;
  return half > 8 ? -c : c;
}
MMAFFT_DEVICE constexpr double cosine25(int m) {
  return m == 1 ? 0.9685831611286311 : m == 2 ? 0.8763066800438636 : m == 3 ? 0.7289686274214116 : m == 4 ? 0.5358267949789967 : m == 6 ? 0.06279051952931337 : m == 8 ? -0.42577929156507266 : m == 9 ? -0.6374239897486897 : m == 12 ? -0.9921147013144779 : -0.6374239897486897;
}
MMAFFT_DEVICE constexpr double sine25(int m) {
  return m == 1 ? 0.2486898871648548 : m == 2 ? 0.48175367410171527 : m == 3 ? 0.6845471059286887 : m == 4 ? 0.8443279255020151 : m == 6 ? 0.9980267284282716 : m == 8 ? 0.9048270524660196 : m == 9 ? 0.7705132427757893 : m == 12 ? 0.12533323356430426 : -0.7705132427757893;
}
// exp(-2πim/N)·a.
template <int N, class T> MMAFFT_DEVICE Pair<T> rotated(Pair<T> a, int m) {
  if (m == 0) return a;
  if (N == 25) return rotate(a, cosine25(m), sine25(m));
  if (m == 4) return eighth(a);
  if (m == 8) return turned(a);
  if (m == 12) return three_eighths(a);
  return rotate(a, cosine32(m), cosine32(m <= 8 ? 8 - m : m - 8));
}

// A·B points: X[k + B·l] from y[j][k] = DFT of x[A·n + j] over n, times exp(-2πi·jk/(A·B)).
template <int A, int B, class T> struct Product {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> y[A][B];
    MMAFFT_UNROLL for (int j = 0; j < A; j++) {
      MMAFFT_UNROLL for (int n = 0; n < B; n++) y[j][n] = v[A * n + j];
      Butterfly<B, T>::run(y[j]);
      MMAFFT_UNROLL for (int k = 1; k < B; k++) y[j][k] = rotated<A * B>(y[j][k], j * k);
    }
    MMAFFT_UNROLL for (int k = 0; k < B; k++) {
      Pair<T> z[A];
      MMAFFT_UNROLL for (int j = 0; j < A; j++) z[j] = y[j][k];
      Butterfly<A, T>::run(z);
      MMAFFT_UNROLL for (int l = 0; l < A; l++) v[k + B * l] = z[l];
    }
  }
};
template <class T> struct Butterfly<25, T> : Product<5, 5, T> {};
template <class T> struct Butterfly<32, T> : Product<4, 8, T> {};

// A·B points where A and B have no common factor need no twiddles (Good 1958): x[B·n1 + A·n2]
// as A lines of B points, X[k] from k mod A and k mod B.
template <int A, int B, class T> struct Coprime {
  static MMAFFT_DEVICE constexpr int inverse(int x, int modulus) {
    for (int i = 1; i < modulus; i++) {
      if (x * i % modulus == 1) return i;
    }
    return 0;
  }
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    Pair<T> y[A][B];
    MMAFFT_UNROLL for (int i = 0; i < A; i++) {
      MMAFFT_UNROLL for (int n = 0; n < B; n++) y[i][n] = v[(B * i + A * n) % (A * B)];
      Butterfly<B, T>::run(y[i]);
    }
    constexpr int a = A * inverse(A % B, B), b = B * inverse(B % A, A);
    MMAFFT_UNROLL for (int k = 0; k < B; k++) {
      Pair<T> z[A];
      MMAFFT_UNROLL for (int i = 0; i < A; i++) z[i] = y[i][k];
      Butterfly<A, T>::run(z);
      MMAFFT_UNROLL for (int l = 0; l < A; l++) v[(b * l + a * k) % (A * B)] = z[l];
    }
  }
};
template <class T> struct Butterfly<6, T> : Coprime<2, 3, T> {};
template <class T> struct Butterfly<10, T> : Coprime<2, 5, T> {};
template <class T> struct Butterfly<12, T> : Coprime<4, 3, T> {};
template <class T> struct Butterfly<14, T> : Coprime<2, 7, T> {};
template <class T> struct Butterfly<15, T> : Coprime<3, 5, T> {};
template <class T> struct Butterfly<20, T> : Coprime<4, 5, T> {};
template <class T> struct Butterfly<24, T> : Coprime<8, 3, T> {};

}  // namespace mmafft
