/* Problems at random by two libraries of FFTW's interface, loaded side by side: beside OURS THEIRS CASES.
 * With -DSINGLE in single precision. Prints how many were compared. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SINGLE
#define NAME(name) "fftwf_" #name
#define T(name) fftwf_##name
typedef float real;
static const double bound = 3e-6;
#else
#define NAME(name) "fftw_" #name
#define T(name) fftw_##name
typedef double real;
static const double bound = 1e-14;
#endif
typedef T(complex) complex_t;
typedef T(plan) plan_t;

/* The functions of a library that are used here. */
#define FUNCTIONS(X)                                                                               \
    X(plan_guru64_dft)                                                                             \
    X(plan_guru64_split_dft)                                                                       \
    X(plan_guru64_dft_r2c)                                                                         \
    X(plan_guru64_split_dft_r2c)                                                                   \
    X(plan_guru64_dft_c2r)                                                                         \
    X(plan_guru64_split_dft_c2r)                                                                   \
    X(plan_guru64_r2r)                                                                             \
    X(execute)                                                                                     \
    X(execute_dft)                                                                                 \
    X(execute_split_dft)                                                                           \
    X(execute_dft_r2c)                                                                             \
    X(execute_split_dft_r2c)                                                                       \
    X(execute_dft_c2r)                                                                             \
    X(execute_split_dft_c2r)                                                                       \
    X(execute_r2r)                                                                                 \
    X(destroy_plan)

typedef struct {
#define MEMBER(name) __typeof__(&T(name)) name;
    FUNCTIONS(MEMBER)
} library;

static library load(const char *path) {
    library l;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
#define LOAD(name) l.name = (__typeof__(l.name))dlsym(handle, NAME(name));
    FUNCTIONS(LOAD)
    return l;
}

static unsigned long state = 1;
static int below(int n) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (int)((state >> 33) % (unsigned long)n);
}

enum { C2C, R2C, C2R, R2R };
#define MOST 6
#define SIZE 200000

typedef struct {
    int what, rank, loops, split, in_place, sign;
    T(iodim64) dims[MOST], counts[MOST];
    T(r2r_kind) kinds[MOST];
    /* Where element zero lies, in scalars, and the distance of separate imaginary parts. */
    long base[2], parts[2];
} problem;

/* Strides of one side that keep elements apart: dimensions in any order, some with gaps, some backwards. */
static int lay_out(problem *p, int side) {
    int is_real = (p->what == R2R) || (p->what == R2C && side == 0) || (p->what == C2R && side == 1);
    int split = p->split && !is_real;
    int order[2 * MOST], count = p->rank + p->loops;
    long stride = 1 + below(3), base = 0, unit = is_real || split ? 1 : 2;
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = below(2) ? i : below(i + 1), o = order[i];
        order[i] = order[j];
        order[j] = o;
    }
    if (below(2)) stride = 1;
    for (int i = count - 1; i >= 0; i--) {
        T(iodim64) *d = order[i] < p->rank ? &p->dims[order[i]] : &p->counts[order[i] - p->rank];
        long n = d->n, own = stride;
        if (order[i] == p->rank - 1 && (p->what == R2C || p->what == C2R) && !is_real)
            n = n / 2 + 1;
        stride = own * n + (below(3) ? 0 : below(4));
        if (!below(6)) {
            base += (n - 1) * own * unit;
            own = -own;
        }
        if (side == 0)
            d->is = own;
        else
            d->os = own;
    }
    p->base[side] = base;
    p->parts[side] = split ? stride * unit + below(5) : 1;
    return (stride * unit * 2 + 8) * 2 < SIZE;
}

static int make(problem *p) {
    memset(p, 0, sizeof *p);
    p->what = below(4);
    p->rank = below(8) ? 1 + below(3) : 4;
    p->loops = below(3) + !below(6);
    p->split = p->what != R2R && !below(4);
    p->in_place = !below(3);
    p->sign = below(2) ? 1 : -1;
    for (int i = 0; i < p->rank; i++) {
        p->dims[i].n = 1 + below(p->rank > 2 ? 6 : p->rank > 1 ? 14 : below(4) ? 30 : 200);
        p->kinds[i] = (T(r2r_kind))below(11);
        if (p->what == R2R && p->kinds[i] == FFTW_REDFT00) p->dims[i].n++;
    }
    for (int i = 0; i < p->loops; i++) p->counts[i].n = 1 + below(5);
    if (!lay_out(p, 0) || !lay_out(p, 1)) return 0;
    if (p->in_place && below(4)) {
        /* The same places, as most programs have it. */
        int halves = p->what == R2C || p->what == C2R;
        if (halves && p->split) return 0;
        if (halves) {
            long stride = 1;
            for (int i = p->rank + p->loops - 1; i >= 0; i--) {
                int j = i < p->loops ? i : i - p->loops;
                T(iodim64) *d = i < p->loops ? &p->counts[j] : &p->dims[j];
                int last = i == p->rank + p->loops - 1;
                long r = last ? 1 : 2 * stride, c = stride;
                d->is = p->what == R2C ? r : c;
                d->os = p->what == R2C ? c : r;
                stride *= last ? d->n / 2 + 1 : d->n;
            }
            p->base[0] = p->base[1] = 0;
        } else {
            for (int i = 0; i < p->rank; i++) p->dims[i].os = p->dims[i].is;
            for (int i = 0; i < p->loops; i++) p->counts[i].os = p->counts[i].is;
            p->base[1] = p->base[0];
            p->parts[1] = p->parts[0];
        }
    } else if (p->in_place) {
        /* Elsewhere in the same memory: what few programs do, and FFTW often refuses. */
        p->base[0] = p->base[1] = SIZE / 2;
    }
    return 1;
}

