/** Wilson's interval, and the t interval of a mean. Twin of intervals/wilson.py and parts of intervals/means.py. */

import { normalQuantile } from "./random";

export const zOf = (level: number): number => normalQuantile(0.5 + level / 2);

/** Wilson limits of a share seen in `n` rows, which may be an effective number. */
export function wilson(share: number, n: number, level = 0.95): [number, number] {
  if (!(n > 0)) return [NaN, NaN];
  const z2 = zOf(level) ** 2;
  const centre = share + z2 / (2 * n);
  const half = Math.sqrt(z2 * ((share * (1 - share)) / n + z2 / (4 * n * n)));
  const scale = 1 + z2 / n;
  return [share <= 0 ? 0 : (centre - half) / scale, share >= 1 ? 1 : (centre + half) / scale];
}

function logGamma(x: number): number {
  // Lanczos, g = 7, nine coefficients.
  const c = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum = c[0]!;
  for (let i = 1; i < 9; i++) sum += c[i]! / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The regularised incomplete beta function, by its continued fraction. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < 1e-300 ? 1e-300 : d);
  let f = d;
  for (let m = 1; m < 2000; m++) {
    const step = (numerator: number): number => {
      d = 1 + numerator * d;
      d = 1 / (Math.abs(d) < 1e-300 ? 1e-300 : d);
      c = 1 + numerator / c;
      if (Math.abs(c) < 1e-300) c = 1e-300;
      f *= c * d;
      return c * d;
    };
    step((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)));
    if (Math.abs(step((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))) - 1) < 1e-16) break;
  }
  return front * f;
}

/** The quantile of Student's t. */
export function tQuantile(probability: number, degrees: number): number {
  if (degrees > 1e7) return normalQuantile(probability);
  const upper = (t: number): number => 0.5 * incompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t));
  let low = 0;
  let high = 2;
  while (upper(high) > 1 - probability && high < 1e12) high *= 2;
  for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    const middle = (low + high) / 2;
    if (upper(middle) > 1 - probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
