/* mmafft: fast Fourier transforms for C and all that calls C.
 *
 * Made by cbindgen of capi/src; docs/c.md says how it is used. */

#ifndef MMAFFT_H
#define MMAFFT_H

#include <stddef.h>
#include <stdint.h>

/*
 Bytes of an identifier of ranks that NCCL joins.
 */
#define MMAFFT_NCCL_ID_BYTES 128

/*
 Where transforms run.
 */
typedef enum mmafft_backend {
  /*
   The first of CUDA, HIP and CPU that can run plans.
   */
  MMAFFT_AUTO = 0,
  /*
   The CPU.
   */
  MMAFFT_CPU = 1,
  /*
   An NVIDIA device.
   */
  MMAFFT_CUDA = 2,
  /*
   An AMD device.
   */
  MMAFFT_HIP = 3,
} mmafft_backend;

/*
 The sign of the exponent of MMAFFT_C2C; of the other kinds nothing.
 */
typedef enum mmafft_direction {
  /*
   exp(-2 pi i jk/n).
   */
  MMAFFT_FORWARD = -1,
  /*
   exp(+2 pi i jk/n).
   */
  MMAFFT_BACKWARD = 1,
} mmafft_direction;

/*
 How long a planner looks for the fastest plan.
 */
typedef enum mmafft_effort {
  /*
   It runs nothing.
   */
  MMAFFT_ESTIMATE = 0,
  /*
   It times tiles of each pass, once for a device: seconds.
   */
  MMAFFT_MEASURE = 1,
  /*
   It also times other passes and factors: minutes.
   */
  MMAFFT_PATIENT = 2,
} mmafft_effort;

/*
 What is transformed into what, by FFTW's definitions.
 */
typedef enum mmafft_kind {
  /*
   Complex to complex.
   */
  MMAFFT_C2C = 0,
  /*
   Reals to the half of their spectrum along the last dimension.
   */
  MMAFFT_R2C = 1,
  /*
   The half of a spectrum to reals.
   */
  MMAFFT_C2R = 2,
  /*
   Reals to half-complex.
   */
  MMAFFT_R2HC = 3,
  /*
   Half-complex to reals.
   */
  MMAFFT_HC2R = 4,
  /*
   The discrete Hartley transform.
   */
  MMAFFT_DHT = 5,
  /*
   DCT-I (REDFT00).
   */
  MMAFFT_DCT1 = 6,
  /*
   DCT-II (REDFT10).
   */
  MMAFFT_DCT2 = 7,
  /*
   DCT-III (REDFT01).
   */
  MMAFFT_DCT3 = 8,
  /*
   DCT-IV (REDFT11).
   */
  MMAFFT_DCT4 = 9,
  /*
   DST-I (RODFT00).
   */
  MMAFFT_DST1 = 10,
  /*
   DST-II (RODFT10).
   */
  MMAFFT_DST2 = 11,
  /*
   DST-III (RODFT01).
   */
  MMAFFT_DST3 = 12,
  /*
   DST-IV (RODFT11).
   */
  MMAFFT_DST4 = 13,
} mmafft_kind;

/*
 How the output is scaled.
 */
typedef enum mmafft_norm {
  /*
   Not at all.
   */
  MMAFFT_NORM_NONE = 0,
  /*
   Either direction by 1/N.
   */
  MMAFFT_NORM_FULL = 1,
  /*
   Inverse transforms by 1/N, as NumPy does.
   */
  MMAFFT_NORM_BACKWARD = 2,
  /*
   Either direction by the root of 1/N.
   */
  MMAFFT_NORM_ORTHO = 3,
  /*
   Forward transforms by 1/N.
   */
  MMAFFT_NORM_FORWARD = 4,
} mmafft_norm;

/*
 How points are stored and computed.
 */
