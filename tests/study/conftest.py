"""A small study under the names of the paper's data sets, run once."""

import pytest

from study import DataSet, Design, measure
from tests.study import made

VARIANTS = ("original", "classical", "proximal")


@pytest.fixture(scope="session")
def design():
    data = [
        DataSet("BC-569", made.vectors, 4, 8, max_iter=30),
        DataSet("HD-303", made.vectors, 4, 8, max_iter=40),
        DataSet("HG-194", made.indefinite, 4, 8, VARIANTS, 30),
        DataSet("HG-194-genes", made.grouped, 4, 8, VARIANTS, 30),
        DataSet("PC-102", made.vectors, 4, 8, VARIANTS, 30),
    ]
    return Design(data, models=["graph", "medoid"], repetitions=2)


@pytest.fixture(scope="session")
def rows(design):
    return [row for cell in design.cells() for row in measure(cell)]
