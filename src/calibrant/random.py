"""A counter-based random generator that Python and the browser page share, number for number.

A draw is a pure function of (seed, stream, index): Philox4x32-10 of Salmon, Moraes, Dror & Shaw (2011, "Parallel
random numbers: as easy as 1, 2, 3"), on 32-bit words, so that JavaScript's `Math.imul` reproduces it. Sums of
coin flips are drawn by inverting their distribution function at one uniform, so that the number of uniforms does
not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["STREAMS", "FlipSums", "normal_quantile", "normals", "philox", "uniforms"]

STREAMS = {"floor": 1, "inversion": 2, "test": 3, "smooth": 4, "band": 5, "sweep": 6, "split": 7, "skill": 8}
"""Each use of chance draws from a stream of its own, so that no two of them are correlated under one seed."""

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_WORD = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_BLOCK = 1 << 14

TABLE_VARIANCE = 400.0
"""Sums with a smaller variance are drawn from a table of their exact distribution, others from a normal one with a
correction for skewness; at the border the two distribution functions differ by less than 0.001."""


def philox(counter: NDArray[np.uint64], key: tuple[int, int]) -> NDArray[np.uint64]:
    """Philox4x32-10: four random 32-bit words for each counter of four 32-bit words.

    Args:
        counter: uint64 holding 32-bit words, shape (4, n).
        key: two 32-bit words.

    Returns:
        uint64 holding 32-bit words, shape (4, n).

    Example:
        >>> [hex(word) for word in philox(np.zeros((4, 1), np.uint64), (0, 0))[:, 0].tolist()]
        ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    a, b, c, d = counter
    first, second = key
    for _ in range(_ROUNDS):
        left, right = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
        a, b, c, d = (
            (right >> _HALF) ^ b ^ np.uint64(first),
            right & _WORD,
            (left >> _HALF) ^ d ^ np.uint64(second),
            left & _WORD,
        )
        first, second = (first + _WEYL[0]) & 0xFFFFFFFF, (second + _WEYL[1]) & 0xFFFFFFFF
    return np.stack([a, b, c, d])


