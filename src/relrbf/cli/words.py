"""What the library says to those who write Python, in the words of those who type."""

import re

WORDS = {
    r"^path='([^']*)'": r"\1",
    r"resume=False": "--restart",
    r"Use as_relation\(X, symmetrize='mean'\), 'min' or 'max' to say what is meant;.*": (
        "Use --symmetrize mean, min or max to say what is meant."
    ),
    r"(?:silence this|yourself), or use as_relation\(\w+, similarities='refuse'\)": "silence this",
    r"similarities=['\"]convert['\"]": "--similarities convert",
    r"\b(header|ids)=True": r"--\1",
    r"\b(header|ids)=False": r"--no-\1",
    r"\b(decimal|encoding|triangle|delimiter)=['\"]([^'\"]*)['\"]": r"--\1 '\2'",
    r"\bgraph=True": "--graph",
    r"\bkey=": "--key ",
    r"\bcolumn=": "--column",
    r"\bexponent=(\d)": r"--exponent \1",
    r"\bn_(prototypes|support|components|clusters|sample)\b": r"--\1",
    r"relation_report_ says more": "relrbf inspect says more",
    r"relrbf\.repair\.nearest_metric(\(D\))?": "relrbf repair",
    r"relrbf\.repair\.spectrum_(clip|flip|shift)(\(D\))?": r"relrbf repair --to \1",
    r"relrbf\.embeddings": "relrbf embed",
}


def command_words(text: str) -> str:
    """Return a text with flags instead of keywords, and commands instead of functions."""
    for pattern, words in WORDS.items():
        text = re.sub(pattern, words, text)
    return text
