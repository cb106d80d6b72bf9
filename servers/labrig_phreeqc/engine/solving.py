"""One input, solved in a confined child, and everything that came of it in frames.

Standard library and phreeqpy only: this module runs in the fork server's children.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import Any

from labrig_phreeqc.engine import frames
from labrig_phreeqc.engine.frames import MAX_CELLS, Send
from labrig_phreeqc.engine.iphreeqc import Instance


def load(library: str, database: str) -> Instance | str:
    """Return a new instance with `database` loaded, or PHREEQC's reasons for refusing it."""
    instance = Instance(library)
    if instance.load_database(database) == 0:
        return instance
    reasons = instance.errors()
    instance.close()
    return reasons or "PHREEQC gave no reason"


def solve(instance: Instance, text: bytes, output_bytes: int, send: Send, status_fd: int = -1) -> None:
    """Run `text` and send everything that came of it, in frames."""
    n_errors = instance.run(text)
    room = output_bytes
    whole, dump = instance.output(), instance.dump()
    output = bytes(
        whole[:room]
    )  # a copy, since what lists the components may write to the output, and move it
    selected = instance.selected()
    tables: list[dict[str, Any]] = []
    cells = 0
    for table in selected:
        rows = max(0, table.n_rows - 1)
        kept = min(rows, (MAX_CELLS - cells) // max(1, table.n_columns))
        cells += kept * table.n_columns
        tables.append(
            {
                "user": table.user,
                "file": table.file,
                "columns": instance.row(table, 0) if table.n_rows else [],
                "rows": rows,
                "kept": kept,
                "text_bytes": len(table.text),
            }
        )
    meta = {
        "n_errors": n_errors,
        "errors": instance.errors()[:output_bytes],
        "warnings": instance.warnings()[:output_bytes],
        "components": instance.components(),
        "version": instance.version,
        "output_bytes": len(whole),
        "dump_bytes": len(dump),
        "tables": tables,
        "peak_bytes": _peak_memory(status_fd),
    }
    send(frames.META, json.dumps(meta).encode())
    send(frames.OUTPUT, output)
    room -= min(room, len(output))
    for table, about in zip(selected, tables, strict=True):
        send(frames.TEXT, table.text[:room])
        room -= min(room, len(table.text))
        step = max(1, frames.ROWS_CELLS // max(1, table.n_columns))
        for start in range(1, about["kept"] + 1, step):
            part = [instance.row(table, n) for n in range(start, min(start + step, about["kept"] + 1))]
            together = json.dumps(part).encode()
            if len(together) <= frames.ROWS_BYTES:
                send(frames.ROWS, together)
            else:
                for row in part:
                    send(frames.ROWS, json.dumps([row]).encode())
    send(frames.DUMP, dump[:room])
    usage = resource.getrusage(resource.RUSAGE_SELF)
    end = {"cpu_s": usage.ru_utime + usage.ru_stime, "max_rss_bytes": _rss_bytes(usage.ru_maxrss)}
    send(frames.END, json.dumps(end).encode())


def _peak_memory(status_fd: int) -> int:
    """Return the peak address space in bytes (``VmPeak``), 0 where the system does not tell."""
    if status_fd < 0:
        return 0
    for line in os.pread(status_fd, 4096, 0).splitlines():
        if line.startswith(b"VmPeak:"):
            return int(line.split()[1]) * 1024
    return 0


def _rss_bytes(maxrss: int) -> int:
    return maxrss if sys.platform == "darwin" else maxrss * 1024


def open_status() -> int:
    """Open this process's own status in /proc; -1 where there is none."""
    try:
        return os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return -1
