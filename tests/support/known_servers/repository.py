"""What the tests know of the repository server: words for calls that nobody would make, and how it is attacked.

There is a folder of odd files and generated repositories, paths that almost exist, wildcards, cursors, and code that is
right, wrong, endless, flooding or kills itself.
"""

from __future__ import annotations

import gc
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from hostile.guard import Guard
from hostile.servers.case import Call, Case
from hostile.servers.target import Target
from labrig.sandbox import Sandbox
from labrig.sandbox.profiles import profiles
from labrig.tools import cursor as cursors
from labrig_repository.folder.names import shown
from labrig_repository.gym.repository import open_repository
from labrig_repository.server import code, paper
from support.fuzzing import Bench, Vocabulary, mangled
from support.sandbox_rig import skip_unless

WALL_S = 0.5
"""Of a run of code: endless ones are drawn."""

TEXTS, BOOKS = 45, 16
"""A generated repository of JSON lines and one of workbooks; both have a README and few files."""

MANY = 450
"""Names of one folder: more than two pages."""

DEEP = "/".join("d" * 60)
TOO_DEEP = "/".join(["node_modules", *"d" * 260])
"""More folders than a path may have, where only a listing of everything goes."""

TABLE = "Sample,depth (m),chl (ug/L)\none,1,3.5\ntwo,2,\nthree,x,NaN\n"
TREE: dict[str, bytes] = {
    "README.md": b"# Lakes\nFour lakes, two years.\n",
    "runs/2020/a.csv": TABLE.encode(),
    "runs/2021/a.csv": TABLE.replace("\n", "\r\n").encode("utf-16"),
    "runs/2021/empty.csv": b"",
    "empty": b"",
    "image.png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 250,
    "latin.txt": b"\xb5g/L\n" * 9,
    "odd.txt": "\ufeff\r\n\x85a\x0cb\u2028\u202e\n\n".encode(),
    "half.txt": b"\xff\xfea\0\n\0b",
    "surrogate.txt": b"\xff\xfe\x00\xd8a\0\n\0",
    "cut.txt": "é".encode() * 30_000 + b"\xc3",
    "long.txt": b"a line of text\n" * 60_000,
    "line.txt": b"x" * (20 << 20),
    "heading.csv": b'a,a,,"b\nc",\'\n1,2\n1,2,3,4,5,6,7\n"\n',
    "nul.csv": b"a,b\n1,\0\n",
    "wide.csv": b",".join(b"c%d" % n for n in range(3000)) + b"\n" + b"1," * 2999 + b"1\n",
    "numbers.csv": b"a,b\n1e999,-0\n" + b"9" * 5000 + b",nan\ninf,0x1\n",
    "digits.csv": b"a,b\n1," + b"01" * 60_000 + b"x\n",
    "surrogate.jsonl": b'{"\\ud800": "\\udfff"}\n{"\\ud800": 1, "b": "\\u0000"}\n',
    "surrogate.csv": b"\xff\xfea\0,\0\x00\xd8\n\0001\0,\0002\0",
    "broken.json": b'[{"a": 1}, {"a": ',
    "deep.json": b"[" * 20_000,
    "big.json": b"[" + b"9" * 5000 + b"]",
    "scalar.json": b"NaN",
    "mixed.jsonl": b'{"a": 1}\n[]\n{"a": {"b": [1]}}\n\n{"\\ud800": 1}\nno\n',
    "records.json": b'[{"a": 1, "b": null}, {"a": "x", "c": 1e400}, 7]',
    "right.nc": b"CDF\x01" + bytes(28),
    "broken.nc": b"CDF\x01" + b"\0\0\0\0\0\0\0\x0a\xff\xff\xff\xff" * 9,
    "broken.h5": b"\x89HDF\r\n\x1a\n" + bytes(range(256)) * 4,
    "broken.parquet": b"PAR1" + b"\xff" * 64 + b"\x40\0\0\0PAR1",
    "broken.xlsx": b"PK\x03\x04" + bytes(200),
    "a[1].csv": b"a\n1\n",
    "a*.csv": b"a\n2\n",
    " lead.csv": b"a\n3\n",
    "two\nlines.csv": b"a\n4\n",
    "-rf": b"a\n",
    "%41.csv": b"a\n5\n",
    "\\x41.txt": b"6\n",
    "ä.csv": b"a\n7\n",
    "u\u0308.csv": b"a\n8\n",
    "x" * 255: b"9\n",
    "\udce9t\udce9.csv": b"a\n10\n",
    "\udcff/\udcfe": b"11\n",
    f"{DEEP}/f.txt": b"12\n",
    ".git/config": b"[token]\n",
    ".hidden/data.csv": b"a\n13\n",
    **{f"many/f{n:03}.txt": b"many\n" for n in range(MANY)},
}
LINKS = {
    "good": "README.md",
    "out": "../secret.txt",
    "absolute": "/etc/hostname",
    "dangling": "nowhere",
    "self": "self",
    "circle/one": "two",
    "circle/two": "one",
    "circle/up": "..",
    "runs/to_git": "../.git/config",
    "device": "/dev/zero",
}


