#!/bin/sh
# The sample of the tests, in WORKERS processes, and the checks beside it: what they say is shown whole, after the tests.
# Fails when one of both does. With CHANGED=1 only what a change can reach (scripts/changed.py), since BASE.
# Usage: sh scripts/test.sh PYTHON [what is given to pytest]
set -u
python=$1
shift
if [ "${CHANGED:-0}" != 0 ]; then
    reached=$("$python" scripts/changed.py ${BASE:-}) || exit
    echo "reached: ${reached:-no test}"
    [ -n "$reached" ] || exec ${MAKE:-make} --no-print-directory check
    set -- $reached "$@"
fi
said=$(mktemp)
trap 'rm -f "$said"' EXIT
${MAKE:-make} --no-print-directory check >"$said" 2>&1 &
checks=$!
"$python" -m pytest -q -n "${WORKERS:-3}" --dist loadfile -m "not accept and not soak" "$@"
tests=$?
wait $checks
checked=$?
cat "$said"
[ $checked = 0 ] || echo "make check failed" >&2
[ $tests = 0 ] || echo "the tests failed" >&2
[ $tests = 0 ] && [ $checked = 0 ]
