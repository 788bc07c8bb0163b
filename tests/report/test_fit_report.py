"""The report on a fit evaluates held-out objects, has all its sections, and escapes names."""

import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import parallel_config
from matplotlib.colors import to_hex

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, as_relation, load, save
from relrbf.exceptions import OptionError, RelationError
from relrbf.report import Section, evaluate
from relrbf.report.data import QUINTILE_COLOURS, validate_fit
from relrbf.report.relation import tendency_section, vectors_text
from relrbf.report.reports import LINKED_TITLE as LINKED
from relrbf.report.sections import baselines_section, performance_section
from relrbf.training import LBFGS
from tests.report.made import (
    NASTY,
    made_classes,
    made_classifier,
    made_regressor,
    nasty_ids,
    write_report,
)


class Reader(HTMLParser):
    """Collects the tags, and the text by heading."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.attributes = [], {"": ""}, []
        self._heading, self._in_heading = "", False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "h2":
            self._heading, self._in_heading = "", True

    def handle_endtag(self, tag):
        if tag == "h2":
            self._in_heading = False

    def handle_data(self, data):
        if self._in_heading:
            self._heading += data
        self.texts[self._heading] = self.texts.get(self._heading, "") + data


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """A report on three classes, its summary and the steps it told of."""
    path = tmp_path_factory.mktemp("report") / "deep" / "report.html"
    model, D, y = made_classifier()
    told = []
    summary = write_report(
        path,
        model,
        D,
        y,
        ids=nasty_ids(len(y)),
        name=NASTY,
        command="relrbf fit 'my <D>.csv' y.csv",
        progress=lambda *step: told.append(step),
        more=[Section("Something of one's own", "that is here")],
    )
    return path, summary, told


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    model, D, y = made_regressor(40)
    return path, write_report(path, model, D, y)


def test_every_section_is_there_in_order(classes):
    headings = list(Reader(classes[0].read_text()).texts)
    assert headings == [
        "",
        "Comparison with baselines",
        "Conclusions",
        "Something of one's own",
        "Map, mistakes and prototypes",
        "Performance",
        "The relation",
        "Cluster tendency",
        "Training",
        "Parameters",
        "Methods",
        "Reproduce",
    ]


def test_the_result_comes_first(classes):
    path, summary, _ = classes
    text = Reader(path.read_text()).texts[""].replace("\xa0", " ")
    percent = f"{100 * summary.score.mean:.1f} %"
    assert percent in text
    low, high = (f"{100 * end:.1f}" for end in summary.intervals["network"])
    assert f"(95 % interval {low} to {high} %)" in text
    assert f"{len(summary.wrong)} of 60 objects are misclassified" in " ".join(text.split())


def test_names_with_markup_are_shown_as_text(classes):
    page = classes[0].read_text()
    reader = Reader(page)
    assert reader.tags.count("script") == 1  # the page's own
    assert NASTY.strip() in " ".join(reader.texts[LINKED].split())
    assert "my <D>.csv" in reader.texts["Reproduce"]
    assert not [name for name, _ in reader.attributes if name.startswith("on")]


def test_nothing_can_leave_the_page(classes):
    page = classes[0].read_text()
    assert re.search(r"Content-Security-Policy\" content=\"default-src 'none'; img-src data:", page)
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "url(http" not in page


def test_ids_are_unique_and_links_arrive(classes):
    attributes = Reader(classes[0].read_text()).attributes
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {v[1:] for n, v in attributes if n in ("href", "xlink:href") and v[:1] == "#"}
    assert links <= set(ids)


def test_numbers_are_of_objects_held_out(classes):
    model, D, y = made_classifier()
    summary = classes[1]
    assert summary.score.mean < model.score(D, y)
    assert len(summary.wrong) > 0
    assert abs(len(summary.wrong) / 60 - (1 - summary.score.mean)) < 1e-9


def test_the_summary_is_data(classes):
    found = json.loads(json.dumps(classes[1].as_dict()))
    assert set(found["scores"]) == {"network", "k-NN", "ridge on rows", "SVM", "baseline"}
    for name, (low, high) in found["intervals"].items():
        assert low <= found["scores"][name]["mean"] <= high
    assert found["metrics"]["accuracy"] == found["scores"]["network"]["mean"]
    assert found["comparisons"]["baseline"]["outcome"].startswith("better")
    assert found["n_wrong"] == len(found["wrong"])
    assert str(classes[1]).splitlines() == found["sentences"]


def test_steps_are_told_up_to_the_last(classes):
    done = [step for _, step, _ in classes[2]]
    totals = {total for *_, total in classes[2]}
    assert done == sorted(done)
    assert totals == {done[-1]} == {5}
    assert {"drawing the map", "writing the page"} <= {text for text, *_ in classes[2]}


def test_the_page_shows_how_to_reproduce_it(classes):
    text = Reader(classes[0].read_text()).texts["Reproduce"]
    assert "RBFNetworkClassifier(random_state=0).fit(D, y)" in text
    assert "evaluate(model, D, y, n_splits=2, n_repeats=1, random_state=0)" in text
    for part in ("scikit-learn", "relrbf", "Python", "$ relrbf fit"):
        assert part in text


def test_what_auto_chose_is_a_table(classes):
    text = Reader(classes[0].read_text()).texts["Parameters"]
    assert re.search(r"exponent\s*2\s*vectors with these dissimilarities exist", text)
    assert re.search(r"random_state\s*0\s*given", text)
    assert re.search(r'solver\s*"auto"\s*(?!given)', text)


def test_numbers_are_reported_as_numbers(numbers):
    path, summary = numbers
    texts = Reader(path.read_text()).texts
    assert summary.measure == "R²"
    assert summary.rmse["network"].mean > 0
    assert "R² on held-out objects is" in texts[""]
    assert "Its target is" in texts[LINKED]
    assert "always the mean" in texts["Comparison with baselines"]


def test_duplicates_are_held_out_together_if_there_are_many(tmp_path):
    D, y = made_classes(n=24)
    twice = np.tile(np.arange(24), 2)
    D, y = D[np.ix_(twice, twice)], y[twice]
    by_heart = LBFGS(early_stopping=None)  # the default does not profit from duplicates
    model = RBFNetworkClassifier(20, solver=by_heart, alpha=1e-6, random_state=0).fit(D, y)
    summary = write_report(tmp_path / "r.html", model, D, y)
    assert summary.score_without_duplicates.mean < summary.score.mean
    page = (tmp_path / "r.html").read_text()
    assert "duplicates kept in one fold" in page
    assert "<title>30\nat the same place: 1 duplicate\n" in page
    assert any("inflates" in sentence for sentence in summary.sentences)


def test_a_network_without_mistakes_is_reported_as_such(tmp_path):
    model, D, y = made_classifier(n=24, spread=0.05, n_classes=2)
    summary = write_report(tmp_path / "r.html", model, D, y)
    assert len(summary.wrong) == 0
    text = Reader((tmp_path / "r.html").read_text()).texts[LINKED]
    assert "Every object is classified correctly when held out." in text


def test_a_target_that_does_not_vary_is_said_to_be_one(tmp_path):
    _, D, _ = made_regressor(24)
    y = np.full(24, 0.1)
    model = RBFNetworkRegressor(2, random_state=0).fit(D, y)
    summary = write_report(tmp_path / "r.html", model, D, y)
    assert "The target does not vary: it is 0.1 for all 24 objects" in summary.sentences[0]
    assert len(summary.wrong) == 0
    assert summary.score.mean == 0
    assert "R² on" not in str(summary)
    texts = Reader((tmp_path / "r.html").read_text()).texts
    for title in (LINKED, "Comparison with baselines", "Performance"):
        assert "the target does not vary" in texts[title].lower()


def test_few_duplicates_and_their_contradicting_labels_are_mentioned(tmp_path):
    D, y = made_classes(n=60)
    which = np.append(np.arange(60), 0)
    y = np.append(y, "kind <1>")
    D = D[np.ix_(which, which)]
    assert y[0] != y[-1]
    model = RBFNetworkClassifier(3, random_state=0).fit(D, y)
    summary = write_report(tmp_path / "r.html", model, D, y)
    assert "1 of 61 objects is a duplicate of another." in summary.sentences
    told = "Warning: 2 objects have a duplicate of another class; no model can fit both."
    assert told in summary.sentences


def test_no_more_mistakes_are_promised_than_are_listed(tmp_path, monkeypatch):
    monkeypatch.setattr("relrbf.report.objects.MAX_LISTED_MISTAKES", 1)
    monkeypatch.setattr("relrbf.report.evaluation.MAX_LISTED_MISTAKES", 1)
    model, D, y = made_classifier(n=24)
    summary = write_report(tmp_path / "r.html", model, D, y)
    assert "the 1 most confident mistakes are listed below" in str(summary)


def test_quintiles_have_the_same_names_and_colours_in_lanes_and_on_the_map(numbers):
    page = numbers[0].read_text()
    places, lanes = re.findall(r'<ul class="legend".*?</ul>', page, re.DOTALL)
    looks = r'fill(?:: |=")(#\w+)".*?</svg>(.*?)</li>'
    found = re.findall(looks, lanes)
    assert len(found) == 5
    assert found == re.findall(looks, places)[:5]


def test_the_lanes_of_numbers_are_drawn_in_the_colours_of_the_legend():
    model, D, y = made_regressor(24)
    [picture, _] = tendency_section(validate_fit(model, D, y)).pictures
    [lanes] = picture.figure.axes[0].child_axes
    shown = np.asarray(lanes.images[0].get_array())
    drawn = {to_hex(colour).upper() for colour in shown.reshape(-1, 3)}
    assert drawn == {"#FFFFFF", *QUINTILE_COLOURS}


def test_a_relation_brings_its_names(tmp_path):
    D, y = made_classes(n=24)
    relation = as_relation(D, ids=[f"gene-{i}" for i in range(24)])
    model = RBFNetworkClassifier(random_state=0).fit(relation, y)
    write_report(tmp_path / "r.html", model, relation, y)
    assert "gene-7" in (tmp_path / "r.html").read_text()


def test_the_same_seed_gives_the_same_numbers_however_work_is_shared(tmp_path):
    model, D, y = made_classifier(n=24)
    alone = write_report(tmp_path / "a.html", model, D, y)
    with parallel_config(backend="threading"):  # processes take longer to start than to work
        shared = write_report(tmp_path / "b.html", model, D, y, n_jobs=2)
    assert alone.as_dict() == shared.as_dict()


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"D": np.zeros((3, 3)) + 1 - np.eye(3)}, RelationError, "model was trained on 24 objects"),
        ({"y": ["a", "b"] * 12}, OptionError, "pass the labels it was trained on"),
        ({"n_splits": 1}, OptionError, "n_splits is 1"),
        ({"n_repeats": 0}, OptionError, "n_repeats is 0"),
        ({"ids": ["same"] * 24}, RelationError, "ids must differ"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, kind, message):
    model, D, y = made_classifier(n=24)
    given = {"D": D, "y": y} | change
    with pytest.raises(kind, match=message):
        write_report(tmp_path / "r.html", model, **given)
    assert not (tmp_path / "r.html").exists()


def test_vectors_are_not_dissimilarities(tmp_path):
    X = np.arange(8.0).reshape(4, 2)
    model = RBFNetworkClassifier(2, space="vector").fit(X, [0, 0, 1, 1])
    with pytest.raises(OptionError, match="metric='precomputed'"):
        write_report(tmp_path / "r.html", model, X, [0, 0, 1, 1])


def test_single_precision_and_the_smallest_relation_will_do(tmp_path):
    D, y = made_classes(n=24)
    D = D.astype(np.float32)
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    assert write_report(tmp_path / "a.html", model, D, y).score.mean > 0.3
    D, y = D[:4, :4], list("aabb")
    model = RBFNetworkClassifier(random_state=0).fit(D, y)
    assert write_report(tmp_path / "b.html", model, D, y).cross_validation.n_splits == 2


def test_coefficients_on_all_objects_cannot_be_trained_on_parts(tmp_path):
    D, y = made_classes(n=24)
    model = RBFNetworkClassifier(init=np.eye(24)[:3]).fit(D, y)
    with pytest.raises(OptionError, match="init holds coefficients"):
        write_report(tmp_path / "r.html", model, D, y)


def test_two_targets_are_two_reports(tmp_path):
    model, D, y = made_regressor(30)
    model.fit(D, np.column_stack([y, y]))
    with pytest.raises(OptionError, match="about one target"):
        write_report(tmp_path / "r.html", model, D, np.column_stack([y, y]))


def test_numbers_agree_on_a_page_with_several_predictions_per_object(tmp_path):
    model, D, y = made_classifier(n=37)  # parts are not of one size
    path = tmp_path / "r.html"
    summary = write_report(path, model, D, y, n_splits=2, n_repeats=2)
    assert len(summary.held_out.objects) == 74
    n_wrong = summary.held_out.n_wrong.sum()
    assert summary.score.mean == pytest.approx(1 - n_wrong / 74)
    read = Reader(path.read_text()).texts
    texts = {name: text.replace("\xa0", " ") for name, text in read.items()}
    right = summary.score.mean
    assert f"is {100 * right:.1f} % (95 % interval" in texts[""]
    assert f"with an accuracy of {right:.2f}." in texts["Conclusions"]
    assert f"{n_wrong} of 74 predictions are wrong, 2 for each" in str(summary)
    assert "There are 2 predictions per object" in texts["Performance"]
    n_once = len(re.findall(r"Wrong in 1 of 2 repetitions\.", texts[LINKED]))
    assert n_once + 2 * (len(summary.wrong) - n_once) == n_wrong
    told = r"predicted kind <\d> \(0\.\d\d, mean of 2 predictions\): wrong in [12] of 2"
    assert len(re.findall(told, texts[LINKED])) == len(summary.wrong)


def test_the_calibration_plot_counts_every_prediction():
    model, D, y = made_classifier(n=24)
    found = evaluate(model, D, y, n_splits=2, n_repeats=2, baselines=False)
    [picture] = performance_section(found).pictures
    counts = [int(text.get_text()) for text in picture.figure.axes[0].texts]
    assert sum(counts) == 48


def test_a_network_from_a_file_is_reported_as_it_was_before(tmp_path):
    D, y = made_classes(n=60)
    model = RBFNetworkClassifier(4, n_support=8, random_state=0).fit(D, y)
    save(model, tmp_path / "m.relrbf")
    loaded = load(tmp_path / "m.relrbf")
    with pytest.raises(RelationError, match="were kept"):
        _ = loaded.prototypes_.distances_sq
    found = validate_fit(loaded, D, y).distances_sq
    np.testing.assert_allclose(found, model.prototypes_.distances_sq)
    before = write_report(tmp_path / "a.html", model, D, y)
    after = write_report(tmp_path / "b.html", loaded, D, y)
    assert after.as_dict() == before.as_dict()
    pages = [Reader((tmp_path / name).read_text()).texts for name in ("a.html", "b.html")]
    assert pages[0][LINKED] == pages[1][LINKED]


def test_a_network_from_a_file_keeps_its_exponent(tmp_path):
    D, y = made_classes(n=60)
    model = RBFNetworkClassifier(4, n_support=8, exponent=1, random_state=0).fit(D, y)
    save(model, tmp_path / "m.relrbf")
    found = validate_fit(load(tmp_path / "m.relrbf"), D, y).distances_sq
    np.testing.assert_allclose(found, model.prototypes_.distances_sq)


def test_numbers_with_copies_give_a_summary_that_json_can_hold(tmp_path):
    places = np.array([0.0] * 6 + [1.0] * 6 + [2.0, 3.0, 4.0])
    D = np.abs(np.subtract.outer(places, places))
    y = places + 0.01 * np.arange(15)
    model = RBFNetworkRegressor(2, random_state=0).fit(D, y)
    summary = write_report(tmp_path / "r.html", model, D, y, n_splits=5, n_repeats=1)
    assert summary.score_without_duplicates is not None
    assert -2 < summary.score_without_duplicates.mean < 1
    json.dumps(summary.as_dict(), allow_nan=False)
    assert "nan" not in str(summary)


def test_class_weights_are_the_baselines_too_and_it_says_so(tmp_path, monkeypatch):
    seen = []

    def answers(known, D_new):
        seen.append(known.class_weight)
        return np.zeros(len(D_new), int)

    monkeypatch.setattr("relrbf.report.held_out.BASELINES", {"SVM": answers})
    D, y = made_classes(n=24)
    model = RBFNetworkClassifier(class_weight="balanced", random_state=0).fit(D, y)
    write_report(tmp_path / "r.html", model, D, y)
    assert seen == ["balanced"] * 2
    text = Reader((tmp_path / "r.html").read_text()).texts["Methods"]
    assert "Ridge and SVM have the network's class_weight." in text


@pytest.mark.parametrize(
    ("negative", "told"), [(1e-5, "less than 0.01%"), (4e-4, "0.04%"), (0.126, "12.60%")]
)
def test_a_small_negative_part_is_not_called_none(negative, told):
    found = SimpleNamespace(has_vector_dual={2: False}, negative_eigenfraction={2: negative})
    data = SimpleNamespace(model=SimpleNamespace(exponent_=2))
    assert f"{told} of the spectrum is negative." in vectors_text(found, data)


def test_scores_that_all_lie_below_the_axis_are_drawn_at_its_beginning():
    found = evaluate(*made_regressor(30), n_splits=2, n_repeats=1)
    vars(found)["intervals"] = dict.fromkeys(found.scores, (-9.0, -8.0))
    (plot,) = baselines_section(found).dot_plots
    assert {(dot.low, dot.high) for dot in plot.dots} == {(0.0, 0.0)}
