"""The contact sheet gives every picture a part of its own."""

import numpy as np

from benchmarks.pictures import draw_sheet, make_wines
from relrbf.plotting import plot_confusion


def test_every_picture_has_its_part_of_the_sheet():
    figure = draw_sheet([lambda ax: plot_confusion(np.eye(2), ax=ax)] * 4)
    assert len(figure.axes) == 4
    assert [ax.get_title(loc="left")[:9] for ax in figure.axes] == ["Confusion"] * 4


def test_what_the_regression_is_to_predict_is_not_in_the_distances():
    D, y, alcohol = make_wines()
    assert D.shape == (178, 178)
    assert set(y) == {"Barolo", "Grignolino", "Barbera"}
    assert abs(alcohol.std() - 1) < 1e-9
