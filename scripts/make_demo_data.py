"""Make the prediction files that ship with Calibrant: `make demo-data`.

Every file holds out-of-fold predictions: each row is predicted by a model that did not see it. The models are simple,
closed-form and too sure of themselves, because they treat related measurements as independent or as neatly normal.
Only predictions are written; the data come with scikit-learn and stay there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MADE_WITH", "demo_files", "rounded_shares"]

FOLDER = Path(__file__).parents[1] / "src" / "calibrant" / "data"
# The scikit-learn that made the committed files; another one may shuffle or round differently.
MADE_WITH = "1.9.1"
# Texture, smoothness, compactness, symmetry and fractal dimension: the shape of the worst nuclei, without their size.
SHAPE = [21, 24, 25, 28, 29]


def out_of_fold(model: Any, features: NDArray[Any], label: NDArray[Any]) -> NDArray[np.float64]:
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
    predicted: NDArray[np.float64] = cross_val_predict(model, features, label, cv=folds, method="predict_proba")
    return predicted


def shrunk_digits() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Handwritten digits at 4 by 4 pixels, each the mean of four: hard enough that a model errs."""
    digits = load_digits()
    shrunk = digits.images.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16)
    return shrunk, digits.target


def rounded_shares(probs: NDArray[np.float64], places: int = 4) -> NDArray[np.float64]:
    """Round the probabilities of each row so that they still sum to exactly 1 (largest remainders go up)."""
    scaled = probs * 10**places
    whole = np.floor(scaled)
    missing = np.rint(scaled.sum(axis=1) - whole.sum(axis=1)).astype(int)
    order = np.argsort(whole - scaled, axis=1, kind="stable")
    up = np.argsort(order, axis=1, kind="stable") < missing[:, None]
    shares: NDArray[np.float64] = (whole + up) / 10**places
    return shares


def breast_cancer() -> str:
    data = load_breast_cancer()
    malignant = 1 - data.target
    prob = out_of_fold(GaussianNB(), data.data[:, SHAPE], malignant)[:, 1]
    rows = [f"{p:.4f},{y}" for p, y in zip(prob, malignant, strict=True)]
    return "\n".join(["probability,outcome", *rows, ""])


def digits_answers() -> str:
    features, label = shrunk_digits()
    probs = out_of_fold(GaussianNB(), features, label)
    correct = (probs.argmax(axis=1) == label).astype(int)
    rows = [f"{c:.4f},{right}" for c, right in zip(probs.max(axis=1), correct, strict=True)]
    return "\n".join(["confidence,correct", *rows, ""])


def digits_choices() -> str:
    features, label = shrunk_digits()
    shares = rounded_shares(out_of_fold(LinearDiscriminantAnalysis(), features, label))
    rows = [",".join([*(f"{p:g}" for p in row), str(y)]) for row, y in zip(shares, label, strict=True)]
    return "\n".join([",".join([*(f"p_{digit}" for digit in range(10)), "label"]), *rows, ""])


def demo_files() -> dict[str, str]:
    """The text of every demo file by its name."""
    return {
        "breast-cancer.csv": breast_cancer(),
        "digits-answers.csv": digits_answers(),
        "digits-choices.csv": digits_choices(),
    }


if __name__ == "__main__":
    for name, text in demo_files().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"{FOLDER / name}: {text.count(chr(10)) - 1} rows")
