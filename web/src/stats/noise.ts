/** The noise floor, and the null it is drawn from. Twin of calibration/noise.py, intervals/null.py and bands.py. */

import { clip, quantileOfSorted, total, zeros } from "./arrays";
import type { Bins } from "./bins";
import {
  binIndex, binSums, meanProb, nullVariance, occupied, plainRows, probOf, residual, weightOf, type BinSums, type Cells,
} from "./cells";
import type { Norm } from "./errors";
import { flipQuantile, flipSum, keptUniforms, normals, STREAMS, type FlipSum } from "./random";

export const FLOOR_DRAWS = 4_999;
const SUM_GROUPS = 300;

export interface NoiseFloor {
  value: number;
  floor: number;
  floor95: number;
  pValue: number;
  draws: number;
  seed: number;
}

/** Draws of the occupied bins' residual sums under the null, row by row: draws × bins. */
export interface Null {
  draws: number;
  bins: number;
  residuals: Float64Array;
  sums: BinSums;
}

export function nullResiduals(given: Cells, bins: Bins, seed = 0, draws = FLOOR_DRAWS): Null {
  const cells = plainRows(given);
  const sums = occupied(binSums(cells, bins));
  const size = sums.rows[0].length;
  const out = zeros(draws * size);
  const laws = cells.weight ? null : flipLaws(cells, bins, size);
  if (!laws) {
    const z = normals(seed, STREAMS.floor, out.length);
    const spread = nullVariance(sums).map((v) => Math.sqrt(Math.max(v, 0)));
    for (let i = 0; i < out.length; i++) out[i] = z[i]! * spread[i % size]!;
    return { draws, bins: size, residuals: out, sums };
  }
  const u = keptUniforms(seed, STREAMS.floor, out.length);
  for (let i = 0; i < out.length; i++) {
    const law = laws[i % size]!;
    out[i] = law.mean - flipQuantile(law, u[i]!);
  }
  return { draws, bins: size, residuals: out, sums };
}

/** The law of each bin's sum of outcomes; null when bins and cells do not match (closed on the right). */
function flipLaws(cells: Cells, bins: Bins, size: number): FlipSum[] | null {
  const place = binIndex(cells, bins);
  const prob = probOf(cells);
  const groups: { place: number; rows: number[]; prob: number[] }[] = [];
  const merge = cells.key.length > SUM_GROUPS;
  const all = total(cells.rows[0]) + total(cells.rows[1]);
  let [seen, lastShare, lastPlace, groupRows, groupSum] = [0, -1, -1, 0, 0];
  const close = (): void => {
    if (!groupRows) return;
    let bin = groups[groups.length - 1];
    if (!bin || bin.place !== lastPlace) groups.push((bin = { place: lastPlace, rows: [], prob: [] }));
    bin.rows.push(groupRows);
    bin.prob.push(clip(merge ? groupSum / groupRows : groupSum, 0, 1));
    groupRows = groupSum = 0;
  };
  for (let i = 0; i < place.length; i++) {
    const rows = cells.rows[0][i]! + cells.rows[1][i]!;
    seen += rows;
    const share = Math.floor((seen - rows / 2) * (SUM_GROUPS / Math.max(all, 1)));
    if (!merge || share > lastShare || place[i]! > lastPlace) close();
    lastShare = share;
    lastPlace = place[i]!;
    groupRows += rows;
    groupSum += merge ? rows * prob[i]! : prob[i]!;
  }
  close();
  return groups.length === size ? groups.map((g) => flipSum(g.rows, g.prob)) : null;
}

/** The calibration error of each draw. */
export function drawnErrors(drawn: Null, norm: Norm): Float64Array {
  const { bins, draws, residuals } = drawn;
  const weight = weightOf(drawn.sums);
  const all = total(weight);
  const out = zeros(draws);
  for (let b = 0; b < draws; b++) {
    let error = 0;
    for (let k = 0; k < bins; k++) {
      const d = Math.abs(residuals[b * bins + k]!);
      if (norm === "l1") error += d;
      else if (norm === "l2") error += (d * d) / weight[k]!;
      else error = Math.max(error, d / weight[k]!);
    }
    out[b] = norm === "l1" ? error / all : norm === "l2" ? Math.sqrt(error / all) : error;
  }
  return out;
}

export function binnedError(sums: BinSums, norm: Norm): number {
  const some = occupied(sums);
  const one: Null = { draws: 1, bins: some.rows[0].length, residuals: residual(some), sums: some };
  return drawnErrors(one, norm)[0]!;
}

/** A calibration error beside what a perfectly calibrated forecaster would show by chance. */
export function floorOfCells(cells: Cells, bins: Bins, norm: Norm = "l1", seed = 0, given?: Null): NoiseFloor {
  const drawn = given ?? nullResiduals(cells, bins, seed);
  const errors = drawnErrors(drawn, norm);
  const value = binnedError(binSums(cells, bins), norm);
  return { value, ...floorOfDraws(value, errors), draws: errors.length, seed };
}

/** Mean and 95% point of drawn errors, and how rarely one reaches the value. */
export function floorOfDraws(value: number, errors: Float64Array): { floor: number; floor95: number; pValue: number } {
  let reached = 0;
  for (const error of errors) if (error >= value - 1e-12 * Math.max(1, Math.abs(value))) reached++;
  return {
    floor: total(errors) / errors.length,
    floor95: quantileOfSorted(errors.slice().sort(), 0.95),
    pValue: (1 + reached) / (1 + errors.length),
  };
}

export interface ConsistencyBand {
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** Without the last bits, so that all rows of a bin are 100% of it. */
const clean = (share: number): number => Number(share.toFixed(13));

/** Where the observed shares of a calibrated forecaster lie, bin by bin. */
export function consistencyBand(drawn: Null, level = 0.95): ConsistencyBand {
  const { bins, draws } = drawn;
  const weight = weightOf(drawn.sums);
  const mean = meanProb(drawn.sums);
  const tail = (1 - level) / 2;
  const low = zeros(bins);
  const high = zeros(bins);
  const column = zeros(draws);
  for (let k = 0; k < bins; k++) {
    for (let b = 0; b < draws; b++) column[b] = -drawn.residuals[b * bins + k]! / weight[k]!;
    column.sort();
    low[k] = clip(clean(mean[k]! + quantileOfSorted(column, tail)), 0, 1);
    high[k] = clip(clean(mean[k]! + quantileOfSorted(column, 1 - tail)), 0, 1);
  }
  return { mean, low, high };
}
