/* What a caller may get wrong is an error with a message, and nothing worse. */
#include <mmafft.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define EXPECT(what)                                                                           \
    if (!(what)) {                                                                             \
        printf("line %d: %s; last message: %s\n", __LINE__, #what, mmafft_error_message());     \
        exit(1);                                                                               \
    }

static mmafft_planner *planner;

/* Lines of complex points. */
static mmafft_plan *lines(size_t n, size_t count, int in_place) {
    mmafft_dim dim = {n, 1, 1}, loop = {count, (ptrdiff_t)n, (ptrdiff_t)n};
    mmafft_request request;
    mmafft_plan *plan = NULL;
    EXPECT(mmafft_request_init(&request, MMAFFT_C2C) == MMAFFT_OK);
    request.in_place = in_place;
    request.rank = 1;
    request.dims = &dim;
    request.loop_count = 1;
    request.loops = &loop;
    return mmafft_plan_create(planner, &request, &plan) == MMAFFT_OK ? plan : NULL;
}

static void *thread(void *data) {
    mmafft_plan *plan = data;
    double x[16] = {1}, y[16];
    EXPECT(mmafft_execute(plan, x, y) == MMAFFT_OK && y[14] == 1);
    mmafft_plan_destroy(plan);
    EXPECT(mmafft_execute(plan, x, y) == MMAFFT_INVALID);
    return NULL;
}

/* Ranks that NCCL would join: there is none of the CPU. */
static void ranks(void) {
    char id[MMAFFT_NCCL_ID_BYTES] = {0};
    mmafft_group *group = NULL;
    EXPECT(mmafft_nccl_id(planner, NULL) != MMAFFT_OK);
    EXPECT(mmafft_nccl_id(NULL, id) == MMAFFT_INVALID);
    EXPECT(mmafft_group_nccl(planner, NULL, 0, 1, 1, &group) == MMAFFT_INVALID);
    EXPECT(mmafft_group_nccl(planner, id, 0, 1, 1, NULL) == MMAFFT_INVALID);
    EXPECT(mmafft_group_nccl(planner, id, 2, 1, 1, &group) != MMAFFT_OK);
    EXPECT(mmafft_group_nccl(planner, id, 0, 1, 1, &group) != MMAFFT_OK);
    EXPECT(mmafft_group_nccl_of(planner, NULL, 1, &group) == MMAFFT_INVALID && !group);
    EXPECT(mmafft_distributed_execute_device(NULL, id, id) == MMAFFT_INVALID);
}

static void separate_parts(void) {
    mmafft_dim dim = {8, -1, 1};
    mmafft_request request;
    mmafft_plan *plan;
    double re[8] = {0}, im[8] = {0}, out[16];
    EXPECT(mmafft_request_init(&request, MMAFFT_C2C) == MMAFFT_OK);
    request.split_input = 1;
    request.rank = 1;
    request.dims = &dim;
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_OK);
    im[7] = 2;
    EXPECT(mmafft_execute_split(plan, re + 7, im + 7, out, NULL) == MMAFFT_OK);
    EXPECT(out[3] == 2 && out[15] == 2 && out[2] == 0);
    EXPECT(mmafft_execute_split(plan, re + 7, NULL, out, NULL) == MMAFFT_UNSUPPORTED);
    mmafft_plan_destroy(plan);
}

static void requests(void) {
    mmafft_request request;
    mmafft_plan *plan;
    mmafft_dim dim = {8, 1, 1};
    size_t huge[2] = {(size_t)1 << 40, (size_t)1 << 40};
    mmafft_dim dims[2];
    memset(&request, 0, sizeof request);
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_INVALID);
    EXPECT(mmafft_request_init(NULL, MMAFFT_C2C) == MMAFFT_INVALID);
    EXPECT(mmafft_request_init(&request, 99) == MMAFFT_INVALID);
    EXPECT(mmafft_request_init(&request, MMAFFT_DCT1) == MMAFFT_OK);
    request.rank = 1;
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_INVALID);
    request.dims = &dim;
    EXPECT(mmafft_plan_create(planner, &request, NULL) == MMAFFT_INVALID);
    EXPECT(mmafft_plan_create(NULL, &request, &plan) == MMAFFT_INVALID);
    EXPECT(mmafft_plan_create(planner, NULL, &plan) == MMAFFT_INVALID);
    dim.n = 1;
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_SHAPE);
    dim.n = 0;
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_SHAPE);
    dim.n = (size_t)-5;
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_SHAPE);
    dim.n = 8;
    request.precision = 17;
    EXPECT(mmafft_plan_create(planner, &request, &plan) == MMAFFT_INVALID);
    EXPECT(strstr(mmafft_error_message(), "17") != NULL);
    EXPECT(mmafft_request_init(&request, MMAFFT_R2C) == MMAFFT_OK);
    EXPECT(mmafft_row_major(&request, 2, huge, 1, dims, NULL) == MMAFFT_INVALID);
}

