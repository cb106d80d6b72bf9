"""What the tests know of the papers server: a PDF with text, a table and scripts, and files that only look like one."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from hostile.guard import Guard
from hostile.servers.case import Call
from hostile.servers.papers import CASES
from hostile.servers.target import Target
from support.fuzzing import Vocabulary, mangled
from support.imitation import Imitation, html, page, redirect, status, text
from support.recorded import Network

EXTRACTED = {
    "id": "1",
    "material_or_system": "La1.85Sr0.15CuO4",
    "property_name": "T_c (of this sample) recommended",
    "category": "Superconductivity",
    "value_string": "36.9(2) K",
    "value_unit": "K",
    "location": {
        "page": 1,
        "source_type": "text",
        "evidence": "The transition is at Tc = 36.9(2) K in zero field.",
    },
}
SENTENCE = "The transition is at Tc = 36.9(2) K in zero field."


@cache
def paper() -> bytes:
    """Return a PDF of two pages: a sentence, a power of ten, a table with its caption; and nothing."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(400, 300), invariant=True)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(40, 260, SENTENCE)
    canvas.drawString(40, 240, "Jc = 1.2 x 10")
    canvas.setFont("Helvetica", 7)
    canvas.drawString(40 + canvas.stringWidth("Jc = 1.2 x 10", "Helvetica", 10), 243.6, "6")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(40, 200, "TABLE I. Samples and their transitions.")
    for y, cells in enumerate(
        [["Sample", "Tc (K)", "p (GPa)"], ["A1", "36.9(2)", "0.5"], ["A2", "< 1.8", "12"]]
    ):
        for x, cell in enumerate(cells):
            canvas.drawString(40 + 90 * x, 180 - 14 * y, cell)
    canvas.showPage()
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def lay_out(folder: Path) -> tuple[Path, ...]:
    """Write a folder of PDFs and of what is none."""
    top = folder / "library"
    top.mkdir(parents=True, exist_ok=True)
    whole = paper()
    for name, content in {
        "paper.pdf": whole,
        "cut.pdf": whole[: len(whole) // 2],
        "empty.pdf": b"",
        "page.pdf": b"<!DOCTYPE html><html><body>Log in</body></html>",
        "garbage.pdf": b"%PDF-1.7\n" + bytes(range(256)) * 40,
        "many.pdf": whole.replace(b"/Count 2", b"/Count 99999999"),
        "text.txt": b"no paper\n",
        "right.json": json.dumps({"properties": [EXTRACTED]}).encode(),
        "odd.json": b'{"properties": [1, {"value_string": []}, {"location": {"page": 1e400}}]}',
        "deep.json": b"[" * 20_000,
    }.items():
        (top / name).write_bytes(content)
    return (top,)


PDF = "@library/paper.pdf"
FILE = st.sampled_from(
    [
        PDF,
        PDF,
        PDF,
        *(f"@library/{each}.pdf" for each in ("cut", "empty", "page", "garbage", "many")),
        "@library/text.txt",
    ]
)
ADDRESSES = (
    "arXiv:2101.00001",
    "arXiv:2101.00002",
    "arXiv:x",
    "https://example.org/paper.pdf",
    "http://169.254.169.254/latest",
    "http://",
)
PATH = st.one_of(
    FILE,
    FILE,
    mangled(FILE),
    st.sampled_from(["", "..", "/etc/passwd", "@library", "@other/x.pdf", "file:///etc/passwd", *ADDRESSES]),
)
WORDS = st.sampled_from(
    [
        SENTENCE,
        "Tc = 36.9(2) K",
        "6.9(2) K in zero",
        "10^{6}",
        "$T_c$",
        "\\times",
        "K",
        "",
        " ",
        "é",
        "\x00",
        "\ud800",
        "x" * 3_000,
    ]
)


WORK = {
    "DOI": "10.1000/Known",
    "title": ["On " + "long titles " * 90],
    "author": [{"family": "Tester"}] * 400,
}
REFERENCES = ("10.1000/known", "https://doi.org/10.1000/known", "A title", "arXiv:2101.00001")


def _furnish(site: Imitation) -> None:
    site.on("/arxiv/pdf/2101.00001").then(page(paper(), "application/pdf"))
    site.on("/arxiv/pdf/2101.00002").then(status(404))
    site.on("/crossref/works/*").then({"message": WORK})
    site.on("/crossref/works").then({"message": {"items": [WORK]}})
    site.on("/openalex/*").then(html("<title>Log in</title>"))
    site.on("/semantic_scholar/paper/*").then(
        {"paperId": "1", "openAccessPdf": {"url": site.url("/login.pdf")}}
    )
    site.on("/semantic_scholar/paper/search").then({"total": 0, "data": []})
    site.on("/arxiv/api/query").then(text('{"half": '))
    site.on("/robots.txt").then(status(404))
    site.on("/inside.pdf").then(redirect("http://169.254.169.254/latest"))
    site.on("/login.pdf").then(html("<p>Log in"))


NETWORK = Network(
    _furnish,
    lambda site: (
        [
            ("open_paper", {"path": path})
            for path in (*ADDRESSES[:2], site.url("/inside.pdf"), site.url("/login.pdf"))
        ]
        + [
            (tool, {"reference": reference})
            for tool in ("resolve_doi", "find_open_access", "fetch_pdf")
            for reference in REFERENCES
        ]
        + [
            ("search_literature", {"query": "MgB2", "sources": list(sources)})
            for sources in (("crossref",), ("semantic_scholar", "crossref"), ("openalex", "arxiv"))
        ]
    ),
)

VOCABULARY = Vocabulary(
    lambda handles: {
        "path": PATH,
        "extraction_file": st.sampled_from(
            ["@library/right.json", "@library/odd.json", "@library/deep.json", "@library/empty.pdf", PDF, "x"]
        ),
        "values": st.sampled_from(
            [
                {"tc": "9 K", "hc2": "3 T"},
                {"tc": "x"},
                {},
                {"": ""},
                {"hc1": "1e999 T", "hc2": "0 T"},
                {"xi": "0 nm"},
            ]
        ),
        "truth": st.sampled_from(["6.2 K", "0 K", "1-2 T", ""]),
        "pages": st.sampled_from(
            ["", "1", "1-2", "2", "1,2", "3", "0", "2-1", "1-99999999999", "a", "-", "²"]
        ),
        "page": st.sampled_from([1, 2, 3, 0, -1, 10**9, None]),
        "quote": WORDS,
        "query": WORDS,
        "limit": st.sampled_from([1, 20, 0, -1, 10**9]),
        "reference": st.sampled_from(
            [*REFERENCES, *ADDRESSES, "", " ", "x" * 100_000, "10.1000/%00", "doi:"]
        ),
        "sources": st.sampled_from([None, [], ["corpus"], ["crossref"], ["openalex", "arxiv"], ["x"], [1]]),
        "material": st.sampled_from(["MgB2", "YBCO", "La2-xSrxCuO4", "O" * 200, "(" * 199, "", "x" * 5_000]),
        "add_to_corpus": st.sampled_from([False, False, True, 1, "yes"]),
        "table": st.sampled_from(["", "TABLE I", "table i.", "p1.1", "TABLE IX", "x" * 5_000]),
        "dimension": st.sampled_from(["", "temperature", "length", "1", "beauty"]),
        "quantity": st.sampled_from(["", "Tc", "critical_temperature", "beauty", "x" * 400]),
        "part": st.sampled_from(["", "TABLE I", "FIG. 1", "x" * 5_000]),
        "name": st.sampled_from(["Tc", "Hc2(0) || c", "", "x" * 400, "\x00"]),
        "value": st.sampled_from(["6.24(3) K", "310 Oe", "1e999 K", "5 at.", "", "9" * 400]),
        "text": st.sampled_from(["YBCO", "La2-xSrxCuO4", "P6_{3}/mmc", "(" * 300, ""]),
        "first": st.sampled_from(["YBa2Cu3O7", "O" * 400, ""]),
        "second": st.sampled_from(["YBa2Cu3O6.93", "(((("]),
    },
    {
        "open_paper": [{"path": PDF}, {"path": ADDRESSES[0]}],
        "search_literature": [{"query": "MgB2", "sources": ["crossref"]}],
        "resolve_doi": [{"reference": REFERENCES[0]}, {"reference": "A title"}],
        "find_open_access": [{"reference": REFERENCES[0]}],
        "fetch_pdf": [{"reference": "arXiv:2101.00001"}],
        "validate_precedent": [{"material": "La2-xSrxCuO4 with x = 0.15"}],
        "outline_paper": [{"path": PDF}],
        "read_pages": [{"path": PDF, "pages": "1"}],
        "search_paper": [{"path": PDF, "query": "transition"}],
        "read_table": [{"path": PDF, "table": "TABLE I"}],
        "show_page": [{"path": PDF, "page": 1, "quote": "Tc = 36.9(2) K", "dpi": 72}],
        "find_quantities": [{"path": PDF, "dimension": "temperature"}],
        "verify_quote": [{"path": PDF, "quote": SENTENCE, "page": 1}],
        "validate_extraction": [{"path": PDF, "extraction_file": "@library/right.json"}],
        "compare_values": [{"value": "36.9(2) K", "truth": "36.9 K"}],
        "check_consistency": [{"values": {"tc": "36.9(2) K", "hc2": "54 T", "xi": "2.5 nm"}}],
        "match_property": [{"name": "Tc (onset)"}],
        "convert_units": [{"value": "310 Oe", "to": "T"}],
        "normalize_formula": [{"text": "La2-xSrxCuO4", "context": "x = 0.15"}],
        "compare_formulas": [{"first": "YBa2Cu3O7", "second": "YBa2Cu3O6.93"}],
        "normalize_space_group": [{"text": "P6_{3}/mmc"}],
    },
    lay_out=lay_out,
)


def _attacked_folder(guard: Guard) -> list[str]:
    """Serve a folder of papers in the watched tree."""
    (root,) = lay_out(guard.home)
    return ["--root", str(root)]


TARGET = Target(
    canary=Call("verify_quote", {"path": PDF, "quote": SENTENCE}),
    right=lambda result: "'value': 'exact'" in str(result.get("structuredContent")),
    arguments={"search_paper": [{"path": PDF, "query": "transition"}]},
    lay_out=_attacked_folder,
    cases=lambda: CASES,
)
