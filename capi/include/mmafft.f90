! mmafft for Fortran: compile this file with your program, and link it with -lmmafft.
! Fortran's first dimension is the fastest, so that it is the last of a plan.
module mmafft
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), parameter :: MMAFFT_OK = 0
  integer(c_int32_t), parameter :: MMAFFT_AUTO = 0, MMAFFT_CPU = 1, MMAFFT_CUDA = 2, MMAFFT_HIP = 3
  integer(c_int32_t), parameter :: MMAFFT_C2C = 0, MMAFFT_R2C = 1, MMAFFT_C2R = 2, &
    MMAFFT_R2HC = 3, MMAFFT_HC2R = 4, MMAFFT_DHT = 5, MMAFFT_DCT1 = 6, MMAFFT_DCT2 = 7, &
    MMAFFT_DCT3 = 8, MMAFFT_DCT4 = 9, MMAFFT_DST1 = 10, MMAFFT_DST2 = 11, MMAFFT_DST3 = 12, &
    MMAFFT_DST4 = 13
  integer(c_int32_t), parameter :: MMAFFT_FORWARD = -1, MMAFFT_BACKWARD = 1
  integer(c_int32_t), parameter :: MMAFFT_F64 = 0, MMAFFT_F32 = 1
  integer(c_int32_t), parameter :: MMAFFT_NORM_NONE = 0, MMAFFT_NORM_FULL = 1, &
    MMAFFT_NORM_BACKWARD = 2, MMAFFT_NORM_ORTHO = 3, MMAFFT_NORM_FORWARD = 4
  integer(c_int32_t), parameter :: MMAFFT_ESTIMATE = 0, MMAFFT_MEASURE = 1, MMAFFT_PATIENT = 2

  type, bind(c) :: mmafft_dim
    integer(c_size_t) :: n
    integer(c_ptrdiff_t) :: input, output
  end type

  type, bind(c) :: mmafft_request
    integer(c_size_t) :: size
    integer(c_int32_t) :: kind, direction, precision, norm, effort, in_place
    integer(c_int32_t) :: split_input, split_output
    integer(c_size_t) :: rank
    type(c_ptr) :: dims
    integer(c_size_t) :: loop_count
    type(c_ptr) :: loops, kinds
    integer(c_size_t) :: scratch_limit
  end type

  interface
    integer(c_int) function mmafft_planner_create(backend, number, planner) bind(c)
      import
      integer(c_int32_t), value :: backend
      integer(c_size_t), value :: number
      type(c_ptr), intent(out) :: planner
    end function
    subroutine mmafft_planner_destroy(planner) bind(c)
      import
      type(c_ptr), value :: planner
    end subroutine
    integer(c_int) function mmafft_request_init(request, kind) bind(c)
      import
      type(mmafft_request), intent(out) :: request
      integer(c_int32_t), value :: kind
    end function
    integer(c_int) function mmafft_row_major(request, rank, n, batch, dims, loop) bind(c)
      import
      type(mmafft_request), intent(in) :: request
      integer(c_size_t), value :: rank, batch
      integer(c_size_t), intent(in) :: n(*)
      type(mmafft_dim), intent(out) :: dims(*), loop
    end function
    integer(c_int) function mmafft_plan_create(planner, request, plan) bind(c)
      import
      type(c_ptr), value :: planner
      type(mmafft_request), intent(in) :: request
      type(c_ptr), intent(out) :: plan
    end function
    subroutine mmafft_plan_destroy(plan) bind(c)
      import
      type(c_ptr), value :: plan
    end subroutine
    integer(c_int) function mmafft_execute(plan, input, output) bind(c)
      import
      type(c_ptr), value :: plan, input, output
    end function
    type(c_ptr) function mmafft_error_message() bind(c)
      import
    end function
  end interface
end module