def uniforms(seed: int, stream: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform numbers inside (0, 1), never 0 or 1; entry i (in C order) depends on (seed, stream, i) only.

    Entries 2j and 2j + 1 come from the counter (j mod 2³², j div 2³², stream, 0) under the key (seed mod 2³²,
    seed div 2³²): words a, b make (2²⁶·(a >> 6) + (b >> 6) + ½) / 2⁵².

    Example:
        >>> uniforms(0, 0, (2,)).round(6).tolist()
        [0.399046, 0.735713]
    """
    count = int(np.prod(shape, dtype=np.int64))
    blocks = (count + 1) // 2
    out = np.empty(2 * blocks)
    key = (seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF)
    for begin in range(0, blocks, _BLOCK):
        place = np.arange(begin, min(begin + _BLOCK, blocks), dtype=np.uint64)
        counter = np.zeros((4, place.size), np.uint64)
        counter[0], counter[1], counter[2] = place & _WORD, place >> _HALF, np.uint64(stream)
        top = (philox(counter, key) >> np.uint64(6)).astype(np.float64)
        part = out[2 * begin : 2 * (begin + place.size)]
        part[0::2] = (top[0] * 67108864.0 + top[1] + 0.5) * 2.0**-52
        part[1::2] = (top[2] * 67108864.0 + top[3] + 0.5) * 2.0**-52
    return out[:count].reshape(shape)


_CENTRE = (
    (
        3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
        4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
    ),
    (
        1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
    ),
)  # fmt: skip
_MIDDLE = (
    (
        1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
        1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
    ),
    (
        1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
    ),
)  # fmt: skip
_FAR = (
    (
        6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
        2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ),
    (
        1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
    ),
)  # fmt: skip


def normal_quantile(probability: ArrayLike) -> NDArray[np.float64]:
    """The standard normal quantile, to about 1e-15 relative; inside (0, 1) only.

    Source: Wichura (1988), Applied Statistics 37, algorithm AS 241 (PPND16).

    Example:
        >>> normal_quantile([0.5, 0.975]).round(12).tolist()
        [0.0, 1.95996398454]
    """
    p = np.asarray(probability, dtype=np.float64)
    q = p - 0.5
    near = 0.180625 - q * q
    out = q * _ratio_of(_CENTRE, near)
    tail = np.flatnonzero(np.abs(q) > 0.425)
    if tail.size:
        value = p.ravel()[tail]
        r = np.sqrt(-np.log(np.minimum(value, 1.0 - value)))
        z = np.where(r <= 5.0, _ratio_of(_MIDDLE, r - 1.6), _ratio_of(_FAR, r - 5.0))
        flat = out.ravel()
        flat[tail] = np.where(value < 0.5, -z, z)
        out = flat.reshape(p.shape)
    return out


def _ratio_of(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: NDArray[np.float64]) -> NDArray[np.float64]:
    top, bottom = (np.full_like(x, part[-1]) for part in coefficients)
    for above, below in zip(coefficients[0][-2::-1], coefficients[1][-2::-1], strict=True):
        top = top * x + above
        bottom = bottom * x + below
    return np.asarray(top / bottom)


def normals(seed: int, stream: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Standard normal numbers: the quantiles of `uniforms`."""
    return normal_quantile(uniforms(seed, stream, shape))


@dataclass(frozen=True, slots=True, eq=False)
class FlipSums:
    """Distributions of several sums of independent coin flips, to be inverted at uniforms.

    Attributes:
        rows: float64, shape (k,): flips in each sum; a draw lies in 0 … rows.
        mean: float64, shape (k,).
        deviation: float64, shape (k,): standard deviation.
        skewness: float64, shape (k,); 0 where the variance is at most 1, as it is not needed there.
        chance: float64, shape (k,): the probability of 1 where the sum is a single flip, else nan.
        start: float64, shape (k,): the value that the first entry of a sum's table stands for.
        table: distribution functions by sum, for those with a small variance.
    """

    rows: NDArray[np.float64]
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    skewness: NDArray[np.float64]
    chance: NDArray[np.float64]
    start: NDArray[np.float64]
    table: dict[int, NDArray[np.float64]]

    @classmethod
    def of(
        cls,
        rows: NDArray[np.integer],
        prob: NDArray[np.float64],
        place: NDArray[np.intp] | None = None,
        sums: int | None = None,
    ) -> FlipSums:
        """Sums of `rows[j]` flips with probability `prob[j]` each, group j going into sum `place[j]`.

        Args:
            rows: flips per group, shape (m,).
            prob: probability of 1 per group, shape (m,).
            place: the sum of each group, shape (m,); by default each group is a sum of its own.
            sums: number of sums.
        """
        place = np.arange(rows.size) if place is None else place
        size = int(rows.size if sums is None else sums)
        flips = rows.astype(np.float64)
        spread = flips * prob * (1.0 - prob)

        def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.bincount(place, values, minlength=size).astype(np.float64)

        count, mean, variance = total(flips), total(flips * prob), total(spread)
        deviation = np.sqrt(variance)
        third = total(spread * (1.0 - 2.0 * prob))
        skewness = np.where(variance > 1.0, third, 0.0) / np.where(variance > 1.0, deviation**3, 1.0)
        chance = np.where(count == 1, mean, np.nan)
        tabled = (count > 1) & (variance < TABLE_VARIANCE)
        start = np.zeros(size)
        table: dict[int, NDArray[np.float64]] = {}
        for length in _LENGTHS:
            now = tabled & (_needed(count, deviation) <= length)
            tabled &= ~now
            if now.any():
                names = np.flatnonzero(now)
                first, cdf = _tables(flips, prob, place, (names, count[names], mean[names]), length)
                start[names] = first
                table.update(zip(names.tolist(), cdf, strict=True))
        return cls(count, mean, deviation, skewness, chance, start, table)

    def quantile(self, uniform: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each sum at its uniform: the smallest value whose distribution function exceeds it.

        Args:
            uniform: shape (draws, k), inside (0, 1).

        Returns:
            float64 whole numbers, shape (draws, k).
        """
        z = normal_quantile(uniform) if len(self.table) + np.count_nonzero(self.rows <= 1) < self.rows.size else None
        out = np.where(uniform >= 1.0 - self.chance, 1.0, 0.0)
        for k in range(self.rows.size):
            if k in self.table:
                found = np.searchsorted(self.table[k], uniform[:, k], side="right")
                out[:, k] = np.clip(self.start[k] + found, 0.0, self.rows[k])
            elif self.rows[k] > 1 and z is not None:
                bent = z[:, k] + self.skewness[k] / 6.0 * (z[:, k] ** 2 - 1.0)
                out[:, k] = np.clip(np.floor(self.mean[k] + self.deviation[k] * bent + 0.5), 0.0, self.rows[k])
        return out


_LENGTHS = (32, 64, 128, 256, 512)


def _needed(count: NDArray[np.float64], deviation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Length of a table that leaves out less than 1e-16 of the mass."""
    return np.minimum(count + 1, 20.0 * deviation + 40.0)


def _tables(
    flips: NDArray[np.float64],
    prob: NDArray[np.float64],
    place: NDArray[np.intp],
    wanted: tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]],
    length: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """First values and distribution functions of the wanted sums (names, flips, means), from characteristic functions.

    The characteristic function of a sum is Π(1 − p + p·eⁱᵗ)ⁿ; at `length` equally spaced t its inverse transform is
    the sum's distribution folded modulo `length`, and `length` exceeds what carries mass.
    """
    names, count, mean = wanted
    local = np.full(int(place.max()) + 1, -1)
    local[names] = np.arange(names.size)
    mine = np.flatnonzero(local[place] >= 0)
    n, p, to = flips[mine][:, None], prob[mine][:, None], local[place[mine]]
    angle = 2.0 * np.pi * np.arange(length // 2 + 1) / length
    log_size = 0.5 * n * np.log(np.maximum(1.0 - 2.0 * p * (1.0 - p) * (1.0 - np.cos(angle)), 1e-300))
    phase = n * np.arctan2(p * np.sin(angle), 1.0 - p + p * np.cos(angle))
    sizes, phases = (_by_sum(part, to, names.size) for part in (log_size, phase))
    whole = count + 1 <= length
    first = np.where(whole, 0.0, np.floor(mean) - length // 2)
    shifted = phases - first[:, None] * angle
    mass = np.fft.irfft(np.exp(sizes - 1j * shifted), n=length, axis=1)
    return first, np.cumsum(np.maximum(mass, 0.0), axis=1)


def _by_sum(part: NDArray[np.float64], to: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    if to.size == size:
        return part[np.argsort(to)]
    out = np.zeros((size, part.shape[1]))
    np.add.at(out, to, part)
    return out
