#!/usr/bin/env bash
# Other people's test suites over our libraries: suites.sh FOLDER quick|all
# [fftw|pyfftw|octave|gromacs|imagemagick|speed]..., where FOLDER has them as `make install` does.
# Sources come from Debian's and PyPI's packages into a temporary folder, and nothing of them
# stays; Octave, GROMACS and ImageMagick are those that are installed. `quick` is two minutes'
# part of fftw and pyfftw. `speed` times both libraries by FFTW's bench in turn, and wants a
# machine with nothing else to do.
set -euo pipefail
libraries=$(cd "$1" && pwd)
scope=$2
shift 2
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(fftw pyfftw)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What earlier runs have measured is not followed.
export MMAFFT_CACHE=off

# FFTW's sources, and its test program in both precisions.
programs() {
    [ ! -x "$work/single/bench" ] || return 0
    # Sources of the packages that this machine installs.
    local apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/sources"
        -o "Dir::State::lists=$work/lists" -o APT::Sandbox::User=root)
    mkdir -p "$work/lists/partial" "$work/sources"
    touch "$work/sources.list"
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $file in
            *.list) [ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >> "$work/sources.list" ;;
            *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" > "$work/sources/${file##*/}" ;;
        esac
    done
    apt-get "${apt[@]}" update -qq
    (cd "$work" && apt-get "${apt[@]}" source --download-only -qq fftw3 && tar xf fftw3_*.orig.tar.*)
    source=$(echo "$work"/fftw-3*)
    bench "$source" "$work/double" fftw3
    bench "$source" "$work/single" fftw3f -DFFTW_SINGLE=1 -DBENCHFFT_SINGLE=1
}

# FFTW's bench with check.pl: the random suites of its `make check`, in both precisions, with
# threads and with a callback for them.
fftw() {
    programs
    local count=30
    [ "$scope" = all ] || count=10
    check "$source" "$work/double" -c=$count
    check "$source" "$work/single" -c=$count
    check "$source" "$work/double" -c=$((count / 2)) --nthreads=2
    check "$source" "$work/single" -c=5 --nthreads=2 --threads_callback
}

# bench SOURCE FOLDER LIBRARY FLAGS: FFTW's test program; its hook is of FFTW's inside, and does nothing here.
bench() {
    local source=$1 folder=$2 library=$3
    shift 3
    mkdir -p "$folder"
    (
        cd "$folder"
        for has in STDLIB_H STRING_H STDDEF_H UNISTD_H SYS_TIME_H MALLOC_H GETTIMEOFDAY MEMALIGN \
            DRAND48 SNPRINTF SMP; do
            echo "#define HAVE_$has 1"
        done > config.h
        echo '#define STDC_HEADERS 1' >> config.h
        echo 'void install_hook(void) {} void uninstall_hook(void) {}' > hook.c
        local flags=(-O1 -w -DHAVE_CONFIG_H -I. "-I$source" "-I$source/libbench2" "-I$source/api" "$@")
        cc "${flags[@]}" -c "$source"/libbench2/*.c
        ar cr libbench2.a ./*.o
        cc "${flags[@]}" "$source/tests/bench.c" "$source/tests/fftw-bench.c" hook.c libbench2.a \
            -o bench "-L$libraries" "-Wl,-rpath,$libraries" "-l$library" -lm
    )
}

check() {
    local source=$1 folder=$2
    shift 2
    echo "== check.pl -r $* ($(basename "$folder"))"
    (cd "$folder" && perl -w "$source/tests/check.pl" -r -v "$@" "$folder/bench" > check.log 2>&1) ||
        { grep FAILED "$folder/check.log" | cut -c 1-2000; tail -n 3 "$folder/check.log"; return 1; }
    echo "$(grep -c '^[a-z/].* [0-9.e-]* [0-9.e-]* [0-9.e-]*$' "$folder/check.log") problems passed"
}

# FFTW's time over ours, planned with MEASURE: the least of five runs of each, in turn.
speed() {
    programs
    local theirs ours_took theirs_took precision problem
    theirs=$(dirname "$(ldconfig -p | awk '/libfftw3.so.3 / { print $NF; exit }')")
    # FFTW has its threads, which the program names, in a library beside. The loader's remark that
    # two texts of the version differ in length goes to the log.
    timed() {
        local threads=$1/libfftw3_threads.so.3
        [ "$precision" = double ] || threads=$1/libfftw3f_threads.so.3
        LD_LIBRARY_PATH=$1 LD_PRELOAD=$threads "$work/$precision/bench" --report-time -s "$problem" \
            2>> "$work/speed.log" | tr -d '()' | cut -d ' ' -f 1 # the least of its own repetitions
    }
    for precision in single double; do
        for problem in o{c,r}{f,b}{256x256,512x512,1024x1024,1000x1000,64x64x64,128x128x128} \
            ok{100,1000,1024,4096,10000,65536}{f,b,h,e00,e01,e10,e11,o00,o01,o10,o11} \
            ok{512,1000}e10x{512,1000}e10; do
            for _ in 1 2 3 4 5; do
                theirs_took=$(timed "$theirs")
                ours_took=$(timed "$libraries")
                echo "$theirs_took $ours_took"
            done | awk -v row="$precision,$problem" '
                NR == 1 || $1 < theirs { theirs = $1 }
                NR == 1 || $2 < ours { ours = $2 }
                END { printf "%s,%.3f\n", row, theirs / ours }'
        done
    done
}

# pyFFTW's tests, built from source beside FFTW's header and run over our libraries.
pyfftw() {
    echo "== pyFFTW"
    python3 -m venv "$work/venv"
    local python=$work/venv/bin/python
    "$python" -m pip install --quiet 'setuptools>=77' wheel 'cython<4' 'numpy>=2' 'scipy>=1.14' pytest
    (cd "$work" && "$python" -m pip download --quiet --no-deps --no-binary :all: \
        --no-build-isolation pyfftw && tar xf py*.tar.gz)
    local source
    source=$(find "$work" -maxdepth 1 -iname 'pyfftw-*' -type d)
    PYFFTW_LIB_DIR=$libraries LD_LIBRARY_PATH=$libraries "$python" -m pip install --quiet \
        --no-build-isolation --no-deps "$source"
    # Without the source's own package beside the tests. They want two files that the package of
    # sources leaves out.
    mkdir "$work/run"
    cp -r "$source/tests" "$work/run"
    touch "$work/run/tests/__init__.py"
    cat > "$work/run/tests/_get_default_args.py" << 'END'
import inspect


def get_default_args(function):
    parameters = inspect.signature(function).parameters.items()
    return {name: p.default for name, p in parameters if p.default is not p.empty}
END
    # One test wants planning to be four times as fast with a limit of time, which it is not where it
    # is fast without. Long double is FFTW's own library. The interfaces are Python over the same
    # plans, and take minutes.
    local some="not test_planning_time_limit"
    [ "$scope" = all ] ||
        some+=" and not LongDouble and not interface and not scipy_fft and not Interfaces"
    (cd "$work/run" && LD_LIBRARY_PATH=$libraries "$python" -m pytest -q -p no:cacheprovider \
        -k "$some" tests)
}

# Octave's tests of its transforms (package octave).
octave() {
    echo "== Octave"
    local tests
    tests=$(find /usr/share/octave -name 'fft*.cc-tst' -printf "'%p',")
    cat > "$work/octave.m" << END
all = [0, 0];
for name = {$tests 'fftfilt', 'fftconv', 'fftshift', 'ifftshift', 'freqz', 'periodogram'}
  [passed, count] = test(name{1}, 'quiet');
  all += [passed, count];
end
printf('%d of %d tests passed, by %s\n', all, version('-fftw'));
exit(all(1) < all(2) || isempty(strfind(version('-fftw'), 'mmafft')));
END
    LD_LIBRARY_PATH=$libraries octave-cli --no-init-file --norc "$work/octave.m"
}

# A box of water with PME by GROMACS (package gromacs): energies beside those with FFTW.
gromacs() {
    echo "== GROMACS"
    mkdir "$work/water"
    (
        cd "$work/water"
        printf '#include "oplsaa.ff/%s"\n' forcefield.itp spce.itp > topol.top
        printf '[ system ]\nwater\n[ molecules ]\n' >> topol.top
        printf '%s\n' 'integrator = md' 'nsteps = 20' 'coulombtype = PME' 'gen_vel = yes' \
            'gen_seed = 1' 'constraints = h-bonds' 'nstenergy = 1' 'nstcalcenergy = 1' > md.mdp
        gmx -quiet solvate -cs spc216.gro -box 2.5 2.5 2.5 -o water.gro -p topol.top
        gmx -quiet grompp -f md.mdp -c water.gro -p topol.top -o run.tpr -maxwarn 5
        gmx -quiet mdrun -s run.tpr -deffnm theirs -ntmpi 1 -reprod
        LD_LIBRARY_PATH=$libraries MMAFFT_VERBOSE=1 gmx -quiet mdrun -s run.tpr -deffnm ours \
            -ntmpi 1 -reprod
        for run in theirs ours; do
            printf 'Coul.-recip.\nPotential\nTotal-Energy\n0\n' |
                gmx -quiet energy -f $run.edr -o $run.xvg
        done
    ) > "$work/gromacs.log" 2>&1 || { tail -n 30 "$work/gromacs.log"; return 1; }
    grep -q "mmafft, in FFTW's place" "$work/gromacs.log"
    paste <(grep -v '^[#@]' "$work/water/theirs.xvg") <(grep -v '^[#@]' "$work/water/ours.xvg") | awk '
        function off(a, b) { return (a > b ? a - b : b - a) / (a < 0 ? -a : a) }
        { for (i = 2; i <= 4; i++) if (off($i, $(i + 4)) > worst) worst = off($i, $(i + 4)) }
        END { print NR " steps, energies at most " worst " off"; exit NR < 21 || worst > 1e-4 }'
}

# Magnitudes and phases of a picture by ImageMagick (package imagemagick), each of 16 bits.
imagemagick() {
    echo "== ImageMagick"
    local picture=(-size 1000x700 -seed 3 'plasma:fractal' -colorspace Gray)
    convert "${picture[@]}" "$work/picture.png"
    convert "$work/picture.png" -fft "$work/theirs.miff"
    LD_LIBRARY_PATH=$libraries MMAFFT_VERBOSE=1 convert "$work/picture.png" -fft "$work/ours.miff" \
        2> "$work/imagemagick.log"
    grep -q "mmafft, in FFTW's place" "$work/imagemagick.log"
    local part off
    for part in 0 1; do
        # The mean error, of 65535; `compare` fails where any point differs.
        off=$(compare -metric MAE "$work/theirs.miff[$part]" "$work/ours.miff[$part]" null: 2>&1) || true
        echo "part $part: $off off"
        awk -v off="${off%% *}" 'BEGIN { exit off > 1 }'
    done
}

for suite in "${suites[@]}"; do "$suite"; done
