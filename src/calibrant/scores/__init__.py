"""Scores of single rows and their means: Brier, log loss, ranked probability score, accuracy, AUC."""
