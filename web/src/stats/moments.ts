/** Moments: sums of row scores and of their products. Twin of src/calibrant/tallies/moments.py. */

import { tQuantile, wilson } from "./wilson";

export interface Moments {
  names: string[];
  first: number[][];
  second: number[][];
}

export const NAMES = {
  yes_no: ["one", "prob", "outcome", "confidence", "right", "brier", "log"],
  answer: ["one", "confidence", "right", "brier", "log"],
  choice: ["one", "confidence", "right", "brier", "log"],
  score: ["one", "confidence", "right", "brier", "log", "rps", "level", "label"],
} as const;

export const has = (m: Moments, name: string): boolean => m.names.includes(name);

export function momentTotal(m: Moments, name: string, by = "one"): number {
  return m.first[m.names.indexOf(name)]![m.names.indexOf(by)]!;
}

export function effectiveRows(m: Moments): number {
  const square = m.second[0]![0]!;
  return square ? m.first[0]![0]! ** 2 / square : 0;
}

export const mean = (m: Moments, name: string): number => momentTotal(m, name) / m.first[0]![0]!;

/** Covariance of the weighted means of two scores (sandwich form). */
export function covarianceOfMeans(m: Moments, a: string, b: string): number {
  const [i, j] = [m.names.indexOf(a), m.names.indexOf(b)];
  const weight = m.first[0]![0]!;
  const [ma, mb] = [m.first[0]![i]! / weight, m.first[0]![j]! / weight];
  const [sa, sb, square] = [m.second[0]![i]!, m.second[0]![j]!, m.second[0]![0]!];
  const centred = m.second[i]![j]! - ma * sb - sa * mb + square * ma * mb;
  const n = effectiveRows(m);
  return (centred / weight ** 2) * (n > 1 ? n / (n - 1) : NaN);
}

export interface MeanInterval {
  low: number | null;
  high: number | null;
  method: string | null;
}

const NONE: MeanInterval = { low: null, high: null, method: null };
const MINIMUM_OF_EACH = 10;

/** Whether a t interval holds: about ten rows right and ten wrong. */
export function enoughRows(m: Moments): boolean {
  const n = effectiveRows(m);
  const right = has(m, "right") ? mean(m, "right") * n : n / 2;
  return Math.min(right, n - right) >= MINIMUM_OF_EACH - 1e-9;
}

function tInterval(centre: number, error: number, degrees: number, level: number): MeanInterval {
  const half = tQuantile(0.5 + level / 2, degrees) * error;
  return { low: centre - half, high: centre + half, method: "t" };
}

export function meanInterval(m: Moments, name: string, bounds?: [number, number], level = 0.95): MeanInterval {
  if (!enoughRows(m)) return NONE;
  const error = Math.sqrt(Math.max(covarianceOfMeans(m, name, name), 0));
  const found = tInterval(mean(m, name), error, effectiveRows(m) - 1, level);
  if (!bounds) return found;
  return { ...found, low: Math.max(found.low!, bounds[0]), high: Math.min(found.high!, bounds[1]) };
}

/** The t interval of a mean without the demand for rows of both kinds: for what was stated. */
export function plainMeanInterval(m: Moments, name: string, level = 0.95): MeanInterval {
  const n = effectiveRows(m);
  if (!(n > 1)) return NONE;
  return tInterval(mean(m, name), Math.sqrt(Math.max(covarianceOfMeans(m, name, name), 0)), n - 1, level);
}

export function shareInterval(m: Moments, name: string, level = 0.95): MeanInterval {
  const [low, high] = wilson(mean(m, name), effectiveRows(m), level);
  return { low, high, method: "wilson" };
}

export function gapInterval(m: Moments, a: string, b: string, level = 0.95): MeanInterval {
  if (!enoughRows(m)) return NONE;
  const c = (x: string, y: string): number => covarianceOfMeans(m, x, y);
  const variance = c(a, a) - 2 * c(a, b) + c(b, b);
  return tInterval(mean(m, a) - mean(m, b), Math.sqrt(Math.max(variance, 0)), effectiveRows(m) - 1, level);
}

/** The interval of the Brier skill by the delta method, over the shares of one outcome or of every option. */
export function skillInterval(m: Moments, outcomes: string[], level = 0.95): MeanInterval {
  const n = effectiveRows(m);
  const rates = outcomes.map((name) => mean(m, name));
  const rare = rates.reduce((sum, rate) => sum + Math.min(rate, 1 - rate), 0);
  if (Math.min(rare, 1) * n < MINIMUM_OF_EACH - 1e-9 || !enoughRows(m)) return NONE;
  const brier = mean(m, "brier");
  const u = rates.reduce((sum, rate) => sum + rate * (1 - rate), 0);
  const slope = [-1 / u, ...rates.map((rate) => (brier * (1 - 2 * rate)) / u ** 2)];
  const names = ["brier", ...outcomes];
  let variance = 0;
  names.forEach((a, i) => names.forEach((b, j) => (variance += slope[i]! * slope[j]! * covarianceOfMeans(m, a, b))));
  const found = tInterval(1 - brier / u, Math.sqrt(Math.max(variance, 0)), n - 1, level);
  return { low: found.low, high: Math.min(found.high!, 1), method: "delta" };
}

/** A finite-sample interval of any bounded mean (empirical Bernstein), where a t interval does not hold. */
export function bernsteinInterval(m: Moments, name: string, bounds: [number, number], level = 0.95): MeanInterval {
  const n = effectiveRows(m);
  const [weight, square] = [m.first[0]![0]!, m.second[0]![0]!];
  if (Math.abs(square - weight) > 1e-9 * weight || !(n > 1)) return NONE;
  const variance = n * Math.max(covarianceOfMeans(m, name, name), 0);
  const logarithm = Math.log(4 / (1 - level));
  const half = Math.sqrt((2 * variance * logarithm) / n) + (7 * (bounds[1] - bounds[0]) * logarithm) / (3 * (n - 1));
  const centre = mean(m, name);
  return { low: Math.max(centre - half, bounds[0]), high: Math.min(centre + half, bounds[1]), method: "Bernstein" };
}
