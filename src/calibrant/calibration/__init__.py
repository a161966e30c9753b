"""Calibration: are stated probabilities as large as what happens? Errors, decompositions, the curve, the slope."""
