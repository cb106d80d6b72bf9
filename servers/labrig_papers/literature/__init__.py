"""Services that know the literature: who wrote what, under which DOI, and where a free copy of it is.

- `works`: what is known of a work, its DOI in any writing, and when two are the same
- `services`: the services, with their terms
- `crossref`, `openalex`, `arxiv`, `semantic_scholar`, `unpaywall`: one service each, a question and a parser
- `asking`: a reference resolved, works found, free copies, by one service after the other or by several at once
"""
