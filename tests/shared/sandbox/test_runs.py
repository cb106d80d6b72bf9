"""What a run of code looks like from outside: output, ends, files, figures, functions of the host, limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labrig.errors import LabrigError
from labrig.sandbox import Limits, Result, Sandbox
from support.sandbox_rig import BACKENDS, Rig, children, rig


@pytest.fixture(scope="module", params=BACKENDS)
def lab(request: pytest.FixtureRequest, standing: Callable[[str], Rig]) -> Rig:
    return standing(request.param)


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print('a')\n1 + 1", "a\n"),  # code that prints shows what it wants to show
        ("x = 20\nx + 1", "21\n"),
        ("'text'", "text\n"),
        ("None", ""),
        ("x = [1]\nx.append(2)\nx.pop()", "2\n"),  # evaluated once
        ("import pandas as pd\npd.DataFrame({'a': [1, 2]})", "   a\n0  1\n1  2\n"),
        ("def f():\n    '''f'''\nf.__doc__", "f\n"),
        ("if True:\n    1", ""),
        ("__name__", "__main__\n"),
        ("import numpy as np\nnp.float64(1.5)", "1.5\n"),
        ("from __future__ import annotations\nclass A:\n    x: Nowhere\nA.__annotations__['x']", "Nowhere\n"),
        ("import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))).__name__", "A\n"),
    ],
)
def test_the_last_expression_is_printed_once(lab: Rig, code: str, output: str) -> None:
    result = lab.run(code)
    assert (result.status, result.output, result.error) == ("ok", output, "")


def test_display_can_be_chosen(lab: Rig) -> None:
    assert lab.run("print(1)\n2", display="always").output == "1\n2\n"
    assert lab.run("2", display="never").output == ""


@pytest.mark.parametrize(
    ("code", "status", "exit_code", "said"),
    [
        ("1 / 0", "error", 1, 'File "<cell>", line 1, in <module>\n    1 / 0'),
        ("def f(:\n  pass", "error", 1, "SyntaxError"),
        ("def f(n):\n    return f(n + 1)\nf(0)", "error", 1, "RecursionError"),
        ("import json\njson.loads('{')", "error", 1, '  File "json/__init__.py", line '),
        ("import sys\nsys.exit(3)", "exit", 3, ""),
        ("import sys\nsys.exit('no data')", "exit", 1, "no data\n"),
        ("import sys\nsys.exit()", "ok", 0, ""),
        ("exit(0)", "ok", 0, ""),
        ("import os\nos._exit(4)", "exit", 4, ""),
        ("import os\nos._exit(0)", "ok", 0, ""),
        ("import ctypes\nctypes.string_at(0)", "crashed", None, "Segmentation fault"),
        ("import os\nos.abort()", "crashed", None, "Aborted"),
        ("raise KeyboardInterrupt", "error", 1, "KeyboardInterrupt"),
        (
            "class E(Exception):\n    def __str__(self): raise E\nraise E",
            "error",
            1,
            "E: <exception str() failed>",
        ),
        ("import sys\nsys.excepthook = lambda *a: 1 / 0\nraise ValueError('lost')", "error", 1, "ValueError"),
    ],
)
def test_ends_are_told_apart(lab: Rig, code: str, status: str, exit_code: int | None, said: str) -> None:
    result = lab.run(code)
    assert (result.status, result.exit_code) == (status, exit_code), result
    assert said in result.error
    assert "inside" not in result.error and "zygote" not in result.error
    assert bool(result.detail) == (status != "ok")


def test_what_was_printed_before_a_kill_is_kept(lab: Rig) -> None:
    result = lab.run(
        "import os\nprint('before', end='')\nopen('a.txt', 'w').write('kept')\nwhile True: pass", wall_s=1.0
    )
    assert (result.status, result.output, result.files) == ("wall_limit", "before", {"a.txt": b"kept"})
    result = lab.run("open('a.txt', 'w').close()\nimport time\ntime.sleep(60)", wall_s=0.5)
    assert result.files == {"a.txt": b""} and "0.5 s" in result.detail and result.wall_s < 5


def test_processor_time_is_limited_and_cannot_be_ignored(lab: Rig) -> None:
    result = lab.run(
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass", cpu_s=1, wall_s=30
    )
    assert result.status == "cpu_limit" and result.wall_s < 20


@pytest.mark.accept
def test_memory_is_limited_above_the_imports(lab: Rig) -> None:
    code = "held = []\nfor n in range({}): held.append(bytearray(1 << 20))\nprint(len(held))"
    assert lab.run(code.format(440)).output == "440\n"
    result = lab.run(code.format(600))
    assert result.status == "memory_limit" and "512 MiB" in result.detail and "MemoryError" in result.error
    assert lab.run("import numpy as np\nnp.ones(10**9)").status in ("memory_limit", "error")
    assert lab.run(code.format(100), memory_bytes=64 << 20).status == "memory_limit"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "for n in range(12): open(f'f{n}', 'wb').write(bytes(10 << 20))", marks=pytest.mark.accept
        ),
        "import os\nheld = []\nfor n in range(12):\n    held.append(open('f', 'wb'))\n    os.unlink('f')\n"
        "    held[-1].write(bytes(10 << 20))",
        pytest.param(
            "import os\nos.mkdir('d', 0)\nfor n in range(6_000): open(f'{n}', 'w').close()",
            marks=pytest.mark.accept,
        ),
        pytest.param(
            "import os\nfor n in range(6_000):\n    os.mkdir('d')\n    os.chdir('d')",
            marks=pytest.mark.accept,
        ),
    ],
    ids=["large", "unlinked", "many", "deep"],
)
def test_what_is_written_is_limited(lab: Rig, code: str) -> None:
    result = lab.run(f"{code}\nimport time\ntime.sleep(20)")
    assert result.status == "scratch_limit" and result.wall_s < 15, result
    result = lab.run("open('f', 'wb').write(bytes(40 << 20))")
    assert result.status == "error" and "File too large" in result.error
    assert lab.run("1 + 1").output == "2\n"


@pytest.mark.accept
def test_threads_are_limited(lab: Rig) -> None:
    code = (
        "import threading, time\nfor n in range({}): threading.Thread(target=time.sleep, args=(3,)).start()"
    )
    assert lab.run(code.format(50)).status == "ok"
    assert lab.run(code.format(200)).status in ("thread_limit", "error")


PARQUET = """
import sys
assert "pyarrow" not in sys.modules  # it starts threads, which a fork leaves behind
import pandas as pd
written = pd.DataFrame({"n": [1, 2, None], "s": ["x", "y", None], "t": pd.to_datetime(["2020-01-01"] * 3)})
written.to_parquet("a.parquet")
read = pd.read_parquet("a.parquet")
pd.testing.assert_frame_equal(read, written)
import pyarrow.dataset
print(pyarrow.dataset.dataset("a.parquet").to_table(columns=["n"]).num_rows)
"""


def test_parquet_is_read_and_written(lab: Rig) -> None:
    result = lab.run(PARQUET)
    assert (result.status, result.output) == ("ok", "3\n"), result.error
    assert set(result.files) == {"a.parquet"}


def test_output_is_cut_in_the_middle_and_says_so(lab: Rig) -> None:
    result = lab.run("import sys\nfor n in range(100_000): print(n)\nprint('E' * 10, file=sys.stderr)")
    assert result.output.startswith("0\n1\n2\n") and result.output.endswith("99999\n")
    assert result.cut == {"output": 588_890 - 100_000} and "488,890 bytes are left out" in result.output
    assert result.error == "EEEEEEEEEE\n"
    result = lab.run("while True: print('x' * 10_000)", wall_s=1.0)
    assert result.status == "wall_limit" and len(result.output) < 101_000 and result.cut["output"] > 1_000_000


def test_a_signal_in_a_long_write_loses_nothing(lab: Rig) -> None:
    """The fork server stops a process to look at its files: what a write was busy with then must still come out."""
    code = """
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for _ in range(20): print('x' * 300_000)
signal.setitimer(signal.ITIMER_REAL, 0)
"""
    assert lab.run(code).cut == {"output": 20 * 300_001 - 100_000}


def test_bytes_that_are_no_text_are_shown(lab: Rig) -> None:
    assert lab.run(r"import os; os.write(1, b'a\xff\xfe\n')").output == "a\\xff\\xfe\n4\n"
    assert lab.run(r"print('\ud800 \u00e9')").output == "\\ud800 \u00e9\n"
    assert lab.run("import sys\nsys.stdout.buffer.write(b'raw')\nsys.stdout.flush()").output == "raw"


def test_closed_streams_are_survived(lab: Rig) -> None:
    result = lab.run("import sys\nsys.stdout.close()\n42")
    assert result.status == "error" and "the code has closed sys.stdout" in result.error
    assert lab.run("import os\nos.close(1)\nos.close(2)\nx = 1").status == "ok"
    result = lab.run("import os\nos.close(3)\nprint('on')")
    assert (result.status, result.output) == ("ok", "on\n") and "without a report" in result.notes[0]
    result = lab.run(
        "import os, sys\nfor n in range(3, 400):\n    try: os.close(n)\n    except OSError: pass\nprint('on')"
    )
    assert result.output == "on\n"


def test_threads_and_what_comes_at_the_end(lab: Rig) -> None:
    code = """
