"""From the declared arguments of a sub-tool to a tool of the server, which has a child do what is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from labrig.answer import Published
from labrig.toolbox import session
from labrig_earth.server.base import toolbox
from labrig_earth.server.terra.common import require_active, require_within, run_sub_tool
from labrig_earth.terra.arguments.declared import Arguments

Asked = TypeVar("Asked", bound=Arguments)


def offer(
    group: str,
    name: str,
    title: str,
    kind: type[Asked],
    *,
    read_only: bool = False,
    open_world: bool = False,
    prepare: Callable[[Asked], Awaitable[Asked]] | None = None,
) -> None:
    """Offer a sub-tool: its arguments are the fields of `kind`, its description is what `kind` says of itself.

    Parameters
    ----------
    prepare
        What the server does before files are opened: it finds or fetches them, and fills fields with them.
    """

    async def answer(**arguments: Any) -> Published:
        require_active(group, session())
        asked = kind(**arguments)
        asked = asked if prepare is None else await prepare(asked)
        folder, path = asked.places()
        given = asked.model_dump(exclude_defaults=True)
        targets = {file: require_within(at, where) for file, (where, at) in asked.named_places().items()}
        return await run_sub_tool(
            group, name, asked.inputs(), given, output_dir=folder, output_path=path, targets=targets
        )

    signature = kind.signature()
    answer.__signature__ = signature  # type: ignore[attr-defined]
    answer.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    answer.__doc__ = kind.__doc__
    toolbox.tool(
        title=title,
        name=name,
        read_only=read_only,
        open_world=open_world,
        faithful=True,
        toolsets=("terra", f"terra-{group}"),
    )(answer)
