"""A reader of long papers by another hand: the characters that PDFium draws, their sizes and places, and no truth.

Running text has the size of most characters, its scripts 0.7 of it; what is set in other sizes is a float or a
reference. Signs of the coded font are read by their codes. The wordings below were read off printed pages.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

CODED = dict(zip("mWDglxrcQksd´-»~", "μΩΔγλξρχΘκσδ×−≈∼", strict=True))
ONE_SIGN = {0x2206: "Δ", 0xB5: "μ", 0x2126: "Ω"}
NUMBER = r"(?:\(\d[\d.]*–[\d.]+\)|\d[\d.]*)(?:\(\d+\))?(?: × 10\^\{−?\d\})?"
WORDINGS = {
    "tc_zero": r"(?:lost all resistance|below the resolution of the bridge|Zero resistance is found)",
    "tc_onset": r"(?:first deviation from the normal resistance|onset of superconductivity)",
    "tc_mag": r"(?:diamagnetic signal|ac susceptibility we find|screening currents set in)",
    "width": r"Between 90 and 10 per cent of the normal resistance .* takes",
    "a": r"Le Bail fits .* converge at a",
    "c": r"layers lie further apart: .* has c",
    "group": r"pattern of .* is consistent with",
    "hc2": r"(?:two-band model to the onsets|field that would destroy|upper critical fields Hc2\(0\) of)",
    "slope": r"Close to the transition Hc2 of .* rises by",
    "xi": r"(?:Through the flux quantum this means|coherence length of|coherence lengths)",
    "lambda": r"(?:as muons see it|penetration depth λ\(0\) (?:is as long as|of .* is))",
    "gamma": r"(?:intercept of C/T against|nuclear term taken off|The coefficients γ of)",
    "debye": r"Its slope corresponds to ΘD",
    "gap": r"coherence peaks at Δ\(0\)",
    "rho": r"(?:The bar of|Over the five bars that we cut)",
    "meissner": r"On cooling in the field .* expels",
    "density": r"By Archimedes’ method",
}
POWERS = (r"mJ/mol K\^\{2\}", r"mJ mol\^\{−1\} K\^\{−2\}", r"g/cm\^\{3\}", r"g cm\^\{−3\}")
UNITS = "|".join((*POWERS, "K", "Å", "nm", "T/K", "T", "meV", "%", "μΩ cm", "mΩ cm", "Ω cm"))
VALUE = re.compile(rf"(?<![\w.(])({NUMBER})((?: ?(?:{UNITS}))?)(?![\w^])")


@dataclass(frozen=True)
class Character:
    text: str
    size: float
    raised: bool


def characters(document: pypdfium2.PdfDocument) -> Iterator[Character]:
    """Give the characters as they were drawn, and a new line where the baseline of what is no script changes."""
    size, baseline, script = 1.0, 0.0, False
    name, x, y = ctypes.create_string_buffer(100), ctypes.c_double(), ctypes.c_double()
    for page in document:
        text = page.get_textpage()
        for number in range(text.count_chars()):
            raw = chr(pdfium.FPDFText_GetUnicode(text, number)).translate(ONE_SIGN)
            if pdfium.FPDFText_IsGenerated(text, number):
                yield Character(" ", size, False)
                continue
            pdfium.FPDFText_GetFontInfo(text, number, name, 100, None)
            pdfium.FPDFText_GetCharOrigin(text, number, x, y)
            raw = CODED.get(raw, raw) if b"MathematicalPi" in name.value else raw
            now = round(pdfium.FPDFText_GetFontSize(text, number), 2)
            script = script if now == size else 0.6 < now / size < 0.75
            if not script and abs(y.value - baseline) > 1:
                yield Character("\n", now, False)
            baseline = baseline if script else y.value
            size = now
            yield Character(raw, now, script and y.value > baseline)


def texts(pdf: bytes) -> tuple[str, str]:
    """Return the running text, and that of floats, each with its raised characters marked."""
    with pypdfium2.PdfDocument(pdf) as document:
        drawn = list(characters(document))
    body = Counter(each.size for each in drawn).most_common(1)[0][0]
    of_text = {body, round(0.7 * body, 2)}
    parts = ["", ""]
    for each in drawn:
        apart = int(min(abs(each.size - size) for size in of_text) > 0.03)
        parts[apart] += f"^{{{each.text}}}" if each.raised else each.text
    running, floats = (re.sub(r"\}\^\{| +(?=[ ,.;)\n])", "", part) for part in parts)
    return " ".join(running.split()), floats


def read(pdf: bytes) -> set[tuple[str, str, str]]:
    """Return the sample, key and value with its unit of all that the authors measured and the list asks for."""
    running, floats = texts(pdf)
    batches = re.search(r"Four batches are compared: (.*? \(S4\))\.", running)
    assert batches is not None
    labels: dict[str, str] = dict(re.findall(r"(\S+) \((S\d)\)", batches[1]))
    labels |= {label: label for label in list(labels.values())}
    named = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    found: set[tuple[str, str, str]] = set()
    for sentence in re.split(r"(?<!Ref)(?<! al)\. (?=[A-Z\d])", running):
        for key, wording in WORDINGS.items():
            if told := re.search(wording, sentence):
                samples = [
                    labels[each] for each in re.findall(rf"(?<![\w.])(?:{named})(?![\w.]*\w)", sentence)
                ]
                rest = sentence[told.end() :].replace("at 300 K", "")
                if key == "group":
                    found.add((samples[0], key, re.sub(r"^ (\S+?)(?: (/\w+))? .*", r"\1\2", rest)))
                    continue
                rest = re.sub(rf"(?<![\w.])(?:{named})(?![\w.]*\w)", " ", rest)
                values = VALUE.findall(rest)
                unit = next(unit for _, unit in values if unit)
                several = "respectively" in sentence
                chosen = values[:3] if several else [next(each for each in values if each[1])]
                for sample, (number, _) in zip(samples[:3] if several else samples[:1], chosen, strict=True):
                    found.add((sample, key, f"{number} {unit.strip()}"))
    return found | set(_tables(floats, labels))


def _tables(floats: str, labels: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Give the own cells of both tables: those of samples in the group of this work, and of columns of experiment."""
    lines = [line.strip() for line in floats.split("\n")]
    start = lines.index("This work")
    for line in lines[start + 1 : start + 4]:
        name, *cells = line.split()
        for key, unit, cell in zip(
            ("tc_onset", "tc_zero", "a", "c"), ("K", "K", "Å", "Å"), cells, strict=True
        ):
            if cell != "…":
                yield labels[name], key, f"{cell} {unit}"
    head = next(number for number, line in enumerate(lines) if line.startswith("γ (mJ") and "Θcalc" in line)
    unit = lines[head].partition("(")[2].partition(")")[0]
    for line in lines[head + 1 : head + 4]:
        name, gamma, _, debye, _ = line.split()
        for key, cell, of in (("gamma", gamma, unit), ("debye", debye, "K")):
            if cell != "…":
                yield labels[name], key, f"{cell} {of}"