import atexit, threading, time
atexit.register(print, 'atexit')
class Last:
    def __del__(self): print('deleted')
last = Last()
def work():
    time.sleep(0.2)
    print('thread')
threading.Thread(target=work).start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
open_file = open('left-open.txt', 'w')
open_file.write('written')
print('main')
"""
    result = lab.run(code)
    assert (result.status, result.output) == ("ok", "main\nthread\natexit\ndeleted\n")
    assert result.files == {"left-open.txt": b"written"} and result.wall_s < 10
    result = lab.run(
        "import atexit\nclass D:\n  def __del__(self): 1 / 0\nd = D()\natexit.register(lambda: {}['x'])"
    )
    assert result.status == "ok" and "KeyError" in result.error and "ZeroDivisionError" in result.error
    result = lab.run("import threading\nthreading.Thread(target=lambda: 1 / 0).start()")
    assert result.status == "ok" and "Exception in thread" in result.error
    result = lab.run(
        "import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()", wall_s=1
    )
    assert result.status == "wall_limit"


def test_asyncio_and_thread_pools_work(lab: Rig) -> None:
    code = """
import asyncio
from concurrent.futures import ThreadPoolExecutor
async def add(a, b):
    await asyncio.sleep(0.01)
    return a + b
print(asyncio.run(add(1, 2)))
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda n: n * n, range(10))))
"""
    assert lab.run(code).output == "3\n285\n"


def test_warnings_do_not_flood(lab: Rig) -> None:
    code = """
