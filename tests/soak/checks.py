"""What `make soak` runs: for each check its commands, the line of their output that is its figure, and a small form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Command = tuple[str, ...]
PYTEST: Command = ("{python}", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "accept or soak")
SUMMARY = r"^\d+ passed|^\d+ failed|\d+ passed.* in "
"""The last line that pytest prints."""


@dataclass(frozen=True)
class Check:
    """One kind of exhaustive check.

    Attributes
    ----------
    commands
        Each must end with 0; ``{python}`` is the interpreter, ``{folder}`` a folder that is removed afterwards.
    figure
        A pattern of the lines that say how much was checked; a check without one has failed.
    small, small_environment
        The same with small numbers, to see that it works.
    """

    name: str
    what: str
    commands: tuple[Command, ...]
    figure: str
    small: tuple[Command, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    small_environment: Mapping[str, str] = field(default_factory=dict)


FUZZ = "tests/e2e/test_fuzz.py"
GYM_ITEMS = "{folder}/items.jsonl"
CLIENTS, SEARCH = "tests/e2e/test_five_servers_in_clients.py", "tests/e2e/test_tool_search.py"

CHECKS = (
    Check(
        "fuzz",
        "10,000 calls of each server in each order of its toolsets: an answer always, and nothing grows",
        (("{python}", "-m", "pytest", "-q", "-s", "-m", "soak", FUZZ),),
        r"calls were answered",
        (("{python}", "-m", "pytest", "-q", "-s", FUZZ, "-k", "a_sample"),),
    ),
    Check(
        "properties",
        "each property of the tests on 20 times as many drawn cases: 2,000 of most",
        (("{python}", "-m", "pytest", "-q", "-m", "hypothesis", "--hypothesis-profile", "soak"),),
        SUMMARY,
        (("{python}", "-m", "pytest", "-q", "-m", "hypothesis", "tests/shared/test_redaction.py"),),
    ),
    Check(
        "large",
        "tests with the large numbers: a million names in a folder, 1,000 calls in a row, 100 records killed half-way, "
        "coverage over 200 analyses, a second solution on 200 and 300 questions, examples of the pages as processes",
        (("{python}", "-m", "pytest", "-q", "-m", "soak", "--ignore", FUZZ),),
        SUMMARY,
        (
            (
                "{python}",
                "-m",
                "pytest",
                "-q",
                "-m",
                "soak",
                "tests/shared/sandbox",
                "-k",
                "many_calls_in_a_row and auto",
            ),
        ),
    ),
    Check(
        "server-attacks",
        "every attack on the server, over each transport",
        (("{python}", "tests/hostile/servers/attack.py", "--write"),),
        r"^[1-9]\d* cases x",
        (("{python}", "tests/hostile/servers/attack.py", "while"),),
    ),
    Check(
        "load",
        "100 clients with two tokens at each server: no answer of another, bounded memory, each token its half",
        (("{python}", "tests/soak/load.py"),),
        r": \d+ clients, ",
        (("{python}", "tests/soak/load.py", "--clients", "10", "--seconds", "10"),),
    ),
    Check(
        "shares",
        "2, 5 and 10 callers, up to four of them greedy: what each gets of its 1/N, within a factor of 1.5",
        (("{python}", "tests/soak/shares.py", "--seconds", "20"),),
        r": \d+ owners, ",
        (("{python}", "tests/soak/shares.py", "--seconds", "5", "--owners", "2", "--", "phreeqc"),),
    ),
    Check(
        "download",
        "a file of 3 GB, broken off once, downloaded, kept, given to a child, replayed: the same bytes, below 200 MB",
        (("{python}", "tests/soak/download.py"),),
        r"^[\d,]+ MB: record",
        (("{python}", "tests/soak/download.py", "--megabytes", "40"),),
    ),
    Check(
        "sandbox-attacks",
        "every attack program in every column, as each user",
        (("{python}", "tests/hostile/sandbox/attack.py", "--write"),),
        r"^[1-9]\d* programs, ",
        (("{python}", "tests/hostile/sandbox/attack.py", "--column=landlock", "password"),),
    ),
    Check(
        "argleton",
        "traps of Argleton and their clean twins, an outside suite, by the Earth server over MCP",
        (("{python}", "tests/real/argleton/run.py"),),
        r"^argleton [\d.]+, labrig",
        (("{python}", "tests/real/argleton/run.py", "--only", "002-feet-as-metres", "c002-projected-area"),),
    ),
    Check(
        "gym-digests",
        "every byte of 500 generated repositories, twice and under two Pythons and two numpys",
        (("sh", "scripts/gym_digests.sh", "1", "500"),),
        r"^repositories \d+ to",
        (("sh", "scripts/gym_digests.sh", "1", "1", "--files", "1"),),
    ),
    Check(
        "gym-truths",
        "15 questions of each type and file format, recomputed from the files by two programs",
        (
            ("{python}", "tests/clients/suites/science_gym/check_truths.py", "--per-cell", "15"),
            ("{python}", "tests/clients/suites/science_gym/check_truths.py", "--per-cell", "15", "--second"),
        ),
        r"^[1-9]\d* questions, ",
        (
            (
                *("{python}", "tests/clients/suites/science_gym/check_truths.py", "--per-cell", "1"),
                *("--type", "count-rows", "--extension", "csv"),
            ),
        ),
    ),
    Check(
        "gym-attack",
        "an attacker who sees the words of 24,000 questions alone",
        (
            ("labrig", "generate", "science-gym", "--seed", "soak", "--n", "24000", "--out", GYM_ITEMS),
            ("{python}", "-m", "attackers.science_gym", "--tasks", GYM_ITEMS),
        ),
        r"always saying possible:",
        (
            ("labrig", "generate", "science-gym", "--seed", "soak", "--n", "2400", "--out", GYM_ITEMS),
            ("{python}", "-m", "attackers.science_gym", "--tasks", GYM_ITEMS),
        ),
    ),
    Check(
        "gym-acceptance",
        "the reference on 1,000 questions over MCP, and the same bytes again",
        ((*PYTEST, "tests/clients/suites/science_gym/test_acceptance.py"),),
        SUMMARY,
        ((*PYTEST, "tests/clients/suites/science_gym/test_acceptance.py"),),
        {"LABRIG_GYM_QUESTIONS": "1000"},
        {"LABRIG_GYM_QUESTIONS": "100"},
    ),
    Check(
        "gym-words",
        "whether a property or the words of 9,000 hard and 7,500 clean questions tell that they are impossible",
        (
            ("{python}", "-m", "attackers.gym_words", "hard", "--each", "1500"),
            ("{python}", "-m", "attackers.gym_words", "clean", "--each", "1500"),
        ),
        r"^(hard|clean): ",
        (("{python}", "-m", "attackers.gym_words", "hard", "--each", "60"),),
    ),
    Check(
        "gym-hard",
        "the reference on 300 hard questions over MCP, and with every digit of its results changed",
        ((*PYTEST, "tests/gym_suite/test_hard_items.py", "-k", "over_mcp"),),
        SUMMARY,
        ((*PYTEST, "tests/gym_suite/test_hard_items.py", "-k", "over_mcp"),),
        {"LABRIG_HARD_QUESTIONS": "300"},
        {"LABRIG_HARD_QUESTIONS": "20"},
    ),
    Check(
        "mcq-attack",
        "attackers who guess without an engine on 2,500 items",
        (("{python}", "-m", "attackers.phreeqc_mcq", "--items", "2500"),),
        r"^Of \d+ attackers",
        (("{python}", "-m", "attackers.phreeqc_mcq", "--items", "200", "--small"),),
    ),
    Check(
        "mcq-acceptance",
        "200 items of phreeqc-mcq by reference, nop and random over MCP",
        ((*PYTEST, "tests/clients/suites/phreeqc_mcq/test_acceptance.py"),),
        SUMMARY,
        ((*PYTEST, "tests/clients/suites/phreeqc_mcq/test_acceptance.py"),),
        {"LABRIG_MCQ_ITEMS": "200"},
        {"LABRIG_MCQ_ITEMS": "64"},
    ),
    Check(
        "terrabench",
        "128 items of terrabench of all tracks and engines by the reference over MCP; the linter, cheap answers",
        (("{python}", "tests/soak/terrabench.py"),),
        r"every mark on",
        (("{python}", "tests/soak/terrabench.py", "--items", "4", "--first", "24"),),
    ),
    Check(
        "clients",
        "the five servers listed and called in Claude Code, Codex, Gemini CLI and opencode; what Claude Code's "
        "own search finds first of people's requests",
        ((*PYTEST[:-1], "soak", "-s", CLIENTS, SEARCH),),
        rf"found by the search alone$|found or listed at once$|{SUMMARY}",
        ((*PYTEST[:-1], "soak", "-s", CLIENTS, "-k", "Codex"),),
    ),
    Check(
        "graders",
        "the five servers as mcpscore (94 % of its points at least) and agent-friend (no error) grade them",
        (("{python}", "tests/soak/graders.py", "{folder}"),),
        r"^\w+: mcpscore",
        (("{python}", "tests/soak/graders.py", "{folder}", "repository"),),
    ),
)