typedef enum mmafft_precision {
  /*
   double.
   */
  MMAFFT_F64 = 0,
  /*
   float.
   */
  MMAFFT_F32 = 1,
  /*
   float, computed by products of 16-bit matrix units.
   */
  MMAFFT_SPLIT_F16 = 2,
  /*
   16 bits, IEEE.
   */
  MMAFFT_F16 = 3,
  /*
   16 bits, bfloat16.
   */
  MMAFFT_BF16 = 4,
} mmafft_precision;

/*
 What a call returns. A message in words is left for mmafft_error_message().
 */
typedef enum mmafft_status {
  /*
   All went well.
   */
  MMAFFT_OK = 0,
  /*
   An argument is null, a handle is of no object, or a number is none of its enumeration.
   */
  MMAFFT_INVALID = 1,
  /*
   Lengths, axes or ranks that no transform has.
   */
  MMAFFT_SHAPE = 2,
  /*
   Strides that the library cannot take, even by copies.
   */
  MMAFFT_LAYOUT = 3,
  /*
   Memory that is shorter or longer than the plan's.
   */
  MMAFFT_BUFFER = 4,
  /*
   The plan cannot do so by this request: in place, in so little scratch, by these radices.
   */
  MMAFFT_PLAN = 5,
  /*
   Text that is no wisdom.
   */
  MMAFFT_WISDOM = 6,
  /*
   What this backend does not do; the message says what to do instead.
   */
  MMAFFT_UNSUPPORTED = 7,
  /*
   A backend that this build leaves out.
   */
  MMAFFT_NOT_BUILT = 8,
  /*
   No device, or no driver.
   */
  MMAFFT_NO_DEVICE = 9,
  /*
   No memory left.
   */
  MMAFFT_OUT_OF_MEMORY = 10,
  /*
   The device failed; the output may have been written.
   */
  MMAFFT_DEVICE = 11,
  /*
   A fault of the library itself, which is worth a report.
   */
  MMAFFT_INTERNAL = 12,
  /*
   Another rank failed, was lost, or asks for another transform; or ranks cannot reach each other.
   */
  MMAFFT_RANKS = 13,
} mmafft_status;

/*
 A transform over the ranks of a group. One run of it is under way at a time.
 */
typedef struct mmafft_distributed mmafft_distributed;

/*
 Ranks that transform together: this process' end of what joins them.
 */
typedef struct mmafft_group mmafft_group;

/*
 A transform that is ready to run. Any number of threads may run one at once.
 */
typedef struct mmafft_plan mmafft_plan;

/*
 Makes plans, and keeps those that were asked for last. Any number of threads may use one.
 */
typedef struct mmafft_planner mmafft_planner;

/*
 An order of work on a device, with the scratch of what runs in it.
 */
typedef struct mmafft_stream mmafft_stream;

/*
 A dimension of both arrays.
 */
typedef struct mmafft_dim {
  /*
   Its length; of a halved dimension that of the real side.
   */
  size_t n;
  /*
   The input's stride, in elements: complex numbers where they are interleaved, else reals.
   */
  ptrdiff_t input;
  /*
   The output's.
   */
  ptrdiff_t output;
} mmafft_dim;

/*
 What is asked for: mmafft_request_init() first, then what differs from it.
 */
typedef struct mmafft_request {
  /*
   Bytes of this structure, by which later versions know this one.
   */
  size_t size;
  /*
   An mmafft_kind.
   */
  int32_t kind;
  /*
   An mmafft_direction.
   */
  int32_t direction;
  /*
   An mmafft_precision; MMAFFT_F64 at first.
   */
  int32_t precision;
  /*
   An mmafft_norm; MMAFFT_NORM_NONE at first.
   */
  int32_t norm;
  /*
   An mmafft_effort; MMAFFT_ESTIMATE at first.
   */
  int32_t effort;
  /*
   Not zero: input and output are one memory.
   */
  int32_t in_place;
  /*
   Not zero: a complex input has real and imaginary parts at separate addresses.
   */
  int32_t split_input;
  /*
   Not zero: a complex output has.
   */
  int32_t split_output;
  /*
   How many dimensions are transformed, of any number; the last is the one that is halved.
   */
  size_t rank;
  /*
   They.
   */
  const struct mmafft_dim *dims;
  /*
   How many dimensions count arrays, of any number.
   */
  size_t loop_count;
  /*
   They.
   */
  const struct mmafft_dim *loops;
  /*
   An mmafft_kind for each dimension that is transformed, all from reals to reals; or null.
   */
  const int32_t *kinds;
  /*
   The most bytes of scratch that the plan may need; 0 is no limit.
   */
  size_t scratch_limit;
} mmafft_request;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Plans a request. It needs no data, and writes none.

 # Safety
 `request` is null or one that mmafft_request_init() began, and its lists have as many elements
 as it says; `plan` is null or an address to write.
 */
