"""What a program would do to the sandbox's own socket, streams and machinery."""

from __future__ import annotations

from hostile.sandbox.case import SHORT, group

CASES, add = group("The sandbox itself")

_SOCKET = "import json, socket\nlink = socket.socket(fileno=os.dup(3))\n"
_THROWN = """
import threading
def thrown():
    while link.recv(1 << 20): pass
threading.Thread(target=thrown, daemon=True).start()
"""
"""Answers of the host, read and thrown away."""
add(
    "junk on the socket",
    "64 MB without a line end",
    _SOCKET
    + """
try:
    for _ in range(64):
        link.sendall(b"x" * (1 << 20))
except OSError as error:
    say(word(error))
hold(1)
""",
    control=False,
    quick=True,
)
add(
    "forged messages",
    "results, unknown functions, odd kinds, huge numbers, bytes of no text, 100,000 nested lists",
    _SOCKET
    + """
for each in (b'{"call": "nothing", "arguments": []}', b'{"result": {"status": "ok", "files": {"../../x": "eA=="}}}',
             b'{"status": "ok", "figures": ["../../etc/passwd"]}', b"[]", b"null", b'"text"', b"{}",
             b'{"id": ' + b"9" * 5000 + b"}",
             b'{"id": 1e999, "function": "lookup"}', b"\\xff\\xfe\\x00", b"[" * 100_000 + b"]" * 100_000,
             b'{"id": 1, "function": ["lookup"], "args": {"a": NaN}}'):
    try:
        link.sendall(each + b"\\n")
    except OSError as error:
        say(word(error))
        break
hold()
""",
    control=False,
    quick=True,
)
add(
    "flood of reports",
    "what no message is, as fast as it goes: the host would read nothing else",
    _SOCKET
    + """
line = b'{"started": {}, "anew": 0}\\n' * 2000
try:
    while True: link.sendall(line)
except OSError as error:
    say(word(error))
""",
    limits={"wall_s": 3.0},
    control=False,
    quick=True,
)
add(
    "flood of calls",
    "calls of a function that is not there and of one that is, from two threads, their answers thrown away",
    _SOCKET
    + _THROWN
    + """
line = b'{"call": "nothing", "args": [], "kwargs": {}}\\n{"call": "lookup", "args": [1], "kwargs": {}}\\n' * 500
while True: link.sendall(line)
""",
    limits={"wall_s": 3.0},
    control=False,
    quick=True,
)
add(
    "flood of large messages",
    "calls with a megabyte of JSON each, which the host has to read",
    _SOCKET
    + _THROWN
    + """
line = json.dumps({"call": "nothing", "args": [[0] * 300_000], "kwargs": {}}).encode() + b"\\n"
while True: link.sendall(line)
""",
    limits={"wall_s": 3.0},
    control=False,
)
add(
    "flood after the end",
    "a report that it has ended, and another, without end",
    _SOCKET
    + """
line = b'{"end": {}}\\n' * 2000
try:
    while True: link.sendall(line)
except OSError as error:
    say(word(error))
""",
    limits={"wall_s": 3.0},
    control=False,
)
add(
    "numbers without end",
    "infinity where the host expects a size, in each message that has one",
    _SOCKET
    + """
for each in (b'{"ready": 1e999}', b'{"end": {"figures_cut": 1e999, "code": -1e999}}'):
    try:
        link.sendall(each + b"\\n")
    except OSError as error:
        say(word(error))
hold()
""",
    control=False,
)
add(
    "a false end",
    "an end reported by the code itself, with figures elsewhere and half surrogates; then it goes on",
    _SOCKET
    + """
end = {"ended": "raised", "what": "\\ud800" * 3, "figures": ["../../etc/passwd", 5], "figures_cut": -1,
       "notes": ["\\ud800", "x" * 10_000]}
link.sendall(json.dumps({"end": end}).encode() + b"\\n")
hold()
os._exit(0)
""",
    control=False,
)
add(
    "a million calls",
    "calls of host functions as fast as it goes, and no answer read",
    _SOCKET
    + """
while True:
    link.sendall(b'{"call": "lookup", "args": ["x"], "kwargs": {}}\\n' * 1000)
""",
    limits=SHORT,
    control=False,
)
add(
    "large arguments",
    "a host function called with 64 MB, with an endless object, with what JSON cannot say",
    """
endless = []
endless.append(endless)
tried(lambda: lookup("x" * (64 << 20)), lambda: lookup(endless), lambda: lookup(object()), lambda: lookup(float("nan")),
      lambda: lookup("\\ud800"), lambda: lookup(10 ** 4000))
""",
    control=False,
)
add(
    "descriptors sent",
    "50 descriptors at a time through the socket to the host, by SCM_RIGHTS",
    _SOCKET
    + """
import array
def sent():
    for _ in range(20):
        link.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1] * 50))])
tried(sent, lambda: link.recvmsg(1, 1000, socket.MSG_DONTWAIT), lambda: link.send(b"x", socket.MSG_OOB))
hold()
""",
    control=False,
)
add(
    "output flood",
    "both streams as fast as they go, in lines and in one line of gigabytes",
    """
import threading
def flood(number):
    while True: os.write(number, b"x" * 65536)
threading.Thread(target=flood, args=(2,), daemon=True).start()
flood(1)
""",
    limits=SHORT,
    quick=True,
)
add(
    "odd output",
    "escape sequences, NUL, bytes of no text, half surrogates: they come as text",
    """
os.write(1, b"\\x1b]0;title\\x07\\x1b[2J\\x00\\xff\\xfe\\xed\\xa0\\x80\\n")
sys.stdout.write("\\u202e\\r\\n")
say("done")
""",
)
add(
    "streams closed",
    "stdout, stderr and the socket closed, replaced by each other",
    """
os.dup2(1, 2)
os.close(3)
os.close(1)
os.close(0)
sys.stdout = None
raise ValueError("still said")
""",
    control=False,
)
add(
    "machinery replaced",
    "what runs at the end of the code (drawing, JSON, printing) replaced by a loop",
    """
import builtins, json
import matplotlib.figure, matplotlib.pyplot
def spin(*_, **__):
    while True: pass
matplotlib.pyplot.figure()
matplotlib.figure.Figure.savefig = json.dumps = builtins.repr = sys.displayhook = sys.excepthook = spin
matplotlib.pyplot.get_fignums = spin
spin.__name__ = "x"
raise ValueError("x")
""",
    limits=SHORT,
)
add(
    "figures without end",
    "200 open figures, one of them of 3e9 pixels",
    """
import matplotlib.pyplot as plt
plt.rcParams["figure.max_open_warning"] = 0
for _ in range(199):
    plt.figure(figsize=(1, 1))
plt.figure(figsize=(600, 600), dpi=90)
say("done")
""",
    limits={"wall_s": 20.0, "cpu_s": 20.0},
)
add(
    "the machinery's own objects",
    "every object in the process searched for keys and descriptors of others",
    """
import gc, inspect
found = set()
for each in gc.get_objects():
    try:
        texts = [str(value)[:200] for value in each.values()] if isinstance(each, dict) else []
        found.update(text for text in texts if "can" + "ary-" in text)
    except BaseException:
        pass
frame = sys._getframe()
while frame:
    print(sorted(frame.f_globals)[:5], sorted(frame.f_locals)[:5])
    frame = frame.f_back
print(found)
say("done")
""",
)
