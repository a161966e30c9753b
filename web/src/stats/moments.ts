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

/** The interval of the Brier skill by the delta method. */
export function skillInterval(m: Moments, outcome: string, level = 0.95): MeanInterval {
  const [rate, brier, n] = [mean(m, outcome), mean(m, "brier"), effectiveRows(m)];
  if (Math.min(rate, 1 - rate) * n < MINIMUM_OF_EACH - 1e-9 || !enoughRows(m)) return NONE;
  const u = rate * (1 - rate);
  const slope = [-1 / u, (brier * (1 - 2 * rate)) / u ** 2] as const;
  const c = (x: string, y: string): number => covarianceOfMeans(m, x, y);
  const variance =
    slope[0] ** 2 * c("brier", "brier") +
    2 * slope[0] * slope[1] * c("brier", outcome) +
    slope[1] ** 2 * c(outcome, outcome);
  const found = tInterval(1 - brier / u, Math.sqrt(Math.max(variance, 0)), n - 1, level);
  return { low: found.low, high: Math.min(found.high!, 1), method: "delta" };
}
