"""Repairing probabilities: maps from what was said to what happens, judged on rows they were not fitted on."""
