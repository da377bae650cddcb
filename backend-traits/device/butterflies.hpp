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
  if (P == 3) {
    const double at[] = {-0.5};
    return at[m - 1];
  }
  if (P == 5) {
    const double at[] = {0.30901699437494745, -0.8090169943749475};
    return at[m - 1];
  }
  if (P == 7) {
    const double at[] = {0.6234898018587335, -0.2225209339563144, -0.9009688679024191};
    return at[m - 1];
  }
  if (P == 11) {
    const double at[] = {0.8412535328311812, 0.41541501300188644, -0.14231483827328514, -0.6548607339452851,
        -0.9594929736144974};
    return at[m - 1];
  }
  if (P == 13) {
    const double at[] = {0.8854560256532099, 0.5680647467311558, 0.12053668025532305, -0.3546048870425356,
        -0.7485107481711011, -0.970941817426052};
    return at[m - 1];
  }
  if (P == 17) {
    const double at[] = {0.9324722294043558, 0.7390089172206591, 0.44573835577653825, 0.092268359463302,
        -0.2736629900720829, -0.6026346363792564, -0.8502171357296141, -0.9829730996839018};
    return at[m - 1];
  }
  if (P == 19) {
    const double at[] = {0.9458172417006346, 0.7891405093963936, 0.5469481581224269, 0.24548548714079915,
        -0.08257934547233232, -0.4016954246529695, -0.6772815716257411, -0.8794737512064891,
        -0.9863613034027223};
    return at[m - 1];
  }
  if (P == 23) {
    const double at[] = {0.9629172873477992, 0.8544194045464886, 0.6825531432186541, 0.46006503773115215,
        0.20345601305263378, -0.06824241336467098, -0.33487961217098616, -0.5766803221148672,
        -0.7757112907044198, -0.917211301505453, -0.9906859460363308};
    return at[m - 1];
  }
  if (P == 29) {
    const double at[] = {0.9766205557100867, 0.907575419670957, 0.7960930657056438, 0.6473862847818277,
        0.46840844069979015, 0.2675283385292208, 0.054138908585417526, -0.16178199655276473,
        -0.37013815533991434, -0.5611870653623824, -0.7259954919231308, -0.8568571761675893,
        -0.9476531711828025, -0.9941379571543596};
    return at[m - 1];
  }
  const double at[] = {0.9795299412524945, 0.9189578116202306, 0.8207634412072763, 0.6889669190756865,
      0.5289640103269625, 0.3473052528448203, 0.15142777750457667, -0.05064916883871271, -0.25065253225872053,
      -0.4403941515576343, -0.6121059825476628, -0.7587581226927909, -0.8743466161445821, -0.9541392564000488,
      -0.9948693233918952};
  return at[m - 1];
}
template <int P> MMAFFT_DEVICE constexpr double sine(int m) {
  if (P == 3) {
    const double at[] = {0.8660254037844386};
    return at[m - 1];
  }
  if (P == 5) {
    const double at[] = {0.9510565162951535, 0.5877852522924731};
    return at[m - 1];
  }
  if (P == 7) {
    const double at[] = {0.7818314824680298, 0.9749279121818236, 0.4338837391175581};
    return at[m - 1];
  }
  if (P == 11) {
    const double at[] = {0.5406408174555976, 0.9096319953545183, 0.9898214418809327, 0.7557495743542583,
        0.28173255684142967};
    return at[m - 1];
  }
  if (P == 13) {
    const double at[] = {0.46472317204376856, 0.8229838658936564, 0.992708874098054, 0.9350162426854148,
        0.6631226582407952, 0.23931566428755777};
    return at[m - 1];
  }
  if (P == 17) {
    const double at[] = {0.3612416661871529, 0.6736956436465572, 0.8951632913550623, 0.9957341762950345,
        0.961825643172819, 0.7980172272802395, 0.5264321628773558, 0.18374951781657034};
    return at[m - 1];
  }
  if (P == 19) {
    const double at[] = {0.3246994692046835, 0.6142127126896678, 0.8371664782625285, 0.9694002659393304,
        0.9965844930066698, 0.9157733266550574, 0.7357239106731316, 0.47594739303707356, 0.1645945902807339};
    return at[m - 1];
  }
  if (P == 23) {
    const double at[] = {0.2697967711570243, 0.5195839500354336, 0.7308359642781241, 0.8878852184023752,
        0.9790840876823229, 0.9976687691905392, 0.9422609221188205, 0.816969893010442, 0.6310879443260528,
        0.39840108984624145, 0.1361666490962466};
    return at[m - 1];
  }
  if (P == 29) {
    const double at[] = {0.21497044021102407, 0.4198891015602646, 0.6051742151937651, 0.7621620551276365,
        0.8835120444460229, 0.9635499925192229, 0.9985334138511238, 0.9868265225415261, 0.9289767198167914,
        0.8276889981568906, 0.6876994588534233, 0.5155538571770217, 0.31930153013597995, 0.10811901842394177};
    return at[m - 1];
  }
  const double at[] = {0.2012985200886601, 0.39435585511331855, 0.5712682150947923, 0.72479278722912,
      0.8486442574947509, 0.9377521321470804, 0.9884683243281114, 0.9987165071710528, 0.9680771188662043,
      0.8978045395707417, 0.7907757369376985, 0.6513724827222223, 0.48530196253108104, 0.29936312297335793,
      0.10116832198743218};
  return at[m - 1];
}