enum mmafft_status mmafft_plan_create(const struct mmafft_planner *planner,
                                      const struct mmafft_request *request,
                                      struct mmafft_plan **plan);

/*
 Destroys a plan; a run of it in another thread goes on. Null, or one that was destroyed, is
 nothing.
 */
void mmafft_plan_destroy(struct mmafft_plan *plan);

/*
 Which passes over memory a plan has, its scratch and the bound of its error, as text to be
 freed by mmafft_text_free().

 # Safety
 `text` is null or an address to write.
 */
enum mmafft_status mmafft_plan_explain(const struct mmafft_plan *plan, char **text);

/*
 The bytes of scratch that a run needs, should the caller want to lend them.

 # Safety
 `bytes` is null or an address to write.
 */
enum mmafft_status mmafft_plan_scratch_bytes(const struct mmafft_plan *plan, size_t *bytes);

/*
 The bound of a plan's relative L2 error; 0 where it has no arrays.

 # Safety
 `bound` is null or an address to write.
 */
enum mmafft_status mmafft_plan_error_bound(const struct mmafft_plan *plan, double *bound);

/*
 Transforms memory of the host; on a device, by copies there and back. The input is only read,
 unless the plan is in place: then both addresses are the same.

 # Safety
 Both sides are memory of all elements that the plan's dimensions reach.
 */
enum mmafft_status mmafft_execute(const struct mmafft_plan *plan, const void *input, void *output);

/*
 The same in scratch that the caller lends, of mmafft_plan_scratch_bytes() or more; a device has
 no use for it and takes its own.

 # Safety
 As for mmafft_execute(), and scratch is null or of so many bytes.
 */
enum mmafft_status mmafft_execute_with_scratch(const struct mmafft_plan *plan,
                                               const void *input,
                                               void *output,
                                               void *scratch,
                                               size_t bytes);

/*
 Transforms memory whose real and imaginary parts are apart on one side or both, as the request
 said. A side that is not split has its address as that of the real parts, and null beside it.

 # Safety
 All are memory of all elements that the plan's dimensions reach.
 */
enum mmafft_status mmafft_execute_split(const struct mmafft_plan *plan,
                                        const void *input_real,
                                        const void *input_imaginary,
                                        void *output_real,
                                        void *output_imaginary);

/*
 Opens a backend, which is an mmafft_backend. The number is a device's, from 0 on; of the CPU
 it is how many threads are used, all of them for 0.

 # Safety
 `planner` is null or an address to write.
 */
enum mmafft_status mmafft_planner_create(int32_t backend,
                                         size_t number,
                                         struct mmafft_planner **planner);

/*
 Destroys a planner. Its plans live on. Null, or one that was destroyed, is nothing.
 */
void mmafft_planner_destroy(struct mmafft_planner *planner);

/*
 The device in words, to be freed by mmafft_text_free().

 # Safety
 `text` is null or an address to write.
 */
enum mmafft_status mmafft_planner_device(const struct mmafft_planner *planner, char **text);

/*
 All that was measured on the planner's device, as text to be freed by mmafft_text_free().

 # Safety
 `text` is null or an address to write.
 */
enum mmafft_status mmafft_wisdom_export(const struct mmafft_planner *planner, char **text);

