"""Sharing tiles out among the threads of a cluster, each as much as the others."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from relrbf.relations.cluster.bands import Tile

Group: TypeAlias = tuple[str, list[Tile]]  # a thread's worker, and its tiles
UNEVEN = 1.25  # times the mean load: worth moving tiles, once


def shared_out(
    sizes: Mapping[Tile, int], threads: Sequence[str], holders: Mapping[Tile, Sequence[str]]
) -> list[Group]:
    """Give each tile to the thread that has least to do, of the workers that hold it if any do.

    Where some threads then have far too much to do, tiles will move: that is so after a worker died
    and others made its tiles again, or a new one joined.
    """
    groups: list[Group] = [(worker, []) for worker in threads]
    loads = [0] * len(groups)
    for tile in sorted(sizes, key=sizes.__getitem__, reverse=True):
        own = [k for k, worker in enumerate(threads) if worker in holders.get(tile, ())]
        least = min(own or range(len(groups)), key=loads.__getitem__)
        groups[least][1].append(tile)
        loads[least] += sizes[tile]
    mean = sum(loads) / len(loads)
    while max(loads) > UNEVEN * mean:
        most, least = loads.index(max(loads)), loads.index(min(loads))
        tile = groups[most][1][-1]
        if loads[least] + sizes[tile] >= loads[most]:
            break
        groups[least][1].append(groups[most][1].pop())
        loads[most] -= sizes[tile]
        loads[least] += sizes[tile]
    return [group for group in groups if group[1]]
