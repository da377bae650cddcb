/* The spectrum of real images and back, in C:
 *   cc image.c $(pkg-config --cflags --libs mmafft) -lm && ./a.out */
#include <math.h>
#include <mmafft.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 48
#define COLUMNS 64
#define HALF (COLUMNS / 2 + 1)
#define IMAGES 3

static void check(mmafft_status status) {
    if (status != MMAFFT_OK) {
        fprintf(stderr, "status %d: %s\n", (int)status, mmafft_error_message());
        exit(1);
    }
}

/* The plan of all images, one after the other. */
static mmafft_plan *plan_of(mmafft_planner *planner, int kind, int norm) {
    size_t n[2] = {ROWS, COLUMNS};
    mmafft_dim dims[2], loop;
    mmafft_request request;
    mmafft_plan *plan;
    check(mmafft_request_init(&request, kind));
    check(mmafft_row_major(&request, 2, n, IMAGES, dims, &loop));
    request.norm = norm;
    request.rank = 2;
    request.dims = dims;
    request.loop_count = 1;
    request.loops = &loop;
    check(mmafft_plan_create(planner, &request, &plan));
    return plan;
}

int main(void) {
    static double images[IMAGES * ROWS * COLUMNS], again[IMAGES * ROWS * COLUMNS];
    static double spectra[IMAGES * ROWS * HALF][2];
    double sum = 0, worst = 0;
    for (int i = 0; i < IMAGES * ROWS * COLUMNS; i++) {
        images[i] = (double)(i * i % 101) / 101 - 0.5;
        sum += i < ROWS * COLUMNS ? images[i] : 0;
    }
    mmafft_planner *planner;
    check(mmafft_planner_create(MMAFFT_CPU, 0, &planner));
    mmafft_plan *forward = plan_of(planner, MMAFFT_R2C, MMAFFT_NORM_NONE);
    mmafft_plan *inverse = plan_of(planner, MMAFFT_C2R, MMAFFT_NORM_BACKWARD);
    mmafft_planner_destroy(planner);

    char *text;
    check(mmafft_plan_explain(forward, &text));
    printf("mmafft %s\n%s\n", mmafft_version(), text);
    mmafft_text_free(text);

    check(mmafft_execute(forward, images, spectra));
    size_t bytes;
    check(mmafft_plan_scratch_bytes(inverse, &bytes));
    void *scratch = malloc(bytes + 1);
    check(mmafft_execute_with_scratch(inverse, spectra, again, scratch, bytes));
    free(scratch);
    for (int i = 0; i < IMAGES * ROWS * COLUMNS; i++) {
        worst = fmax(worst, fabs(again[i] - images[i]));
    }
    mmafft_plan_destroy(forward);
    mmafft_plan_destroy(inverse);
    printf("mean %.3e off by %.1e, back off by %.1e\n", sum, fabs(spectra[0][0] - sum), worst);
    return worst < 1e-13 && fabs(spectra[0][0] - sum) < 1e-10 ? 0 : 1;
}
