"""Questions of a messy field campaign are answered as a scientist would have them, each by one call."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.servers.repository.test_server import Rig, served

from support.campaign import QUESTIONS, Question, write_campaign
from support.sandbox_rig import skip_unless

pytestmark = pytest.mark.accept


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    top = tmp_path_factory.mktemp("campaign")
    write_campaign(top / "spring")
    with served(top, "default", top / "spring") as rig:
        yield rig


@pytest.mark.parametrize("question", QUESTIONS, ids=[each.asked for each in QUESTIONS])
def test_a_question_of_the_campaign_is_answered(campaign: Rig, question: Question) -> None:
    if question.tool == "run_python_code":
        skip_unless()
    result = campaign.call(question.tool, **question.arguments)
    assert not result.is_error, result.content[0].text
    text = "".join(each.text for each in result.content if each.type == "text")
    text += json.dumps(result.structured_content, ensure_ascii=False)
    assert question.lacking(text) == [], text
    assert any(each.type == "image" for each in result.content) is question.picture
