#!/usr/bin/env bash
# What only a device can tell, for a device's machine that need not have Rust: programs are built on
# one machine, and run on another.
#
#   benches/device.sh build FOLDER          here: mmafft-lab and the tests, for NVIDIA devices, into FOLDER
#   benches/device.sh WHAT FOLDER RESULTS   there, in the repository's root; WHAT is, in any number
#                                           joined by commas,
#     suite      the conformance suite, as many processes as cores, on all devices: threads of a
#                process wait for each other in NVRTC
#     measured   the requests that follow measured rules, and those by models of what is fast, against
#                the definition
#     speed      the table of speeds beside cuFFT: speed.csv
#     kinds      the table of real-to-real transforms: kinds.csv
#     others     lengths that nobody tuned, beside cuFFT: others.csv
#     kinds-others
#                real-to-real transforms of many more lengths and arrays: kinds-others.csv
#     ranks      two to four ranks on the devices that there are, one, two or four: bits, errors, a sample under
#                compute-sanitizer, times beside one device's, cufftXt and cuFFT with NCCL: ranks.log,
#                ranks-G.csv and ranks-peers-G.csv of G devices
#     accuracy   the errors of all precisions beside cuFFT's, and their tables: accuracy.log
#
# It takes bash, Python 3 and NVRTC there, cuFFT for speed, others and accuracy, PyTorch for the peers of
# ranks on several devices; binutils (strip) here.
# Each prints how long it took. Kernels are kept in RESULTS/cache. Fails if anything did.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    sed -n '2,/^# It takes/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

build() {
    mkdir -p "$folder"
    cargo build --release -p mmafft-lab --features cuda
    cp "${CARGO_TARGET_DIR:-target}/release/mmafft-lab" "$folder"
    local tests=(-p mmafft -p mmafft-lab --test conformance --test device --test beside_cufft)
    cargo test --release --features cuda "${tests[@]}" --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' |
        while read -r program; do
            name=$(basename "$program")
            cp "$program" "$folder/${name%-*}"
        done
    strip "$folder"/{mmafft-lab,conformance,device,beside_cufft}
}

# Whether tests that wrote these passed, and found the device.
passed() {
    local log failed=0
    for log in "$@"; do
        grep -h -m 1 "ignored.*needs a device" "$log" && failed=1
        grep -q '^test result: ok' "$log" || { echo "failed: $log"; failed=1; }
    done
    return "$failed"
}

# A process a core, each with a part of the cases, on all devices in turn: `in_parts NAME COMMAND` writes NAME-1.log and so on.
in_parts() {
    local name=$1 parts devices part
    shift
    rm -f "$results/$name"-*.log
    parts=$(nproc)
    devices=$(nvidia-smi --list-gpus | wc -l)
    [ "$devices" -gt 0 ] || return 1
    for part in $(seq "$parts"); do
        CUDA_VISIBLE_DEVICES=$((part % devices)) MMAFFT_PART=$part/$parts \
            "$@" > "$results/$name-$part.log" 2>&1 &
    done
}

suite() {
    in_parts suite "$folder/conformance" cuda::table --test-threads 2 || return 1
    "$folder/conformance" cuda:: --skip cuda::table --skip cuda::random > "$results/suite-rest.log" 2>&1
    wait
    in_parts suite-random "$folder/conformance" cuda::random --test-threads 2
    wait
    grep -h -o 'MMAFFT_CASE=.*' "$results"/suite-*.log | sort -u
    grep -h -o '[0-9]* cases; the worst.*' "$results"/suite-*.log | sort -rn -t' ' -k5 | head -n 1
    passed "$results"/suite-*.log
}

# Says how many requests there were, and how many wrong.
measured() {
    in_parts measured "$folder/device" measured || return 1
    wait
    grep -h -o '[0-9]* requests, .* wrong' "$results"/measured-*.log |
        awk '{ what = /in turns/ ? "in turns" : /likely/ ? "likely fast" : "by rules"; all[what] += $1; wrong[what] += $(NF - 1) }
             END { for (what in all) print all[what] " requests " what ", " wrong[what] " wrong" }'
    passed "$results"/measured-*.log
}

speed() {
    "$folder/mmafft-lab" bench --backend cuda --peer cufft --csv "$results/speed.csv" > "$results/speed.log" &&
        "$folder/mmafft-lab" report "$results/speed.csv" -o "$results/speed.html"
}

kinds() {
    "$folder/mmafft-lab" bench --backend cuda --cases benches/cases/kinds.csv --csv "$results/kinds.csv" > "$results/kinds.log" &&
        python3 benches/kinds_table.py "$results/kinds.csv"
}

# A quick run: what matters is what is slow.
others() {
    "$folder/mmafft-lab" bench --backend cuda --peer cufft --quick --mebibytes 512 --cases benches/cases/others.csv \
        --csv "$results/others.csv" > "$results/others.log" &&
        "$folder/mmafft-lab" report "$results/others.csv" -o "$results/others.html"
}

