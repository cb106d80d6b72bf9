"""One run of code: it comes over the socket, and what came of it besides output goes back there.

The host's message has ``code``, ``functions`` (name -> first lines of its documentation), ``seed``, ``display``,
and ``stays`` (after this run another message comes, for the same variables).

The order at the end is Python's own: threads, atexit, then the variables go, so that files which
the code left open are written. Figures are saved before that.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import contextlib
import faulthandler
import functools
import gc
import io
import itertools
import linecache
import mimetypes
import os
import random
import socket
import sys
import threading
import traceback
import types
import weakref
from collections.abc import Iterator
from typing import Any

from .hints import hint
from .hosting import Channel, HostError, function
from .notices import Notices

CELL = "<cell"
NAME = f"{CELL}>"
MAX_FIGURES = 16
CAPTION = 300
PICTURES = (".png", ".jpg", ".jpeg")
_SAVED_BY_CODE: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
"""Figures that the code itself saved last as a picture, and where."""


def prepare() -> None:
    """What every run would do anew, or could not do any more, done once before the first fork."""
    # It would read the machine's own tables, which can be seen without namespaces, and not opened.
    mimetypes.knownfiles.clear()
    mimetypes.init()
    with contextlib.suppress(ImportError):
        import pandas

        # What it will be by default (it says so at each reading), and several times as fast as openpyxl.
        pandas.set_option("io.excel.xlsx.reader", "calamine")
    with contextlib.suppress(ImportError):
        import matplotlib
        import matplotlib.pyplot as pyplot

        # Figures are taken at the end of a run; without a window there is nothing to show.
        pyplot.show = lambda *_args, **_kwargs: None
        _note_saving(matplotlib.figure.Figure)
        for settings in (matplotlib.rcParams, matplotlib.rcParamsDefault):
            settings["svg.hashsalt"] = "labrig"  # the ids in an SVG are random otherwise


def run(wire: socket.socket, *, beside: bool = False) -> None:
    """Run what the host sends; end this process. `beside` others' files no module of theirs hides a library's."""
    channel = Channel(wire)
    channel.send({"ready": True})
    job = channel.receive()
    _open_streams()
    faulthandler.enable(file=2)
    threading.excepthook = _show_in_thread
    atexit._clear()
    sys.setrecursionlimit(1000)
    threading.stack_size(2 << 20)  # the usual 8 MiB would use up the memory long before the number of threads
    # As for a script: modules that the code wrote can be imported.
    sys.path.insert(len(sys.path) if beside else 0, os.getcwd())  # noqa: PTH109
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    notices = Notices()
    _seed(job["seed"])
    saved: set[int] = set()
    for number in itertools.count(1):
        name = f"{CELL} {number}>" if job["stays"] else NAME
        end = _cell(job, name, module, channel)
        with _survived(end):
            end["figures_cut"] = _save_figures(end, saved)
        if not job["stays"]:
            break
        notices.close()
        _flush()
        channel.send({"end": end})
        job = channel.receive()
    with _survived(end):
        threading._shutdown()  # type: ignore[attr-defined]
    with _survived(end):
        atexit._run_exitfuncs()
    with _survived(end):
        notices.close()
    with _survived(end):
        module.__dict__.clear()
        gc.collect()
    _flush()
    with contextlib.suppress(Exception):  # the code may have closed the socket
        channel.send({"end": end})
    os._exit(int(end.get("code", 0)) & 255)


def _cell(job: dict[str, Any], name: str, module: types.ModuleType, channel: Channel) -> dict[str, Any]:
    """Run the code of one message; return how it ended."""
    if job["functions"]:
        module.__dict__["HostError"] = HostError
    for each, doc in job["functions"].items():
        setattr(module, each, function(channel, each, doc))
    end: dict[str, Any] = {"ended": "ok", "figures": [], "captions": [], "notes": []}
    return end | _execute(job["code"], name, module.__dict__, job["display"], anew=not job["stays"])


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


class _Whole(io.FileIO):
    """A pipe that takes all it is given: a process that is stopped in a long write comes back with a part of it."""

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        written = 0
        while written < len(view):
            written += super().write(view[written:]) or 0
        return written


def _open_streams() -> None:
    """Give the code standard streams that lose nothing when it is killed: each write goes straight to the pipe."""
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for number, name in ((1, "stdout"), (2, "stderr")):
        raw = _Whole(number, "wb")
        stream = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _seed(seed: int) -> None:
    """Seed the two global generators, so that the same code gives the same numbers."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _execute(
    code: str, name: str, variables: dict[str, Any], display: str, *, anew: bool = False
) -> dict[str, Any]:
    """Execute code as a script would be, its last expression only once; return how it ended."""
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        body, last = _parsed(code, name, display)
        exec(body, variables)  # noqa: S102 - it is what this place is for
        if last is not None:
            value = eval(last, variables)  # noqa: S307
            if value is not None:
                _print(value)
    except SystemExit as stop:
        return _exit(stop)
    except BaseException as error:
        _show(error)
        said = hint(error, anew=anew)
        return {
            "ended": "raised",
            "what": type(error).__name__,
            "code": 1,
            "notes": [said] if said else [],
        }
    return {"ended": "ok", "code": 0}


def _print(value: Any) -> None:
    try:
        builtins.print(value)
    except ValueError as error:
        if not sys.stdout.closed:
            raise
        raise ValueError("the last value cannot be printed: the code has closed sys.stdout") from error


