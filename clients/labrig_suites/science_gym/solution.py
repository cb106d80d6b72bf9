"""The reference solution: read the files through the tools, and answer from what they hold.

The answer comes from the results of the calls and from the digits that the prompt asks for; the truth is not looked
at. What the README and the extension are is asked of the readers, the rest of `recompute`, sent as code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from importlib.resources import files
from typing import Any

from pydantic import ValidationError

from labrig_harness.sample import Sample
from labrig_harness.suite import Arm, Call, Solution, Unsolvable
from labrig_suites.science_gym.question import NOT_POSSIBLE, QUERIES, Query

DIGITS = re.compile(r"report it to (\d) significant figures")
README = "README.md"
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
ABSTRACT = re.compile(r"^## Abstract\n\n(.+)$", re.MULTILINE)

PAPER, DEFAULT = "paper", "default"
HARD = "hard"
"""Where the truth of a hard sample has what its question says."""
PROGRAMS = {"recompute": "answer", "rowwise": "reply", "hard/solver": "answer"}
"""The modules that are sent as text, and the function of each that answers."""
SHIM = '''
def _published(read, field):
    """Return a reader of the toolset default as one of the paper: its result has a status."""
    def reads(id, *args):
        try:
            return {"status": "success", field: read(*args, id=id)}
        except Exception as error:
            return {"status": str(error), field: None}
    return reads

list_directory = _published(list_directory, "paths")
read_text_file = _published(read_text_file, "file_content")
read_binary_file = _published(read_binary_file, "base64_file_content")
'''


def query(sample: Sample) -> Query:
    """Return what a task asks.

    Raises
    ------
    Unsolvable
        For a task that was not generated here.
    """
    try:
        return QUERIES.validate_python(sample.truth.get("query"))
    except ValidationError as error:
        raise Unsolvable(f"the task has no query: {error}") from error


def program(asked: Query | Mapping[str, Any], toolset: str = PAPER, *, module: str = "recompute") -> str:
    """Return the Python that answers a question, for the sandbox of a toolset."""
    text = files(__package__).joinpath(f"{module}.py").read_text("utf-8")
    fields = asdict(asked) if isinstance(asked, Query) else asked
    readers = "list_directory, read_text_file, read_binary_file"
    shim = SHIM if toolset == DEFAULT else ""
    answers = f"{PROGRAMS[module]}(json.loads({json.dumps(fields)!r}), {readers})"
    return f"{text}\n{shim}\nprint({answers})\n"


def toolset_of(arm: Arm) -> str:
    """Return which of the toolsets that solutions know an arm has, empty for none."""
    return next((each for each in arm.serve.toolsets if each in (PAPER, DEFAULT)), "")


def run(asked: Query | Mapping[str, Any], arm: Arm, *, module: str = "recompute") -> Call:
    """Return the call that answers a question by code.

    Raises
    ------
    Unsolvable
        For an arm that does not run code.
    """
    toolset = toolset_of(arm)
    if not toolset or (arm.serve.tools and "run_python_code" not in arm.serve.tools):
        raise Unsolvable(f"the arm {arm.name} does not run code")
    arguments: dict[str, Any] = {"code": program(asked, toolset, module=module)}
    if toolset == DEFAULT:
        arguments["id"] = asked.repository if isinstance(asked, Query) else asked["repository"]
    return Call("run_python_code", arguments)


def solution(sample: Sample, arm: Arm) -> Solution:
    """Return the reference solution of a task in an arm.

    Raises
    ------
    Unsolvable
        For an arm without a toolset that this solution knows, or without the code that a question needs; for a task
        that was not generated here.
    """
    toolset = toolset_of(arm)
    if HARD in sample.truth:
        call = run(sample.truth[HARD], arm, module="hard/solver")
        return Solution((call,), lambda results: answered(printed(results[0])))
    asked = query(sample)
    if not toolset or not arm.server:
        raise Unsolvable(f"no reference solution for the arm {arm.name}")
    if asked.type in FROM_README:
        top = Call("list_directory", {"id": asked.repository, "prefix": "/*", "depth": 1})
        text = Call("read_text_file", {"id": asked.repository, "path": README})
        return Solution((top, text), _from_readme(FROM_README[asked.type], toolset))
    if asked.type == "extension":
        every = Call("list_directory", {"id": asked.repository, "prefix": "", "depth": None})
        return Solution((every,), lambda results: answered(extension(asked, paths(results[0], toolset))))
    call = run(asked, arm)
    if asked.statistic in ("", "mode"):
        return Solution((call,), lambda results: answered(printed(results[0])))
    return Solution((call,), lambda results: answered(shown(printed(results[0]), sample.brief.prompt)))


def answered(text: str) -> str:
    """Return an answer as the message that the prompt asks for."""
    return json.dumps({"answer": text}, ensure_ascii=False)


# What the tools returned


def published(text: str) -> dict[str, Any]:
    """Return a result of the paper's tools; its status says whether they could do what was asked."""
    try:
        result = json.loads(text)
    except ValueError as error:
        raise Unsolvable(f"this is not a result of the paper's tools: {text[:200]!r}") from error
    if not isinstance(result, dict):
        raise Unsolvable(f"this is not a result of the paper's tools: {text[:200]!r}")
    return result


