/* The calls of cuFFT's clients, in their order: on a device in memory that the host sees too, or, where
 * MMAFFT_CUFFT_BACKEND is set, on one that is emulated in the host's memory. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cuFFT's declarations, as far as they are used here. */
typedef int result, handle;
typedef long long wide;
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5, C_16F = 6 };
result cufftCreate(handle *), cufftDestroy(handle), cufftGetVersion(int *), cufftGetProperty(int, int *);
result cufftSetStream(handle, void *), cufftSetWorkArea(handle, void *);
result cufftSetAutoAllocation(handle, int), cufftGetSize(handle, size_t *);
result cufftPlan1d(handle *, int, int, int), cufftPlan2d(handle *, int, int, int);
result cufftPlan3d(handle *, int, int, int, int);
result cufftPlanMany(handle *, int, int *, int *, int, int, int *, int, int, int, int);
result cufftMakePlan1d(handle, int, int, int, size_t *);
result cufftMakePlanMany64(handle, int, wide *, wide *, wide, wide, wide *, wide, wide, int, wide, size_t *);
result cufftXtMakePlanMany(handle, int, wide *, wide *, wide, wide, int, wide *, wide, wide, int, wide,
                           size_t *, int);
result cufftXtExec(handle, void *, void *, int);
result cufftExecC2C(handle, void *, void *, int), cufftExecZ2Z(handle, void *, void *, int);
result cufftExecR2C(handle, void *, void *), cufftExecC2R(handle, void *, void *);
result cufftExecD2Z(handle, void *, void *), cufftExecZ2D(handle, void *, void *);
result cufftEstimate1d(int, int, int, size_t *), cufftXtSetGPUs(handle, int, int *);
result cufftSetPlanPropertyInt64(handle, int, wide), cufftGetPlanPropertyInt64(handle, int, wide *);

