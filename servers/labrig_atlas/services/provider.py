"""Who answers a question: a declared service with licence and credit, and the reply that names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from labrig.http import Service
from labrig_atlas.services.checks import AS_GIVEN

T = TypeVar("T")


@dataclass(frozen=True)
class Provider:
    """A service as its readers should know it.

    Attributes
    ----------
    service
        Where it is, how often it may be asked, which key it wants.
    credit
        Whose data these are and under which licence or terms: stands in every result.
    questions
        What it answers, by the names of `labrig_atlas.services.backends`.
    at_most
        Its limits in words: requests, points and elements; "stated" ones are its own, others are Labrig's.
    needs
        What has to be set or installed beside key and contact.
    """

    service: Service
    title: str
    credit: str
    homepage: str
    questions: tuple[str, ...]
    at_most: str
    needs: str = ""

    @property
    def wants(self) -> str:
        """What has to be set or installed before it is asked: a variable, a command, or nothing."""
        key = self.service.key.variable if self.service.key else ""
        return key or ("LABRIG_HTTP_CONTACT" if self.service.contact else self.needs)

    @property
    def source(self) -> str:
        """The line that stands in a result."""
        return f"{self.title}: {self.credit}"


@dataclass(frozen=True)
class Reply(Generic[T]):
    """What services answered to one question.

    Attributes
    ----------
    facts
        The records of `labrig_atlas.facts`.
    providers
        Who was asked, each once, in order.
    sources
        URL without keys, status, SHA-256 and time of each answer, for the record of a call; the same in a replay.
    notes
        What a reader has to know: which candidate was taken, what was left out, which terms hold.
    recorded
        False where the answer came through a library whose requests no ledger can hold.
    """

    facts: T
    providers: tuple[Provider, ...]
    sources: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    recorded: bool = True

    @property
    def source(self) -> str:
        """Who answered, with licence and credit, and the addresses that were asked; or that nobody need be asked."""
        if not self.providers:
            return AS_GIVEN
        credits = "; ".join(each.source for each in self.providers)
        addresses = ", ".join(str(each["url"]) for each in self.sources[:3])
        more = len(self.sources) - 3
        return f"{credits} ({addresses}{f' and {more} more' if more > 0 else ''})" if addresses else credits