def paths(text: str, toolset: str) -> list[str]:
    """Return what a listing names; of a long one the first part."""
    if toolset == PAPER:
        found = published(text).get("paths")
        if not isinstance(found, list):
            raise Unsolvable(f"this is not a listing: {text[:200]!r}")
        return [str(each) for each in found]
    if not text.startswith("status: "):
        raise Unsolvable(f"this is not a listing: {text[:200]!r}")
    return text.splitlines()[1:]


def file_text(text: str, toolset: str) -> str | None:
    """Return a result that holds the text of a file; None where it says that there is none."""
    if not text.strip():
        raise Unsolvable("reading the file returned nothing")
    if toolset == PAPER:
        content = published(text).get("file_content")
        return content if isinstance(content, str) else None
    return text if text.startswith("status: ok\n") else None


def printed_line(text: str) -> str:
    """Return the line of JSON that the program printed."""
    output = published(text).get("output") if text.startswith("{") else text
    for line in str(output).splitlines():
        if line.startswith('{"answer": '):
            return line
    raise Unsolvable(f"the program printed no answer: {text[:200]!r}")


def printed(text: str) -> str:
    """Return the answer, a text, in what the program printed."""
    found = published(printed_line(text))["answer"]
    if not isinstance(found, str):
        raise Unsolvable(f"the program printed no answer: {text[:200]!r}")
    return found


# From what was found to the answer


def shown(found: str, prompt: str) -> str:
    """Return a number with the significant digits that the prompt asks for; whole numbers are not rounded."""
    try:
        number = Decimal(found)
    except ArithmeticError:
        return found
    if not number.is_finite():
        return found
    asked = DIGITS.search(prompt)
    if number == number.to_integral_value():
        return str(int(number))
    return found if asked is None else format(Decimal(f"{number:.{int(asked[1]) - 1}e}"), "f")


def extension(asked: Query, listed: Sequence[str]) -> str:
    """Return the extension of the data files among the paths of a listing."""
    found = {path.rpartition(".")[2] for path in listed if re.fullmatch(asked.scheme, path)}
    if len(found) != 1:
        raise Unsolvable(f"the data files in the listing have {len(found)} different extensions")
    return found.pop()


def _from_readme(find: Callable[[str | None], str], toolset: str) -> Callable[[Sequence[str]], str]:
    """Return what answers from the listing of the top folder and the text of the README."""

    def answer(results: Sequence[str]) -> str:
        top, text = paths(results[0], toolset), file_text(results[1], toolset)
        if (README in top) != (text is not None):
            raise Unsolvable(f"the listing and the reader disagree about whether there is a {README}")
        return answered(find(text))

    return answer


def title(text: str | None) -> str:
    """Return the title that a README states."""
    heading = TITLE.search(text or "")
    return NOT_POSSIBLE if heading is None else heading[1]


def abstract(text: str | None) -> str:
    """Return the abstract that a README states."""
    section = ABSTRACT.search(text or "")
    return NOT_POSSIBLE if section is None else section[1]


def readme(text: str | None) -> str:
    """Return which of title and abstract a README states; None for no README."""
    if text is None:
        return "no README"
    stated = title(text) != NOT_POSSIBLE, abstract(text) != NOT_POSSIBLE
    return {
        (True, True): "title and abstract",
        (True, False): "title only",
        (False, True): "abstract only",
        (False, False): "neither",
    }[stated]


FROM_README = {"readme": readme, "title": title, "abstract": abstract}
