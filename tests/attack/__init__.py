"""The attack: seeded fuzzing of what users and strangers pass in.

An attack is a function of a random generator and a folder that makes one case and runs it. The case
is ``READ`` or ``REFUSED``, by an error of relrbf's own; whatever else happens ends the attack with
the seed and the number of the case. A small budget runs with the tests, a long one by

    make attack FLAGS="--minutes 60"

Register another by ``@attack`` in a module that ``tests/attack/__main__.py`` imports.
"""
