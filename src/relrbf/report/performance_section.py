"""Sections on the performance for held-out objects, alone and beside baselines."""

import numpy as np
from sklearn.metrics import log_loss

from relrbf.plotting import plot_calibration, plot_deviations, plot_predictions
from relrbf.report.baselines import GRID_TEXT, MAX_TUNED_OBJECTS
from relrbf.report.evaluation import Evaluation
from relrbf.report.held_out import CONSTANT, NETWORK, HeldOut
from relrbf.report.page import Picture, Section, Table, new_figure

MODEL_NAMES = {NETWORK: "relrbf network"}
N_HISTOGRAM_BINS = 31


def performance_section(found: Evaluation) -> Section:
    """Return scores, confusion and calibration, or residuals."""
    held, data = found.held_out, found.data
    plan = found.cross_validation
    text = (
        f"All numbers are for objects that the network had not seen: {plan}. ± is the standard "
        f"deviation over the folds. {' '.join(plan.notes)}"
    )
    if data.is_constant:
        return Section("Performance", f"{text} The target does not vary, so R² is not defined.")
    facts = [(found.measure, found.score.text(found.measure))]
    if found.score_without_duplicates is not None:
        without = found.score_without_duplicates.text(found.measure)
        facts.append((f"{found.measure}, duplicates kept in one fold", without))
    if data.has_classes:
        facts += [
            ("mean probability of the predicted class", f"{held.confidence.mean():.3f}"),
            ("log-loss", f"{log_loss_of(held):.3f}"),
        ]
        tables, pictures = [_confusion_table(held)], [_calibration_picture(held)]
    else:
        facts += [
            ("root mean squared error", found.rmse[NETWORK].text()),
            ("standard deviation of the targets", f"{data.y.std():.4g}"),
        ]
        tables, pictures = [], _residual_pictures(held)
    return Section("Performance", text, facts=facts, tables=tables, pictures=pictures)


def log_loss_of(held: HeldOut) -> float:
    """Return the mean log-loss of all predictions."""
    return float(log_loss(held.truth, held.probabilities, labels=range(len(held.data.classes))))


def _confusion_table(held: HeldOut) -> Table:
    counts, names = held.confusion, [str(name) for name in held.data.classes]
    shares = counts / np.maximum(counts.sum(axis=1), 1)[:, None]
    rows = [
        [name, *(f"{value:.1f}".removesuffix(".0") for value in row), f"{shares[k, k]:.1%}"]
        for k, (name, row) in enumerate(zip(names, counts, strict=True))
    ]
    shades = [[None, *row, None] for row in shares.tolist()]
    title = "Confusion" if held.n_repeats == 1 else "Confusion, mean of the repetitions"
    return Table(["true \\ predicted", *names, "recall"], rows, title, shades)


def _calibration_picture(held: HeldOut) -> Picture:
    figure, classes = new_figure(4.8, 4), held.data.classes
    plot_calibration(classes[held.truth], held.probabilities, classes, figure.subplots())
    caption = (
        "Calibration: the observed fraction of correct predictions against their probability; "
        "calibrated probabilities lie on the line."
    )
    if held.n_repeats > 1:  # Wilson's interval assumes independent predictions
        caption += (
            f" There are {held.n_repeats} predictions per object, so the intervals are somewhat "
            "short."
        )
    return Picture(figure, caption, "calibration")


def _residual_pictures(held: HeldOut) -> list[Picture]:
    predicted = held.predictions[NETWORK]
    first, second = new_figure(4.8, 4), new_figure(4.8, 4)
    plot_predictions(held.truth, predicted, first.subplots())
    counts, edges = np.histogram(predicted - held.truth, bins=N_HISTOGRAM_BINS)
    plot_deviations(counts, edges, second.subplots()).set_title("Residuals", loc="left")
    return [
        Picture(first, "True against predicted targets of held-out objects.", "predictions"),
        Picture(second, "Residuals; a peak away from zero would be a bias.", "residuals"),
    ]


def baselines_section(found: Evaluation) -> Section:
    """Return the network's scores beside those of the baselines."""
    title, data = "Comparison with baselines", found.data
    if data.is_constant:
        return Section(title, "The target does not vary: there is nothing to compare.")
    names = MODEL_NAMES | {CONSTANT: "largest class" if data.has_classes else "mean"}
    header = ["model", found.measure, "difference", "the network is"]
    rows = []
    for model, score in found.scores.items():
        row = [names.get(model, model), score.text(found.measure), "", ""]
        if model != NETWORK:
            difference = found.comparisons[model]
            row[2:] = [difference.text(found.measure, signed=True), difference.outcome]
        if found.rmse:
            row.insert(2, f"{found.rmse[model].mean:.4g}")
        rows.append(row)
    if found.rmse:
        header.insert(2, "root mean squared error")
    if len(found.scores) < 4:
        text = f"With more than {MAX_TUNED_OBJECTS:,} objects, k-NN and SVM are not tuned."
    else:
        weights = "" if data.class_weight is None else " The SVM has the network's class_weight."
        text = (
            f"All models are trained and evaluated on the same folds. {GRID_TEXT}{weights} "
            "Significance is by the corrected t-test of Nadeau and Bengio (2003), which allows for "
            "folds that share training objects."
        )
    return Section(title, text, tables=[Table(header, rows, "Scores on the same folds")])
