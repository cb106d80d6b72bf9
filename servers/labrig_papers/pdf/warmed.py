"""Imported by the process that readers are forked from: what is built at the first use is then there for all of them.

The units, the names of properties and the patterns of values take half a second to build, what writes pictures 20 ms:
a question that finds them there takes less than that.
"""

from __future__ import annotations

import pypdfium2

from labrig_papers.pdf.glyphs import warm
from labrig_papers.pdf.pages import read_pages
from labrig_papers.pdf.rendering import render
from labrig_papers.quantities.finding import find_quantities

TEXT = "We find T_{c} = 36.9(2) K, J_{c} = 1.2 × 10^{6} A/cm^{2} and γ = 2.64 mJ/mol K^{2} for MgB_{2} [1]. It is 5.7."

find_quantities([TEXT])
warm()
empty = pypdfium2.PdfDocument.new()
empty.new_page(72, 72)
list(read_pages(empty, [1]))
render(empty, 1, dpi=72)
empty.close()
