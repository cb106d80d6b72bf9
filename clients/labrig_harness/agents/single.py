"""One call and no tools: ``direct`` gives the answer alone, ``cot`` reasons first, as the arm's instructions say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labrig.errors import LabrigError
from labrig_harness.agent import Bench
from labrig_harness.agents.model_agent import ModelAgent
from labrig_harness.arm import Arm
from labrig_harness.blobs import Blob
from labrig_harness.models import service
from labrig_harness.models.messages import as_utf8, written
from labrig_harness.sample import Attachment
from labrig_harness.trajectory import Tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import BinaryContent, UserContent

KINDS = ("direct", "cot")


class Single(ModelAgent):
    """One request: the prompt, the item's files as text, its PDF files and images as they are."""

    needs_tools = False

    def accept(self, arm: Arm) -> None:
        """Refuse an arm with tools, and one whose instructions are those of the other kind."""
        if arm.server:
            raise LabrigError(
                f"The arm {arm.name} has tools, and the agent {self.spec.kind!r} calls none",
                where="--arm",
                try_="--agent loop, or an arm without a server",
                code="refused",
            )
        if arm.channel.is_file:
            raise LabrigError(
                f"The arm {arm.name} takes its answer from a file, and without tools none can be written",
                where="--arm",
                code="refused",
            )
        if arm.name in KINDS and arm.name != self.spec.kind:
            raise LabrigError(
                f"The arm {arm.name} has the instructions of the agent {arm.name!r}, not of {self.spec.kind!r}",
                where="--arm",
                try_=f"--agent {arm.name}, or --arm {self.spec.kind}",
                code="refused",
            )
        super().accept(arm)

    async def run(self, bench: Bench) -> None:
        """Ask once; what the model says is the answer."""
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        brief = bench.brief
        content: list[UserContent] = [_attach_content(each) for each in brief.attachments]
        content += [_describe_file(path, file) for path, file in brief.files.items()]
        content.append(bench.prompt)
        bench.check_budget()
        bench.versions.update(service.versions())
        async with service.connect(self.spec, self._model) as model:
            asked = ModelRequest([UserPromptPart(content if len(content) > 1 else bench.prompt)])
            reply = await model.ask([asked], [], seconds=bench.arm.wall_s)
        turn, _ = self.record(bench, reply, Tokens(measured=True))
        for call in reply.calls:  # none was offered: recorded as the mistake that it is
            raw = call.raw if isinstance(call.raw, str) else written(call.raw)
            turn.miscall(call.tool, as_utf8(raw), "unknown_tool", "There are no tools.", id=call.id)


def _attach_content(attachment: Attachment) -> BinaryContent:
    from pydantic_ai.messages import BinaryContent

    return BinaryContent(attachment.content(), media_type=attachment.media_type)


def _describe_file(path: str, file: str | Blob) -> str:
    if isinstance(file, Blob):
        return f'The file "{path}" has {file.size:,} bytes and is not shown.'
    return f'The file "{path}":\n\n{file}'
