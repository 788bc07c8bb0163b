"""Counts in sentences: one object is, two objects are."""


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number and what it counts, one or many."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def verb(number: int, one: str = "is", many: str = "are") -> str:
    """Return the form of a verb for so many."""
    return one if number == 1 else many
