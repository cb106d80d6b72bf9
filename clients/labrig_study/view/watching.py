"""What an output folder holds at the moment: how far its runs are, and their records, each read once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from labrig.errors import LabrigError
from labrig_harness.records import outfolder
from labrig_harness.records.scoring import Record, read_record, read_suite
from labrig_harness.sample import Sample
from labrig_harness.suite import Suite

EVERY_S = 1.0
"""Between two looks at the folder."""

BATCH = 50
"""Records that are read between two signs of change."""

RECENT = 50
"""The last records of a run, by which the seconds to its end are told."""

Key = tuple[str, str, int]
"""Run, sample, epoch."""


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    total
        Records that it is to have; None where ``run.json`` does not tell.
    read
        Records that were read so far: the other numbers are theirs.
    failed
        Of these, those that do not stand: they ended from outside the agent, or cannot be read.
    right
        Of those with a score, the mean of strict; None without any.
    costs
        By currency.
    at_work
        Whether a record is being made.
    left_s
        Seconds to its end by the pace of its last records; None where none is being made, or the pace is not known.
    """

    label: str
    done: int
    total: int | None
    read: int
    failed: int
    right: float | None
    ends: dict[str, int]
    tokens: int
    costs: dict[str, float]
    at_work: bool
    left_s: float | None


class Watch:
    """An output folder under watch.

    Attributes
    ----------
    records
        What was read: a record, or why it does not stand.
    version
        Grows with each change.

    Raises
    ------
    LabrigError
        As `labrig_harness.records.scoring.score_folder`.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.samples: dict[str, Sample]
        self.suite: Suite
        self.records: dict[Key, Record | str] = {}
        self.version = 0
        self._seen: dict[Key, int] = {}
        self._pending: dict[Key, None] = {}
        self._about: dict[str, dict[str, object]] = {}
        self._making: set[str] = set()
        self._tasks_at = -1
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self.look()

    @property
    def keys(self) -> list[Key]:
        """The records that are there, in the order of samples, epochs and runs."""
        place = {name: number for number, name in enumerate(self.samples)}
        return sorted(self._seen, key=lambda key: (place.get(key[1], len(place)), key[1], key[2], key[0]))

    @property
    def unread(self) -> int:
        """Records that are there and were not read yet."""
        return len(self._pending)

    def look(self) -> None:
        """Find what is new or was made again."""
        tasks_at = (self.out / "tasks.jsonl").stat().st_mtime_ns if self._tasks_at >= 0 else 0
        if tasks_at != self._tasks_at:
            self.samples, self.suite = read_suite(self.out)
            self._tasks_at = (self.out / "tasks.jsonl").stat().st_mtime_ns
        found: dict[Key, int] = {}
        making = set()
        about = {}
        for label in outfolder.labels(self.out):
            try:
                about[label] = outfolder.read_run(self.out, label)
            except LabrigError:
                about[label] = {}
            for path in (self.out / label).glob("*/*"):
                if path.name.startswith(outfolder.MAKING):
                    making.add(label)
                elif path.name.startswith("epoch") and (epoch := path.name.removeprefix("epoch")).isdigit():
                    try:
                        at = (path / "trajectory.json").stat().st_mtime_ns
                    except OSError:
                        continue
                    found[label, path.parent.name, int(epoch)] = at
        with self._lock:
            new = [key for key, at in found.items() if self._seen.get(key) != at]
            gone = self._seen.keys() - found.keys()
            changed = bool(new or gone or making != self._making or about != self._about)
            self._seen, self._making, self._about = found, making, about
            self._pending = {key: None for key in (*self._pending, *new) if key in found}
            for key in gone:
                self.records.pop(key, None)
        self.version += changed

    def read(self, key: Key) -> Record | str:
        """Return a record, or why it does not stand; it is read now if it was not.

        Raises
        ------
        KeyError
            If there is none.
        """
        if key not in self._pending and key in self.records:
            return self.records[key]
        if key not in self._seen:
            raise KeyError(key)
        label, item, epoch = key
        path = self.out / label / item / f"epoch{epoch}" / "trajectory.json"
        found = read_record(self.suite, self.samples, label, path)
        with self._lock:
            self._pending.pop(key, None)
            self.records[key] = found
        return found

    def read_pending(self, most: int) -> None:
        """Read so many of those that were not read yet."""
        for key in list(islice(list(self._pending), most)):
            if key in self._seen:
                self.read(key)
            self.version += 1

    def follow(self) -> None:
        """Look and read until `end`."""
        while not self._ended.is_set():
            self.look()
            while self._pending and not self._ended.is_set():
                self.read_pending(BATCH)
                time.sleep(0.01)  # requests come first
            self._ended.wait(EVERY_S)

    def end(self) -> None:
        """End `follow`."""
        self._ended.set()

    def progress(self) -> list[Progress]:
        """Return how far each run is."""
        by_run: dict[str, list[Key]] = {label: [] for label in self._about}
        for key in self._seen:
            by_run[key[0]].append(key)
        return [self._count_run(label, keys) for label, keys in by_run.items()]

    def _count_run(self, label: str, keys: list[Key]) -> Progress:
        about = self._about[label]
        count, epochs = about.get("count"), about.get("epochs", 1)
        total = count * epochs if isinstance(count, int) and isinstance(epochs, int) else None
        read = [self.records[key] for key in keys if key in self.records]
        records = [each for each in read if isinstance(each, Record)]
        strict = [each.score.strict for each in records if each.score is not None]
        costs: Counter[str] = Counter()
        for each in records:
            if each.cost is not None:
                costs[each.cost.currency] += each.cost.amount  # type: ignore[assignment]
        at_work = label in self._making
        return Progress(
            label=label,
            done=len(keys),
            total=total,
            read=len(read),
            failed=len(read) - len(records),
            right=sum(strict) / len(strict) if strict else None,
            ends=dict(Counter(each.end for each in records).most_common()),
            tokens=sum(each.tokens.total for each in records),
            costs=dict(costs),
            at_work=at_work,
            left_s=seconds_left([self._seen[key] / 1e9 for key in keys], total) if at_work else None,
        )


def seconds_left(times: list[float], total: int | None) -> float | None:
    """Return the seconds to the end of a run by the pace of its last records; None where that cannot be told.

    >>> seconds_left([10.0, 14.0, 18.0], 5)
    8.0
    """
    recent = sorted(times)[-RECENT:]
    if total is None or len(recent) < 2:
        return None
    return max(0, total - len(times)) * (recent[-1] - recent[0]) / (len(recent) - 1)
