#!/bin/sh
# Write requirements.lock: every version and hash, for all platforms and Pythons that labrig supports.
# It is a plain requirements file, not uv.lock, because that form writes the address of the package index that it was
# made with into the repository; this one installs from whatever index the machine has.
set -eu
uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
    --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --quiet \
    --custom-compile-command "make lock" --output-file requirements.lock "$@"
