"""Code gives in the sandbox what it gives in plain Python: the same interpreter, started anew, without any walls."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from labrig.sandbox import backends, environment
from support.sandbox_rig import BACKENDS, Rig

PARTS = Path(__file__).with_name("snippets.txt").read_text(encoding="utf-8").split("# == ")[1:]
SNIPPETS = {name: code for name, _, code in (part.partition("\n") for part in PARTS)}
SAMPLE = {"files", "sqlite", "linear algebra", "csv frames"}


@pytest.fixture(scope="module", params=BACKENDS)
def lab(request: pytest.FixtureRequest, standing: Callable[[str], Rig]) -> Rig:
    return standing(request.param)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What plain Python prints, once for both backends; filled as it is asked for."""
    return {}


def in_plain_python(code: str, folder: Path) -> str:
    interpreter = environment.find("science")
    fonts = folder / "fonts"
    fonts.mkdir()
    for file in interpreter.mplconfig.iterdir():
        (fonts / file.name).write_bytes(file.read_bytes())
    work = folder / "work"
    work.mkdir()
    done = subprocess.run(
        [str(interpreter.python), "-P", "-s", "-c", code],
        cwd=work,
        env=backends.environment() | {"HOME": str(work), "TMPDIR": str(work), "MPLCONFIGDIR": str(fonts)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.accept) for name in SNIPPETS]
)
def test_it_is_what_plain_python_gives(lab: Rig, name: str, plain: dict[str, str], tmp_path: Path) -> None:
    code = SNIPPETS[name]
    result = lab.run(code)
    assert result.status == "ok", result
    if name not in plain:
        plain[name] = in_plain_python(code, tmp_path)
    assert result.output == plain[name] != ""


def test_there_are_fifty() -> None:
    assert len(SNIPPETS) >= 50 and set(SNIPPETS) > SAMPLE


@pytest.mark.accept
def test_figures_are_what_savefig_writes(lab: Rig, tmp_path: Path) -> None:
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.title('Öl, $x^2$')\n"
    drawn = lab.run(code).files["figure-1.png"]
    code += "plt.savefig('p.png', bbox_inches='tight')\nimport sys\nsys.stdout.write(open('p.png', 'rb').read().hex())"
    assert in_plain_python(code, tmp_path) == drawn.hex()
    if "LABRIG_KEEP_PICTURES" in os.environ:
        Path(os.environ["LABRIG_KEEP_PICTURES"], "figure.png").write_bytes(drawn)