/*
 Takes what such a device has measured, from text of mmafft_wisdom_export(); says how many
 choices that were where count is not null. Plans that the planner keeps are made anew.

 # Safety
 `text` is null or ends with a zero byte, `count` is null or an address to write.
 */
enum mmafft_status mmafft_wisdom_import(const struct mmafft_planner *planner,
                                        const char *text,
                                        size_t *count);

/*
 Joins the processes of an MPI communicator, which is duplicated; null is MPI_COMM_WORLD, for which MPI is
 initialised where it is not. Others are waited for so many seconds at most, 60 for 0. Collective.

 # Safety
 `communicator` is null, or an MPI_Comm of the MPI that the process has open, as a pointer; `group` is null or an
 address to write.
 */
enum mmafft_status mmafft_group_mpi(void *communicator,
                                    double patience,
                                    struct mmafft_group **group);

/*
 An identifier of ranks that NCCL, or RCCL, is to join: one process makes it, and gives it to the others.

 # Safety
 `id` is null or has room for MMAFFT_NCCL_ID_BYTES.
 */
enum mmafft_status mmafft_nccl_id(const struct mmafft_planner *planner,
                                  void *id);

/*
 Joins processes with the same identifier, each on the device of its own planner, as one of so many; they are waited for
 a minute here, and for so many seconds at most later, 60 for 0. Collective.

 # Safety
 `id` has MMAFFT_NCCL_ID_BYTES; `group` is null or an address to write.
 */
enum mmafft_status mmafft_group_nccl(const struct mmafft_planner *planner,
                                     const void *id,
                                     size_t rank,
                                     size_t ranks,
                                     double patience,
                                     struct mmafft_group **group);

/*
 Joins the ranks of an ncclComm_t, which stays the caller's, and whose device is the planner's. Collective.

 # Safety
 The communicator is of the library that the process has open, was made not to block, outlives the group, and is used by
 nobody else during collective calls of the group; after MMAFFT_LOST the caller aborts it. `group` is null or an address
 to write.
 */
enum mmafft_status mmafft_group_nccl_of(const struct mmafft_planner *planner,
                                        void *communicator,
                                        double patience,
                                        struct mmafft_group **group);

/*
 Leaves a group; its plans live on. Collective where it ends MPI. Null, or one that was destroyed, is nothing.
 */
void mmafft_group_destroy(struct mmafft_group *group);

/*
 This process' number in a group, and how many there are.

 # Safety
 Both are null or addresses to write.
 */
enum mmafft_status mmafft_group_rank(const struct mmafft_group *group, size_t *rank, size_t *ranks);

/*
 Plans and prepares a transform over the ranks of a group: of `rank` axes, all of them transformed by this kind, of
 `batch` arrays in rows. The input is spread as slabs of one axis, the output as slabs of another; -1 leaves either
 to the library, -2 spreads the arrays of the batch. Collective: every process gets a plan, or every one an error.

 # Safety
 `lengths` has `rank` numbers; `plan` is null or an address to write.
 */
enum mmafft_status mmafft_distributed_create(const struct mmafft_planner *planner,
                                             const struct mmafft_group *group,
                                             int32_t kind,
                                             int32_t direction,
                                             int32_t precision,
                                             int32_t norm,
                                             size_t rank,
                                             const size_t *lengths,
                                             size_t batch,
                                             int32_t input_axis,
                                             int32_t output_axis,
                                             struct mmafft_distributed **plan);

/*
 What this process has of the input (side 0) or of the output (side 1): the first index and the number of indices of
 the batch, then of each axis. A part lies in rows.

 # Safety
 `starts` and `lengths` have room for one number more than there are axes.
 */
enum mmafft_status mmafft_distributed_part(const struct mmafft_distributed *plan,
                                           int32_t side,
                                           size_t *starts,
                                           size_t *lengths);

/*
 The stages of a plan, what is exchanged between, and the time to expect, as text to be freed by mmafft_text_free().

 # Safety
 `text` is null or an address to write.
 */
