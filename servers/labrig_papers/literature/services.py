"""The services that are asked about the literature, by the terms of each."""

from __future__ import annotations

from labrig.http.hosts import Limit
from labrig.http.services import Key, Service
from labrig_papers.fetching.addresses import ARXIV

CROSSREF = Service(
    "crossref",
    "https://api.crossref.org",
    limit=Limit(
        per_second=1, concurrent=1
    ),  # stated for lists in the public pool: 1 request/s, one at a time
    key=Key("papers", "crossref_email", param="mailto", required=False),  # the polite pool
    terms="https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/",
)
OPENALEX = Service(
    "openalex",
    "https://api.openalex.org",
    limit=Limit(per_second=5, concurrent=2),
    key=Key(
        "papers", "openalex_key", param="api_key", required=False, get_it="https://openalex.org/settings/api"
    ),
    terms="https://docs.openalex.org/how-to-use-the-api/rate-limits-and-authentication",
)
SEMANTIC_SCHOLAR = Service(
    "semantic_scholar",
    "https://api.semanticscholar.org/graph/v1",
    limit=Limit(per_second=1, concurrent=1),  # stated for a key: 1 request/s over all end points
    key=Key(
        "papers",
        "semantic_scholar_key",
        header="x-api-key",
        required=False,
        get_it="https://www.semanticscholar.org/product/api",
    ),
    terms="https://www.semanticscholar.org/product/api/license",
)
UNPAYWALL = Service(
    "unpaywall",
    "https://api.unpaywall.org/v2",
    limit=Limit(per_second=1, concurrent=1),  # stated: 100,000 a day, with an e-mail address
    key=Key("papers", "unpaywall_email", param="email"),
    terms="https://unpaywall.org/products/api",
)
SERVICES = (ARXIV, CROSSREF, OPENALEX, SEMANTIC_SCHOLAR, UNPAYWALL)
