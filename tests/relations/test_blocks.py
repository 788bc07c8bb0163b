"""Blocks cover every row once, and BLAS gets its threads back."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info

from relrbf.relations.blocks import for_each_block, row_blocks


def threads():
    return [library["num_threads"] for library in threadpool_info()]


@pytest.mark.parametrize("n", [1, 16, 17, 1000])
def test_blocks_cover_every_row_once(n):
    rows = [i for block in row_blocks(n, 2**17) for i in range(block.start, block.stop)]
    assert rows == list(range(n))


def test_every_block_is_filled_and_blas_gets_its_threads_back():
    before, seen = threads(), []
    for_each_block(lambda block: seen.append(block.start), row_blocks(100, 2**20))
    assert sorted(seen) == list(range(0, 100, 16))
    assert threads() == before


def test_products_from_several_threads_leave_the_limit_alone():
    before = threads()
    with ThreadPoolExecutor(4) as pool:
        work = [
            pool.submit(for_each_block, lambda _: None, row_blocks(64, 2**20)) for _ in range(50)
        ]
        assert all(done.result() is None for done in work)
    assert threads() == before


def test_an_error_in_a_block_is_not_lost():
    with pytest.raises(ZeroDivisionError):
        for_each_block(lambda block: 1 / 0, row_blocks(100, 2**20))
