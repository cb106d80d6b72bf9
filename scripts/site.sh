#!/bin/sh
# Build the site into out/site, in an environment of its own. Usage: sh scripts/site.sh PYTHON
set -eu
python=$1
site=out/site-venv
[ -x "$site/bin/python" ] || "$python" -m venv "$site"
group=$("$python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["docs"], sep="\n")')
[ -x "$site/bin/mkdocs" ] || echo "$group" | "$site/bin/python" -m pip install --quiet --disable-pip-version-check --requirement /dev/stdin
"$python" docs/site.py out/site-source
NO_MKDOCS_2_WARNING=1 "$site/bin/mkdocs" build --strict --quiet
echo "out/site/index.html"
