/** The best rising step function, and CORP. Twin of calibration/isotonic.py and calibration/corp.py. */

import { mapped, total, type Pair } from "./arrays";
import { cellSums, grouped, isExact, pooled, probOf, wOf, type Cells } from "./cells";

export interface IsotonicFit {
  low: Float64Array;
  high: Float64Array;
  value: Float64Array;
  weight: Float64Array;
}

export interface CorpDecomposition {
  score: number;
  miscalibration: number;
  discrimination: number;
  uncertainty: number;
  errorBound: number;
}

/** Pool adjacent violators: the places where the steps start. */
export function pool(w: Pair): number[] {
  const start: number[] = [];
  const weights: number[] = [];
  const events: number[] = [];
  const share = (i: number): number => events[i]! / weights[i]!;
  for (let i = 0; i < w[0].length; i++) {
    start.push(i);
    weights.push(w[0][i]! + w[1][i]!);
    events.push(w[1][i]!);
    while (start.length > 1 && share(start.length - 2) >= share(start.length - 1) - 1e-15) {
      const last = start.length - 1;
      weights[last - 1]! += weights[last]!;
      events[last - 1]! += events[last]!;
      start.pop();
      weights.pop();
      events.pop();
    }
  }
  return start;
}

export function isotonicFit(cells: Cells): IsotonicFit {
  const one = pooled(cells);
  const w = wOf(one);
  const start = pool(w);
  const no = grouped(w[0], start);
  const yes = grouped(w[1], start);
  const prob = probOf(one);
  return {
    low: mapped(start.length, (i) => prob[start[i]!]!),
    high: mapped(start.length, (i) => prob[(start[i + 1] ?? prob.length) - 1]!),
    value: mapped(start.length, (i) => yes[i]! / (no[i]! + yes[i]!)),
    weight: mapped(start.length, (i) => no[i]! + yes[i]!),
  };
}

function fittedLoss(w: Pair): number {
  const start = pool(w);
  const no = grouped(w[0], start);
  const yes = grouped(w[1], start);
  let sum = 0;
  for (let i = 0; i < no.length; i++) {
    const x = yes[i]! / (no[i]! + yes[i]!);
    sum += no[i]! * x * x + yes[i]! * (1 - x) * (1 - x);
  }
  return sum / (total(no) + total(yes));
}

/** Mean (p − y)² of the rows in cells. */
export function brierOfCells(cells: Cells): number {
  const sums = cellSums(cells);
  let square = 0;
  for (let i = 0; i < sums.w[0].length; i++)
    square += sums.wpp[0][i]! + (sums.wpp[1][i]! - 2 * sums.wp[1][i]! + sums.w[1][i]!);
  return square / (total(sums.w[0]) + total(sums.w[1]));
}

/** brier = miscalibration − discrimination + uncertainty, by the isotonic fit. */
export function corpOfCells(cells: Cells): CorpDecomposition {
  const w = wOf(pooled(cells));
  const score = brierOfCells(cells);
  const fitted = fittedLoss(w);
  const no = total(w[0]);
  const yes = total(w[1]);
  const rate = yes / (no + yes);
  const uncertainty = (no * rate * rate + yes * (1 - rate) * (1 - rate)) / (no + yes);
  return {
    score,
    miscalibration: Math.max(score - fitted, 0),
    discrimination: Math.max(uncertainty - fitted, 0),
    uncertainty,
    errorBound: isExact(cells) ? 0 : Math.max(fitted - fittedLoss(bestOrder(w)), 0),
  };
}

function bestOrder(w: Pair): Pair {
  const no: number[] = [];
  const yes: number[] = [];
  for (let i = 0; i < w[0].length; i++) {
    if (w[0][i]! > 0) no.push(w[0][i]!), yes.push(0);
    if (w[1][i]! > 0) no.push(0), yes.push(w[1][i]!);
  }
  return [Float64Array.from(no), Float64Array.from(yes)];
}

export interface Auc {
  value: number;
  standardError: number;
  errorBound: number;
}

/** AUC with ties counted half, and DeLong's standard error. Twin of scores/auc.py. */
export function aucOfCells(cells: Cells): Auc {
  const w = wOf(cells);
  const v = cells.weight ? [cells.weight[0][1], cells.weight[1][1]] : w;
  const [no, yes] = w;
  const allNo = total(no);
  const allYes = total(yes);
  if (!allNo || !allYes) return { value: NaN, standardError: NaN, errorBound: 0 };
  const size = no.length;
  const below = new Float64Array(size);
  const above = new Float64Array(size);
  let [a, b, area, hidden] = [0, 0, 0, 0];
  for (let i = 0; i < size; i++) {
    a += no[i]!;
    b += yes[i]!;
    below[i] = (a - no[i]! / 2) / allNo;
    above[i] = 1 - (b - yes[i]! / 2) / allYes;
    area += yes[i]! * below[i]!;
    hidden += no[i]! * yes[i]!;
  }
  area /= allYes;
  const variance = (values: Float64Array, weight: number, place: Float64Array): number => {
    const n = weight ** 2 / total(values);
    let sum = 0;
    for (let i = 0; i < size; i++) sum += values[i]! * (place[i]! - area) ** 2;
    return n > 1 ? ((sum / weight ** 2) * n) / (n - 1) : NaN;
  };
  return {
    value: area,
    standardError: Math.sqrt(variance(v[1]!, allYes, below) + variance(v[0]!, allNo, above)),
    errorBound: isExact(cells) ? 0 : hidden / (2 * allNo * allYes),
  };
}