static void streams(void) {
    mmafft_stream *stream, *other;
    double x[16] = {1}, y[16];
    mmafft_plan *plan = lines(8, 1, 0);
    EXPECT(mmafft_stream_create(NULL, &stream) == MMAFFT_INVALID);
    EXPECT(mmafft_stream_create(planner, NULL) == MMAFFT_INVALID);
    EXPECT(mmafft_stream_of(planner, NULL, NULL, 0, &other) == MMAFFT_UNSUPPORTED);
    EXPECT(mmafft_stream_create(planner, &stream) == MMAFFT_OK);
    EXPECT(mmafft_execute_on(plan, NULL, x, y) == MMAFFT_INVALID);
    EXPECT(mmafft_execute_on(plan, stream, x, x) == MMAFFT_INVALID);
    EXPECT(mmafft_execute_on(plan, stream, NULL, y) == MMAFFT_UNSUPPORTED);
    EXPECT(mmafft_execute_on(plan, stream, x, y) == MMAFFT_OK && y[14] == 1);
    EXPECT(mmafft_stream_synchronize(stream) == MMAFFT_OK);
    mmafft_stream_destroy(stream);
    mmafft_stream_destroy(stream);
    EXPECT(mmafft_stream_synchronize(stream) == MMAFFT_INVALID);
    mmafft_plan_destroy(plan);
}

int main(void) {
    double x[16] = {0}, y[16];
    char *text;
    size_t count;
    pthread_t other;
    EXPECT(mmafft_planner_create(77, 0, &planner) == MMAFFT_INVALID);
    EXPECT(mmafft_planner_create(MMAFFT_CPU, 0, NULL) == MMAFFT_INVALID);
    EXPECT(mmafft_planner_create(MMAFFT_CUDA, 0, &planner) != MMAFFT_OK);
    EXPECT(mmafft_planner_create(MMAFFT_CPU, 2, &planner) == MMAFFT_OK);
    EXPECT(mmafft_planner_device(planner, &text) == MMAFFT_OK);
    mmafft_text_free(text);
    mmafft_text_free(NULL);
    EXPECT(mmafft_wisdom_export(planner, &text) == MMAFFT_OK);
    EXPECT(mmafft_wisdom_import(planner, text, &count) == MMAFFT_OK);
    mmafft_text_free(text);
    EXPECT(mmafft_wisdom_import(planner, "nonsense", NULL) == MMAFFT_WISDOM);
    EXPECT(mmafft_wisdom_import(planner, NULL, NULL) == MMAFFT_INVALID);
    requests();
    ranks();
    separate_parts();
    streams();

    EXPECT(lines(0, 3, 0) == NULL);
    mmafft_plan *nothing = lines(8, 0, 0);
    EXPECT(mmafft_execute(nothing, NULL, NULL) == MMAFFT_OK);
    mmafft_plan *plan = lines(8, 1, 0), *in_place = lines(8, 1, 1);
    EXPECT(plan != NULL && in_place != NULL);
    EXPECT(mmafft_execute(plan, NULL, y) == MMAFFT_UNSUPPORTED);
    EXPECT(mmafft_execute(plan, x, x) == MMAFFT_INVALID);
    EXPECT(mmafft_execute(in_place, x, y) == MMAFFT_INVALID);
    EXPECT(mmafft_execute(in_place, x, x) == MMAFFT_OK);
    EXPECT(mmafft_execute(NULL, x, y) == MMAFFT_INVALID);
    EXPECT(mmafft_execute((mmafft_plan *)x, x, y) == MMAFFT_INVALID);
    EXPECT(mmafft_execute_with_scratch(plan, x, y, NULL, 64) == MMAFFT_INVALID);
    EXPECT(mmafft_plan_explain(plan, NULL) == MMAFFT_INVALID);
    mmafft_plan_destroy(in_place);
    mmafft_plan_destroy(in_place);
    mmafft_plan_destroy(NULL);
    EXPECT(pthread_create(&other, NULL, thread, plan) == 0);
    EXPECT(pthread_join(other, NULL) == 0);
    mmafft_plan_destroy(plan);

    struct rusage before, after;
    for (int i = 0; i < 100000; i++) {
        if (i == 10000) getrusage(RUSAGE_SELF, &before);
        mmafft_plan_destroy(lines(8 + i % 200, 2, 0));
    }
    getrusage(RUSAGE_SELF, &after);
    EXPECT(after.ru_maxrss - before.ru_maxrss < 4096);
    mmafft_planner_destroy(planner);
    mmafft_planner_destroy(planner);
    EXPECT(lines(8, 1, 0) == NULL);
    return 0;
}
