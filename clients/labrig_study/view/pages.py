"""The pages of a folder under watch: a list of its records, and one record, alone or beside that of another run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

from labrig import __version__
from labrig_harness.records.scoring import Record
from labrig_study.report import items, words
from labrig_study.report.page import WHOLE, Texts, find_template, item_of
from labrig_study.report.prose import readable
from labrig_study.report.runs import Run
from labrig_study.report.truth import truth_of
from labrig_study.view.watching import Key, Watch

ROWS = 100
"""Of a page of the list."""

FAILING = "failing"
VERDICTS = (FAILING, "right", "partly right", "wrong", "not committed", "not scored")


@dataclass(frozen=True)
class Asked:
    """What of the list is asked for: each field is a filter, empty for all.

    Attributes
    ----------
    run, verdict, end
        A run; one of `VERDICTS`; how the record ended.
    text
        A part of the sample's id.
    beside
        A run whose records stand beside those of `run`.
    """

    run: str = ""
    verdict: str = ""
    end: str = ""
    text: str = ""
    beside: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Asked:
        """Read the query of a URL."""
        return cls(**{name: query.get(name, "")[:200] for name in cls.__dataclass_fields__})

    def query(self, **more: str | int) -> str:
        """Return it as the query of a URL."""
        given = {name: value for name, value in {**asdict(self), **more}.items() if value}
        return f"?{urlencode(given)}" if given else ""


def render_list(watch: Watch, asked: Asked, page: int) -> str:
    """Return the list as HTML; without a filter a record is read when it is shown."""
    version = watch.version  # what changes from here on is told to the page
    keys = list(_select(watch, asked))
    pages = max(1, -(-len(keys) // ROWS))
    page = min(max(page, 1), pages)
    progress = watch.progress()
    return find_template("view.html.j2").render(
        version=version,
        suite=watch.suite,
        folder=str(watch.out),
        asked=asked,
        runs=progress,
        left={each.label: _say_left(each.left_s) for each in progress if each.left_s is not None},
        ends=sorted({end for each in progress for end in each.ends}),
        verdicts=VERDICTS,
        rows=[_make_row(watch, key, asked) for key in keys[(page - 1) * ROWS : page * ROWS]],
        found=len(keys),
        unread=watch.unread,
        page=page,
        pages=pages,
        end_names=words.ENDS,
        labrig_version=__version__,
    )


def render_record(watch: Watch, key: Key, asked: Asked) -> str:
    """Return a record as HTML, its texts whole, with ways to the failing ones before and after it in the list.

    Raises
    ------
    KeyError
        If there is no such record.
    """
    label, sample, epoch = key
    watch.read(key)
    beside = (asked.beside, sample, epoch)
    shown = [key, beside] if asked.beside not in ("", label) else [key]
    before, after = _find_failing(watch, key, asked)
    return find_template("view_record.html.j2").render(
        suite=watch.suite,
        id=sample,
        columns=[_make_column(watch, each) for each in shown],
        runs=[each.label for each in watch.progress()],
        asked=asked,
        before=_make_href(before, asked) if before else "",
        after=_make_href(after, asked) if after else "",
        end_names=words.ENDS,
        texts=Texts(WHOLE),
        labrig_version=__version__,
    )


def _select(watch: Watch, asked: Asked) -> Iterator[Key]:
    """Yield the keys that are asked for; a filter by what a record says holds for those that were read."""
    for key in watch.keys:
        if (asked.run and key[0] != asked.run) or asked.text not in key[1]:
            continue
        if key[0] == asked.beside != asked.run:  # it stands in the column beside
            continue
        if asked.verdict or asked.end:
            found = watch.records.get(key)
            if found is None or not _matches(found, asked):
                continue
        yield key


def _matches(found: Record | str, asked: Asked) -> bool:
    if isinstance(found, str):
        return asked.verdict == FAILING and not asked.end
    if asked.end and found.end != asked.end:
        return False
    return (
        _is_failing(found) if asked.verdict == FAILING else asked.verdict in ("", items.name_verdict(found))
    )


def _is_failing(found: Record | str) -> bool:
    return isinstance(found, str) or (found.score is not None and found.score.strict < 1)


def _find_failing(watch: Watch, key: Key, asked: Asked) -> tuple[Key | None, Key | None]:
    """Return the failing records of the same run before and after one, of those that were read."""
    before: Key | None = None
    past = False
    for each in watch.keys:
        if each == key:
            past = True
        elif each[0] == key[0] and _is_failing(watch.records.get(each, "")) and each in watch.records:
            if past:
                return before, each
            before = each
    return before, None


def _make_href(key: Key, asked: Asked) -> str:
    return f"/record/{quote(key[0], safe='')}/{quote(key[1], safe='')}/{key[2]}{asked.query()}"


def _make_row(watch: Watch, key: Key, asked: Asked) -> dict[str, Any]:
    beside = (asked.beside, *key[1:]) if asked.beside else None
    return {
        "key": key,
        "href": _make_href(key, asked),
        "record": _describe(watch, key),
        "beside": _describe(watch, beside) if beside else None,
    }


def _describe(watch: Watch, key: Key) -> items.Record | str:
    """Return a record as the templates show it, without its steps, or why it does not stand."""
    try:
        found = watch.read(key)
    except KeyError:
        return "not there"
    if isinstance(found, str):
        return readable(found)
    sample = watch.samples[found.task]
    return items.record_of(items.Anchors(), found, _run_of(found), sample, truth_of(sample), "", -1)


def _make_column(watch: Watch, key: Key) -> dict[str, Any]:
    """Return one record with its sample, or why there is none."""
    try:
        found = watch.read(key)
    except KeyError:
        found = "There is no such record in this run."
    if isinstance(found, str):
        return {"label": key[0], "why": readable(found)}
    item = item_of(watch.samples[found.task], _run_of(found), found)
    return {"label": key[0], "why": "", "item": item, "record": item.records[0]}


def _run_of(record: Record) -> Run:
    return Run(record.run, record.arm, record.agent, (record,), (), {})


def _say_left(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
