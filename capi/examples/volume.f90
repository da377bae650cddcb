! A cosine transform of a volume along all axes, and back, in Fortran:
!   gfortran mmafft.f90 volume.f90 -lmmafft && ./a.out
program volume
  use mmafft
  implicit none
  integer, parameter :: nx = 20, ny = 12, nz = 9
  real(c_double), target :: x(nx, ny, nz), y(nx, ny, nz), z(nx, ny, nz)
  real(c_double) :: worst
  type(c_ptr) :: planner
  call random_number(x)
  call check(mmafft_planner_create(MMAFFT_CPU, 0_c_size_t, planner))
  call transform(MMAFFT_DCT2, MMAFFT_NORM_NONE, x, y)
  call transform(MMAFFT_DCT3, MMAFFT_NORM_FULL, y, z)
  call mmafft_planner_destroy(planner)
  worst = maxval(abs(z - x))
  print '(a, es10.2, a, es8.1)', 'sum ', y(1, 1, 1) / 8, ', back off by ', worst
  if (abs(y(1, 1, 1) / 8 - sum(x)) > 1e-9 .or. worst > 1e-13) stop 1
contains
  subroutine transform(kind, norm, from, to)
    integer(c_int32_t), intent(in) :: kind, norm
    real(c_double), target, intent(in) :: from(:, :, :)
    real(c_double), target, intent(out) :: to(:, :, :)
    type(mmafft_request) :: request
    type(mmafft_dim), target :: dims(3)
    type(mmafft_dim) :: loop
    type(c_ptr) :: plan
    integer(c_size_t) :: n(3)
    n = [nz, ny, nx]
    call check(mmafft_request_init(request, kind))
    call check(mmafft_row_major(request, 3_c_size_t, n, 1_c_size_t, dims, loop))
    request%norm = norm
    request%rank = 3
    request%dims = c_loc(dims)
    call check(mmafft_plan_create(planner, request, plan))
    call check(mmafft_execute(plan, c_loc(from), c_loc(to)))
    call mmafft_plan_destroy(plan)
  end subroutine
  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= MMAFFT_OK) then
      print '(a, i0)', 'mmafft: status ', status
      stop 1
    end if
  end subroutine
end program
