#!/bin/sh
# Every byte of generated repositories FIRST to LAST, as one SHA-256, twice as they are and under other numpys, another
# Python and without SIMD: the digest must be the same in all lines, or this fails.
#   sh scripts/gym_digests.sh [FIRST [LAST [DIGEST_FLAGS...]]]      default: 1 500, all files; --files 4 for a part
# Needs uv on the path (it is in .venv/bin); environments are made in a temporary folder.
set -eu
cd "$(dirname "$0")/.."
first=${1:-1} last=${2:-500}
[ $# -gt 2 ] && shift 2 || set --
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
code=$PWD/servers:$PWD/shared

environment() { # name python numpy
    uv venv -q --python "$2" "$made/$1"
    uv pip install -q --python "$made/$1/bin/python" "numpy==$3" "pydantic>=2.12" "platformdirs>=4" "tomlkit>=0.13"
}
run() { # name what [variable=value...]
    name=$1 what=$2
    shift 2
    env "$@" PYTHONPATH="$code" "$made/$name/bin/python" -m labrig_repository.gym.digest "$first" "$last" $flags | tail -1 | sed "s/$/ ($what)/" | tee -a "$made/digests"
}
flags=$*
environment one 3.11 1.26.4
environment two 3.11 '2.*'
environment other 3.13 '2.*'
run two "first run" A=1
run two "second run" A=1
run one "numpy 1" A=1
run other "another Python" A=1
features=$("$made/two/bin/python" -c "
from numpy._core._multiarray_umath import __cpu_features__ as f, __cpu_dispatch__ as d
print(' '.join(name for name in d if f.get(name)))")
run two "without SIMD" NPY_DISABLE_CPU_FEATURES="$features"
made_in_all=$(wc -l <"$made/digests") different=$(cut -d" " -f2 "$made/digests" | sort -u | wc -l)
echo "repositories $first to $last: $made_in_all digests, $different different, $(cut -c5-20 "$made/digests" | tail -1)..."
[ "$made_in_all" = 5 ] && [ "$different" = 1 ]
