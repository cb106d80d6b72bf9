"""Print the tests that a change can reach, for `make test CHANGED=1`; all of them where the table does not know better.

``python scripts/changed.py [BASE]``: the change is all that differs from BASE, files that git does not know yet
included. Without BASE it is the commit at which this branch left its upstream (or ``main``), or HEAD where there is
neither.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ALL = "tests"
HOUSE = "tests/test_house.py tests/test_map.py"
"""What looks at the source as a whole."""
PAGES = "tests/e2e/test_docs.py"
REACHES = (
    # A pattern at the beginning of a path, and what it reaches, by the layers:
    # cli > suites > study > programs > harness > servers > shared.
    (r"tests/(?!support/|hostile/)(.*/)?test_\w+\.py", r"\g<0>"),
    (r"tests/hostile/", "tests/e2e tests/servers"),
    (r"tests/attackers/(\w+)", r"tests/clients/suites/\1"),
    (r"tests/(clients|servers|shared)/", r"tests/\1"),
    (r"servers/labrig_(\w+)/", rf"tests/servers/\1 tests/clients tests/e2e {HOUSE}"),
    (r"clients/labrig_(harness|programs|study|cli)/", f"tests/clients tests/e2e {HOUSE}"),
    # The harness's own tests and those of whole programs run phreeqc-basics, which stands on phreeqc-mcq.
    (r"clients/labrig_suites/(phreeqc_basics|phreeqc_mcq|common)/", f"tests/clients tests/e2e {HOUSE}"),
    (  # precedent-search makes its papers with the rooms of supercon-extraction
        r"clients/labrig_suites/supercon_extraction/",
        f"tests/clients/suites/supercon_extraction tests/clients/suites/precedent_search {HOUSE}",
    ),
    (r"clients/labrig_suites/(\w+)/", rf"tests/clients/suites/\1 {HOUSE}"),
    (
        r"docs/attacks\.md",
        f"{PAGES} tests/e2e/test_hostile.py tests/e2e/test_sandbox_attacks.py",
    ),
    (r"docs/suites/(\w+)-(\w+)", rf"tests/clients/suites/\1_\2 {PAGES}"),
    (r"docs/reports", f"tests/clients/study/test_report.py {PAGES}"),
    (r"docs/|\w+\.md|mkdocs\.yml", PAGES),
    (r"benchmarks/", HOUSE),
    (r"manifests/", "tests/clients/cli/test_manifests.py"),
    (r"Dockerfile", "tests/e2e/test_dockerfile.py"),
    (r"LICENSE|\.gitignore", ""),
    (r"", ALL),  # shared/, tests/support, the lock, the Makefile
)


def reached(path: str) -> set[str]:
    """Return the files and folders of tests that a change of a file reaches."""
    for pattern, tests in REACHES:
        if found := re.match(pattern, path):
            return set(found.expand(tests).split()) | importers(path)
    return set()


def importers(path: str) -> set[str]:
    """Return the files of tests that import from a file of tests, and those that import from these."""
    if not re.match(r"tests/(?!support/|hostile/).*\.py$", path):
        return set()
    module = path.removeprefix("tests/").removesuffix(".py").replace("/", ".")
    found = {
        str(other)
        for other in Path("tests").rglob("*.py")
        if re.search(rf"^from {re.escape(module)} import", other.read_text(encoding="utf-8"), re.MULTILINE)
    }
    return found.union(*map(importers, found))


def narrowed(tests: set[str]) -> list[str]:
    """Leave out what is not there (any more) and what lies in another one."""
    there = {each for each in tests if Path(each).exists()}
    return sorted(each for each in there if not any(str(up) in there for up in Path(each).parents))


def changed(base: str) -> list[str]:
    """Return the paths that differ from a commit."""
    known = git("diff", "--name-only", "--no-renames", base)
    return known + git("ls-files", "--others", "--exclude-standard")


def left_at() -> str:
    """Return the commit at which this branch left its upstream or main, else HEAD."""
    for upstream in ("@{upstream}", "origin/main", "main"):
        try:
            return git("merge-base", "HEAD", upstream)[0]
        except subprocess.CalledProcessError:
            continue
    return "HEAD"


def git(*words: str) -> list[str]:
    """Return the lines that git prints."""
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.splitlines()


def main() -> int:
    """Print what is reached; 2 where git cannot tell what has changed."""
    try:
        paths = changed(sys.argv[1] if len(sys.argv) > 1 else left_at())
    except subprocess.CalledProcessError as failed:
        reason = failed.stderr.splitlines()[0] if failed.stderr else f"git ended with {failed.returncode}"
        print(f"CHANGED=1 asks git what has changed: {reason}", file=sys.stderr)
        return 2
    except OSError as failed:
        print(f"CHANGED=1 asks git what has changed: {failed}", file=sys.stderr)
        return 2
    print(" ".join(narrowed(set().union(*map(reached, paths)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
