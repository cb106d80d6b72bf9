"""Which codecs a Zarr store may name: those that turn bytes into numbers and text, and none that runs what it reads.

A store names its codecs, and zarr takes whatever is installed by that name. ``pickle`` runs the program that a chunk
holds; it hides behind an object codec that zarr takes for the type (numcodecs#706). numcodecs refuses it from 0.16.6
on; here it is not known at all.
"""

from __future__ import annotations

from labrig.errors import LabrigError

KNOWN = frozenset(
    (
        *(
            "adler32",
            "astype",
            "base64",
            "bitround",
            "blosc",
            "bz2",
            "categorize",
            "crc32",
            "crc32c",
            "delta",
        ),
        *("fixedscaleoffset", "fletcher32", "gzip", "jenkins_lookup3", "json2", "lz4", "lzma", "msgpack2"),
        *(
            "packbits",
            "pcodec",
            "quantize",
            "shuffle",
            "vlen-array",
            "vlen-bytes",
            "vlen-utf8",
            "zfpy",
            "zlib",
        ),
        "zstd",
    )
)
"""Of numcodecs, by their ids. Those of Zarr 3 itself are none that run anything."""


def keep_known() -> None:
    """Leave this process no other codec of numcodecs, whatever packages beside it offer."""
    from numcodecs import registry

    registry.entries.clear()
    for name in registry.codec_registry.keys() - KNOWN:
        del registry.codec_registry[name]


def unknown_codec(error: Exception, where: str) -> LabrigError | None:
    """Return the refusal of a codec that is not known, if that is what an error says."""
    if type(error).__name__ != "UnknownCodecError":
        return None
    return LabrigError(
        f"A codec of this Zarr store is not read: {str(error)[:100]}",
        where=where,
        expected=", ".join(sorted(KNOWN)) + ", and those of Zarr 3",
        try_="write the store with another codec, such as zstd",
        code="refused",
    )
