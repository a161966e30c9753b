"""Single numbers from arrays: each with its convention in its options."""

from __future__ import annotations

import numpy as np

import calibrant as cb

rng = np.random.default_rng(1)
true = rng.random(2_000)
happened = (rng.random(2_000) < true).astype(int)
stated = 1 / (1 + ((1 - true) / true) ** 2)  # surer than it should be

print(f"Brier score        {cb.brier_score(stated, happened):.4f}   (0 to 1, lower is better)")
print(f"the same, 0 to 2   {cb.brier_score(stated, happened, scale='sum'):.4f}")
print(f"skill              {cb.brier_skill_score(stated, happened):.4f}   (0: no better than the base rate)")
print(f"log loss           {cb.log_loss(stated, happened):.4f}")

# A calibration error depends on its bins; beside it belongs what noise alone would give.
for bins in (10, 15):
    error = cb.event_ece(stated, happened, bins=bins)
    floor = cb.noise_floor(stated, bins=bins)
    print(f"event ECE, {bins} bins  {error:.4f}   (noise alone: {floor.mean:.4f}, at most {floor.upper:.4f})")

# Murphy's three terms hold exactly over distinct probabilities; binned, the spread inside bins is a term of its own.
terms = cb.murphy_decomposition(stated, happened, bins=10)
total = terms.reliability - terms.resolution + terms.uncertainty
print(f"Brier = {total + terms.within_bin_variance - terms.within_bin_covariance:.4f} from five terms")
