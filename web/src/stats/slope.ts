/** Calibration slope and intercept by maximum likelihood. Twin of src/calibrant/calibration/slope.py. */

import { mapped } from "./arrays";
import { probOf, wOf, type Cells } from "./cells";

export interface Slope {
  slope: number;
  slopeSe: number;
  intercept: number;
  interceptSe: number;
  why: string | null;
}

const logit = (p: number): number => Math.log(p / (1 - p));
const expit = (x: number): number => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** logit P(y) = intercept + slope · logit p; no standard error with sampling weights, which need the sandwich form. */
export function slopeOfCells(cells: Cells): Slope {
  const p = probOf(cells);
  const [no, yes] = wOf(cells);
  const why = reason(p, no, yes);
  const none = (text: string): Slope => ({ slope: NaN, slopeSe: NaN, intercept: NaN, interceptSe: NaN, why: text });
  if (why) return none(why);
  const x = mapped(p.length, (i) => logit(p[i]!));
  const weight = mapped(p.length, (i) => no[i]! + yes[i]!);
  let [a, b] = [0, 1];
  const loss = (s: number, t: number): number => {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += weight[i]! * softplus(s + t * x[i]!) - yes[i]! * (s + t * x[i]!);
    return sum;
  };
  let now = loss(a, b);
  for (let step = 0; step < 200; step++) {
    let [i0, i1, i2, g0, g1] = [0, 0, 0, 0, 0];
    for (let i = 0; i < x.length; i++) {
      const q = expit(a + b * x[i]!);
      const w = weight[i]! * q * (1 - q);
      const d = yes[i]! - weight[i]! * q;
      i0 += w;
      i1 += w * x[i]!;
      i2 += w * x[i]! * x[i]!;
      g0 += d;
      g1 += d * x[i]!;
    }
    const det = i0 * i2 - i1 * i1;
    if (!(det > 1e-14 * i0 * i2)) return none("unsettled");
    const da = (i2 * g0 - i1 * g1) / det;
    const db = (i0 * g1 - i1 * g0) / det;
    let part = 1;
    let after = loss(a + da, b + db);
    while (after > now + 1e-12 * Math.abs(now) && part > 1e-12) {
      part /= 2;
      after = loss(a + part * da, b + part * db);
    }
    a += part * da;
    b += part * db;
    now = Math.min(after, now);
    if (part * Math.max(Math.abs(da), Math.abs(db)) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b)))
      return {
        slope: b,
        slopeSe: cells.weight ? NaN : Math.sqrt(i0 / det),
        intercept: a,
        interceptSe: cells.weight ? NaN : Math.sqrt(i2 / det),
        why: null,
      };
  }
  return none("unsettled");
}

function reason(p: Float64Array, no: Float64Array, yes: Float64Array): string | null {
  let [maxNo, minNo, maxYes, minYes] = [-1, 2, -1, 2];
  for (let i = 0; i < p.length; i++) {
    if (no[i]! > 0) (maxNo = Math.max(maxNo, p[i]!)), (minNo = Math.min(minNo, p[i]!));
    if (yes[i]! > 0) (maxYes = Math.max(maxYes, p[i]!)), (minYes = Math.min(minYes, p[i]!));
  }
  if (maxNo < 0 || maxYes < 0) return "one_class";
  if (p[0]! <= 0 || p[p.length - 1]! >= 1) return "certain";
  if (p.length === 1) return "equal";
  return maxNo <= minYes || maxYes <= minNo ? "separated" : null;
}