import warnings
for n in range(10_000):
    with warnings.catch_warnings():  # forgets what was shown
        pass
    warnings.warn(f'value {n} is odd')
for n in range(100):
    exec(compile('warnings.warn(str(n))', f'file{n}', 'exec'))
"""
    result = lab.run(code)
    assert result.error.count("UserWarning") == 20
    assert "value 0 is odd" in result.error and "10,080 more warnings, from 101 places" in result.error


def test_figures_and_files_come_back(lab: Rig) -> None:
    code = """
import matplotlib.pyplot as plt, pandas as pd, os
plt.plot([1, 2, 3])
plt.figure()
plt.title('two')
plt.show()
open('figure-1.png', 'w').write('mine')
os.makedirs('out/deep')
pd.DataFrame({'a': [1]}).to_csv('out/deep/t.csv', index=False)
closed = plt.figure()
plt.close(closed)
"""
    result = lab.run(code)
    assert (result.status, result.error) == ("ok", ""), result
    assert tuple(result.figures) == ("figure-1-2.png", "figure-2.png")
    assert sorted(result.files) == ["figure-1-2.png", "figure-1.png", "figure-2.png", "out/deep/t.csv"]
    assert result.files["out/deep/t.csv"] == b"a\n1\n" and result.files["figure-1.png"] == b"mine"
    assert all(result.files[name].startswith(b"\x89PNG") for name in result.figures)
    assert lab.run(code).files == result.files, "the same pictures every time"
    many = lab.run("import matplotlib.pyplot as plt\nfor n in range(20): plt.figure(figsize=(1, 1))")
    assert len(many.figures) == 16 and many.cut == {"figures": 4}


def test_inputs_can_be_read_and_not_written(lab: Rig, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    (tmp_path / "folder" / "sub" / "x.txt").write_text("deep")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "folder" / "out").symlink_to("../secret.txt")
    code = """
