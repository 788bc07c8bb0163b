"""What the library says to those who write Python, in the words of those who type."""

import re

WORDS = {
    r"resume=False": "--restart",
    r"symmetrize=['\"]mean['\"]": "--symmetrize mean",
    r"similarities=['\"]convert['\"]": "--similarities convert",
    r"allow_extra=True": "--extra",
    r"\bpass (header|ids)=True": r"pass --\1",
    r"\bkey=": "--key ",
    r"\bcolumn=": "--column ",
    r"\bexponent=(\d)": r"--exponent \1",
    r"relation_report_ says more": "relrbf inspect says more",
    r"relrbf\.repair\.nearest_metric(\(D\))?": "relrbf repair",
    r"relrbf\.repair\.spectrum_(clip|flip|shift)(\(D\))?": r"relrbf repair --to \1",
    r"relrbf\.embeddings": "relrbf embed",
    r"relrbf\.as_relation\(([^()]*)\)": r"relrbf.as_relation(\1) in Python",
}


def command_words(text: str) -> str:
    """Return a text with flags instead of keywords, and commands instead of functions."""
    for pattern, words in WORDS.items():
        text = re.sub(pattern, words, text)
    return text
