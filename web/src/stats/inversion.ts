/** Intervals of binned calibration errors by test inversion. Twin of src/calibrant/intervals/inversion.py. */

import { clip, mapped, quantileOfSorted, total, zeros } from "./arrays";
import { meanProb, occupied, residual, residualSquare, squareOf, weightOf, type BinSums } from "./cells";
import type { Null } from "./noise";
import { normals, STREAMS } from "./random";

export const INVERSION_DRAWS = 1_999;
const STEPS = 26;
/** No interval is promised below this Σp(1 − p). */
const LEAST_INFORMATION = 5;
type Power = 1 | 2;

interface BinGaps {
  share: Float64Array;
  gap: Float64Array;
  error: Float64Array;
  rows: Float64Array;
  spread: Float64Array;
  prob: Float64Array;
  squareNoise: Float64Array;
  weight: number;
  total: number;
  information: number;
}

export interface ErrorInterval {
  value: number;
  low: number;
  high: number;
  inDomain: boolean;
}

/** Gaps and their standard errors, each variance with one pseudo-row from the null. */
export function binGaps(sums: BinSums): BinGaps {
  const some = occupied(sums);
  const weight = weightOf(some);
  const v = squareOf(some);
  const d = residual(some);
  const dd = residualSquare(some);
  const all = total(weight);
  const size = weight.length;
  const rows = mapped(size, (k) => weight[k]! ** 2 / v[k]!);
  const gap = mapped(size, (k) => d[k]! / weight[k]!);
  const spread = mapped(size, (k) => {
    const first = (some.vp[0][k]! + some.vp[1][k]! - some.v[1][k]!) / v[k]!;
    return Math.max(dd[k]! / v[k]! - 2 * gap[k]! * first + gap[k]! ** 2, 0);
  });
  const prob = meanProb(some).map((p) => clip(p, 0, 1));
  const squareNoise = mapped(size, (k) => {
    if (!(rows[k]! > 1 + 1e-9)) return NaN;
    const pairs = (d[k]! ** 2 - dd[k]!) / (weight[k]! ** 2 - v[k]!);
    return ((gap[k]! ** 2 - pairs) * weight[k]!) / all;
  });
  return {
    share: weight.map((w) => w / all),
    gap,
    error: mapped(size, (k) => withPseudoRow(spread[k]!, rows[k]!, prob[k]!)),
    rows,
    spread,
    prob,
    squareNoise,
    weight: all,
    total: all ** 2 / total(v),
    information: total(mapped(size, (k) => rows[k]! * prob[k]! * (1 - prob[k]!))),
  };
}

const withPseudoRow = (spread: number, rows: number, prob: number): number =>
  Math.sqrt((spread * rows + prob * (1 - prob)) / (rows + 1) / rows);

/** Errors drawn around given true gaps, always from the same chance numbers. */
function simulator(gaps: BinGaps, seed: number, power: Power, draws: number): (gap: Float64Array) => Float64Array {
  const size = gaps.gap.length;
  const z = normals(seed, STREAMS.inversion, draws * (size + 1));
  const out = zeros(draws);
  return (gap) => {
    let [mean, square] = [0, 0];
    const error = mapped(size, (k) => {
      const s = Math.abs(gap[k]!) ** power;
      mean += gaps.share[k]! * s;
      square += gaps.share[k]! * s * s;
      const moved = (gaps.gap[k]! - gap[k]!) * (1 - 2 * gaps.prob[k]!) + gaps.gap[k]! ** 2 - gap[k]! ** 2;
      return withPseudoRow(Math.max(gaps.spread[k]! + moved, 0), gaps.rows[k]!, gaps.prob[k]!);
    });
    const spread = Math.sqrt(Math.max(square - mean * mean, 0) / gaps.total);
    for (let b = 0; b < draws; b++) {
      const at = b * (size + 1);
      let sum = 0;
      for (let k = 0; k < size; k++) {
        const drawn = z[at + k + 1]! * error[k]! + gap[k]!;
        sum += (power === 1 ? Math.abs(drawn) : drawn * drawn) * gaps.share[k]!;
      }
      out[b] = sum + spread * z[at]!;
    }
    return out;
  };
}

/** The debiased l2 error with its interval. */
export function l2Interval(gaps: BinGaps, seed = 0, level = 0.95, given?: Null): ErrorInterval {
  const { share, gap, error } = gaps;
  let [square, observed, known] = [0, 0, 0];
  for (let k = 0; k < gap.length; k++) {
    observed += share[k]! * gap[k]! ** 2;
    if (!Number.isFinite(gaps.squareNoise[k]!)) continue;
    known++;
    square += share[k]! * gap[k]! ** 2 - gaps.squareNoise[k]!;
  }
  if (!known) square = NaN;
  const direction = observed > 1e-18 ? gap : error;
  let length = 0;
  for (let k = 0; k < gap.length; k++) length += share[k]! * direction[k]! ** 2;
  length = Math.sqrt(length);
  const at = (theta: number): Float64Array =>
    direction.map((d) => (length > 0 ? (d / length) * Math.sqrt(theta) : d * Math.sqrt(theta)));
  const simulate = simulator(gaps, seed, 2, given?.draws ?? INVERSION_DRAWS);
  const chance = given ? nullErrors(given, gaps, 2) : simulate(zeros(gap.length)).slice();
  const [low, high] = invert(at, simulate, observed, level, chance);
  return {
    value: Math.sign(square) * Math.sqrt(Math.abs(square)),
    low: Math.sqrt(low),
    high: Math.sqrt(high),
    inDomain: gaps.information >= LEAST_INFORMATION,
  };
}

