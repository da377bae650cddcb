C     A program of the old kind: plans are numbers, names end with an underscore.
      program old
      implicit none
      include 'fftw3.f'
      integer*8 plan
      integer n(2), kinds(2), i, okay
      double precision x(4, 3), y(4, 3), cost
      double complex z(4, 3), w(4, 3)
      n(1) = 4
      n(2) = 3
      do i = 1, 12
        x(1 + mod(i - 1, 4), 1 + (i - 1) / 4) = i
      end do
      call dfftw_init_threads(okay)
      if (okay .eq. 0) stop 1
      kinds(1) = FFTW_REDFT10
      kinds(2) = FFTW_RODFT10
      call dfftw_plan_r2r(plan, 2, n, x, y, kinds, FFTW_ESTIMATE)
      call dfftw_execute(plan)
      call dfftw_cost(cost, plan)
      call dfftw_destroy_plan(plan)
C     2*sum over i, then the first sine of three columns: 2*(s1/2 + s2 + s3/2).
      if (abs(y(1, 1) - (20 + 2 * 52 + 84)) .gt. 1d-9) stop 2
      if (cost .le. 0) stop 3
      z = (0d0, 0d0)
      z(2, 1) = (1d0, 0d0)
      call dfftw_plan_dft_2d(plan, 4, 3, z, w, FFTW_FORWARD,
     &                       FFTW_ESTIMATE)
      call dfftw_execute_dft(plan, z, w)
      call dfftw_destroy_plan(plan)
      if (abs(w(2, 1) - (0d0, -1d0)) .gt. 1d-12) stop 4
      if (abs(w(2, 3) - (0d0, -1d0)) .gt. 1d-12) stop 5
      end
