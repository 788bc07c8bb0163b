"""The order of an inspection, and what is left out where entries do not allow it."""

from typing import Any

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.inspection.classes import look_at_classes
from relrbf.inspection.dimension import intrinsic_dimension
from relrbf.inspection.entries import Entries, look_at_entries
from relrbf.inspection.sample import sample_triangles
from relrbf.inspection.spectrum import Spectra, Spectroscope
from relrbf.inspection.triangles import TripleCounter
from relrbf.inspection.watch import StoppedError, Watch
from relrbf.relations.base import Relation
from relrbf.relations.duplicates import duplicates_and_means
from relrbf.relations.views import SymmetrizedRelation


class Inspector:
    """Looks step by step; what was found when it stops is kept."""

    def __init__(
        self, relation: Relation, labels: Indices | None, max_exact: int, seed: int, watch: Watch
    ) -> None:
        self.relation = relation
        self.labels = labels
        self.max_exact = max_exact
        self.seed = seed
        self.watch = watch
        self.found: dict[str, Any] = {}

    def run(self) -> None:
        """Look at everything, the triangles last because they take longest."""
        try:
            entries = look_at_entries(self.relation, self.watch)
            self.found |= vars(entries)
            if not entries.holds_similarities:
                twins = self._look_beyond(entries)
                self._look_at_triangles(entries, twins)
        except StoppedError:
            self.found["stopped_at"] = self.watch.doing

    def _look_beyond(self, entries: Entries) -> Indices:
        """Look at what needs every entry, and return who is whose twin."""
        n = self.relation.n_objects
        if not entries.is_known:
            return np.arange(n)
        whole = entries.is_symmetric and entries.has_zero_diagonal
        usable = self.relation
        if not whole:
            usable = SymmetrizedRelation(self.relation, "mean", zero_diagonal=True)
        self.watch.begin("looking for duplicates")
        twins = duplicates_and_means(usable, np.zeros(n))[0]
        distinct, weights = _distinct(twins)
        self.found["n_duplicate_objects"] = n - len(distinct)
        self._look_at_spectrum(usable, entries, distinct, weights)
        exponent = self.found["suggested_exponent"]
        if not entries.n_negative:
            dimension = intrinsic_dimension(usable, distinct, exponent, self.watch)
            self.found["intrinsic_dimension"] = dimension
        if self.labels is not None:
            self.found |= vars(look_at_classes(usable, self.labels, twins, self.watch))
        return twins

    def _look_at_spectrum(
        self, usable: Relation, entries: Entries, distinct: Indices, weights: Array
    ) -> None:
        spectra = Spectra()
        sound = entries.is_relation
        size = entries.largest_entry or 1.0
        scope = Spectroscope(usable, distinct, weights, sound, size, self.max_exact, self.seed)
        try:
            scope.look(spectra, self.watch)
        finally:
            if not sound:
                spectra.has_vector_dual = dict.fromkeys(spectra.has_vector_dual, False)
            self.found |= vars(spectra)

    def _look_at_triangles(self, entries: Entries, twins: Indices) -> None:
        # twins stand for each other only where each is at zero from itself and from the other
        alone = np.arange(self.relation.n_objects)
        distinct, weights = _distinct(twins if entries.is_relation else alone)
        if len(distinct) > self.max_exact:
            rng = np.random.default_rng(self.seed)
            self.found |= vars(sample_triangles(self.relation, rng, self.watch))
        else:
            complete = entries.n_missing == 0
            mirrored = entries.is_symmetric and complete  # gaps may be on one side only
            counter = TripleCounter(self.relation, distinct, weights, mirrored, complete)
            self.found |= vars(counter.count(self.watch))


def _distinct(twins: Indices) -> tuple[Indices, Array]:
    """Return the first of each group of twins, and how many each stands for."""
    distinct, counts = np.unique(twins, return_counts=True)
    return distinct, counts.astype(np.float64)
