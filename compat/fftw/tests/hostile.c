/* What callers may do to FFTW's interface has its documented answer, and never ends the process. */
#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(what)                                                                               \
    if (!(what)) {                                                                                 \
        printf("line %d: %s\n", __LINE__, #what);                                                  \
        exit(1);                                                                                   \
    }

/* Of FFTW 3.3.11, which the header may not have yet. */
fftw_plan fftw_copy_plan(const fftw_plan p);

static fftw_complex x[64], y[64];

static fftw_plan line(int n, fftw_complex *to, unsigned flags) {
    return fftw_plan_dft_1d(n, x, to, FFTW_FORWARD, flags);
}

static void *thread(void *data) {
    fftw_plan own = line(32, y, FFTW_ESTIMATE);
    fftw_execute_dft(data, x, x);
    fftw_execute(own);
    fftw_destroy_plan(own);
    fftw_destroy_plan(data);
    return NULL;
}

static void wrong_arguments(void) {
    int n[2] = {4, -4}, huge[3] = {1 << 30, 1 << 30, 1 << 30};
    fftw_r2r_kind bad = (fftw_r2r_kind)77, dct1 = FFTW_REDFT00;
    fftw_iodim dim = {8, 1, 1}, none = {0, 1, 1}, minus = {-8, 1, 1};
    double *reals = (double *)x;
    EXPECT(line(0, y, FFTW_ESTIMATE) == NULL);
    EXPECT(line(-8, y, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_dft(2, n, x, y, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_dft(-1, n, x, y, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_dft(2, NULL, x, y, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_dft(3, huge, x, y, FFTW_FORWARD, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_many_dft(1, n, -2, x, NULL, 1, 4, y, NULL, 1, 4, -1, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_r2r_1d(8, reals, reals + 8, bad, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_r2r_1d(1, reals, reals + 8, dct1, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_r2r(1, n, reals, reals + 8, NULL, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_guru_dft(1, NULL, 0, NULL, x, y, -1, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_guru_dft(-1, &dim, 0, NULL, x, y, -1, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_guru_dft(1, &dim, -1, NULL, x, y, -1, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_guru_dft(1, &none, 0, NULL, x, y, -1, FFTW_ESTIMATE) == NULL);
    EXPECT(fftw_plan_guru_dft(1, &dim, 1, &minus, x, y, -1, FFTW_ESTIMATE) == NULL);
    /* No arrays are no work. */
    fftw_plan nothing = fftw_plan_guru_dft(1, &dim, 1, &none, x, y, -1, FFTW_ESTIMATE);
    EXPECT(nothing != NULL);
    fftw_execute(nothing);
    fftw_destroy_plan(nothing);
    /* A plan needs no arrays yet. */
    fftw_plan later = fftw_plan_dft_1d(8, NULL, NULL, -1, FFTW_ESTIMATE);
    EXPECT(later != NULL);
    fftw_execute(later);
    fftw_execute_dft(later, x, NULL);
    memset(x, 0, sizeof x);
    x[0][0] = 1;
    fftw_execute_dft(later, x, y);
    EXPECT(y[7][0] == 1 && x[7][0] == 0);
    fftw_execute_dft(later, x, x);
    EXPECT(x[7][0] == 1);
    fftw_destroy_plan(later);
}

static void handles(void) {
    pthread_t other;
    double add, mul, fma;
    fftw_plan plan = line(16, y, FFTW_ESTIMATE), copy = fftw_copy_plan(plan);
    EXPECT(plan != NULL && copy != NULL && plan != copy);
    fftw_destroy_plan(plan);
    fftw_destroy_plan(plan);
    fftw_execute(plan);
    fftw_execute_dft(plan, x, y);
    fftw_destroy_plan(NULL);
    fftw_execute(NULL);
    fftw_execute((fftw_plan)x);
    fftw_flops(plan, &add, &mul, &fma);
    EXPECT(add == 0 && fftw_cost(plan) == 0);
    fftw_flops(copy, &add, NULL, &fma);
    EXPECT(add > 0 && fftw_cost(copy) > 0 && fftw_estimate_cost(copy) > 0);
    char *text = fftw_sprint_plan(copy);
    EXPECT(strstr(text, "c2c of 16") != NULL);
    free(text);
    text = fftw_sprint_plan(plan);
    EXPECT(text[0] == 0);
    free(text);
    EXPECT(pthread_create(&other, NULL, thread, copy) == 0 && pthread_join(other, NULL) == 0);
    fftw_execute(copy);
}

static void memory(void) {
    void *p = fftw_malloc(0);
    fftw_free(p);
    fftw_free(NULL);
    EXPECT(fftw_malloc((size_t)-1) == NULL);
    EXPECT(fftw_alloc_complex((size_t)-1 / 8) == NULL);
    fftw_complex *many = fftw_alloc_complex(10);
    EXPECT(many != NULL && fftw_alignment_of((double *)many) == 0);
    EXPECT(fftw_alignment_of((double *)many + 1) == 8);
    fftw_free(many);
}

static void wisdom(void) {
    FILE *file = tmpfile();
    fftw_forget_wisdom();
    EXPECT(line(20, y, FFTW_WISDOM_ONLY | FFTW_ESTIMATE) == NULL);
    fftw_destroy_plan(line(20, y, FFTW_ESTIMATE));
    fftw_plan known = line(20, y, FFTW_WISDOM_ONLY | FFTW_ESTIMATE);
    EXPECT(known != NULL);
    fftw_destroy_plan(known);
    EXPECT(line(20, y, FFTW_WISDOM_ONLY) == NULL);
    EXPECT(line(20, x, FFTW_WISDOM_ONLY | FFTW_ESTIMATE) == NULL);
    char *text = fftw_export_wisdom_to_string();
    fftw_export_wisdom_to_file(file);
    fputs("rest", file);
    fftw_forget_wisdom();
    rewind(file);
    EXPECT(fftw_import_wisdom_from_file(file) == 1);
    EXPECT(fgetc(file) == 'r');
    fclose(file);
    known = line(20, y, FFTW_WISDOM_ONLY | FFTW_ESTIMATE);
    EXPECT(known != NULL);
    fftw_destroy_plan(known);
    fftw_forget_wisdom();
    EXPECT(fftw_import_wisdom_from_string(text) == 1);
    EXPECT(fftwf_import_wisdom_from_string(text) == 0);
    text[strlen(text) / 2] = 0;
    EXPECT(fftw_import_wisdom_from_string(text) == 0);
    EXPECT(fftw_import_wisdom_from_string("(fftw-3.3.10 fftw_wisdom #x0 #x0\n)") == 0);
    EXPECT(fftw_import_wisdom_from_string("") == 0 && fftw_import_wisdom_from_string(NULL) == 0);
    EXPECT(fftw_import_wisdom_from_filename("/no/such/file") == 0);
    EXPECT(fftw_export_wisdom_to_filename("/no/such/file") == 0);
    EXPECT(fftw_import_wisdom(NULL, NULL) == 0 && fftw_import_wisdom_from_file(NULL) == 0);
    fftw_export_wisdom(NULL, NULL);
    free(text);
}

/* A child has none of its parent's threads, and transforms all the same. */
static void children(void) {
    enum { N = 300 };
    int status;
    fftw_complex *big = fftw_alloc_complex(N * N);
    fftw_plan_with_nthreads(2);
    fftw_plan plan = fftw_plan_dft_2d(N, N, big, big, 1, FFTW_ESTIMATE);
    for (int i = 0; i < N * N; i++) big[i][0] = 1, big[i][1] = 0;
    fftw_execute(plan);
    EXPECT(big[0][0] == N * N);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        fftw_execute(plan);
        fftw_plan other = fftw_plan_dft_2d(N, N, big, big, -1, FFTW_ESTIMATE);
        fftw_execute(other);
        _exit(fabs(big[7][0] / (N * N) / (N * N) - (7 == 0)) < 1e-9 && other != NULL ? 0 : 1);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    fftw_destroy_plan(plan);
    fftw_plan_with_nthreads(1);
    fftw_free(big);
}

/* Arrays that overlap have undefined results, and are written no further than they reach. */
static void overlapping(void) {
    double *all = fftw_alloc_real(400);
    for (int shift = 1; shift < 40; shift += 3) {
        fftw_complex *first = (fftw_complex *)(all + 100), *second = (fftw_complex *)(all + 100 + shift);
        for (int i = 0; i < 400; i++) all[i] = i;
        fftw_plan plan = fftw_plan_dft_2d(5, 7, first, second, 1, FFTW_ESTIMATE);
        fftw_execute(plan);
        fftw_execute_dft(plan, second, first);
        fftw_destroy_plan(plan);
        EXPECT(all[99] == 99 && all[100 + shift + 70] == 170 + shift);
    }
    fftw_free(all);
}

static int loops;

static void in_turn(void *(*work)(char *), char *jobs, size_t size, int count, void *data) {
    EXPECT(data == &loops);
    loops++;
    for (int i = count; i-- > 0;) work(jobs + size * (size_t)i);
}

static void threads(void) {
    enum { N = 400 };
    fftw_complex *big = fftw_alloc_complex(N * N);
    EXPECT(fftw_init_threads() != 0 && fftw_planner_nthreads() == 1);
    fftw_make_planner_thread_safe();
    fftw_plan_with_nthreads(3);
    EXPECT(fftw_planner_nthreads() == 3 && fftwf_planner_nthreads() == 1);
    fftw_plan plan = fftw_plan_dft_2d(N, N, big, big, 1, FFTW_ESTIMATE);
    fftw_threads_set_callback(in_turn, &loops);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < N * N; i++) big[i][0] = i == 5, big[i][1] = 0;
        fftw_execute(plan);
        EXPECT(fabs(big[1][0] - cos(2 * 3.14159265358979323846 * 5 / N)) < 1e-14);
        EXPECT((loops > 0) == 1);
        fftw_threads_set_callback(NULL, NULL);
    }
    fftw_destroy_plan(plan);
    fftw_plan_with_nthreads(-5);
    EXPECT(fftw_planner_nthreads() == 1);
    fftw_free(big);
    fftw_cleanup_threads();
}

int main(void) {
    struct rusage before, after;
    EXPECT(strstr(fftw_version, "mmafft") != NULL && strstr(fftwf_version, "mmafft") != NULL);
    EXPECT(strlen(fftw_cc) > 0 && strlen(fftw_codelet_optim) == 0);
    wrong_arguments();
    handles();
    memory();
    wisdom();
    children();
    overlapping();
    threads();
    fftw_set_timelimit(0.01);
    fftw_plan soon = fftw_plan_dft_2d(8, 8, x, x, 1, FFTW_PATIENT);
    EXPECT(soon != NULL);
    fftw_set_timelimit(FFTW_NO_TIMELIMIT);
    fftw_cleanup();
    fftw_execute(soon);
    fftw_destroy_plan(soon);
    for (int i = 0; i < 100000; i++) {
        if (i == 10000) getrusage(RUSAGE_SELF, &before);
        fftw_destroy_plan(line(1 + i % 64, i % 2 ? x : y, FFTW_ESTIMATE));
    }
    getrusage(RUSAGE_SELF, &after);
    EXPECT(after.ru_maxrss - before.ru_maxrss < 4096);
    fftw_cleanup();
    return 0;
}