import os, pandas as pd
print(pd.read_csv('inputs/data.csv').b[0], open('inputs/folder/sub/x.txt').read(), sorted(os.listdir('inputs/folder')))
for path in ('inputs/data.csv', 'inputs/folder/sub/x.txt', 'inputs/folder/new'):
    try: open(path, 'a').write('x')
    except OSError as error: print(type(error).__name__)
for path in ('inputs/folder/out', 'inputs/folder/../secret.txt', 'inputs/folder/sub/../../secret.txt'):
    try: print(open(path).read())
    except OSError as error: print(type(error).__name__)
for act in (
    lambda: os.remove('inputs/folder/sub/x.txt'),
    lambda: os.rename('inputs/folder/sub', 'mine'),
    lambda: os.truncate('inputs/data.csv', 0),
):
    try: act()
    except OSError as error: print('kept')
"""
    result = lab.run(code, inputs={"data.csv": tmp_path / "data.csv", "folder": tmp_path / "folder"})
    lines = result.output.splitlines()
    assert lines[0] == "2 deep ['out', 'sub']" and lines[-3:] == ["kept"] * 3, result
    assert "secret" not in result.output and len(lines) == 10, result
    assert (tmp_path / "data.csv").read_text() == "a,b\n1,2\n" and result.files == {}
    for name in ("", "..", "a/b", ".x", "a\nb"):
        with pytest.raises(LabrigError, match="name of an input"):
            lab.run("1", inputs={name: tmp_path / "data.csv"})
    with pytest.raises(LabrigError, match="cannot be read"):
        lab.run("1", inputs={"a": tmp_path / "absent"})


@pytest.mark.accept
def test_of_a_root_only_the_inputs_can_be_read(tmp_path: Path) -> None:
    """A large file is not copied where its folder is one of the sandbox's roots, and its neighbours stay closed."""
    (tmp_path / "data.bin").write_bytes(b"d")
    (tmp_path / "secret.txt").write_text("secret")
    with (tmp_path / "data.bin").open("r+b") as file:
        file.truncate(3 << 30)
    code = f"""
import os
print(os.path.getsize('inputs/data.bin'), os.path.realpath('inputs/data.bin'))
for act in (
    lambda: open({str(tmp_path / "secret.txt")!r}),
    lambda: os.listdir({str(tmp_path)!r}),
    lambda: open('inputs/data.bin', 'r+b'),
    lambda: open({str(tmp_path / "new")!r}, 'w'),
):
    try: print(act())
    except OSError: print('closed')
"""
    with rig(roots=(tmp_path,), warm=False) as lab:
        result = lab.run(code, inputs={"data.bin": tmp_path / "data.bin"})
        assert result.output == f"{3 << 30} {tmp_path / 'data.bin'}\n" + "closed\n" * 4, result
    with rig(backend="bubblewrap") as lab, pytest.raises(LabrigError, match="one of the sandbox's roots"):
        lab.run("1", inputs={"data.bin": tmp_path / "data.bin"})
    with rig(warm=False) as lab:
        os.mkfifo(tmp_path / "pipe")
        for name in ("pipe", "/dev/zero"):
            with pytest.raises(LabrigError, match="neither a file nor a folder"):
                lab.run("1", inputs={"x": tmp_path / name})


