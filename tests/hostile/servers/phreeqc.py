"""Attacks on PHREEQC alone: on its language, its files, its engine, and the tools that read its output.

`hostile.servers.case` says what the fields mean; `hostile.servers.general` has the attacks on any server.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from hostile.guard import descendants, until
from hostile.servers.acts import BEGINS_S, in_order, server_killed_while, sessions_left_idle
from hostile.servers.case import NOTHING, Act, Call, Case, Raw
from hostile.servers.channels import META, THEIRS, Http
from hostile.servers.general import ARGUMENTS, PATHS, PROCESSES
from labrig_harness.registry.servers import toolbox

if TYPE_CHECKING:
    from hostile.servers.attack import Rig

ENDLESS = "SOLUTION 1\nUSER_PRINT\n10 GOTO 10\nEND\n"
WATER = "SOLUTION 1\n pH 7 charge\n Na 1\n Cl 1\nEND\n"


def run(text: str, **more: Any) -> tuple[Call, ...]:
    """Return the one call that runs an input."""
    return (Call("execute_phreeqc", {"input": text, **more}),)


def basic(program: str) -> tuple[Call, ...]:
    """Return the one call that runs a Basic program in USER_PRINT."""
    return run(f"SOLUTION 1\nUSER_PRINT\n{program}\nEND\n")


def _table(*rows: str, **more: Any) -> tuple[Call, ...]:
    """Return the one call that speciates a table of these rows."""
    table = "\n".join(["Sample,pH,Temp (C),Ca (mg/L),Cl (mg/L)", *rows])
    return (Call("speciate_waters", {"table": table, **more}),)


def _message(**changed: Any) -> dict[str, Any]:
    """Return a JSON-RPC call with some fields changed."""
    whole = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "list_file", "arguments": {}, "_meta": META},
    }
    return whole | changed


_KINETICS = """RATES
wild
-start
10 rate = 1e30 * SIN(1e6 * TIME) * M
20 SAVE rate * TIME
-end
SOLUTION 1
KINETICS 1
wild
 -formula NaCl 1
 -m0 1e3
 -bad_step_max 2
 -runge_kutta 6
 -steps 1e6 in 3 steps
END
"""
_INVERSE = """SOLUTION 1
 Na 1
 Cl 1
SOLUTION 2
 Na 2
 Cl 2
INVERSE_MODELING 1
 -solutions 1 2
 -phases
 Halite
 {option} {path}
END
"""
_LOOP = "10 GOTO 10"
_FORGED = (
    '{"schema": "labrig.waters/1"}',
    '{"schema": "labrig.waters/1", "piper": {"samples": [{}]}, "stiff": null, "saturation": {"rows": "x"}}',
    '{"schema": "labrig.estimate/1", "estimates": [{"phase": 1, "members": [1e999, "x"]}]}',
    '{"schema": 1}',
    "[" * 100_000,
    "[]",
    "not JSON",
    "",
)


def full_workspace(rig: Rig) -> str:
    """Fill the quota with a file of holes, then write and run."""
    holes = rig.guard.workspace / "holes"
    with holes.open("wb") as file:
        file.truncate(3 << 30)
    replies = [
        rig.call("write_file", {"path": "x", "content": "one more"}),
        rig.call("execute_phreeqc", {"input": WATER}),
    ]
    holes.unlink()
    return in_order(each.word for each in replies)


def linked_private_files(rig: Rig) -> str:
    """Make Labrig's own files in the workspace links to outside, one after the other, and run."""
    replies = []
    for name, target in (("artifacts", "folder"), ("own-files", "ledger")):
        link = rig.guard.workspace / ".labrig" / name
        if link.is_dir():
            shutil.rmtree(link)
        link.unlink(missing_ok=True)
        link.symlink_to(rig.guard.outside / target)
        replies.append(rig.call("execute_phreeqc", {"input": "SOLUTION 1\nSELECTED_OUTPUT\n -file t\nEND\n"}))
        link.unlink(missing_ok=True)
    return in_order(each.word for each in replies)


def jobs_without_end(rig: Rig) -> str:
    """Start more endless jobs than there is room for, ask the canary beside them, and cancel them."""
    room = (os.cpu_count() or 1) + toolbox("phreeqc").job_places
    started = [rig.call("start_phreeqc", {"input": ENDLESS, "wall_s": 100}) for _ in range(room + 2)]
    if not rig.canary():
        return "no call beside them"
    jobs = [each.result["structuredContent"]["data"]["job"] for each in started if each.word == "started"]
    cancelled = [rig.call("cancel_job", {"job": job}) for job in jobs]
    return in_order(each.word for each in (*started, *cancelled))


