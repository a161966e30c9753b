"""A scikit-learn classifier whose probabilities are repaired; needs scikit-learn (calibrant[sklearn])."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from calibrant.recalibration.recalibrate import recalibrate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["RecalibratedClassifier"]


class RecalibratedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with probabilities that are repaired, if that is shown to help.

    The map is fitted to probabilities that the estimator gives to rows it was not trained on (cross-validation); then
    the estimator is trained on all rows. A map that is not shown to help is not applied.

    Args:
        estimator: a classifier with `predict_proba`; None takes logistic regression.
        method: method of `recalibrate`, "auto" may decline.
        cv: folds of the cross-validation.
        seed: seed of the folds.

    Attributes:
        classes_: the classes.
        estimator_: the trained classifier.
        recalibrator_: the fitted `Recalibrator`, or None where there were too few rows of a class to make folds.
        n_features_in_: columns of X.

    Example:
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = make_classification(3000, n_informative=5, n_redundant=12, class_sep=0.7, random_state=1)
        >>> model = RecalibratedClassifier(GaussianNB(), method="temperature").fit(X, y)
        >>> model.recalibrator_.verdict
        'helps'
    """

    def __init__(self, estimator: Any = None, *, method: str = "auto", cv: int = 5, seed: int = 0) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.seed = seed

    def fit(self, X: ArrayLike, y: ArrayLike) -> RecalibratedClassifier:  # noqa: N803  (scikit-learn's names)
        """Train the estimator and fit the map.

        Args:
            X: shape (n, features).
            y: classes, shape (n,).
        """
        rows, labels = validate_data(self, X, y)
        check_classification_targets(labels)
        self.classes_, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if self.classes_.size < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {self.classes_!r}.")
        base = LogisticRegression() if self.estimator is None else self.estimator
        self.estimator_ = clone(base).fit(rows, labels)
        folds = min(self.cv, int(counts.min()))
        self.recalibrator_ = None
        if folds >= 2:
            split = StratifiedKFold(folds, shuffle=True, random_state=self.seed)
            said = cross_val_predict(clone(base), rows, labels, cv=split, method="predict_proba")
            prob: NDArray[np.float64] = said[:, 1] if self.classes_.size == 2 else said
            self.recalibrator_ = recalibrate(prob, place, method=self.method, seed=self.seed)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:  # noqa: N803
        """Repaired probabilities, shape (n, classes)."""
        check_is_fitted(self)
        said = np.asarray(self.estimator_.predict_proba(validate_data(self, X, reset=False)), dtype=np.float64)
        if self.recalibrator_ is None:
            return said
        if self.classes_.size == 2:
            yes = self.recalibrator_.transform(said[:, 1])
            return np.stack([1.0 - yes, yes], axis=1)
        return self.recalibrator_.transform(said)

    def predict(self, X: ArrayLike) -> NDArray[Any]:  # noqa: N803
        """The class with the largest probability."""
        probs = self.predict_proba(X)
        return np.asarray(self.classes_[probs.argmax(axis=1)])