#define EXPECT(what)                                                                               \
    if (!(what)) {                                                                                 \
        printf("line %d: %s\n", __LINE__, #what);                                                  \
        exit(1);                                                                                   \
    }
#define OK(call) EXPECT((call) == 0)

static int (*managed)(unsigned long long *, size_t, unsigned), (*synchronize)(void);

/* Opens the first device, whose driver it finds by itself. */
static void open_device(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
    EXPECT(driver != NULL);
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
    int (*retain)(void **, int) = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
    int (*set)(void *) = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
    OK(init(0));
    OK(retain(&context, 0));
    OK(set(context));
    managed = (int (*)(unsigned long long *, size_t, unsigned))dlsym(driver, "cuMemAllocManaged");
    synchronize = (int (*)(void))dlsym(driver, "cuCtxSynchronize");
}

/* Zeroed memory that the device uses. */
static void *memory(size_t bytes) {
    unsigned long long address;
    if (!managed) return calloc(1, bytes);
    OK(managed(&address, bytes, 1));
    OK(synchronize());
    return memset((void *)address, 0, bytes);
}

/* Waits for what was run. */
#define RAN(call)                                                                                  \
    do {                                                                                           \
        OK(call);                                                                                  \
        if (synchronize) OK(synchronize());                                                        \
    } while (0)

static const double pi = 3.14159265358979323846;

static int close_to(double a, double b) { return fabs(a - b) < 1e-3; }

/* As PyTorch: a plan without memory, a stream and a work area before each run. */
static void like_torch(void) {
    float(*x)[2] = memory(sizeof(float[3 * 60][2])), (*y)[2] = memory(sizeof(float[3 * 60][2]));
    wide n[1] = {60};
    handle plan;
    size_t bytes = 77, again;
    OK(cufftCreate(&plan));
    OK(cufftSetAutoAllocation(plan, 0));
    OK(cufftXtMakePlanMany(plan, 1, n, NULL, 1, 60, C_32F, NULL, 1, 60, C_32F, 3, &bytes, C_32F));
    OK(cufftGetSize(plan, &again));
    EXPECT(bytes == again);
    void *area = bytes ? memory(bytes) : NULL;
    for (int turn = 0; turn < 2; turn++) {
        memset(x, 0, sizeof(float[3 * 60][2]));
        x[61][0] = 1;
        OK(cufftSetStream(plan, NULL));
        OK(cufftSetWorkArea(plan, area));
        RAN(cufftXtExec(plan, x, y, turn ? 1 : -1));
        double angle = 2 * pi * 7 / 60;
        EXPECT(close_to(y[67][0], cos(angle)) && close_to(y[67][1], (turn ? 1 : -1) * sin(angle)));
        EXPECT(x[61][0] == 1 && y[0][0] == 0);
        RAN(cufftXtExec(plan, x, x, -1));
        EXPECT(close_to(x[67][1], -sin(angle)));
    }
    OK(cufftDestroy(plan));
}

/* As CuPy and XLA: one handle, then what is made of it. */
static void like_cupy(void) {
    double(*x)[2] = memory(sizeof(double[40][2])), (*y)[2] = memory(sizeof(double[40][2]));
    wide n[1] = {10};
    size_t bytes;
    handle plan;
    OK(cufftCreate(&plan));
    EXPECT(cufftExecZ2Z(plan, x, y, -1) != 0);
    OK(cufftMakePlan1d(plan, 40, Z2Z, 1, &bytes));
    EXPECT(cufftMakePlan1d(plan, 40, Z2Z, 1, &bytes) == 1);
    memset(x, 0, sizeof(double[40][2]));
    x[3][0] = 1;
    RAN(cufftExecZ2Z(plan, x, y, 1));
    EXPECT(close_to(y[10][1], sin(2 * pi * 30 / 40)));
    OK(cufftDestroy(plan));
    /* Columns of a 10 x 4 matrix. */
    OK(cufftCreate(&plan));
    OK(cufftMakePlanMany64(plan, 1, n, n, 4, 1, n, 4, 1, Z2Z, 4, &bytes));
    memset(x, 0, sizeof(double[40][2]));
    x[4 + 2][0] = 1;
    RAN(cufftExecZ2Z(plan, x, y, -1));
    EXPECT(close_to(y[3 * 4 + 2][1], -sin(2 * pi * 3 / 10)) && y[3 * 4 + 1][1] == 0);
    OK(cufftDestroy(plan));
}

/* As GROMACS: a real transform in three dimensions and back, rows padded and in place. */
static void like_gromacs(void) {
    enum { N = 6, M = 2 * (N / 2 + 1) };
    float *x = memory(sizeof(float[N * N * M]));
    int n[3] = {N, N, N}, real[3] = {N, N, M}, half[3] = {N, N, M / 2};
    handle forward, back;
    OK(cufftPlanMany(&forward, 3, n, real, 1, N * N * M, half, 1, N * N * M / 2, R2C, 1));
    OK(cufftPlanMany(&back, 3, n, half, 1, N * N * M / 2, real, 1, N * N * M, C2R, 1));
    for (int i = 0; i < N * N * M; i++) x[i] = i % M < N ? (float)(i % 7) : -1;
    RAN(cufftExecR2C(forward, x, x));
    RAN(cufftExecC2R(back, x, x));
    for (int i = 0; i < N * N * M; i++)
        EXPECT(i % M >= N || close_to(x[i] / (N * N * N), i % 7));
    OK(cufftDestroy(forward));
    OK(cufftDestroy(back));
    /* By default rows are padded in place, and not where there are two memories. */
    double *a = memory(sizeof(double[4 * 5])), *b = memory(sizeof(double[4 * 3 * 2]));
    double *c = memory(sizeof(double[4 * 6]));
    OK(cufftPlan2d(&forward, 4, 5, D2Z));
    OK(cufftPlan2d(&back, 4, 5, Z2D));
    for (int i = 0; i < 20; i++) a[i] = i, c[i / 5 * 6 + i % 5] = i;
    RAN(cufftExecD2Z(forward, a, b));
    RAN(cufftExecD2Z(forward, c, c));
    for (int i = 0; i < 24; i++) EXPECT(close_to(b[i], c[i]));
    EXPECT(close_to(b[0], 190));
    RAN(cufftExecZ2D(back, b, a));
    RAN(cufftExecZ2D(back, c, c));
    for (int i = 0; i < 20; i++) EXPECT(close_to(a[i], 20 * i) && close_to(c[i / 5 * 6 + i % 5], 20 * i));
    OK(cufftDestroy(forward));
    OK(cufftDestroy(back));
}

static void wrong_calls(void) {
    float x[16] = {0}, y[16];
    int n[4] = {4, 4, 4, 4}, version, part, devices[2] = {0, 1};
    wide value;
    size_t bytes;
    handle plan, other;
    EXPECT(cufftCreate(NULL) == 4 && cufftPlan1d(NULL, 8, C2C, 1) == 4);
    EXPECT(cufftPlan1d(&plan, 0, C2C, 1) == 8 && cufftPlan1d(&plan, -8, C2C, 1) == 8);
    EXPECT(cufftPlan1d(&plan, 8, C2C, 0) == 8 && cufftPlan1d(&plan, 8, 77, 1) == 3);
    EXPECT(cufftPlan3d(&plan, 1 << 30, 1 << 30, 1 << 30, C2C) == 8);
    EXPECT(cufftPlanMany(&plan, 4, n, NULL, 1, 1, NULL, 1, 1, C2C, 1) == 4);
    EXPECT(cufftPlanMany(&plan, 1, NULL, NULL, 1, 1, NULL, 1, 1, C2C, 1) == 4);
    EXPECT(cufftExecC2C(4711, x, y, -1) == 1 && cufftDestroy(4711) == 1 && cufftDestroy(-1) == 1);
    OK(cufftPlan1d(&plan, 8, C2C, 1));
    OK(cufftPlan1d(&other, 8, R2C, 1));
    EXPECT(plan != other);
    EXPECT(cufftExecC2C(plan, x, y, 5) == 4 && cufftExecC2C(plan, NULL, y, 1) == 4);
    EXPECT(cufftExecR2C(plan, x, y) == 3 && cufftExecC2C(other, x, y, 1) == 3);
    EXPECT(cufftXtSetGPUs(plan, 2, devices) == 16);
    OK(cufftSetPlanPropertyInt64(plan, 1, 1));
    OK(cufftGetPlanPropertyInt64(plan, 1, &value));
    EXPECT(value == 1 && cufftSetPlanPropertyInt64(plan, 9, 1) == 16);
    OK(cufftDestroy(plan));
    EXPECT(cufftDestroy(plan) == 1 && cufftExecC2C(plan, x, y, 1) == 1);
    OK(cufftDestroy(other));
    OK(cufftEstimate1d(1000, C2C, 3, &bytes));
    OK(cufftGetVersion(&version));
    OK(cufftGetProperty(0, &part));
    EXPECT(version / 1000 == 12 && part == 12);
    for (int i = 0; i < 20000; i++) {
        OK(cufftPlan1d(&plan, 8 + i % 4, C2C, 1));
        OK(cufftDestroy(plan));
    }
}

int main(void) {
    if (!getenv("MMAFFT_CUFFT_BACKEND")) open_device();
    like_torch();
    like_cupy();
    like_gromacs();
    wrong_calls();
    return 0;
}
