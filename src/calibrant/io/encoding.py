"""The encoding of a text file, from its first bytes."""

from __future__ import annotations

import codecs

from calibrant.errors import FileError, OptionError
from calibrant.safe import plain

__all__ = ["decode_head"]


def decode_head(head: bytes, wanted: str | None, name: str) -> tuple[str, str]:
    """The head as text, and the encoding that it is in.

    Raises:
        FileError: if it is not in that encoding.
        OptionError: if there is no such encoding.
    """
    encoding = wanted or _marked(head) or "utf-8"
    try:
        found = codecs.lookup(encoding)
        usable = found._is_text_encoding
    except (LookupError, ValueError):
        usable = False
    if not usable:
        raise OptionError(f"--encoding {plain(encoding)!r} is unknown.", hint="Try utf-8, latin-1 or utf-16.")
    try:
        decoder = codecs.getincrementaldecoder("utf-8-sig" if found.name == "utf-8" else found.name)()
        return decoder.decode(head), found.name if wanted else encoding
    except UnicodeError as error:
        place = error.start if isinstance(error, UnicodeDecodeError) else 0
        if sum(byte < 9 or 13 < byte < 32 for byte in head[:4096]) > len(head[:4096]) / 20:
            raise FileError(
                f"{name} is not a text file.", hint="Give a CSV, TSV, JSON, JSONL or Parquet file."
            ) from None
        line = head[:place].count(b"\n") + 1
        raise FileError(
            f"{name} is not written in {encoding}: line {line} holds the byte 0x{head[place]:02X}.",
            hint="Name the encoding: --encoding latin-1 (Western Windows files: --encoding cp1252).",
        ) from None


def _marked(head: bytes) -> str | None:
    """UTF-16 by its mark, or by zeros in every second byte."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    few = head[:200]
    even, odd = few[0::2].count(0), few[1::2].count(0)
    if odd > len(few) // 4 and even == 0:
        return "utf-16-le"
    if even > len(few) // 4 and odd == 0:
        return "utf-16-be"
    return None
