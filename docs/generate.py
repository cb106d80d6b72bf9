"""Write the generated parts of the pages: what stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``.

python docs/generate.py            writes them
python docs/generate.py --check    says what differs and which links lead nowhere, and fails
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import get_args

from labrig import errors
from labrig.answer import ANSWER_SCHEMA, json_bytes
from labrig.sandbox import results
from labrig_harness import endings, trajectory
from labrig_harness.registry.servers import toolbox
from labrig_phreeqc.engine import run

DOCS = Path(__file__).parent
SERVERS, SHARED = DOCS.parent / "servers", DOCS.parent / "shared"
sys.path.insert(0, str(DOCS))
import trust  # noqa: E402 - a neighbour, also where a test imports this file by its path

_PICTURE = re.compile(r"!\[([^\]]+)\]\(([^)]+\.(?:png|svg))\)")
_PART = re.compile(r"(<!-- generated: (?P<name>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def tools(server: str) -> str:
    """Return a table of a server's tools: name, toolsets, whether it changes anything, first line of its text."""
    rows = ["| tool | toolsets | changes files | what it does |", "| --- | --- | --- | --- |"]
    for spec in toolbox(server).specs:
        parameters = inspect.signature(spec.function).parameters.values()
        shown = ", ".join(
            each.name if each.default is inspect.Parameter.empty else f"[{each.name}]" for each in parameters
        )
        text = spec.description.split("\n")[0]
        changes = "no" if spec.read_only else "yes"
        rows.append(f"| `{spec.name}({shown})` | {', '.join(spec.toolsets)} | {changes} | {text} |")
    return "\n".join(rows)


def trusted() -> str:
    """Return a table of how each tool was tested, and against what, by the package that declares it."""
    rows = [
        "| package | tool | standing | cases | held against (widest tolerance) |",
        "| --- | --- | --- | --- | --- |",
    ]
    for package, tools in _packages().items():
        for tool in tools:
            found = trust.trust(package, tool)
            against = "; ".join(found.against)
            rows.append(f"| {package} | `{tool}` | {found.standing} | {found.cases or ''} | {against} |")
    return "\n".join(rows)


def sizes() -> str:
    """Return a table of what a model reads of each server before it does anything, by its manifest."""
    rows = [
        "| server | tools listed by default | bytes of the list | bytes of the instructions |",
        "| --- | --- | --- | --- |",
    ]
    for path in sorted((DOCS.parent / "manifests" / "tools").glob("*.json")):
        listed = json.loads(path.read_text(encoding="utf-8"))
        default = [each for each in listed["tools"] if each["name"] in listed["toolsets"]["default"]]
        lean = [{key: value for key, value in each.items() if key != "_meta"} for each in default]
        figures = f"{len(lean)} | {json_bytes(lean):,} | {json_bytes(listed['instructions'])}"
        rows.append(f"| {listed['server']} | {figures} |")
    return "\n".join(rows)


@functools.cache
def _packages() -> dict[str, list[str]]:
    """Return the tools of each package that declares some; files and jobs, which servers share, are of `labrig`."""
    found: dict[str, dict[str, None]] = {}
    for path in sorted(SERVERS.glob("labrig_*/__init__.py")):
        for spec in toolbox(path.parent.name.removeprefix("labrig_")).specs:
            package = spec.function.__module__.partition(".")[0]
            found.setdefault(package, {})[spec.name] = None
    return {package: list(tools) for package, tools in sorted(found.items())}


def databases() -> str:
    """Return a table of the databases that ``labrig setup phreeqc`` brings."""
    from labrig_phreeqc.database.databases import DESCRIPTIONS
    from labrig_phreeqc.database.setup import PHREEQC_DATABASES

    rows = ["| database | what it covers | SHA-256 (3.8.6) |", "| --- | --- | --- |"]
    for name, sha256 in sorted(PHREEQC_DATABASES.sha256.items(), key=lambda each: each[0].lower()):
        rows.append(f"| `{name}` | {DESCRIPTIONS[name]} | `{sha256[:12]}` |")
    return "\n".join(rows)


def taxonomy() -> str:
    """Return the fields of the science gym with the numbers of their domains and subdomains."""
    from labrig_repository.gym.taxonomy.loading import load

    rows = ["| field | domains | subdomains |", "| --- | --- | --- |"]
    counts = [(each.name, len(each.domains), sum(len(d.subdomains) for d in each.domains)) for each in load()]
    rows += [f"| {name} | {domains} | {subdomains} |" for name, domains, subdomains in counts]
    rows.append(
        f"| all {len(counts)} | {sum(each[1] for each in counts)} | {sum(each[2] for each in counts)} |"
    )
    return "\n".join(rows)


def hard_switches() -> str:
    """Return the switches of the science gym's hard tier."""
    from labrig_repository.gym.hard.levels import SWITCHES

    rows = ["| switch | levels, from 0 | usual |", "| --- | --- | --- |"]
    rows += [f"| `{each.name}` | {'; '.join(each.levels)} | {each.usual} |" for each in SWITCHES]
    return "\n".join(rows)


def answer() -> str:
    """Return the form of every Answer."""
    return f"```json\n{json.dumps(ANSWER_SCHEMA, indent=1)}\n```"


