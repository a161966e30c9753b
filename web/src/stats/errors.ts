/** Calibration errors over bins. Twin of calibration/ece.py and calibration/debiased.py. */

import { total } from "./arrays";
import { meanProb, observed, occupied, residual, residualSquare, squareOf, weightOf, type BinSums } from "./cells";

export type Norm = "l1" | "l2" | "max";

/** The calibration error of binned rows: l1 = Σ (W_k/W)|gap|, l2 its root mean square, max the largest. */
export function calibrationError(sums: BinSums, norm: Norm = "l1"): number {
  const some = occupied(sums);
  const weight = weightOf(some);
  const all = total(weight);
  const d = residual(some);
  let out = 0;
  for (let k = 0; k < d.length; k++) {
    const gap = Math.abs(d[k]!) / weight[k]!;
    if (norm === "max") out = Math.max(out, gap);
    else out += (weight[k]! / all) * (norm === "l1" ? gap : gap * gap);
  }
  return norm === "l2" ? Math.sqrt(out) : out;
}

/** The mean squared gap without the part that chance adds: the mean over pairs of different rows of a bin. */
export function debiasedSquare(sums: BinSums): number {
  const some = occupied(sums);
  const weight = weightOf(some);
  const v = squareOf(some);
  const d = residual(some);
  const dd = residualSquare(some);
  const all = total(weight);
  let out = 0;
  let usable = 0;
  for (let k = 0; k < d.length; k++) {
    const square = weight[k]! * weight[k]!;
    const pairs = square - v[k]!;
    if (!(pairs > 1e-12 * square)) continue;
    usable++;
    out += ((weight[k]! / all) * (d[k]! * d[k]! - dd[k]!)) / pairs;
  }
  return usable ? out : NaN;
}

export const signedRoot = (square: number): number => Math.sign(square) * Math.sqrt(Math.abs(square));

export { meanProb, observed };