def _lay_out(folder: Path) -> tuple[Path, ...]:
    top = folder / "field"
    for path, content in TREE.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
    for path, target in LINKS.items():
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).symlink_to(target)
    book = open_repository(str(BOOKS))
    whole = book.read(next(path for path in book.paths() if path.endswith(".xlsx")))
    (top / "right.xlsx").write_bytes(whole)
    (top / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    (top / "damaged.xlsx").write_bytes(whole.replace(b"<row", b"<r\0w").replace(b"</c>", b"</d>"))
    (top / "hole.bin").touch()
    os.truncate(top / "hole.bin", 1 << 40)
    Image.effect_noise((40, 30), 60).save(top / "right.png")
    drawing = Canvas(str(top / "right.pdf"), invariant=True)
    drawing.drawString(40, 700, "a report")
    drawing.showPage()
    drawing.save()
    (top / "cut.pdf").write_bytes((top / "right.pdf").read_bytes()[:300])
    os.mkfifo(top / "pipe")
    (top / TOO_DEEP).mkdir(parents=True)
    (folder / "secret.txt").write_text("secret\n")
    return (top,)


GENERATED = [path for id in (TEXTS, BOOKS) for path in list(open_repository(str(id)).paths())[:4]]
NAMES = [path for path in TREE if not path.startswith("many/")]
FILE = st.sampled_from(
    [
        *map(shown, NAMES),
        *LINKS,
        *GENERATED,
        "right.xlsx",
        "cut.xlsx",
        "damaged.xlsx",
        "hole.bin",
        "pipe",
        "right.png",
        "right.pdf",
        "cut.pdf",
    ]
)
FOLDER = st.sampled_from(
    ["", "/", "runs", "runs/2020/", "many", "circle", "circle/up/circle", "\\xff", DEEP[:21], ".hidden"]
)
ODD = st.sampled_from(
    [
        "..",
        "../x",
        "/etc/passwd",
        "/proc/self/environ",
        "~",
        ".git/config",
        "runs/../.GIT/config",
        "a/" * 300,
        "x" * 256,
        "x" * 4097,
        TOO_DEEP,
        "README.md/x",
        "README.md/",
        "/" * 50,
        "%2e%2e",
        "\udce9t\udce9.csv",
        "\ud800",
        "two\nlines.csv",
        "u\u0308.csv",
        "\u00fc.csv",
        "a\u0308.csv",
        "\\x00",
        "\\xe9t\\xe9.csv\\x",
        "file:///etc/passwd",
        "circle/up/circle/up/README.md",
        "many/f000.txt",
    ]
)
PATH = st.one_of(FILE, FILE, FILE, FOLDER, mangled(FILE), ODD)
WILD = st.one_of(
    st.sampled_from(
        [
            "/*",
            "*",
            "**",
            "*.csv",
            "many/*",
            "runs/*/a.csv",
            "runs/**",
            "**/*.csv",
            "a[1]*",
            "circle/*/*",
            "\\xff/*",
            "?" * 40,
            "*" * 60 + "b",
            "node_modules/**",
            ".*/*",
            "**/**/**/**",
            "*/*/*",
            "d/*/d/**",
        ]
    ),
    FOLDER,
    FOLDER,
    st.lists(st.sampled_from(["*", "**", "?", "a", "runs", "d", "..", ".", "f*1.txt", ""]), max_size=8).map(
        "/".join
    ),
    PATH,
)
LINES = st.one_of(st.none(), st.integers(0, 5), st.sampled_from([50, 10**5, 10**9, 10**30]))

STATEMENTS = r"""print(sum(range(10)))
import numpy as np; np.arange(3).sum()
len(list_directory('/*', None))
read_text_file('README.md')
read_text_file('long.txt', head=3)
read_text_file('cut.txt', tail=1)[-5:]
read_binary_file('image.png')[:20]
read_text_file('line.txt')
describe_table('heading.csv')
open('left.txt', 'w').write('x' * 1000)
open('inputs/a.csv').read()
import os; os.listdir('inputs')
print('x' * 10**7)
print('é\x00\x1b[31m\u2028')
print('\ud800')
import sys; sys.stderr.write('z' * 10**6)
while True: print('y')
while True: pass
import time; time.sleep(60)
for n in range(300): open(f'{n}.txt', 'w').write('n')
open('two\nlines', 'w').write('x')
import os; os.write(1, b'\xff\xfe\n')
import os; os.symlink('/etc/passwd', 'link.txt')
import os; os.makedirs('a/' * 70)
import os; os.mkfifo('pipe')
open('large.bin', 'wb').truncate(1 << 40)
import os; os.kill(os.getpid(), 9)
import os; os._exit(7)
import os; os.abort()
import os; os.fork()
import os; [os.close(n) for n in range(40) if n not in (1, 2)]
import ctypes; ctypes.string_at(0)
import sys; sys.setrecursionlimit(10**9); f = lambda: f(); f()
x = bytearray(1 << 32)
x = [0] * 10**9
import threading; [threading.Thread(target=print).start() for n in range(200)]
1 / 0
raise SystemExit('good bye')
raise SystemExit(10**40)
raise BaseException('\ud800')
import nothing
def broken(
x = ' unfinished
exit()
list_directory(prefix=5, depth='x', id=[])
list_directory('**', 10**40)
list_directory('/*', float('nan'))
list_directory(id=10**400)
list_directory(id='\ud800')
read_text_file()
read_text_file(None)
read_text_file(b'x')
read_text_file({'a': [1]})
read_text_file('\ud800')
read_text_file('x\0')
read_text_file('README.md', head=True)
read_text_file('README.md', 1, 1)
read_text_file('README.md', head=10**400)
read_text_file('README.md', id=float('inf'))
read_binary_file('x' * 10**6)
read_binary_file('pipe')
read_binary_file('/dev/zero')
describe_table('two\nlines.csv', sheet={})
describe_table('right.xlsx', sheet='\ud800')
describe_table('broken.nc', sheet=None)
print(list_directory(45), read_text_file(45, 'README.md'))
print(list_directory('field', '*', 2)['status'])
read_text_file('45', 'README.md', None, 2, extra=1)
import os; [os.write(n, b'{"call": 1}\n') for n in range(3, 30) if os.path.exists(f'/proc/self/fd/{n}')]
import os; [os.write(n, b'junk\n' * 10**5) for n in range(3, 30) if os.path.exists(f'/proc/self/fd/{n}')]
#""".splitlines()
STATEMENT = st.sampled_from(STATEMENTS)
CODE = st.one_of(
    STATEMENT,
    st.lists(STATEMENT | mangled(STATEMENT), min_size=1, max_size=4).map("\n".join),
    st.builds(
        lambda tool, given: f"{tool}(*{given!r})",
        st.sampled_from(["list_directory", "read_text_file", "read_binary_file", "describe_table"]),
        st.lists(PATH | WILD | LINES | st.integers() | st.floats() | st.binary(max_size=3), max_size=4),
    ),
    st.text(max_size=20),
)


def _cursor(offset: int) -> dict[str, Any]:
    return {"prefix": "/many", "cursor": cursors.encode(["field", "/many", 1, MANY], offset)}


def _hits(offset: int) -> dict[str, Any]:
    question = ["field", "many", "many/*", True, True, MANY]
    return {"query": "many", "pattern": "many/*", "cursor": cursors.encode(question, offset)}


def _sensible(handles: list[str]) -> dict[str, st.SearchStrategy[Any]]:
    odd = [
        0,
        -1,
        118,
        10**30,
        10**400,
        "9" * 5000,
        "fields",
        "field/",
        ".",
        "٤٥",
        "²",
        "45 ",
        "1/1:1",
        "isg/1:",
        "--1",
    ]
    generated = [TEXTS, BOOKS, str(BOOKS), f"isg/1:{TEXTS}"]
    served = ["field", "field", "local", ""]
    id = st.one_of(st.sampled_from(served), st.sampled_from(served + generated), st.sampled_from(odd))
    offset = st.integers(0, MANY + 10) | st.sampled_from([10**30])
    return {
        "id": id,
        "run_python_code.id": st.sampled_from(served) | id,
        "path": PATH,
        "prefix": WILD,
        "pattern": WILD,
        "depth": st.sampled_from([1, 1, 1, 2, 3, 0, 10**30, None]),
        "head": LINES,
        "page": st.sampled_from([1, 1, 1, 2, 0, 10**5, 10**30]),
        "tail": LINES,
        "query": st.one_of(
            st.sampled_from(
                ["a", "many", "chl", "UG/L", "xxxx", "\n", "\\xe9", "é", ".*", "%s", " ", "ß", "İ"]
            ),
            st.text(max_size=5),
        ),
        "sheet": st.one_of(
            st.just(""), st.sampled_from(["Sheet1", "sheet1", "no such"]), st.text(max_size=6)
        ),
        "files": st.one_of(
            st.just(["runs/2020/a.csv"]), st.lists(FILE, max_size=3), st.lists(PATH, max_size=4)
        ),
        "seed": st.sampled_from([0, 1, 2**32, 2**32 + 1, -1]),
        "code": CODE,
        "list_directory.cursor": offset.map(lambda start: _cursor(start)["cursor"]) | st.text(max_size=20),
        "search.cursor": offset.map(lambda start: _hits(start)["cursor"]) | st.text(max_size=20),
        "cursor": st.just("") | st.text(max_size=20),
    }


RECIPES: dict[str, list[dict[str, Any]]] = {
    "list_directory": [
        {"id": "field"},
        {"id": "field", "prefix": "/*", "depth": 2},
        {"id": TEXTS, "depth": 3},
        {"id": "field"} | _cursor(200),
    ],
    "read_text_file": [
        {"id": "field", "path": "runs/2020/a.csv"},
        {"id": "field", "path": "cut.txt", "tail": 1},
        {"id": TEXTS, "path": "README.md", "head": 2},
    ],
    "read_binary_file": [{"id": "field", "path": "latin.txt"}, {"id": BOOKS, "path": GENERATED[-1]}],
    "search_files": [
        {"query": "chl"},
        {"query": "^sample,.*(ug|mg)/L", "regex": True},
        {"query": "a", "id": TEXTS, "pattern": "README.md"},
        _hits(40),
    ],
    "describe_table": [
        *({"id": BOOKS, "path": path} for path in GENERATED[-2:]),
        {"id": "field", "path": "runs/*/*.csv"},
        {"id": TEXTS, "path": GENERATED[1]},
        {"path": "runs/2020/a.csv"},
    ],
    "view_file": [{"path": "right.png"}, {"path": "right.pdf"}],
    "run_python_code": [{"code": statement} for statement in STATEMENTS],
}


def _weight(tool: str) -> int:
    """Return how often a tool is called: a table of the folder takes a process of its own, a search every file."""
    if "python" in tool:
        return 16
    return {"list_directory": 10, "read_text_file": 12, "get_version_metadata": 2}.get(tool, 6)


def _did(result: Any) -> bool:
    """Tell whether a call did something: the paper's tools refuse in words."""
    if result.is_error:
        return False
    if result.structured_content is not None or result.content[0].type == "image":
        return True
    return bool(json.loads(result.content[0].text)["status"] == "success")


def _without_code(tool: str) -> int:
    """Return how often a tool is called in a sample: the sandbox takes two seconds of processor time to start."""
    return 0 if tool in ("run_python_code", "get_version_metadata") else _weight(tool)


def _short(patch: pytest.MonkeyPatch) -> None:
    """End code after half a second."""
    patch.setattr(code, "CALL_LIMITS", replace(code.CALL_LIMITS, wall_s=WALL_S))
    patch.setattr(paper, "PAPER_LIMITS", replace(paper.PAPER_LIMITS, wall_s=WALL_S))


def _end_sessions(bench: Bench) -> None:
    """End the sessions of all names that were drawn: up to four a caller may last, with what they hold."""

    async def end() -> None:
        for sandbox in [each for each in gc.get_objects() if isinstance(each, Sandbox)]:
            for owner, session in list(sandbox._lives):
                sandbox.end_session(session, owner)

    bench.ask(end)


VOCABULARY = Vocabulary(
    _sensible,
    RECIPES,
    _weight,
    lay_out=_lay_out,
    rest=_end_sessions,
    did=_did,
    short=_short,
    needs=skip_unless,
    sample_weight=_without_code,
    max_chars={"own": 400_000, "paper": 2_000_000},  # a MiB as Base64
)


def _attacked_folder(guard: Guard) -> list[str]:
    """Serve a folder of the watched tree, and have the sandbox's Python."""
    assert guard.ground is not None
    (guard.home / "labrig" / "sandbox").mkdir()
    for env in profiles().values():
        if env.path.is_dir():
            (guard.home / "labrig" / "sandbox" / env.path.name).symlink_to(env.path.resolve())
    return ["--root", str(guard.ground)]


def _cases() -> tuple[Case, ...]:
    from hostile.servers.repository import CASES

    return CASES


TARGET = Target(
    canary=Call("run_python_code", {"code": "print(6 * 7, len(list_directory(id='45')) > 0)"}),
    right=lambda result: "42 True" in str(result.get("structuredContent", {}).get("text")),
    ordinary=Call("run_python_code", {"code": "print(1)"}),
    endless=Call("run_python_code", {"code": "while True: pass"}),
    arguments={"run_python_code": [{"code": "print(1)"}], "search_files": [{"query": "a"}]},
    lay_out=_attacked_folder,
    ground="field",
    needs=skip_unless,
    cases=_cases,
)