def codes() -> str:
    """Return the error codes with the comments that stand beside them in the source."""
    return _commented("code", errors, errors.CODES)


def ends() -> str:
    """Return the end reasons of a trajectory."""
    return _commented("end", endings, endings.END_REASONS)


def faults() -> str:
    """Return the mistakes of a model that a trajectory names."""
    return _commented("fault", trajectory, get_args(trajectory.Fault))


def _commented(heading: str, module: ModuleType, values: Iterable[str]) -> str:
    """Return a table of a Literal's values with the comments that stand beside them in the source."""
    source = inspect.getsource(module)
    rows = [f"| {heading} | meaning |", "| --- | --- |"]
    for value in values:
        comment = re.search(rf'"{value}",  # (.+)', source)
        assert comment, value
        rows.append(f"| `{value}` | {comment[1]} |")
    return "\n".join(rows)


def failed() -> str:
    """Return the statuses that set MCP's isError, by what they are statuses of."""
    subjects = (("of PHREEQC", run.FAILED), ("of code in the sandbox", results.FAILED))
    return "\n".join(
        f"- {subject}: {', '.join(f'`{each}`' for each in sorted(of))}" for subject, of in subjects
    )


def stems() -> str:
    """Return the stems of phreeqc-basics, without values or answers."""
    from labrig_suites.phreeqc_basics import stems

    rows = ["| stem | database | quantity |", "| --- | --- | --- |"]
    for stem in stems.stems():
        rows.append(f"| {stem.name} | `{stem.database}` | {stem.quantity} |")
    return "\n".join(rows)


def mcq_stems() -> str:
    """Return the stems of phreeqc-mcq by topic, with their databases and quantities."""
    from labrig_suites.phreeqc_mcq.in_words import JUDGED
    from labrig_suites.phreeqc_mcq.scenario import DATABASE
    from labrig_suites.phreeqc_mcq.stems import STEMS

    rows = ["| topic | stem | database | quantities |", "| --- | --- | --- | --- |"]
    for stem in sorted((*STEMS, *JUDGED), key=lambda stem: (stem.topic, stem.name)):
        switch = next((each for each in stem.switches if each.name == DATABASE), None)
        databases = switch.states if switch else (stem.database,)
        quantities = ", ".join(dict.fromkeys(each.name for each in (*stem.quantities, *stem.judged)))
        remark = " (long output)" if stem.large else " (in words)" if stem.judged else ""
        rows.append(
            f"| {stem.topic} | {stem.name}{remark} | {', '.join(f'`{each}`' for each in databases)} | {quantities} |"
        )
    return "\n".join(rows)


def gallery() -> str:
    """Return every picture that tools drew for the other pages, under the words that these give it."""
    parts = []
    for page in sorted(DOCS.rglob("*.md")):
        for words, target in _PICTURE.findall(page.read_text(encoding="utf-8")):
            where = (page.parent / target).resolve().relative_to(DOCS.resolve())
            if where.parent != Path() and page.name != "gallery.md":
                link = page.relative_to(DOCS).as_posix()
                parts.append(f"![{words}]({where.as_posix()})\n\n{words}: [{page.stem}]({link})")
    return "\n\n".join(parts)


def broken_links() -> list[str]:
    """Return the links between pages that lead nowhere."""
    found = []
    for page in [*DOCS.rglob("*.md"), *DOCS.parent.glob("*.md")]:
        text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # `[34S](6)` is no link
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
            if not target.startswith(("http://", "https://")) and not (page.parent / target).exists():
                found.append(f"{page.relative_to(DOCS.parent)}: {target}")
    return found


def generated(name: str) -> str:
    """Return the text of one generated part."""
    verb, _, argument = name.partition(" ")
    makers = {
        each.__name__: each
        for each in (
            databases,
            answer,
            codes,
            stems,
            mcq_stems,
            taxonomy,
            hard_switches,
            failed,
            ends,
            faults,
            gallery,
            trusted,
            sizes,
        )
    }
    return tools(argument) if verb == "tools" else makers[verb]()


def renewed(page: str) -> str:
    """Return a page with its generated parts written anew."""
    return _PART.sub(lambda part: f"{part[1]}{generated(part['name'])}\n{part[3]}", page)


def _written(path: Path) -> str:
    """Return what a page, or a package's list of how its tools were tested, should be."""
    if path.suffix == ".csv":
        return trust.write_standings(path.parent.name, _packages()[path.parent.name])
    return renewed(path.read_text(encoding="utf-8"))


def main() -> int:
    """Write or check all pages, and what each server says of how its tools were tested."""
    stale = []
    roots = {"labrig": SHARED}
    standings = [roots.get(package, SERVERS) / package / "tested.csv" for package in _packages()]
    for path in [*sorted(DOCS.rglob("*.md")), *standings]:
        new = _written(path)
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            stale.append(path.relative_to(DOCS.parent).as_posix())
            if "--check" not in sys.argv:
                path.write_text(new, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"docs are not what the code would write: {', '.join(stale)}; run make docs", file=sys.stderr)
        return 1
    if broken := broken_links():
        print(f"links that lead nowhere: {', '.join(broken)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
