"""Of group satellite: pictures described by the operator's model."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from labrig.answer import Published
from labrig.errors import LabrigError
from labrig.threads import in_thread
from labrig.toolbox import Session, session
from labrig_earth.catalogue.language_model import LANGUAGE_MODEL, ask_model, require_model
from labrig_earth.server.base import MODEL, state, toolbox
from labrig_earth.server.operations import Asked, do_operation
from labrig_earth.server.terra.common import between, publish_payload, require_active
from labrig_earth.server.terra.satellite import GROUP
from labrig_earth.terra.arguments.kinds import Text, Whole

TOOLSETS = ("terra", f"terra-{GROUP}")
MOST_IMAGES = 8
MOST_BYTES = 16 << 20
"""Of a picture on the web."""
MOST_PROMPT = 20_000
USUAL = {"model_family": "llava-onevision", "model_size": "4b", "device": "cuda:0"}


@toolbox.tool(title="Describe a picture", read_only=True, open_world=True, faithful=True, toolsets=TOOLSETS)
async def describe_image_vlm(
    image: Annotated[
        str | list[str], Field(description="PNG or JPEG files, handles, or addresses; up to 8.")
    ],
    prompt: Annotated[str, Field(max_length=MOST_PROMPT)] = "Describe this image.",
    model_family: Annotated[Text, Field(description="Recorded.")] = "llava-onevision",
    model_size: Text = "4b",
    model_id: Annotated[Text, Field(description="Another model.")] = "",
    device: Text = "cuda:0",
    max_new_tokens: Annotated[Whole, between(1, 4096)] = 256,
) -> Published:
    """Have the configured model describe pictures."""
    here = session()
    require_active(GROUP, here)
    configured = str(toolbox.setting(here.state.options, MODEL.name))
    require_model(configured, "describe a picture")
    images = [image] if isinstance(image, str) else list(image)
    if not 0 < len(images) <= MOST_IMAGES or not all(images):
        raise LabrigError(
            f"{len(images)} pictures", where="image", expected=f"1 to {MOST_IMAGES} files or addresses"
        )
    pictures, hashes = await _pictures(here, images)
    content: list[dict[str, Any]] = [
        {
            "type": "image_url",
            "image_url": {"url": f"data:image/jpeg;base64,{base64.b64encode(each).decode()}"},
        }
        for each in pictures
    ]
    content.append({"type": "text", "text": prompt})
    found = await ask_model(
        state().client, model_id or configured, [{"role": "user", "content": content}], max_new_tokens
    )
    payload: dict[str, Any] = {
        "model_id": found.model,
        "model_family": model_family,
        "model_size": model_size,
        "device": device,
        "prompt": prompt,
        "images": images,
        "caption": found.text,
        "max_new_tokens": max_new_tokens,
        "method": "pictures of at most 1,024 pixels a side, as JPEG; a description by a model, not a measurement",
        "assumed": [
            f"{found.model} was asked; model_family, model_size and device are those of the published program"
        ],
    }
    record = {"operation": "describe_image_vlm", "inputs": hashes, "sources": [found.source]}
    return publish_payload(payload, source=f"{LANGUAGE_MODEL.name} ({LANGUAGE_MODEL.at()})", record=record)


async def _pictures(here: Session, images: Sequence[str]) -> tuple[list[bytes], Mapping[str, str]]:
    """Return pictures as a child has made them smaller, and the hashes of what they are made from."""
    sources: list[str] = []
    for each in images:
        if each.startswith(("http://", "https://")):
            answer = await state().client.get(each, robots=True, max_bytes=MOST_BYTES, patience_s=10)
            put, name = here.artifacts.put, f"{hashlib.sha256(each.encode()).hexdigest()[:12]}.img"
            made_by = {"server": "earth", "tool": "describe_image_vlm", "url": each}
            kept = await in_thread(put, name, answer.body, media_type=answer.media_type, made_by=made_by)
            sources.append(kept.handle)
        else:
            sources.append(each)
    async with do_operation(Asked("terra_pictures_for_a_model", {"images": sources}, {}), here) as done:
        names = done.result.files
        return await in_thread(lambda: [done.folder.read(name) for name in names]), dict(done.hashes)
