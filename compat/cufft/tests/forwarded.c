/* What goes to NVIDIA's library: with -DREAL a library that stands for it and says what it is asked, else a program
 * whose library is named by MMAFFT_CUFFT_REAL. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef int result, handle;
typedef long long wide;

#ifdef REAL
#define SAY(...) (printf(__VA_ARGS__), 0)
result cufftCreate(handle *p) { return *p = 77, SAY("create\n"); }
result cufftDestroy(handle p) { return SAY("destroy %d\n", p); }
result cufftSetStream(handle p, void *s) { return SAY("stream %d %p\n", p, s); }
result cufftSetWorkArea(handle p, void *a) { return SAY("area %d %p\n", p, a); }
result cufftSetAutoAllocation(handle p, int a) { return SAY("allocate %d %d\n", p, a); }
result cufftXtSetGPUs(handle p, int n, int *g) { return SAY("gpus %d %d %d\n", p, n, g[1]); }
result cufftGetSize(handle p, size_t *size) { return *size = 12, SAY("size %d\n", p); }
result cufftMakePlan1d(handle p, int n, int type, int batch, size_t *size) {
    *size = 4711;
    return SAY("plan %d %d %d %d\n", p, n, type, batch);
}
result cufftMakePlanMany(handle p, int rank, int *n, int *ie, int is, int id, int *oe, int os, int od,
                         int type, int batch, size_t *size) {
    *size = 13;
    return SAY("many %d %d %d %d %d %d %d %d %d %d %d\n", p, rank, n[0], ie[0], is, id, oe[0], os, od, type,
               batch);
}
result cufftExecC2C(handle p, void *i, void *o, int d) {
    return SAY("run %d %td %d\n", p, (char *)o - (char *)i, d);
}
result cufftXtFree(void *d) { return printf("free %p\n", d), 9; }
#else
result cufftCreate(handle *), cufftDestroy(handle), cufftSetStream(handle, void *);
result cufftSetWorkArea(handle, void *), cufftSetAutoAllocation(handle, int);
result cufftXtSetGPUs(handle, int, int *), cufftGetSize(handle, size_t *), cufftXtFree(void *);
result cufftXtSetCallback(handle, void **, int, void **);
result cufftMakePlan1d(handle, int, int, int, size_t *), cufftPlan1d(handle *, int, int, int);
result cufftPlanMany(handle *, int, int *, int *, int, int, int *, int, int, int, int);
result cufftExecC2C(handle, void *, void *, int);

#define EXPECT(what)                                                                               \
    if (!(what)) {                                                                                 \
        printf("line %d: %s\n", __LINE__, #what);                                                  \
        exit(1);                                                                                   \
    }

int main(void) {
    float x[64] = {0}, y[64];
    int n = 8, embed = 9, devices[2] = {0, 5};
    size_t size;
    handle several, odd, own;
    EXPECT(cufftCreate(&several) == 0);
    EXPECT(cufftSetAutoAllocation(several, 0) == 0);
    EXPECT(cufftSetStream(several, (void *)0x1230) == 0);
    EXPECT(cufftXtSetGPUs(several, 2, devices) == 0);
    EXPECT(cufftMakePlan1d(several, 64, 0x29, 3, &size) == 0 && size == 4711);
    EXPECT(cufftGetSize(several, &size) == 0 && size == 12);
    EXPECT(cufftSetWorkArea(several, (void *)0x4560) == 0);
    EXPECT(cufftExecC2C(several, x, x + 4, 1) == 0);
    EXPECT(cufftXtSetCallback(several, NULL, 0, NULL) == 16);
    EXPECT(cufftDestroy(several) == 0 && cufftDestroy(several) == 1);
    /* Output whose elements interleave. */
    EXPECT(cufftPlanMany(&odd, 1, &n, &embed, 1, 8, &embed, 2, 3, 0x29, 2) == 0);
    EXPECT(cufftExecC2C(odd, x, x, -1) == 0 && cufftDestroy(odd) == 0);
    /* What is ours stays ours. */
    EXPECT(cufftPlan1d(&own, 8, 0x29, 1) == 0);
    x[0] = 1;
    EXPECT(cufftExecC2C(own, x, y, -1) == 0 && y[14] == 1);
    EXPECT(cufftXtSetGPUs(own, 2, devices) == 16 && cufftDestroy(own) == 0);
    EXPECT(cufftXtFree((void *)0x70) == 9);
    return 0;
}
#endif
