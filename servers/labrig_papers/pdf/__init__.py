"""PDF files as pages of marked-up text, of which every character has its box.

In the order of work:

- `opening`: a file becomes a document, or a typed error; `encodings`: what glyphs of publishers' fonts of signs are
- `glyphs`: the characters of a page, with origin, size and box
- `lines`: glyphs in visual lines; accents and letters become one
- `turning`: print that stands sideways or on its head, in a frame in which it is upright;
  `ordering`: its glyphs in the order of reading
- `columns`: lines that a file draws across two columns are split
- `marking`: lines become text with `^{..}` and `_{..}`
- `legible`: whether a page's text is a language
- `page`: what comes of it: `Page`; `pages`: reading them from a document, and which of them are scans
- `structure`: title, headings, captions; `tables`: grids of cells
- `continuing`: where the next page goes on with a sentence
- `rendering`: a page or a part of it as a picture
- `ocr`: text of scanned pages, by tesseract where it is installed
- `inside`: what a child does with a file; `warmed`: what it finds built; `apart`: asking that child
"""
