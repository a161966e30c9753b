"""The sentences that people read, one file for each language, read by Python and by the page alike."""

from __future__ import annotations

from calibrant.words.load import languages, missing_keys, sentence, vocabulary

__all__ = ["languages", "missing_keys", "sentence", "vocabulary"]