/** The l1 error with its interval for the value without noise. */
export function l1Interval(gaps: BinGaps, seed = 0, level = 0.95, given?: Null): ErrorInterval {
  const { share, gap, error } = gaps;
  let observed = 0;
  for (let k = 0; k < gap.length; k++) observed += share[k]! * Math.abs(gap[k]!);
  const size = gap.map(Math.abs);
  const scale = error.map((e) => (e > 0 ? e : 1e-12));
  const at = softened(size, scale, share, gap);
  const atEven = softened(evened(size, error, share), scale, share, gap);
  const simulate = simulator(gaps, seed, 1, given?.draws ?? INVERSION_DRAWS);
  const chance = given ? nullErrors(given, gaps, 1) : simulate(zeros(gap.length)).slice();
  const [low, high] = invert(at, simulate, observed, level, chance, atEven);
  return { value: observed, low, high, inDomain: gaps.information >= LEAST_INFORMATION };
}

/** Gaps shrunk towards 0, or grown, by the same multiple of their errors, until their mean size is theta. */
function softened(
  size: Float64Array, scale: Float64Array, share: Float64Array, gap: Float64Array,
): (theta: number) => Float64Array {
  const order = Array.from(size.keys()).sort((a, b) => size[b]! / scale[b]! - size[a]! / scale[a]! || a - b);
  return (theta) => {
    if (theta <= 0) return zeros(size.length);
    let [height, slope, cut] = [0, 0, 0];
    for (let j = 0; j < order.length; j++) {
      const k = order[j]!;
      height += share[k]! * size[k]!;
      slope += share[k]! * scale[k]!;
      cut = (height - theta) / slope;
      const next = order[j + 1];
      if (next === undefined || cut >= size[next]! / scale[next]!) break;
    }
    return mapped(size.length, (k) => (gap[k]! < 0 ? -1 : 1) * Math.max(size[k]! - cut * scale[k]!, 0));
  };
}

/** Sizes of gaps drawn together as far as noise explains their differences: for the upper limit. */
function evened(size: Float64Array, error: Float64Array, share: Float64Array): Float64Array {
  let [mean, spread, noise] = [0, 0, 0];
  for (let k = 0; k < size.length; k++) mean += share[k]! * size[k]!;
  for (let k = 0; k < size.length; k++) {
    spread += share[k]! * (size[k]! - mean) ** 2;
    noise += share[k]! * error[k]! ** 2;
  }
  const kept = spread > 0 ? Math.sqrt(Math.max(0, 1 - noise / spread)) : 0;
  return size.map((one) => mean + kept * (one - mean));
}

function nullErrors(drawn: Null, gaps: BinGaps, power: Power): Float64Array {
  return mapped(drawn.draws, (b) => {
    let sum = 0;
    for (let k = 0; k < drawn.bins; k++) {
      const d = Math.abs(drawn.residuals[b * drawn.bins + k]!);
      sum += power === 1 ? d : (d * d) / gaps.share[k]!;
    }
    return power === 1 ? sum / gaps.weight : sum / gaps.weight ** 2;
  });
}

function invert(
  at: (theta: number) => Float64Array,
  simulate: (gap: Float64Array) => Float64Array,
  observed: number,
  level: number,
  chance: Float64Array,
  atHigh: (theta: number) => Float64Array = at,
): [number, number] {
  const tail = (1 - level) / 2;
  const slack = 1e-12 * Math.max(observed, 1e-300);
  const sorted = chance.slice().sort();
  const highFrom = Math.max(observed, quantileOfSorted(sorted, 0.5));
  const share = (gap: Float64Array, holds: (error: number) => boolean): number => {
    const errors = simulate(gap);
    let count = 0;
    for (const error of errors) if (holds(error)) count++;
    return count / errors.length;
  };
  const above = (theta: number): number => share(at(theta), (e) => e >= observed - slack);
  const below = (theta: number): number => share(atHigh(theta), (e) => e <= highFrom + slack);
  let reached = 0;
  for (const error of chance) if (error >= observed - slack) reached++;
  const surprised = (1 + reached) / (1 + chance.length) < tail;
  const low = surprised && above(0) < tail ? edge((t) => above(t) < tail, 0, observed) : 0;
  let reach = Math.max(highFrom, 1e-9);
  while (reach < 1 && below(reach) >= tail) reach = Math.min(2 * reach, 1);
  const high = below(1) >= tail ? 1 : edge((t) => below(t) >= tail, 0, reach);
  return [low, Math.max(high, low)];
}

function edge(holds: (theta: number) => boolean, inside: number, outside: number): number {
  for (let i = 0; i < STEPS; i++) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return (inside + outside) / 2;
}