def _parsed(code: str, name: str, display: str) -> tuple[types.CodeType, types.CodeType | None]:
    """Compile code; a last expression that is to be displayed apart from the rest."""
    tree = ast.parse(code, name)
    last: types.CodeType | None = None
    prints = any(isinstance(node, ast.Name) and node.id == "print" for node in ast.walk(tree))
    silent = code.rstrip().endswith(";")  # as in a notebook
    shown = (display == "always" and not silent) or (display == "last" and not prints)
    if shown and tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)
        last = compile(ast.Expression(expression.value), name, "eval", dont_inherit=True)
    return compile(tree, name, "exec", dont_inherit=True), last


def _exit(stop: SystemExit) -> dict[str, Any]:
    """``sys.exit`` means what it means to Python: a number is the code, a text is printed and the code is 1."""
    if stop.code is None or stop.code == 0:
        return {"ended": "ok", "code": 0}
    code = stop.code if isinstance(stop.code, int) else 1
    if not isinstance(stop.code, int):
        print(stop.code, file=sys.stderr)
    return {"ended": "exit", "code": code & 255}


def _show(error: BaseException) -> None:
    """Print a traceback that begins in the code; that of an error in its syntax has no frames."""
    trace = error.__traceback__
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(CELL):
        trace = trace.tb_next
    try:
        if sys.excepthook is sys.__excepthook__:
            # Before Python 3.13 the hook itself looks for the source of the code in a file.
            _print_trace(error.with_traceback(trace))
        else:
            sys.excepthook(type(error), error.with_traceback(trace), trace)
    except BaseException:  # an exception whose text cannot be made, or a hook that fails
        os.write(2, f"{type(error).__name__}: (its text cannot be printed)\n".encode())


def _show_in_thread(failed: threading.ExceptHookArgs) -> None:
    """Print the traceback of a thread that ended with an exception."""
    if failed.exc_value is None or isinstance(failed.exc_value, SystemExit):
        return
    print(f"Exception in thread {failed.thread.name if failed.thread else '?'}:", file=sys.stderr)
    _print_trace(failed.exc_value)


def _print_trace(error: BaseException) -> None:
    """Print a traceback in which files of packages have the names that they are imported by, not the machine's."""
    text = "".join(traceback.format_exception(error))
    for folder in sorted(filter(None, sys.path), key=len, reverse=True):
        text = text.replace(f'  File "{folder}/', '  File "')
    sys.stderr.write(text)


@contextlib.contextmanager
def _survived(end: dict[str, Any], when: str = "the run was wound up") -> Iterator[None]:
    """What fails while the run winds up is printed, and no end of the report."""
    try:
        yield
    except SystemExit:
        pass
    except BaseException as error:
        with contextlib.suppress(BaseException):
            _show(error)
        end["notes"].append(f"{type(error).__name__} while {when}")


def _note_saving(figure_class: Any) -> None:
    """Have figures that the code saves as a picture remember it: what it saved and left open is shown once."""
    save = figure_class.savefig

    @functools.wraps(save)
    def savefig(self: Any, fname: Any, *args: Any, **kwargs: Any) -> Any:
        done = save(self, fname, *args, **kwargs)
        _SAVED_BY_CODE.pop(self, None)
        if isinstance(fname, (str, os.PathLike)):
            name = os.fspath(fname)
            path = os.path.realpath(name if os.path.splitext(name)[1] else f"{name}.png")  # noqa: PTH122
            if path.lower().endswith(PICTURES) and os.path.isfile(path):  # noqa: PTH113
                _SAVED_BY_CODE[self] = path
                self.stale = False
        return done

    figure_class.savefig = savefig


def _saved_name(figure: Any) -> str:
    """Return the name under which the code saved a figure as it still is; empty where it did not, or elsewhere."""
    path = "" if figure.stale else _SAVED_BY_CODE.pop(figure, "")
    name = os.path.relpath(path, os.path.realpath(".")) if path and os.path.isfile(path) else ""  # noqa: PTH113
    return "" if name.startswith("..") else name


def _caption(figure: Any) -> str:
    """Return the titles of a figure and of its axes, with their labels."""
    said = [figure.get_suptitle()]
    for axes in figure.axes[:MAX_FIGURES]:
        labels = {"x": axes.get_xlabel(), "y": axes.get_ylabel()}
        said += [axes.get_title(), ", ".join(f"{name}: {label}" for name, label in labels.items() if label)]
    return "; ".join(" ".join(each.split()) for each in said if each.strip())[:CAPTION]


def _save_figures(end: dict[str, Any], saved: set[int]) -> int:
    """Save the open figures that are new or have changed as PNG; note their names, and return how many there are not.

    One that cannot be drawn, such as with a formula that is none, leaves the others.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or not pyplot.get_fignums():
        saved.clear()
        return 0
    current = pyplot.gcf()
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    figures = [each for each in figures if each.stale or each in _SAVED_BY_CODE or each.number not in saved]
    for figure in figures[:MAX_FIGURES]:
        with _survived(end, f"figure {figure.number} was drawn"):
            name = _saved_name(figure)
            if not name:
                name = _free_name(f"figure-{figure.number}")
                figure.savefig(name, format="png", bbox_inches="tight")  # labels are not cut off
            caption = _caption(figure)
            end["figures"].append(name)
            end["captions"].append(caption)
            figure.stale = False  # savefig leaves it so, where it sets the box and back
    saved.intersection_update(pyplot.get_fignums())
    saved.update(each.number for each in figures)
    pyplot.figure(current)
    return len(figures) - len(end["figures"])


def _free_name(stem: str) -> str:
    name, count = f"{stem}.png", 1
    while os.path.lexists(name):
        count += 1
        name = f"{stem}-{count}.png"
    return name