// Odd primes: even and odd parts first, a quarter of the arithmetic of the definition.
//   e = x[n] + x[P-n], o = x[n] - x[P-n]
//   X[k], X[P-k] = x[0] + Σ cos·e ∓ i·Σ sin·o
// Real parts of the results need the real parts of e and the imaginary ones of o, so that all of
// them come first: half as many registers wait for the imaginary parts.
template <int P, class T> struct Butterfly {
  static MMAFFT_DEVICE void run(Pair<T> *v) {
    constexpr int H = (P - 1) / 2;
    T even[2][H], odd[2][H];
    Pair<T> sum = v[0];
    MMAFFT_UNROLL for (int n = 1; n <= H; n++) {
      const Pair<T> e = v[n] + v[P - n], o = v[n] - v[P - n];
      even[0][n - 1] = e.x, even[1][n - 1] = e.y;
      odd[0][n - 1] = o.y, odd[1][n - 1] = o.x;
      sum = sum + e;
    }
    T real[P];
    sums<H>(real, v[0].x, even[0], odd[0]);
    T imaginary[P];
    sums<H>(imaginary, v[0].y, even[1], odd[1]);
    v[0] = sum;
    MMAFFT_UNROLL for (int k = 1; k <= H; k++) {
      v[k] = {real[k], imaginary[P - k]};
      v[P - k] = {real[P - k], imaginary[k]};
    }
  }

 private:
  // x[k], x[P-k] = first + Σ cos·even ± Σ sin·odd
  template <int H> static MMAFFT_DEVICE void sums(T *x, T first, const T *even, const T *odd) {
    // Two sums where they are long: errors grow with the root of their length.
    constexpr int SUMS = P > 13 ? 2 : 1;
    MMAFFT_UNROLL for (int k = 1; k <= H; k++) {
      T a[SUMS] = {first}, b[SUMS] = {};
      MMAFFT_UNROLL for (int n = 1; n <= H; n++) {
        const int turn = (k * n) % P;
        const int m = turn <= H ? turn : P - turn;
        a[n % SUMS] = multiply_add(T(cosine<P>(m)), even[n - 1], a[n % SUMS]);
        b[n % SUMS] = multiply_add(T(turn <= H ? sine<P>(m) : -sine<P>(m)), odd[n - 1], b[n % SUMS]);
      }
      const T in = SUMS > 1 ? a[0] + a[SUMS - 1] : a[0], across = SUMS > 1 ? b[0] + b[SUMS - 1] : b[0];
      x[k] = in + across;
      x[P - k] = in - across;
    }
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

// exp(-πi/4)·a and exp(-3πi/4)·a: one product fewer than a rotation, and the product with what is added
// next is one instruction. The sum may be √2 times as large as the result.
template <class T> MMAFFT_DEVICE Pair<T> eighth(Pair<T> a) {
  return {T(ROOT_HALF) * (a.x + a.y), T(ROOT_HALF) * (a.y - a.x)};
}
template <class T> MMAFFT_DEVICE Pair<T> three_eighths(Pair<T> a) {
  return {T(ROOT_HALF) * (a.y - a.x), T(-ROOT_HALF) * (a.x + a.y)};
}

// cos and sin of 2πm/n where twiddles within a butterfly need them; by symmetry for n = 32, which 8 and 16 divide.
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
// For n = 25 and 27, which 9 divides, of 1 <= m <= 16.
MMAFFT_DEVICE constexpr double cosine25(int m) {
  const double at[] = {0.9685831611286311, 0.8763066800438636, 0.7289686274214116, 0.5358267949789967,
      0.30901699437494745, 0.06279051952931337, -0.18738131458572463, -0.42577929156507266, -0.6374239897486897,
      -0.8090169943749475, -0.9297764858882515, -0.9921147013144779, -0.9921147013144779, -0.9297764858882515,
      -0.8090169943749475, -0.6374239897486897};
  return at[m - 1];
}
MMAFFT_DEVICE constexpr double sine25(int m) {
  const double at[] = {0.2486898871648548, 0.48175367410171527, 0.6845471059286887, 0.8443279255020151,
      0.9510565162951535, 0.9980267284282716, 0.9822872507286887, 0.9048270524660196, 0.7705132427757893,
      0.5877852522924731, 0.368124552684678, 0.12533323356430426, -0.12533323356430426, -0.368124552684678,
      -0.5877852522924731, -0.7705132427757893};
  return at[m - 1];
}
MMAFFT_DEVICE constexpr double cosine27(int m) {
  const double at[] = {0.9730448705798238, 0.8936326403234123, 0.766044443118978, 0.5971585917027862,
      0.39607976603915684, 0.17364817766693036, -0.05814482891047583, -0.28680323271109026, -0.5,
      -0.6862416378687336, -0.8354878114129364, -0.9396926207859084, -0.993238357741943, -0.993238357741943,
      -0.9396926207859084, -0.8354878114129364};
  return at[m - 1];
}
MMAFFT_DEVICE constexpr double sine27(int m) {
  const double at[] = {0.23061587074244017, 0.44879918020046217, 0.6427876096865394, 0.8021231927550437,
      0.918216106880274, 0.984807753012208, 0.9983081582712682, 0.9579895123154889, 0.8660254037844386,
      0.7273736415730487, 0.549508978070806, 0.3420201433256687, 0.11609291412523023, -0.11609291412523023,
      -0.3420201433256687, -0.549508978070806};
  return at[m - 1];
}
// exp(-2πim/N)·a.
template <int N, class T> MMAFFT_DEVICE Pair<T> rotated(Pair<T> a, int m) {
  if (m == 0) return a;
  if (N == 9) return rotated<27>(a, 3 * m);
  if (N < 25) return rotated<32>(a, 32 / N * m);
  if (N == 25) return rotate(a, cosine25(m), sine25(m));
  if (N == 27) return rotate(a, cosine27(m), sine27(m));
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
template <class T> struct Butterfly<8, T> : Product<2, 4, T> {};
template <class T> struct Butterfly<9, T> : Product<3, 3, T> {};
template <class T> struct Butterfly<16, T> : Product<4, 4, T> {};
template <class T> struct Butterfly<25, T> : Product<5, 5, T> {};
template <class T> struct Butterfly<27, T> : Product<3, 9, T> {};
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
template <class T> struct Butterfly<18, T> : Coprime<2, 9, T> {};
template <class T> struct Butterfly<20, T> : Coprime<4, 5, T> {};
template <class T> struct Butterfly<21, T> : Coprime<3, 7, T> {};
template <class T> struct Butterfly<24, T> : Coprime<8, 3, T> {};
template <class T> struct Butterfly<28, T> : Coprime<4, 7, T> {};
template <class T> struct Butterfly<30, T> : Coprime<2, 15, T> {};

}  // namespace mmafft
