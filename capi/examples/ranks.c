/* One transform by all processes that mpiexec started, in C; MPI itself is opened by the library:
 *   cc ranks.c $(pkg-config --cflags --libs mmafft) && mpiexec -n 2 ./a.out */
#include <mmafft.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mmafft_status status) {
    if (status != MMAFFT_OK) {
        fprintf(stderr, "status %d: %s\n", (int)status, mmafft_error_message());
        exit(1);
    }
}

int main(void) {
    size_t n[2] = {48, 64}, rank, ranks, starts[3], lengths[3];
    mmafft_planner *planner;
    mmafft_group *group;
    mmafft_distributed *plan;
    check(mmafft_planner_create(MMAFFT_CPU, 1, &planner));
    /* An MPI_Comm of a program that uses MPI itself goes in the place of NULL. */
    check(mmafft_group_mpi(NULL, 20, &group));
    check(mmafft_group_rank(group, &rank, &ranks));
    check(mmafft_distributed_create(planner, group, MMAFFT_C2C, MMAFFT_FORWARD, MMAFFT_F64,
                                    MMAFFT_NORM_NONE, 2, n, 1, 0, -1, &plan));
    mmafft_planner_destroy(planner);

    check(mmafft_distributed_part(plan, 0, starts, lengths));
    size_t points = lengths[1] * lengths[2];
    double(*input)[2] = malloc(points * sizeof *input + 1);
    for (size_t i = 0; i < points; i++) {
        input[i][0] = 1;
        input[i][1] = 0;
    }
    check(mmafft_distributed_part(plan, 1, starts, lengths));
    double(*output)[2] = malloc(lengths[1] * lengths[2] * sizeof *output + 1);
    check(mmafft_distributed_execute(plan, input, output));
    /* With a device's planner it takes the device's memory; the CPU's is the host's. */
    if (lengths[1] * lengths[2] > 0) output[0][0] = -1;
    check(mmafft_distributed_execute_device(plan, input, output));
    /* The sum of all points is with the rank that has the first column. */
    int right = starts[2] > 0 || output[0][0] == (double)(n[0] * n[1]);
    char *text;
    check(mmafft_distributed_explain(plan, &text));
    if (rank == 0) printf("%s%zu ranks, %s\n", text, ranks, right ? "right" : "wrong");
    mmafft_text_free(text);
    /* Parts that are not there are an error on every rank. */
    if (mmafft_distributed_execute(plan, NULL, NULL) == MMAFFT_OK) right = 0;
    free(input);
    free(output);
    mmafft_distributed_destroy(plan);
    mmafft_group_destroy(group);
    return right ? 0 : 1;
}