enum mmafft_status mmafft_distributed_explain(const struct mmafft_distributed *plan,
                                              char **text);

/*
 Transforms this process' part of the input into its part of the output. Collective.

 # Safety
 Both are memory of all elements of the parts, and apart.
 */
enum mmafft_status mmafft_distributed_execute(const struct mmafft_distributed *plan,
                                              const void *input,
                                              void *output);

/*
 The same in memory of the planner's device, in host memory of the CPU's; it returns when the transform is done.

 # Safety
 Both are memory of all elements of the parts, and apart; what wrote the input is done, and nobody else writes either or
 reads the output meanwhile. After a rank was lost both stay until the device has been synchronised.
 */
enum mmafft_status mmafft_distributed_execute_device(const struct mmafft_distributed *plan,
                                                     const void *input,
                                                     void *output);

/*
 Destroys a plan. Null, or one that was destroyed, is nothing.
 */
void mmafft_distributed_destroy(struct mmafft_distributed *plan);

/*
 A request of this kind, forward, in double precision, unscaled, without dimensions yet.

 # Safety
 `request` is null or an address to write.
 */
enum mmafft_status mmafft_request_init(struct mmafft_request *request, int32_t kind);

/*
 Fills in the strides of a request's kind and placement for row-major arrays, one after the
 other: `rank` dimensions of the lengths `n`, and one loop of `batch` arrays.

 # Safety
 `request` is null or one that mmafft_request_init() began; `n` and `dims` have `rank` elements;
 `loop` is null or an address to write, as may be where `batch` is 1.
 */
enum mmafft_status mmafft_row_major(const struct mmafft_request *request,
                                    size_t rank,
                                    const size_t *n,
                                    size_t batch,
                                    struct mmafft_dim *dims,
                                    struct mmafft_dim *loop);

/*
 What went wrong in this thread's last call that failed, in one sentence; empty before any has.

 The text is valid until another call of this thread fails.
 */
const char *mmafft_error_message(void);

/*
 The library's version, as "0.1.0".
 */
const char *mmafft_version(void);

/*
 A new stream of the planner's device. On the CPU a run is done when its call returns.

 # Safety
 `stream` is null or an address to write.
 */
enum mmafft_status mmafft_stream_create(const struct mmafft_planner *planner,
                                        struct mmafft_stream **stream);

/*
 A stream of another library, which keeps owning it: a cudaStream_t, CUstream or hipStream_t, null
 being the null stream. With scratch that is not null, runs use that, one at a time, where they
 need no more than so many bytes of it.

 # Safety
 The handle is a stream of the planner's device, in its primary context, and lives as long as the
 new one; scratch is memory of the device. `stream` is null or an address to write.
 */
enum mmafft_status mmafft_stream_of(const struct mmafft_planner *planner,
                                    void *handle,
                                    void *scratch,
                                    size_t bytes,
                                    struct mmafft_stream **stream);

/*
 Waits for what was run on a stream.
 */
enum mmafft_status mmafft_stream_synchronize(const struct mmafft_stream *stream);

/*
 Destroys a stream, but not one of another library behind it, once what runs in it is done. Null,
 or one that was destroyed, is nothing.
 */
void mmafft_stream_destroy(struct mmafft_stream *stream);

/*
 Transforms memory of the planner's device, and returns when the work is in the stream. What needs
 copies, as mmafft_plan_explain() says, is MMAFFT_UNSUPPORTED.

 # Safety
 Both sides are memory of the device, of all elements that the plan's dimensions reach, until the
 work is done.
 */
enum mmafft_status mmafft_execute_on(const struct mmafft_plan *plan,
                                     const struct mmafft_stream *stream,
                                     const void *input,
                                     void *output);

/*
 Frees a text that this library made. Null is nothing.

 # Safety
 The text comes from a function of this library that says so, and is not used afterwards.
 */
void mmafft_text_free(char *text);

#ifdef __cplusplus
} // extern "C"
#endif // __cplusplus

#endif /* MMAFFT_H */