def _killed(rig: Rig, which: Callable[[int], int]) -> str:
    """Kill a process that has to do with an endless run, and say how its call ended."""
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(rig.call, "execute_phreeqc", {"input": ENDLESS})
        if until(lambda: bool(rig.working()), BEGINS_S):
            os.kill(which(rig.working()[0]), signal.SIGKILL)
        return reply.result().word


def run_killed(rig: Rig) -> str:
    """Kill the process of a run."""
    return _killed(rig, lambda pid: pid)


def fork_server_killed(rig: Rig) -> str:
    """Kill the process that forked the run."""
    return _killed(rig, lambda pid: descendants(rig.server.process.pid)[pid])


def server_killed_in_a_search(rig: Rig) -> str:
    """Kill the server while a search backtracks."""
    rig.call("write_file", {"path": "dashes", "content": "-" * 1000})
    call = rig.server.begin("search_output", {"path": "dashes", "pattern": "(-*)*z", "regex": True})
    return server_killed_while(rig, call, lambda: bool(rig.working()))


LONG_INPUT = "SOLUTION 1\n" + "a;" * 1_000_000
SOON_S = 10.0


def long_inputs_taken_back(rig: Rig) -> str:
    """Send long inputs and take each back; then another token asks for the ordinary run."""
    if not isinstance(rig.server, Http):
        return NOTHING
    rig.prepare()
    for _ in range(10):
        take_back = rig.server.begin("execute_phreeqc", {"input": LONG_INPUT})
        time.sleep(0.8)
        take_back()
    began = time.monotonic()
    reply = rig.kept(rig.server.call("execute_phreeqc", {"input": WATER}, 120, token=THEIRS))
    return reply.word if time.monotonic() - began < SOON_S else "much later"


CONTINUED_INPUT = "SOLUTION 1\n" + "Na 1 \\\n" * 380_000
ENDS_S = 10.0


def told_to_end_under_load(rig: Rig) -> str:
    """Take back ten calls of many continued lines, have runs without end beside them, and ask the server to end."""
    if not isinstance(rig.server, Http):
        return NOTHING
    rig.prepare()
    runs = [rig.server.begin("execute_phreeqc", {"input": ENDLESS}) for _ in range(4)]
    for _ in range(10):
        take_back = rig.server.begin("execute_phreeqc", {"input": CONTINUED_INPUT})
        time.sleep(0.8)
        take_back()
    below = set(descendants(rig.server.process.pid))
    rig.server.process.terminate()
    ended = until(lambda: not rig.alive, ENDS_S)
    for each in runs:  # held until here: a connection that nobody holds is closed, and its call with it
        each()
    if not ended:
        return "much later"
    return "ended" if until(lambda: not below & set(descendants(os.getpid()))) else "went on"


BASIC = "Basic programs"
SIMULATION = "Simulations"
READ = "Files an input would read"
WRITE = "Files an input would write"
TEXT = "Text"
TABLES = "Tables and pictures"

STOPPED = ("wall_limit",)