# Kernels are compiled first, by as many processes as cores but 16 at most, as each takes memory of the device too. What
# fails in one of them fails again where it is timed.
kinds-others() {
    local cases=benches/cases/kinds-others.csv parts part folder_of_parts
    local bench=("$folder/mmafft-lab" bench --backend cuda --quick --mebibytes 512 --cases)
    parts=$(nproc)
    [ "$parts" -le 16 ] || parts=16
    folder_of_parts=$(mktemp -d)
    for part in $(seq "$parts"); do
        awk -v n="$parts" -v part="$part" 'NR == 1 || NR % n == part - 1' "$cases" > "$folder_of_parts/$part.csv"
        "${bench[@]}" "$folder_of_parts/$part.csv" > /dev/null &
    done
    wait
    rm -r "$folder_of_parts"
    "${bench[@]}" "$cases" --csv "$results/kinds-others.csv" > "$results/kinds-others.log" &&
        python3 benches/kinds_table.py --classes "$results/kinds-others.csv"
}

# What is timed in a precision: the shapes of ranks_peers.py.
rank_shapes() {
    case $1 in
        f32) echo 256x256x256 512x512x512 1024x1024x1024 1024x1024x512 1080x1920x512 1000x1000x1000 16384x16384 32768x32768 ;;
        f64) echo 256x256x256 512x512x512 1024x1024x1024 ;;
    esac
}

# Right on all devices, then under compute-sanitizer where there is one, then beside others.
ranks() {
    local devices counts="" count precision shape kind list failed=0 log
    devices=$(nvidia-smi --list-gpus | wc -l)
    [ "$devices" -gt 0 ] || return 1
    for count in 1 2 4; do
        [ "$count" -gt "$devices" ] || counts="$counts $count"
    done
    "$folder/device" ranks_on --nocapture > "$results/ranks.log" 2>&1 || failed=1
    grep -h ' on [2-4] ranks, ' "$results/ranks.log"
    passed "$results/ranks.log" || failed=1
    if command -v compute-sanitizer > /dev/null; then
        compute-sanitizer --error-exitcode 9 "$folder/device" a_sample_of_ranks --nocapture \
            > "$results/ranks-sanitizer.log" 2>&1 || failed=1
        grep -h 'ERROR SUMMARY' "$results/ranks-sanitizer.log" || failed=1
    else
        echo "no compute-sanitizer: not looked at"
    fi
    for count in $counts; do
        list=$(seq -s, 0 $((count - 1)))
        : > "$results/ranks-$count.csv"
        for precision in f32 f64; do
            for kind in c2c r2c; do
                for shape in $(rank_shapes "$precision"); do
                    # A case that does not fit is said, and no other is lost.
                    log=$results/ranks-one.log
                    if timeout 120 "$folder/mmafft-lab" bench "$shape" --batch 1 --backend cuda --kind "$kind" --precision "$precision" \
                        --ranks "$count" --devices "$list" --csv "$results/ranks-one.csv" > "$log" 2>&1; then
                        [ -s "$results/ranks-$count.csv" ] || head -n 1 "$results/ranks-one.csv" > "$results/ranks-$count.csv"
                        sed 1d "$results/ranks-one.csv" >> "$results/ranks-$count.csv"
                    else
                        echo "$shape $kind $precision on $count: $(tail -n 1 "$log")"
                        grep -q 'memory' "$log" || failed=1
                    fi
                done
            done
        done
        rm -f "$results/ranks-one.csv" "$results/ranks-one.log"
        cat "$results/ranks-$count.csv"
        [ -s "$results/ranks-$count.csv" ] || failed=1
        [ "$count" -eq 1 ] || python3 benches/ranks_peers.py "$count" "$results/ranks-peers-$count.csv" || failed=1
    done
    return "$failed"
}

# A process a precision.
accuracy() {
    local precision precisions=(f64 f32 split-f16 f16 bf16)
    for precision in "${precisions[@]}"; do
        MMAFFT_CASE=$precision "$folder/beside_cufft" > "$results/accuracy-$precision.log" 2>&1 &
    done
    wait
    cat "$results"/accuracy-*.log > "$results/accuracy.log"
    passed "$results"/accuracy-*.log && python3 benches/accuracy_table.py "$results/accuracy.log"
}

[ $# -ge 2 ] || usage
what=$1 folder=$2
if [ "$what" = build ]; then
    build
    exit
fi
[ $# -eq 3 ] || usage
results=$3
mkdir -p "$results"
export MMAFFT_CACHE=${MMAFFT_CACHE:-$results/cache}
status=0
for step in ${what//,/ }; do
    case $step in
        suite | measured | speed | kinds | others | kinds-others | ranks | accuracy) ;;
        *) usage ;;
    esac
    SECONDS=0
    "$step" && said=passed || { said=FAILED; status=1; }
    echo "$step: $said, $SECONDS s"
done
exit "$status"