def test_functions_of_the_host(lab: Rig) -> None:
    async def add(a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    async def refuse(path: str) -> str:
        raise LabrigError("There is no such file", where=path, try_="list first")

    async def broken() -> None:
        raise KeyError("inner secret")

    async def odd() -> object:
        return object()

    async def large(n: int) -> str:
        return "x" * n

    functions: dict[str, Any] = {"add": add, "refuse": refuse, "broken": broken, "odd": odd, "large": large}
    code = """
import numpy as np
print(add(1), add(np.int64(2), b=3), add.__doc__, add.__name__)
for call in (
    lambda: refuse('a.txt'),
    lambda: broken(),
    lambda: odd(),
    lambda: add(1, 2, 3),
    lambda: add(object()),
    lambda: add('x' * 2_000_000),
    lambda: large(70_000_000),
):
    try: call()
    except Exception as error: print(type(error).__name__, error)
print(len(large(30_000_000)))
"""
    lines = lab.run(code, functions=functions).output.splitlines()
    assert lines[0] == "2 5 Add two numbers. add"
    assert "There is no such file" in lines[1] and "list first" in lines[1]
    assert lines[2] == "HostError broken failed: this is a defect of Labrig"
    assert lines[3] == "HostError odd failed: this is a defect of Labrig"
    assert "positional" in lines[4] and "type object" in lines[5]
    assert "at most 1,048,576" in lines[6] and "at most 67,108,864" in lines[7] and lines[8] == "30000000"


def test_functions_are_for_threads_too_and_the_clock_runs_on(lab: Rig) -> None:
    async def slow(n: int) -> int:
        await asyncio.sleep(0.01)
        return n

    async def never() -> None:
        await asyncio.sleep(999)

    code = "from concurrent.futures import ThreadPoolExecutor\n"
    code += "with ThreadPoolExecutor(8) as pool: print(list(pool.map(slow, range(20))))"
    assert lab.run(code, functions={"slow": slow}).output == f"{list(range(20))}\n"
    result = lab.run("print('asks')\nnever()", functions={"never": never}, wall_s=1)
    assert (result.status, result.output) == ("wall_limit", "asks\n")


def test_the_same_code_gives_the_same_result(lab: Rig) -> None:
    code = """
import random, numpy as np
print(random.random(), np.random.rand(), np.random.default_rng(1).normal(), {'b', 'a', 'c'}, hash('x'))
"""
    first = lab.run(code)
    assert lab.run(code).output == first.output
    assert lab.run(code, seed=1).output != first.output


def test_nothing_is_left_for_the_next_run(lab: Rig) -> None:
    lab.run("""
import numpy, builtins, sys, os
numpy.pi = 3
builtins.left = 1
sys.modules['json'] = None
os.environ['LEFT'] = '1'
open('left', 'w').close()
x = 1
""")
    result = lab.run("""
import numpy, builtins, json, os
print(numpy.pi > 3.1, hasattr(builtins, 'left'), 'LEFT' in os.environ, os.listdir('.'), 'x' in globals())
""")
    assert result.output == "True False False [] False\n"


def test_bad_requests_are_refused(lab: Rig) -> None:
    for code, why in (
        ("", "no code"),
        (" \n", "no code"),
        ("\0", "NUL"),
        ("\ud800", "surrogate"),
        ("x" * 1_000_001, "1,000,001"),
    ):
        with pytest.raises(LabrigError, match=why):
            lab.run(code)
    with pytest.raises(LabrigError, match="display"):
        lab.run("1", display="loud")
    with pytest.raises(ValueError, match="wall_s"):
        Limits(wall_s=0)
    with pytest.raises(LabrigError, match="profile"):
        Sandbox(profile="moon")
    assert lab.run("(" * 5_000).status == "error"
    assert lab.run("x = " + "-" * 100_000 + "1").status in ("error", "crashed", "memory_limit")
    assert lab.run("1 + 1").output == "2\n"


def test_a_cancelled_caller_ends_its_code(lab: Rig) -> None:
    async def cancelled() -> float:
        task = asyncio.create_task(lab.sandbox.run("while True: pass", limits=Limits(wall_s=200, cpu_s=200)))
        await asyncio.sleep(0.5)
        task.cancel()
        started = time.monotonic()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert lab.go(cancelled()) < 100, "it ends with its caller and not with its time"
    assert lab.run("1 + 1").output == "2\n"
    assert lab.sandbox.pid is not None
    assert len(children(lab.sandbox.pid)) <= 2  # bubblewrap's own two, or none


def test_eight_at_once_stay_apart_and_are_fair(lab: Rig) -> None:
    async def all_of_them() -> list[Result]:
        async def ask(n: int) -> int:
            await asyncio.sleep(0.01)
            return n

        code = """
import os, random, numpy as np
mine = {n}
open('mine.txt', 'w').write(str(mine))
for _ in range(20):
    assert ask(mine) == mine
assert os.listdir('.') == ['mine.txt']
total = int(np.arange(10_000 * mine).sum())
print(mine, total, open('mine.txt').read())
"""
        return await asyncio.gather(
            *(lab.sandbox.run(code.format(n=n), functions={"ask": ask}, owner=f"owner{n}") for n in range(8))
        )

    for n, result in enumerate(lab.go(all_of_them())):
        assert result.output == f"{n} {sum(range(10_000 * n))} {n}\n"
        assert result.files == {"mine.txt": str(n).encode()}


@pytest.mark.accept
def test_one_with_many_runs_does_not_hold_up_the_others() -> None:
    with rig(slots=1, warm=False) as lab:
        order: list[str] = []

        async def one(owner: str, number: int) -> None:
            await lab.sandbox.run("import time; time.sleep(0.02)", owner=owner)
            order.append(f"{owner}{number}")

        async def many() -> None:
            await lab.sandbox.run("1")
            greedy = [asyncio.create_task(one("greedy", n)) for n in range(10)]
            await asyncio.sleep(0.01)
            await asyncio.gather(one("modest", 0), one("other", 0), *greedy)

        lab.go(many())
        assert order.index("modest0") <= 3 and order.index("other0") <= 3


@pytest.mark.accept
def test_too_many_are_told_to_come_back() -> None:
    with rig(slots=1, queue=2, warm=False) as lab:

        async def five() -> list[Any]:
            return await asyncio.gather(*(lab.sandbox.run("1 + 1") for _ in range(5)), return_exceptions=True)

        answers = lab.go(five())
        assert [each.output for each in answers if isinstance(each, Result)] == ["2\n"] * 3
        assert [each.code for each in answers if isinstance(each, LabrigError)] == ["busy"] * 2


@pytest.mark.accept
def test_a_killed_fork_server_is_replaced(lab: Rig) -> None:
    async def killed() -> LabrigError | None:
        task = asyncio.create_task(lab.sandbox.run("import time; time.sleep(60)"))
        await asyncio.sleep(0.5)
        assert lab.sandbox.pid is not None
        below = children(lab.sandbox.pid) | {lab.sandbox.pid}
        os.kill(lab.sandbox.pid, signal.SIGKILL)
        try:
            await task
        except LabrigError as error:
            deadline = time.monotonic() + 5
            while any(Path(f"/proc/{pid}").exists() for pid in below) and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
            assert [pid for pid in below if Path(f"/proc/{pid}").exists()] == []
            return error
        return None

    error = lab.go(killed())
    assert error is not None and error.code == "engine" and "the same call again" in str(error)
    assert lab.run("1 + 1").output == "2\n"


@pytest.mark.accept
def test_a_closed_sandbox_refuses() -> None:
    with rig(warm=False) as lab:
        lab.run("1")
        lab.go(lab.sandbox.close())
        with pytest.raises(LabrigError, match="closed"):
            lab.run("1")


@pytest.mark.accept
def test_unsafe_local_says_so_in_every_result() -> None:
    with rig(backend="unsafe-local", warm=False) as lab:
        result = lab.run("open('/etc/passwd').read()[:4]")
        assert (result.status, result.output, result.backend) == ("ok", "root\n", "unsafe-local")
        assert result.notes[0].startswith("unsafe-local: this code ran with no protection")
        assert lab.run("while True: pass", wall_s=0.5).status == "wall_limit"
        assert lab.sandbox.pid is not None
        lab.run("import subprocess\nsubprocess.Popen(['sleep', '60'])")
        deadline = time.monotonic() + 5
        while children(lab.sandbox.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert children(lab.sandbox.pid) == set(), "what it left in its group is ended with it"