CASES: tuple[Case, ...] = (
    # Basic programs
    Case(BASIC, "while", "`WHILE (1)` without an end", basic("10 WHILE (1)\n20 WEND"), STOPPED, quick=True),
    Case(BASIC, "goto", "`10 GOTO 10`", basic(_LOOP), STOPPED),
    Case(
        BASIC,
        "rate that loops",
        "an endless loop in RATES",
        run(
            f"RATES\nx\n-start\n{_LOOP}\n-end\nSOLUTION 1\nKINETICS 1\nx\n -formula NaCl 1\n -steps 1\nEND\n"
        ),
        STOPPED,
    ),
    Case(BASIC, "gosub", "`10 GOSUB 10`", basic("10 GOSUB 10"), ("memory_limit",), wall_s=60),
    Case(
        BASIC,
        "string doubling",
        "a string that doubles for ever",
        basic('10 a$ = "x"\n20 a$ = a$ + a$\n30 GOTO 20'),
        ("memory_limit",),
        wall_s=60,
    ),
    Case(
        BASIC,
        "huge array",
        "`DIM a(2000000000)`",
        basic("10 DIM a(2000000000)"),
        ("memory_limit",),
        quick=True,
    ),
    Case(
        BASIC,
        "memory by address",
        "`PEEK` and `POKE`, in several spellings",
        tuple(
            basic(program)[0]
            for program in (
                "10 PRINT PEEK(4096)",
                "10POKE 4096, 7",
                "10 IF 1 THEN poke 4096, 7",
                "10 a = 1PEEK[0]",
            )
        ),
        ("refused",),
        quick=True,
    ),
    Case(
        BASIC,
        "memory by address, included",
        "a file of the workspace with `POKE`, named by `INCLUDE$`",
        run("SOLUTION 1\nINCLUDE$ program.pqi\nEND\n"),
        ("refused",),
        plant=(("file", "program.pqi", "USER_PRINT\n10 POKE 4096, 7\n"),),
    ),
    Case(
        BASIC,
        "memory beyond an array",
        "`DIM` with a product that wraps round to 0, read and written 1 MB away: it happens, behind the walls",
        basic("10 DIM a(1073741823, 1073741823, 15)\n20 PRINT a(0, 60000, 3)\n30 a(0, 60000, 3) = 7"),
        ("ok", "crashed"),
    ),
    Case(
        BASIC,
        "name over the stack",
        "`LK_NAMED` and `ISO` of 5,000 characters, which run over the stack: it happens, behind the walls",
        tuple(basic(f'10 PRINT {word}("{"v" * 5000}")')[0] for word in ("LK_NAMED", "ISO")),
        ("crashed",),
    ),
    Case(BASIC, "padding", '`PAD$("x", 2000000000)`', basic('10 PRINT PAD$("x", 2000000000)'), STOPPED),
    Case(
        BASIC, "hoard", "`PUT` of 1e9 numbers", basic("10 FOR i = 1 TO 1e9\n20 PUT(i, i)\n30 NEXT i"), STOPPED
    ),
    Case(
        BASIC,
        "abort",
        "`MID$` beyond the end: SIGABRT",
        basic('10 a$ = MID$("abc", 100, 5)'),
        ("crashed",),
        quick=True,
    ),
    Case(
        BASIC,
        "deep expression",
        "200,000 nested parentheses: SIGSEGV",
        basic(f"10 a = {'(' * 200_000}1{')' * 200_000}"),
        ("crashed",),
        wall_s=30,
    ),
    Case(BASIC, "load", "`LOAD` of a secret", basic('10 LOAD "{outside}/secret"'), ("input_error",)),
    Case(BASIC, "merge", "`MERGE` of /etc/passwd", basic('10 MERGE "/etc/passwd"'), ("input_error",)),
    Case(
        BASIC,
        "control characters",
        "`CHR$` of NUL, ESC and 255 in the output",
        basic("10 PRINT CHR$(0), CHR$(27), CHR$(255)"),
        ("ok",),
    ),
    Case(
        BASIC,
        "format strings",
        "`%n` and `%s` where PHREEQC prints text",
        run(
            "TITLE %s%n\nSOLUTION 1 %n%n%s\nSELECTED_OUTPUT\nUSER_PUNCH\n -headings %s%n %n\n"
            '10 PUNCH "%n%s%n", 1\nEND\n'
        ),
        ("ok",),
    ),
    Case(
        BASIC,
        "10 MB of output",
        "160,000 printed lines",
        basic('10 FOR i = 1 TO 160000\n20 PRINT PAD$("x", 60)\n30 NEXT i'),
        ("ok",),
        wall_s=30,
    ),
    Case(
        BASIC,
        "124 MB of output",
        "2,000,000 printed lines",
        basic('10 FOR i = 1 TO 2000000\n20 PRINT PAD$("x", 60)\n30 NEXT i'),
        ("output_truncated",),
        wall_s=45,
    ),
    # Simulations
    Case(
        SIMULATION,
        "two million solutions",
        "`SOLUTION 1-2000000`",
        run("SOLUTION 1-2000000\nEND\n"),
        ("ok", "memory_limit"),
        wall_s=45,
    ),
    Case(
        SIMULATION,
        "copies",
        "`COPY solution 1 2-2000000`",
        run("SOLUTION 1\nEND\nCOPY solution 1 2-2000000\nEND\n"),
        ("ok", "memory_limit"),
        wall_s=45,
    ),
    Case(
        SIMULATION,
        "reaction steps",
        "`REACTION` in 5,000,000 steps",
        run("SOLUTION 1\nREACTION 1\n NaCl 1\n 1 in 5000000 steps\nEND\n"),
        STOPPED,
    ),
    Case(
        SIMULATION,
        "transport shifts",
        "2,000 cells, 1e8 shifts",
        run("SOLUTION 0-2000\nEND\nTRANSPORT\n -cells 2000\n -shifts 100000000\nEND\n"),
        STOPPED,
    ),
    Case(
        SIMULATION,
        "transport cells",
        "2e9 cells",
        run("SOLUTION 0-1\nEND\nTRANSPORT\n -cells 2000000000\n -shifts 1\nEND\n"),
        ("memory_limit",),
    ),
    Case(
        SIMULATION,
        "run cells",
        "`RUN_CELLS` of 2e9 cells",
        run("SOLUTION 1\nEND\nRUN_CELLS\n -cells 1-2000000000\nEND\n"),
        STOPPED,
    ),
    Case(
        SIMULATION,
        "delete",
        "`DELETE` of 2e9 solutions",
        run("SOLUTION 1\nEND\nDELETE\n -solution 1-2000000000\nEND\n"),
        STOPPED,
    ),
    Case(
        SIMULATION,
        "knobs",
        "2e9 iterations to a tolerance of 1e-300",
        run(
            "KNOBS\n -iterations 2000000000\n -tolerance 1e-300\n -convergence_tolerance 1e-300\n"
            " -debug_model true\nSOLUTION 1\n Na 1\nEND\n"
        ),
        STOPPED,
    ),
    Case(
        SIMULATION,
        "deep formula",
        "100,000 nested parentheses in a formula: SIGSEGV",
        run(f"SOLUTION 1\nREACTION 1\n {'(' * 100_000}NaCl{')' * 100_000} 1\n 1\nEND\n"),
        ("crashed",),
        wall_s=30,
    ),
    Case(
        SIMULATION,
        "100,000 columns",
        "`USER_PUNCH -headings` with 100,000 names",
        run(
            "SOLUTION 1\nSELECTED_OUTPUT\n -reset false\nUSER_PUNCH\n -headings "
            + " ".join(f"h{n}" for n in range(100_000))
            + "\n10 PUNCH 1\nEND\n"
        ),
        ("ok",),
        wall_s=30,
    ),
    Case(
        SIMULATION,
        "4,000 tables",
        "4,000 SELECTED_OUTPUT blocks, each with a file of its own",
        run(
            "SOLUTION 1\n" + "".join(f"SELECTED_OUTPUT {n}\n -file f{n}\n" for n in range(1, 4001)) + "END\n"
        ),
        ("ok_with_warnings",),
        wall_s=10,
    ),
    # Files an input would read
    Case(
        READ,
        "include",
        "`INCLUDE$ /etc/passwd`",
        run("INCLUDE$ /etc/passwd\nEND\n"),
        ("refused",),
        quick=True,
    ),
    Case(
        READ,
        "include, disguised",
        "mixed case, a semicolon, the alias `INCLUDE_FILE`, a prefix, inside Basic",
        tuple(
            Call("execute_phreeqc", {"input": text.replace("PATH", "{outside}/secret.txt")})
            for text in (
                "SOLUTION 1\niNcLuDe$ PATH\nEND\n",
                "SOLUTION 1; INCLUDE$ PATH; END\n",
                "include_file PATH\n",
                "INCLUDE$anything PATH\n",
                "USER_PRINT\n10 PRINT 1\nINCLUDE$ PATH\n",
                "TITLE \\# no comment ; INCLUDE$ PATH\n",
            )
        ),
        ("refused",),
    ),
    Case(
        READ,
        "include, joined lines",
        "a backslash at the end of the line, with and without blanks behind it",
        tuple(
            Call("execute_phreeqc", {"input": text})
            for text in (
                "INCLUDE$ \\\n{outside}/secret.txt\n",
                "INCL\\\nUDE$ {outside}/secret.txt\n",
                "SOLUTION 1\nINCLUDE$ \\ \t \n{outside}/secret.txt\nEND",
            )
        ),
        ("refused",),
    ),
    Case(
        READ,
        "include behind a byte order mark",
        "one BOM, and two",
        (
            Call("execute_phreeqc", {"input": "\ufeffINCLUDE$ {outside}/secret.txt\n"}),
            Call("execute_phreeqc", {"input": "\ufeff\ufeffINCLUDE$ {outside}/secret.txt\n" + WATER}),
        ),
        ("refused, ok_with_warnings",),
    ),
    Case(
        READ,
        "include behind odd line ends",
        "lines that end in CR, VT, FF, NEL or U+2028 alone",
        tuple(
            Call("execute_phreeqc", {"input": f"SOLUTION 1{end}INCLUDE$ {{outside}}/secret.txt{end}END\n"})
            for end in ("\r", "\v", "\f", "\x85", "\u2028")
        ),
        ("ok",),
    ),
    Case(
        READ,
        "include of a device",
        "`INCLUDE$ /dev/zero`, a pipe, and the server's own environment",
        tuple(
            Call("execute_phreeqc", {"input": f"INCLUDE$ {path}\nEND\n"})
            for path in ("/dev/zero", "{outside}/pipe", "/proc/self/environ", "/proc/self/fd/3")
        ),
        ("refused",),
    ),
    Case(
        READ,
        "include of a pipe in the workspace",
        "`INCLUDE$ pipe`, where pipe is a FIFO",
        run("INCLUDE$ pipe\nEND\n"),
        ("refused",),
        plant=(("fifo", "pipe", ""),),
    ),
    Case(
        READ,
        "include of a link",
        "a bare name that is a link to a secret",
        run("INCLUDE$ link\nEND\n"),
        ("refused",),
        plant=(("symlink", "link", "{outside}/secret.txt"),),
        quick=True,
    ),
    Case(
        READ,
        "include of itself",
        "a workspace file that includes itself",
        run("INCLUDE$ loop\nEND\n"),
        ("limit",),
        plant=(("file", "loop", "INCLUDE$ loop\n"),),
    ),
    Case(
        READ,
        "include that multiplies",
        "four levels of files that include the next one ten times each",
        run("INCLUDE$ l0\nEND\n"),
        ("limit",),
        plant=(
            *(("file", f"l{n}", f"INCLUDE$ l{n + 1}\n" * 10) for n in range(4)),
            ("file", "l4", WATER),
        ),
    ),
    Case(
        READ,
        "include of the run itself",
        "40 times `INCLUDE$` of what the costly input before it wrote: 40 runs in one call",
        run(
            "SOLUTION 1\nSELECTED_OUTPUT\n -file own\n -reset false\nUSER_PUNCH\n"
            '10 FOR i = 1 TO 5e7\n20 NEXT i\n30 PUNCH "TITLE"\nEND\n' + "INCLUDE$ own\n" * 40 + "END\n"
        ),
        ("limit",),
        wall_s=2,
    ),
    Case(
        READ,
        "includes behind a long input",
        "50 times `INCLUDE$` of a small file behind 1,200,000 lines",
        run("SOLUTION 1\n" + "#\n" * 1_200_000 + "INCLUDE$ small\n" * 50 + "END\n"),
        ("ok_with_warnings",),
        plant=(("file", "small", " Na 1\n"),),
        wall_s=20,
    ),
    Case(
        READ,
        "database by path",
        "`/etc/passwd`, `../`, NUL, a URL and a secret as the database",
        tuple(
            Call("execute_phreeqc", {"input": WATER, "database": name})
            for name in (
                "/etc/passwd",
                "../../secret.dat",
                "phreeqc.dat\0",
                "{outside}/secret.txt",
                "file:///x",
            )
        ),
        ("refused",),
        quick=True,
    ),
    Case(
        READ,
        "DATABASE line",
        "`DATABASE {outside}/secret.txt` in the input",
        run("DATABASE {outside}/secret.txt\n" + WATER),
        ("ok_with_warnings",),
    ),
    Case(
        READ,
        "graph of a file",
        "`USER_GRAPH -plot_tsv_file` of a secret",
        run(
            "SOLUTION 1\nUSER_GRAPH 1\n -plot_tsv_file {outside}/secret.txt\n -start\n10 GRAPH_X 1\n -end\nEND\n"
        ),
        ("ok_with_warnings",),
    ),
    # Files an input would write
    Case(
        WRITE,
        "transport dump",
        "`-dump PATH`, abbreviated, and after a semicolon",
        tuple(
            Call("execute_phreeqc", {"input": f"SOLUTION 0-3\nEND\nTRANSPORT\n -cells 3{option}\nEND\n"})
            for option in ("\n -dump {outside}/x", "\n -du {outside}/x", "; -DUMP {outside}/x")
        ),
        ("refused",),
        quick=True,
    ),
    Case(
        WRITE,
        "netpath files",
        "`-lon_netpath` and `-pat_netpath`, abbreviated too",
        tuple(
            Call(
                "execute_phreeqc",
                {"input": _INVERSE.replace("{option}", option).replace("{path}", "{outside}/n")},
            )
            for option in ("-lon_netpath", "-pat_netpath", "-l", "-pa", "lon_netpath")
        ),
        ("refused",),
    ),
    Case(
        WRITE,
        "selected output path",
        "`-file` with a path, absolute and relative, abbreviated",
        tuple(
            Call("execute_phreeqc", {"input": f"SOLUTION 1\nSELECTED_OUTPUT\n {option}\nEND\n"})
            for option in ("-file {outside}/x", "-fi ../x", "-f ..\\x", "file ~/x")
        ),
        ("refused",),
    ),
    Case(
        WRITE,
        "dump path",
        "`DUMP -file` with a path",
        run("SOLUTION 1\nEND\nDUMP\n -file {outside}/x\n -all\nEND\n"),
        ("refused",),
    ),
    Case(
        WRITE,
        "reserved names",
        "`-file` of a hidden file and of the private folder; of a user's own file, which must stay",
        (
            Call("execute_phreeqc", {"input": "SOLUTION 1\nSELECTED_OUTPUT\n -file .labrig\nEND\n"}),
            Call("execute_phreeqc", {"input": "SOLUTION 1\nSELECTED_OUTPUT\n -file .hidden\nEND\n"}),
            Call("execute_phreeqc", {"input": "SOLUTION 1\nSELECTED_OUTPUT\n -file notes.txt\nEND\n"}),
        ),
        ("refused, ok_with_warnings",),
        plant=(("file", "notes.txt", "mine\n"),),
    ),
    Case(
        WRITE,
        "selected output through a link",
        "`-file link` and `result.out`, both links to files outside",
        run("SOLUTION 1\nSELECTED_OUTPUT\n -file link\nEND\n"),
        ("ok",),
        plant=(
            ("symlink", "link", "{outside}/plain.txt"),
            ("symlink", "result.out", "{outside}/plain.txt"),
        ),
    ),
    Case(
        WRITE,
        "error file of kinetics",
        "kinetics that fail, for which PHREEQC writes `error.inp` where it stands",
        run(_KINETICS),
        ("input_error",),
        wall_s=5,
    ),
    # Text
    Case(
        TEXT,
        "NUL",
        "a NUL byte, behind which PHREEQC would not read",
        run("SOLUTION 1\0\nEND\n"),
        ("refused",),
    ),
    Case(
        TEXT,
        "latin-1",
        "a file with bytes that are not UTF-8",
        (Call("execute_phreeqc", {"input_path": "latin"}),),
        ("ok",),
        plant=(("file", "latin", "TITLE temp\xe9rature \xb0\xff\xfe\nSOLUTION 1\nEND\n"),),
    ),
    Case(
        TEXT,
        "bidirectional text",
        "override characters in a title, a path and a description",
        (
            Call("write_file", {"path": "\u202etxt.exe", "content": "\u202e\u2066x"}),
            Call("execute_phreeqc", {"input": "TITLE \u202e\u2066 INCLUDE$\nSOLUTION 1 \u202e\nEND\n"}),
        ),
        ("ok",),
    ),
    Case(
        TEXT,
        "lone surrogate",
        "half a surrogate pair in an input",
        Raw(
            json.dumps(
                _message(
                    params={
                        "name": "execute_phreeqc",
                        "arguments": {"input": "SOLUTION 1 # \ud800\nEND"},
                        "_meta": META,
                    }
                )
            ).encode(),
            "execute_phreeqc",
            7,
        ),
        ("dropped",),
        http=("bad_input",),
    ),
    Case(
        TEXT,
        "5 MB of input",
        "above the limit of 5,000,000 characters",
        run("#" + "x" * 5_000_000 + "\n" + WATER),
        ("limit",),
        http=("HTTP 413",),
    ),
    Case(
        TEXT,
        "3 MB in one line",
        "a comment, a description, and a title, which crashes PHREEQC",
        run("#" + "x" * 3_000_000 + "\n" + WATER)
        + run(f"SOLUTION 1 {'x' * 3_000_000}\nEND\n")
        + run(f"TITLE {'x' * 3_000_000}\n{WATER}"),
        ("ok, crashed",),
        wall_s=30,
    ),
    Case(
        TEXT,
        "a long line as a heading",
        "2 MB behind dashes, in each form of the outline: no answer may repeat it",
        tuple(
            Call("execute_phreeqc", {"input": "x" * 2_000_000, "output": protocol})
            for protocol in ("auto", "outline", "toc", "toc:50")
        ),
        ("ok_with_warnings",),
        wall_s=20,
    ),
    Case(
        TEXT,
        "a thousand lines",
        "1,000 solutions of one line each, and 200,000 lines without meaning",
        run("".join(f"SOLUTION {n}; Na {n % 50}\n" for n in range(1000)) + "END\n")
        + run("x y z\n" * 200_000),
        ("ok_with_warnings",),
        wall_s=30,
    ),
    Case(TEXT, "nothing", "an empty input, and blanks", run("") + run(" \n\t\n"), ("bad_input",)),
    # Paths in file tools
    Case(
        PATHS,
        "private files that are links",
        "`.labrig/artifacts` and `.labrig/own-files` made links to outside by hand, one after the other",
        Act(linked_private_files),
        ("refused, ok_with_warnings",),
    ),
    Case(
        PATHS,
        "private file cut short",
        "`.labrig/own-files` as a killed server may leave it: empty",
        run("SOLUTION 1\nSELECTED_OUTPUT\n -file t\nEND\n"),
        ("ok",),
        plant=(("file", ".labrig/own-files", ""),),
    ),
    Case(
        PATHS,
        "full workspace",
        "a file and a run above the 2 GiB of a workspace",
        Act(full_workspace),
        ("limit",),
    ),
    # Arguments
    Case(
        ARGUMENTS,
        "huge line numbers",
        "lines of 400 digits, negative ones, and 1e308",
        (
            Call("read_file", {"path": "f", "start_line": 10**400}),
            Call("read_file", {"path": "f", "start_line": -(10**400)}),
            Call("read_file", {"path": "f", "start_line": 1e308}),
            Call("outline_output", {"path": "f", "from_line": 10**400}),
        ),
        ("bad_input",),
        plant=(("file", "f", "one line\n"),),
    ),
    Case(
        ARGUMENTS,
        "5,000 digits",
        "an output protocol `raw:999...` that Python refuses to turn into a number",
        run(WATER, output="raw:" + "9" * 5000),
        ("bad_input",),
    ),
    Case(
        ARGUMENTS,
        "5,000 digits in the input",
        "`SELECTED_OUTPUT 999... -file x`",
        run(f"SOLUTION 1\nSELECTED_OUTPUT {'9' * 5000}\n -file x\nEND\n"),
        ("ok",),
    ),
    Case(
        ARGUMENTS,
        "forged cursors",
        "a cursor of 100,000 nested lists, one of another call, and rubbish",
        tuple(
            Call("outline_output", {"path": "f", "cursor": base64.urlsafe_b64encode(each).decode()})
            for each in (b"[" * 100_000, b'["000000000000", 5]', b"\xff\xfe", b'{"a": 1}', b"[1, -1]")
        ),
        ("bad_input",),
        plant=(("file", "f", "one line\n"),),
    ),
    Case(
        ARGUMENTS,
        "long names",
        "1 MB as database, path, quantity, job, and word to look up: no answer may repeat it",
        (
            Call("execute_phreeqc", {"input": WATER, "database": "x" * 1_000_000}),
            Call("read_file", {"path": "/" + "x" * 1_000_000}),
            Call("read_values", {"path": "f", "quantities": ["x" * 1_000_000]}),
            Call("get_job", {"job": "x" * 1_000_000}),
            Call("look_up_database", {"query": "x" * 1_000_000}),
        ),
        ("not_found, refused, bad_input",),
        plant=(("file", "f", "one line\n"),),
    ),
    Case(
        ARGUMENTS,
        "catastrophic expression",
        "`(-*)*z` over an output full of dashes",
        (
            Call("execute_phreeqc", {"input": WATER}),
            Call("search_output", {"pattern": "(-*)*z", "regex": True}),
        ),
        ("ok, limit",),
    ),
    Case(
        ARGUMENTS,
        "costly to compile",
        "190 classes of all characters, case ignored; 480 open groups; 65,000 cubed",
        (
            Call(
                "search_output", {"path": "f", "pattern": "(?i)" + "[\x01-\U0010ffff]" * 190, "regex": True}
            ),
            Call("search_output", {"path": "f", "pattern": "(" * 480, "regex": True}),
            Call("search_output", {"path": "f", "pattern": "(?:(?:.{65000}){65000}){65000}", "regex": True}),
        ),
        ("ok, bad_input",),
        plant=(("file", "f", "one line\n"),),
    ),
    # Tables and pictures
    Case(
        TABLES,
        "input in a sample name",
        "sample names that end their line and include a secret, join lines, or open a comment",
        _table(
            *(
                f'"{name}",7,25,1,1'
                for name in ("a\nEND\nINCLUDE$ {outside}/secret.txt\n", "b; END", "c # \\ ")
            )
        ),
        ("ok_with_warnings",),
    ),
    Case(
        TABLES,
        "input in a phase name",
        "a phase that brings an endless Basic program",
        _table("a,7,25,1,1", phases=[f"Calcite\nUSER_PRINT\n{_LOOP}\n"]),
        ("not_found",),
    ),
    Case(
        TABLES,
        "endless tables",
        "20,000 rows; 100,000 columns; a cell of 1 MB",
        (
            *_table(*["a,7,25,1,1"] * 20_000),
            Call("speciate_waters", {"table": "Ca (mg/L)," * 100_000 + "\n1"}),
            *_table("x" * 1_000_000 + ",7,25,1,1"),
        ),
        ("limit, bad_input",),
    ),
    Case(
        TABLES,
        "forged pictures",
        "`draw_plot` of files with the right heading and nothing else, nested too deep, of the wrong kinds",
        tuple(
            Call("draw_plot", {"kind": kind, "path": f"{n}.json"})
            for kind in ("piper", "stiff", "saturation", "uncertainty")
            for n in range(len(_FORGED))
        ),
        ("bad_input",),
        plant=tuple(("file", f"{n}.json", content) for n, content in enumerate(_FORGED)),
    ),
    Case(
        TABLES,
        "formula in a title",
        "a title that is a broken formula to the drawing library",
        (
            Call("execute_phreeqc", {"input": WATER}),
            Call("draw_plot", {"kind": "series", "quantities": ["pH"], "title": "$\\frac{" + "{" * 90}),
        ),
        ("ok",),
        wall_s=20,
    ),
    # Calls and processes
    Case(
        PROCESSES,
        "jobs without end",
        "more jobs than there is room for that never end, while a call is answered; then they are cancelled",
        Act(jobs_without_end),
        ("started, busy, cancelled",),
    ),
    Case(
        PROCESSES,
        "long inputs taken back",
        "a million statements, ten times, each taken back after 0.8 s; then another token runs its own: in 10 s",
        Act(long_inputs_taken_back),
        ("ok",),
        wall_s=20,
        theirs=True,
    ),
    Case(
        PROCESSES,
        "told to end under load",
        "ten calls of 380,000 continued lines taken back after 0.8 s, beside runs without end; then SIGTERM: in 10 s",
        Act(told_to_end_under_load),
        ("ended",),
        wall_s=60,
        kills=True,
    ),
    Case(
        PROCESSES,
        "sessions left idle",
        "50 sessions of the protocol that had them, at a server where one may idle for 1 s",
        Act(sessions_left_idle),
        ("HTTP 200, HTTP 404",),
    ),
    Case(
        PROCESSES,
        "run killed",
        "SIGKILL to the process of a run",
        Act(run_killed),
        ("crashed",),
        wall_s=60,
    ),
    Case(
        PROCESSES,
        "fork server killed",
        "SIGKILL to the process that starts the runs, in the middle of one",
        Act(fork_server_killed),
        ("engine",),
        wall_s=60,
    ),
    Case(
        PROCESSES,
        "server killed in a search",
        "SIGKILL to the server while an expression backtracks for ever",
        Act(server_killed_in_a_search),
        ("ended",),
        kills=True,
    ),
)
