"""The tiles of a relation on the workers: who holds which, and what is asked of them."""

from collections.abc import Callable
from threading import RLock
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from relrbf._typing import Array, Indices
from relrbf.exceptions import RelationError
from relrbf.relations.cluster.bands import Bands, Piece, Tile, pieces_of
from relrbf.relations.cluster.connection import LOOK, Connection, LostError
from relrbf.relations.cluster.grouping import Group, shared_out
from relrbf.relations.cluster.multiply import Product, added, cut, findings
from relrbf.relations.cluster.sources import Source

T = TypeVar("T")
ATTEMPTS = 4  # at a request during which data was lost
FAN = 8  # shares of a product that are added up at once; of more, the workers make fewer


class HeldTiles:
    """Tiles on the workers, shared by a relation and its parts.

    Parameters
    ----------
    connection : Connection
        The way to the workers.
    source : Source
        Where tiles come from, and come from again.
    bands : Bands
        How the objects are cut.
    """

    def __init__(self, connection: Connection, source: Source, bands: Bands) -> None:
        self.connection = connection
        self.source = source
        self.bands = bands
        self._futures: dict[Tile, Any] = {}
        self._groups: list[Group] = []
        self._threads: list[str] = []  # that there were when groups were made
        self._looked = 0.0
        self._is_settled = self._has_failed = self._is_closed = False
        self._lock = RLock()  # blocks may be asked for by several threads
        self._lay(bands.tiles)

    def __reduce__(self) -> Any:
        raise RelationError(
            "a DaskRelation lies on its cluster; it cannot be pickled, nor sent to other "
            "processes. Leave n_jobs out, or let it start threads, with "
            "joblib.parallel_config('threading')."
        )

    def __deepcopy__(self, memo: Any) -> "HeldTiles":
        return self  # never changed

    def settle(self) -> None:
        """Wait until all tiles are there and judge them together; the first error is raised.

        The others stay: asked again, only what failed is made again.
        """
        with self._lock:
            if not self._is_settled:
                self.source.check(self._insisting(self._findings))
                self._is_settled = True

    def product(self, A: Array, positions: Indices | None, exponent: float) -> Array:
        """Return A S (c × n) of the objects at some positions (None: of all)."""
        self.settle()
        multiply = Product(self.bands, positions, exponent)

        def ask() -> Array:
            (sent,) = self.connection.send([A])
            shares = [
                self.connection.submit(
                    multiply, worker, tiles, self._of(tiles), sent, worker=worker
                )
                for worker, tiles in self._grouped()
            ]
            while len(shares) > FAN:
                parts = [shares[k : k + FAN] for k in range(0, len(shares), FAN)]
                shares = [self.connection.submit(added, *part) for part in parts]
            is_moved, total = added(*self.connection.collect(shares))
            if is_moved:
                self._groups = []
            return total

        return self._insisting(ask)

    def block(self, rows: Indices, cols: Indices) -> Array:
        """Return a dense block, each piece cut by the worker that holds it."""
        self.settle()
        pieces = pieces_of(self.bands, rows, cols)

        def ask() -> Array:
            out = np.empty((len(rows), len(cols)), dtype=self.source.dtype)
            shares = self._by_group(pieces)
            asked = [
                self.connection.submit(cut, share, self._of([piece.tile for piece in share]))
                for share in shares
            ]
            for share, found in zip(shares, self.connection.collect(asked), strict=True):
                for piece, values in zip(share, found, strict=True):
                    out[piece.target] = values
            return out

        return self._insisting(ask)

    def close(self) -> None:
        """Let go of the tiles, and of the cluster if it is ours."""
        self._is_closed = True
        self._futures = {}
        self.connection.close()

    def _insisting(self, ask: Callable[[], T]) -> T:
        """Ask; where data was lost on the way, make it again and ask once more."""
        for _ in range(ATTEMPTS):
            if self._is_closed:
                raise RelationError("the relation was closed; make it again.")
            try:
                return ask()
            except LostError:
                self._repair()
        raise RelationError(
            f"the workers of client lost what they held {ATTEMPTS} times during one request. They "
            "may have too little memory, or be stopped by somebody: see their logs."
        )

    def _repair(self) -> None:
        with self._lock:
            self._groups = []
            self._lay([tile for tile, future in self._futures.items() if future.cancelled()])

    def _lay(self, tiles: list[Tile]) -> None:
        """Have tiles made on the workers, each thread with about as much to multiply."""
        if not tiles:
            return
        sizes = {tile: self.bands.size(tile) for tile in tiles}
        for worker, share in shared_out(sizes, self.connection.threads(), {}):
            futures = self.source.hold(self.connection, self.bands, share, worker)
            self._futures.update(zip(share, futures, strict=True))

    def _of(self, tiles: list[Tile]) -> list[Any]:
        return [self._futures[tile] for tile in tiles]

    def _findings(self) -> list[Any]:
        """Return what was found about each tile, or raise the first error, as soon as it comes.

        Errors from before this request count for nothing: what they are about is made again.
        """
        found: dict[Tile, Any] = {}
        self._futures = {
            t: future for t, future in self._futures.items() if future.status != "error"
        }
        stale = set(self._futures) if self._has_failed else set()
        while missing := [tile for tile in self.bands.tiles if tile not in found]:
            self._lay([tile for tile in missing if tile not in self._futures])
            told = self.connection.submit_all(findings, self._of(missing))
            for k, each in self.connection.arriving(told):
                if not isinstance(each, RelationError):
                    found[missing[k]] = each
                    continue
                del self._futures[missing[k]]
                if missing[k] not in stale:
                    self._has_failed = True
                    raise each
            stale = set()
        return [*found.values()]

    def _grouped(self) -> list[Group]:
        """Return the tiles that each thread multiplies; now and then, look who is there."""
        with self._lock:
            if not self._groups or monotonic() - self._looked > LOOK:
                self._looked, threads = monotonic(), self.connection.threads()
                if self._threads and not set(threads) & set(self._threads):
                    self._lay([*self.bands.tiles])  # nobody is left who could have one
                if not self._groups or threads != self._threads:
                    self._groups, self._threads = self._make_groups(threads), threads
            return self._groups

    def _by_group(self, pieces: list[Piece]) -> list[list[Piece]]:
        group_of = {tile: k for k, (_, tiles) in enumerate(self._grouped()) for tile in tiles}
        shares: dict[int, list[Piece]] = {}
        for piece in pieces:
            shares.setdefault(group_of[piece.tile], []).append(piece)
        return [*shares.values()]

    def _make_groups(self, threads: list[str]) -> list[Group]:
        tiles = [*self._futures]
        sizes = {tile: self.bands.size(tile) for tile in tiles}
        holders = self.connection.holders(self._of(tiles))
        return shared_out(sizes, threads, dict(zip(tiles, holders, strict=True)))
