/** The Brier score taken apart over bins. Twin of src/calibrant/calibration/decomposition.py. */

import { total } from "./arrays";
import { meanProb, observed, occupied, residual, squareOf, weightOf, rowsOf, type BinSums } from "./cells";

export interface CorrectedTerms {
  reliability: number;
  resolution: number;
  uncertainty: number;
  rowsInBinsOfOne: number;
}

export interface MurphyDecomposition {
  brier: number;
  reliability: number;
  resolution: number;
  uncertainty: number;
  withinBinVariance: number;
  withinBinCovariance: number;
  bins: number;
  corrected: CorrectedTerms;
}

/** brier = reliability − resolution + uncertainty + within-bin variance − within-bin covariance, to rounding. */
export function decompose(sums: BinSums): MurphyDecomposition {
  const some = occupied(sums);
  const weight = weightOf(some);
  const all = total(weight);
  const p = meanProb(some);
  const y = observed(some);
  const d = residual(some);
  const rate = total(some.w[1]) / all;
  let [brier, reliability, resolution, variance, covariance] = [0, 0, 0, 0, 0];
  for (let k = 0; k < weight.length; k++) {
    brier += some.wpp[0][k]! + (some.wpp[1][k]! - 2 * some.wp[1][k]! + some.w[1][k]!);
    reliability += weight[k]! * (d[k]! / weight[k]!) ** 2;
    resolution += weight[k]! * (y[k]! - rate) ** 2;
    for (const o of [0, 1] as const)
      variance += some.wpp[o][k]! - p[k]! * (2 * some.wp[o][k]! - p[k]! * some.w[o][k]!);
    covariance += some.wp[1][k]! - p[k]! * some.w[1][k]!;
  }
  return {
    brier: brier / all,
    reliability: reliability / all,
    resolution: resolution / all,
    uncertainty: rate * (1 - rate),
    withinBinVariance: Math.max(variance, 0) / all,
    withinBinCovariance: (2 * covariance) / all,
    bins: weight.length,
    corrected: correctedTerms(some),
  };
}

/** The three terms with their bias taken off; signed. */
export function correctedTerms(sums: BinSums): CorrectedTerms {
  const some = occupied(sums);
  const weight = weightOf(some);
  const v = squareOf(some);
  const y = observed(some);
  const d = residual(some);
  const n = rowsOf(some);
  const all = total(weight);
  const rate = total(some.w[1]) / all;
  let [s, reliability, resolution, alone] = [0, 0, 0, 0];
  for (let k = 0; k < weight.length; k++) {
    const ratio = v[k]! / (weight[k]! * weight[k]!);
    if (ratio > 1 - 1e-12) alone += n[k]!;
    else s += (weight[k]! * y[k]! * (1 - y[k]!) * ratio) / (1 - ratio);
    reliability += weight[k]! * (d[k]! / weight[k]!) ** 2;
    resolution += weight[k]! * (y[k]! - rate) ** 2;
  }
  s /= all;
  const whole = total(v) / all ** 2;
  const t = whole < 1 - 1e-12 ? (rate * (1 - rate) * whole) / (1 - whole) : 0;
  return {
    reliability: reliability / all - s,
    resolution: resolution / all - s + t,
    uncertainty: rate * (1 - rate) + t,
    rowsInBinsOfOne: alone,
  };
}
