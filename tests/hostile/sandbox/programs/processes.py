"""How a program would multiply, hide, and outstay its time."""

from __future__ import annotations

from hostile.sandbox.case import SHORT, group

CASES, add = group("Processes and time")

add(
    "fork bomb",
    "300 forks",
    """
made = 0
try:
    for _ in range(300):
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
        made += 1
except OSError as error:
    say(word(error))
else:
    say("done")
""",
    limits=SHORT,
    quick=True,
)
add(
    "every way to a process",
    "`subprocess`, `os.system`, `posix_spawn`, `pty`, `multiprocessing`, a process pool, joblib's loky",
    """
import concurrent.futures, multiprocessing, pty, subprocess
def pool():
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return pool.submit(time.sleep, 0.3).result(timeout=2)
def spawned():
    process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(0.3,))
    process.start()
def terminal():
    pid, _ = pty.fork()
    if pid == 0:
        time.sleep(0.3)
        os._exit(0)
def shell():
    got = os.system("sleep 0.3")
    if got:
        raise OSError(errno.EPERM, "refused")
tried(lambda: subprocess.run(["/bin/sleep", "0.3"], check=True), shell,
      lambda: os.waitpid(os.posix_spawn("/bin/sleep", ["sleep", "0.3"], {}), 0), terminal, spawned, pool)
""",
    quick=True,
)
add(
    "raw forks",
    "`fork`, `vfork`, `clone` and `clone3` by their numbers",
    """
def forked(name, *arguments):
    pid = syscall(name, *arguments)
    if pid == 0:
        libc.usleep(300000)
        libc._exit(0)
    return pid
request = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
tried(lambda: forked("fork"), lambda: forked("clone", 17, 0, 0, 0, 0), lambda: forked("clone3", request, 88))
hold()
""",
)
add(
    "outliving the call",
    "a daemon: twice forked, in a session of its own",
    """
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(3):
                os.close(number)
            time.sleep(30)
        os._exit(0)
tried(daemon)
hold()
""",
)
add(
    "machine code",
    "a system call made from bytes in a writable and executable page: open and read a secret, then `fork`",
    """
import mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("4889f84889f74889d64889ca0f05c3"))
call = ctypes.CFUNCTYPE(ctypes.c_long, *[ctypes.c_long] * 4)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
path = ctypes.create_string_buffer((T["outside"] + "/secret.txt").encode())
number = call(2, ctypes.addressof(path), 0, 0)
say(errno.errorcode.get(-number, "done"))
if number >= 0:
    print(os.read(number, 100))
number = call(41, 2, 1, 0)
say(errno.errorcode.get(-number, "done"))
pid = call(57, 0, 0, 0)
if pid == 0:
    libc.usleep(200000)
    libc._exit(0)
say(errno.errorcode.get(-pid, "done"))
hold()
""",
    machines=("x86_64",),
)
add(
    "32-bit system calls",
    "`int 0x80`: the numbers of another ABI, which a filter of 64-bit numbers would let pass",
    """
import mmap
page = mmap.mmap(-1, 8192, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, prot=7)
page.write(bytes.fromhex("5389f889f34189c889d14489c2cd805bc3"))
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.memmove(start + 4096, (T["outside"] + "/secret.txt").encode() + b"\\0", len(T["outside"]) + 12)
call = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int] * 4)(start)
number = call(5, start + 4096, 0, 0)
say(errno.errorcode.get(-number, "done"))
print(os.read(number, 100))
""",
    machines=("x86_64",),
    quick=True,
)
add(
    "x32 system calls",
    "numbers with the x32 bit set",
    """
number = libc.syscall(ctypes.c_long(0x40000000 + 57))
if number == 0:
    libc._exit(0)
say(errno.errorcode.get(ctypes.get_errno(), "done") if number < 0 else "done")
""",
    machines=("x86_64",),
)
add(
    "endless loop",
    "`while True: pass`",
    "while True: pass",
    limits=SHORT,
    quick=True,
)
add(
    "deaf to signals",
    "every signal ignored and blocked, an own session, PDEATHSIG cleared; then a loop",
    """
import signal
try:
    os.setsid()
except OSError:
    pass
libc.prctl(1, 0, 0, 0, 0)
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True: pass
""",
    limits=SHORT,
)
add(
    "processor time",
    "SIGXCPU ignored, on two threads",
    """
import signal, threading
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
def spin():
    while True: hash("x" * 1000)
threading.Thread(target=spin, daemon=True).start()
spin()
""",
    limits={"cpu_s": 1.0, "wall_s": 6.0},
)
add(
    "stopped",
    "SIGSTOP to itself",
    """
import signal
os.kill(os.getpid(), signal.SIGSTOP)
""",
    limits=SHORT,
)
add(
    "asleep",
    "a sleep that alarms interrupt ten thousand times a second",
    """
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
while True:
    time.sleep(1000)
""",
    limits=SHORT,
)
add(
    "threads after the end",
    "a thread, an exit handler and a destructor that go on when the code has ended",
    """
import atexit, threading
class Late:
    def __del__(self):
        while True: pass
def spin(*_):
    while True: time.sleep(0.01)
late = Late()
atexit.register(spin)
threading.Thread(target=spin).start()
""",
    limits=SHORT,
)
add(
    "costly in C",
    "a regular expression, an integer power and a sort that give no signal a chance",
    """
import re
re.match(r"(a*)*b", "a" * 40)
""",
    limits=SHORT,
)
add(
    "thread bomb",
    "500 threads with small stacks",
    """
import threading
threading.stack_size(64 << 10)
made = 0
try:
    for _ in range(500):
        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        made += 1
    hold(0.5)
except RuntimeError as error:
    say(word(error))
else:
    say("done")
""",
    limits={"wall_s": 3.0},
)
add(
    "threads by clone",
    "300 threads made by a raw `clone`, of which no library knows",
    """
import mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b83800000031d24d31d24d31c00f0585c07401c3b8220000000f05ebf7"))
clone = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long, ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
stack = mmap.mmap(-1, 4096)
for _ in range(300):
    got = clone(0x50f00, ctypes.addressof(ctypes.c_char.from_buffer(stack)) + 4096)
    if got < 0:
        break
say(errno.errorcode.get(-got, "done"))
hold(0.5)
os._exit(0)
""",
    limits={"wall_s": 3.0},
    machines=("x86_64",),
)
add(
    "priority",
    "real-time scheduling, a negative nice value, the best class of disk access",
    """
tried(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)), lambda: os.nice(-10),
      lambda: os.setpriority(os.PRIO_PROCESS, 0, -10), lambda: syscall("ioprio_set", 1, 0, (1 << 13)))
hold()
""",
)
add(
    "abrupt ends",
    "a null pointer read",
    """
ctypes.string_at(0)
""",
)
add(
    "exit without a word",
    "`os._exit(0)` in the middle, after the socket was closed",
    """
print("before", flush=True)
os.close(3)
os._exit(0)
""",
    control=False,
)
