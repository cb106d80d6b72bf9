"""Files robots.txt that are small and cost much: each of N agents has each of M rules, in all spellings."""

from __future__ import annotations

SPELLINGS = (
    "User-agent: {}",
    "useragent:{}",
    "User Agent\t{}",
    "user\tagent {}",
    "USER-AGENT {} # x",
    "user agent: {}*",
)


def bomb(agents: int, rules: int) -> str:
    """Return a file that a reader multiplies out."""
    named = [SPELLINGS[number % len(SPELLINGS)].format(f"a{number}") for number in range(agents)]
    return "\n".join([*named, "User-agent: *", *(f"Disallow: /{number}" for number in range(rules)), ""])


def long(size: int) -> str:
    """Return a file of so many characters whose first rule is one and whose last another."""
    head, tail = "User-agent: *\nDisallow: /first\n", "Disallow: /last\n"
    line = "Allow: /*a*b*c*d$\n"
    return head + line * ((size - len(head) - len(tail)) // len(line)) + tail
