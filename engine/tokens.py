"""How many tokens a text costs a model, estimated without a tokenizer."""

import re

# Scripts whose characters are about one token each: CJK punctuation, kana, bopomofo, ideographs, hangul, full-width forms.
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u30ff\u3100-\u312f\u3130-\u318f\u31a0-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)


def estimate_tokens(text: str | None) -> int:
    """One token per four characters, rounded up, and one per character of the wide scripts; nothing for no text."""
    if not text:
        return 0
    if text.isascii():
        return (len(text) + 3) // 4
    wide = sum(map(len, _WIDE.findall(text)))
    return wide + (len(text) - wide + 3) // 4
