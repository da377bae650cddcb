// DCT-I and DST-I of a few reals in registers (FFTW's REDFT00 and RODFT00, unnormalised), for lines that a thread has whole:
// less arithmetic than of the continued line as a packed complex one, and half of its loads. Even outputs are a type I of
// half the length of the sums (differences) of reals that mirror each other, odd ones a DCT-III of the others (Wang 1984;
// Plonka and Tasche 2005), whose even and odd inputs are a DCT-III and a DCT-IV; odd lengths are the definition's.
#pragma once
#include "butterflies.hpp"

namespace mmafft {

// A number of twice the digits, the sum of both (Dekker 1971): for constants, which compilers compute.
struct TwoDoubles {
  double high, low;
};
MMAFFT_DEVICE constexpr TwoDoubles renormalized(double high, double low) { return {high + low, low - ((high + low) - high)}; }
MMAFFT_DEVICE constexpr double upper_half(double x) { return 134217729.0 * x - (134217729.0 * x - x); }
MMAFFT_DEVICE constexpr TwoDoubles product(TwoDoubles a, TwoDoubles b) {
  const double p = a.high * b.high, a1 = upper_half(a.high), b1 = upper_half(b.high), a2 = a.high - a1, b2 = b.high - b1;
  return renormalized(p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2 + (a.high * b.low + a.low * b.high));
}
MMAFFT_DEVICE constexpr TwoDoubles sum(TwoDoubles a, TwoDoubles b) {
  const double s = a.high + b.high, of_b = s - a.high;
  return renormalized(s, (a.high - (s - of_b)) + (b.high - of_b) + a.low + b.low);
}
MMAFFT_DEVICE constexpr TwoDoubles quotient(TwoDoubles a, double n) {
  const double q = a.high / n;
  const TwoDoubles back = product({-q, 0.0}, {n, 0.0}), rest = sum(a, back);
  return renormalized(q, (rest.high + rest.low) / n);
}
// cos(πm/n), 0 <= m <= n, by the series of the cosine or the sine of no more than π/4.
MMAFFT_DEVICE constexpr double cosine_of(int m, int n) {
  if (2 * m > n) return -cosine_of(n - m, n);
  const bool sine = 4 * m > n;
  const TwoDoubles pi = {3.141592653589793116, 1.2246467991473532072e-16};
  const TwoDoubles angle = quotient(product(pi, {double(sine ? n - 2 * m : m), 0.0}), double(sine ? 2 * n : n));
  const TwoDoubles square = product(angle, angle);
  TwoDoubles term = sine ? angle : TwoDoubles{1.0, 0.0}, all = term;
  for (int k = sine ? 3 : 2; k < 26; k += 2) {
    term = quotient(product(term, square), -double(k * (k - 1)));
    all = sum(all, term);
  }
  return all.high;
}

// cos(πm/N) for any m.
template <int N> struct Cosines {
  double at[N + 1];
  MMAFFT_DEVICE constexpr Cosines() : at() {
    for (int m = 0; m <= N; m++) at[m] = cosine_of(m, N);
  }
  static MMAFFT_DEVICE constexpr int index(int m) {
    const int turn = (m % (2 * N) + 2 * N) % (2 * N);
    return turn > N ? 2 * N - turn : turn;
  }
};

// first + Σ 2·cos(π·turn(i)/N)·x(i) over i < COUNT; in two sums where they are long, as errors grow with the root of their length.
template <int N, int COUNT, class T, class X, class Turn>
MMAFFT_DEVICE T cosine_sum(T first, X x, Turn turn) {
  constexpr Cosines<N> cosines;
  constexpr int SUMS = COUNT > 4 ? 2 : 1;
  T a[SUMS] = {first};
  MMAFFT_UNROLL for (int i = 0; i < COUNT; i++) {
    const int m = Cosines<N>::index(turn(i));
    if (2 * m != N) a[i % SUMS] = multiply_add(T(2.0 * cosines.at[m]), x(i), a[i % SUMS]);
  }
  return SUMS > 1 ? a[0] + a[SUMS - 1] : a[0];
}

// DCT-IV: y[k] = Σ 2·x[j]·cos(π(j+½)(k+½)/N).
template <int N, class T> struct CosinesFour {
  static MMAFFT_DEVICE void run(T *x) {
    T y[N];
    MMAFFT_UNROLL for (int k = 0; k < N; k++) {
      y[k] = cosine_sum<4 * N, N>(T(0), [&](int j) { return x[j]; }, [&](int j) { return (2 * j + 1) * (2 * k + 1); });
    }
    MMAFFT_UNROLL for (int k = 0; k < N; k++) x[k] = y[k];
  }
};

// DCT-III: y[k] = x[0] + Σ 2·x[j]·cos(πj(k+½)/N). y[k] and y[N-1-k] are the sum and the difference of what even and odd j add.
template <int N, class T> struct CosinesThree {
  static MMAFFT_DEVICE void run(T *x) {
    constexpr int H = N / 2, E = N - H;
    T even[E], odd[E];
    if constexpr (N % 2 == 0) {
      MMAFFT_UNROLL for (int j = 0; j < H; j++) even[j] = x[2 * j], odd[j] = x[2 * j + 1];
      CosinesThree<E, T>::run(even);
      CosinesFour<E, T>::run(odd);
    } else {
      // Of the middle one odd j add nothing.
      MMAFFT_UNROLL for (int k = 0; k < E; k++) {
        even[k] = cosine_sum<2 * N, H>(x[0], [&](int i) { return x[2 * i + 2]; }, [&](int i) { return (2 * i + 2) * (2 * k + 1); });
        odd[k] = cosine_sum<2 * N, H>(T(0), [&](int i) { return x[2 * i + 1]; }, [&](int i) { return (2 * i + 1) * (2 * k + 1); });
      }
      x[H] = even[H];
    }
    MMAFFT_UNROLL for (int k = 0; k < H; k++) {
      x[k] = even[k] + odd[k];
      x[N - 1 - k] = even[k] - odd[k];
    }
  }
};
template <class T> struct CosinesThree<1, T> {
  static MMAFFT_DEVICE void run(T *) {}
};

// DCT-I of N + 1 reals: y[k] = x[0] + (-1)^k·x[N] + Σ 2·x[j]·cos(πjk/N).
template <int N, class T> struct CosinesOne {
  static MMAFFT_DEVICE void run(T *x) {
    constexpr int H = N / 2;
    T even[H + 1], odd[H + 1];
    MMAFFT_UNROLL for (int j = 0; j <= H; j++) even[j] = x[j] + x[N - j], odd[j] = x[j] - x[N - j];
    if constexpr (N % 2 == 0) {
      CosinesOne<H, T>::run(even);
      CosinesThree<H, T>::run(odd);
      MMAFFT_UNROLL for (int k = 0; k < H; k++) x[2 * k] = even[k], x[2 * k + 1] = odd[k];
      x[N] = even[H];
    } else {
      MMAFFT_UNROLL for (int k = 0; k <= H; k++) {
        x[2 * k] = cosine_sum<N, H>(even[0], [&](int i) { return even[i + 1]; }, [&](int i) { return 2 * (i + 1) * k; });
        x[2 * k + 1] = cosine_sum<N, H>(odd[0], [&](int i) { return odd[i + 1]; }, [&](int i) { return (i + 1) * (2 * k + 1); });
      }
    }
  }
};

// DST-I of N - 1 reals: y[k-1] = Σ 2·x[j-1]·sin(πjk/N), 0 < j, k < N.
template <int N, class T> struct SinesOne {
  static MMAFFT_DEVICE void run(T *x) {
    constexpr int H = N / 2;
    // Sums and differences of x(j) and x(N - j), where x(N/2) is twice there.
    T sum[H + 1], difference[H + 1];
    MMAFFT_UNROLL for (int j = 1; j <= H; j++) {
      sum[j] = x[j - 1] + x[N - j - 1];
      difference[j - 1] = x[j - 1] - x[N - j - 1];
    }
    if constexpr (N % 2 == 0) {
      // sin(πj(2k+1)/N) is (-1)^k·cos(π(N/2-j)(k+½)/(N/2)).
      T odd[H];
      MMAFFT_UNROLL for (int i = 0; i < H; i++) odd[i] = sum[H - i];
      SinesOne<H, T>::run(difference);
      CosinesThree<H, T>::run(odd);
      MMAFFT_UNROLL for (int k = 1; k < H; k++) x[2 * k - 1] = difference[k - 1];
      MMAFFT_UNROLL for (int k = 0; k < H; k++) x[2 * k] = k % 2 == 0 ? odd[k] : -odd[k];
    } else {
      // sin(πa/N) is cos(π(N-2a)/2N).
      MMAFFT_UNROLL for (int k = 1; k <= H; k++) {
        const auto turn = [&](int a) { return N - 2 * a; };
        x[2 * k - 1] = cosine_sum<2 * N, H>(T(0), [&](int i) { return difference[i]; }, [&](int i) { return turn(2 * (i + 1) * k); });
        x[2 * k - 2] = cosine_sum<2 * N, H>(T(0), [&](int i) { return sum[i + 1]; }, [&](int i) { return turn((i + 1) * (2 * k - 1)); });
      }
    }
  }
};
template <class T> struct SinesOne<1, T> {
  static MMAFFT_DEVICE void run(T *) {}
};

}  // namespace mmafft
