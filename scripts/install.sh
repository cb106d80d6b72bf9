#!/bin/sh
# Make a virtual environment with exactly what requirements.lock names, and this checkout in it, editable.
# Usage: sh scripts/install.sh VENV.  Needs Python 3.11 to 3.13; brings uv when there is none.
set -eu
venv=${1:-.venv}

suitable() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; }
python=
for each in "${PYTHON:-}" python3.13 python3.12 python3.11 python3; do
    if [ -n "$each" ] && suitable "$each"; then python=$each; break; fi
done
if [ -z "$python" ]; then
    echo "labrig needs Python 3.11, 3.12 or 3.13 (set PYTHON to one)" >&2
    exit 1
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
if command -v uv >/dev/null 2>&1; then
    uv=uv
else
    [ -x "$venv/bin/uv" ] || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv
    uv=$venv/bin/uv
fi
"$uv" pip install --quiet --python "$venv/bin/python" --require-hashes --requirement requirements.lock
"$uv" pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation --editable .