static plan_t plan(const library *l, const problem *p, real *in, real *out, unsigned flags) {
    real *i = in + p->base[0], *o = out + p->base[1];
    real *i2 = i + p->parts[0], *o2 = o + p->parts[1];
    int r = p->rank, c = p->loops;
    const T(iodim64) *d = p->dims, *h = p->counts;
    switch (p->what) {
    case C2C:
        if (p->split) return l->plan_guru64_split_dft(r, d, c, h, i, i2, o, o2, flags);
        return l->plan_guru64_dft(r, d, c, h, (complex_t *)i, (complex_t *)o, p->sign, flags);
    case R2C:
        if (p->split) return l->plan_guru64_split_dft_r2c(r, d, c, h, i, o, o2, flags);
        return l->plan_guru64_dft_r2c(r, d, c, h, i, (complex_t *)o, flags);
    case C2R:
        if (p->split) return l->plan_guru64_split_dft_c2r(r, d, c, h, i, i2, o, flags);
        return l->plan_guru64_dft_c2r(r, d, c, h, (complex_t *)i, o, flags);
    default:
        return l->plan_guru64_r2r(r, d, c, h, i, o, p->kinds, flags);
    }
}

static void run(const library *l, const problem *p, plan_t q, real *in, real *out) {
    real *i = in + p->base[0], *o = out + p->base[1];
    real *i2 = i + p->parts[0], *o2 = o + p->parts[1];
    switch (p->what) {
    case C2C:
        if (p->split)
            l->execute_split_dft(q, i, i2, o, o2);
        else
            l->execute_dft(q, (complex_t *)i, (complex_t *)o);
        break;
    case R2C:
        if (p->split)
            l->execute_split_dft_r2c(q, i, o, o2);
        else
            l->execute_dft_r2c(q, i, (complex_t *)o);
        break;
    case C2R:
        if (p->split)
            l->execute_split_dft_c2r(q, i, i2, o);
        else
            l->execute_dft_c2r(q, (complex_t *)i, o);
        break;
    default:
        l->execute_r2r(q, i, o);
    }
}

/* Marks the scalars of the output. */
static void mark(const problem *p, char *marks) {
    int is_real = p->what == R2R || p->what == C2R;
    long unit = is_real || p->split ? 1 : 2, count = 1, n[2 * MOST], s[2 * MOST];
    int all = 0;
    for (int i = 0; i < p->rank + p->loops; i++, all++) {
        const T(iodim64) *d = i < p->rank ? &p->dims[i] : &p->counts[i - p->rank];
        n[all] = d->n;
        if (i == p->rank - 1 && p->what == R2C) n[all] = n[all] / 2 + 1;
        s[all] = d->os * unit;
        count *= n[all];
    }
    for (long e = 0; e < count; e++) {
        long rest = e, at = p->base[1];
        for (int i = 0; i < all; i++) {
            at += rest % n[i] * s[i];
            rest /= n[i];
        }
        marks[at] = 1;
        if (!is_real) marks[at + p->parts[1]] = 1;
    }
}

static real a[SIZE], b[SIZE], c[SIZE], d[SIZE], before[SIZE];
static char marks[SIZE];

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    library ours = load(argv[1]), theirs = load(argv[2]);
    int cases = atoi(argv[3]), compared = 0, refused = 0;
    for (int i = 0; i < cases; i++) {
        problem p;
        if (!make(&p)) continue;
        for (int j = 0; j < SIZE; j++) {
            before[j] = (real)(below(2001) - 1000) / 1000;
            a[j] = b[j] = before[j];
            c[j] = d[j] = (real)j;
        }
        memset(marks, 0, sizeof marks);
        mark(&p, marks);
        unsigned flags = FFTW_ESTIMATE | (below(2) ? FFTW_UNALIGNED : 0);
        plan_t mine = plan(&ours, &p, a, p.in_place ? a : c, flags);
        if (!mine) {
            printf("case %d: no plan\n", i);
            return 1;
        }
        plan_t other = plan(&theirs, &p, b, p.in_place ? b : d, flags);
        if (!other) {
            refused++;
            ours.destroy_plan(mine);
            continue;
        }
        if (below(2)) {
            ours.execute(mine);
            theirs.execute(other);
        } else {
            run(&ours, &p, mine, a, p.in_place ? a : c);
            run(&theirs, &p, other, b, p.in_place ? b : d);
        }
        real *x = p.in_place ? a : c, *y = p.in_place ? b : d;
        double scale = 0, off = 0;
        for (int j = 0; j < SIZE; j++) {
            if (marks[j]) {
                scale = fmax(scale, fabs(y[j]));
                off = fmax(off, fabs(x[j] - y[j]));
            } else if (!p.in_place && (x[j] != (real)j || a[j] != before[j])) {
                printf("case %d: scalar %d was written\n", i, j);
                return 1;
            }
        }
        if (!(off <= bound * (1 + scale))) {
            printf("case %d: kind %d, rank %d, %d loops, split %d, in place %d: off by %g of %g\n", i,
                   p.what, p.rank, p.loops, p.split, p.in_place, off, scale);
            return 1;
        }
        compared++;
        ours.destroy_plan(mine);
        theirs.destroy_plan(other);
    }
    printf("%d compared, %d refused by the other library\n", compared, refused);
    return 0;
}
