"""The scikit-learn wrapper: its estimator checks, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator

from calibrant.recalibration.estimator import RecalibratedClassifier


@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn_pass():
    check_estimator(RecalibratedClassifier(method="temperature"), on_skip=None)


@pytest.mark.parametrize("classes", [2, 3])
def test_naive_bayes_is_overconfident_and_gets_better(classes):
    x, y = make_classification(
        3000, 20, n_informative=5, n_redundant=12, n_classes=classes, random_state=1, class_sep=0.7
    )
    names = np.array(["no", "yes", "maybe"])[y]
    train, test, known, new = train_test_split(x, names, random_state=0)
    plain = GaussianNB().fit(train, known)
    repaired = RecalibratedClassifier(GaussianNB(), method="temperature").fit(train, known)
    assert repaired.recalibrator_.verdict == "helps"
    losses = [log_loss(new, model.predict_proba(test), labels=plain.classes_) for model in (plain, repaired)]
    assert losses[1] < losses[0] - 0.1
    assert (repaired.predict(test) == plain.predict(test)).all()
