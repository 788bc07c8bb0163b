"""What can go wrong, by name. Every message says what came, what is needed and what to do."""


class RelationError(ValueError):
    """The dissimilarities cannot be used as they are."""


class OptionError(ValueError):
    """An option has a value that does not exist, fits no other, or is not available yet."""


class RelationWarning(UserWarning):
    """The dissimilarities were changed on request, or are probably not what they are taken for."""


class NotEuclideanWarning(RelationWarning):
    """No vectors have these dissimilarities: training works, but a vector twin does not exist."""


class CheckpointWarning(UserWarning):
    """The state of training could not be written; training goes on without."""


class CheckpointError(ValueError):
    """A file that should hold the state of this training holds something else."""
