"""Keys: finding a key that occurs twice in an object, which JSON readers drop in silence."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["count_keys", "has_key_twice"]


def count_keys(value: Any) -> int:
    """Number of keys in an object and in all within it.

    Example:
        >>> count_keys({"a": [{"b": 1}, 2]})
        2
    """
    found = 0
    if type(value) is dict:
        found = len(value)
        for one in value.values():
            if type(one) is dict or type(one) is list:
                found += count_keys(one)
    elif type(value) is list:
        for one in value:
            if type(one) is dict or type(one) is list:
                found += count_keys(one)
    return found


def has_key_twice(line: bytes, value: Any) -> bool:
    """True if an object in the text has a key twice; `value` is what the text was decoded to.

    Colons after quotes are counted first; only where they are not as many as the keys is the text read once more.

    Example:
        >>> has_key_twice(b'{"a": 1, "a": 2}', {"a": 2})
        True
    """
    if b'" :' not in line and b'"\t:' not in line and line.count(b'":') == count_keys(value):
        return False
    try:
        json.loads(line, object_pairs_hook=_once)
    except _TwiceError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise _TwiceError
    return out
