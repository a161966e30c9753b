/** The counter-based generator that Python shares. Twin of src/calibrant/random.py; both run tests/vectors/random.json. */

import { clip, upperBound } from "./arrays";

export const STREAMS = { floor: 1, inversion: 2, test: 3, smooth: 4, band: 5, sweep: 6, split: 7, skill: 8 } as const;

const TABLE_VARIANCE = 400;
const LENGTHS = [32, 64, 128, 256, 512];

/** Upper 32 bits of a product of two 32-bit words, from 16-bit halves. */
function high(a: number, b: number): number {
  const [a0, a1, b0, b1] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  return (a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536)) >>> 0;
}

/** Philox4x32-10: four random words for a counter of four words. */
export function philox(counter: ArrayLike<number>, key: ArrayLike<number>): [number, number, number, number] {
  let [a, b, c, d] = [counter[0]!, counter[1]!, counter[2]!, counter[3]!];
  let [k0, k1] = [key[0]!, key[1]!];
  for (let round = 0; round < 10; round++) {
    const left = Math.imul(a, 0xd2511f53) >>> 0;
    const right = Math.imul(c, 0xcd9e8d57) >>> 0;
    const topLeft = high(a, 0xd2511f53);
    const topRight = high(c, 0xcd9e8d57);
    a = (topRight ^ b ^ k0) >>> 0;
    b = right;
    c = (topLeft ^ d ^ k1) >>> 0;
    d = left;
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [a, b, c, d];
}

/** Uniform numbers inside (0, 1); entry i depends on (seed, stream, i) only. */
export function uniforms(seed: number, stream: number, count: number): Float64Array {
  const out = new Float64Array(count);
  const key = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0];
  const counter = [0, 0, stream, 0];
  for (let j = 0; 2 * j < count; j++) {
    counter[0] = j >>> 0;
    counter[1] = Math.floor(j / 2 ** 32);
    const words = philox(counter, key);
    out[2 * j] = ((words[0] >>> 6) * 67108864 + (words[1] >>> 6) + 0.5) / 2 ** 52;
    if (2 * j + 1 < count) out[2 * j + 1] = ((words[2] >>> 6) * 67108864 + (words[3] >>> 6) + 0.5) / 2 ** 52;
  }
  return out;
}

const kept = new Map<string, Float64Array>();

/** The same numbers, kept from call to call: a slider asks for them again and again. */
function keptUniforms(seed: number, stream: number, count: number): Float64Array {
  if (seed >= 2 ** 32) return uniforms(seed, stream, count); // one of many streams of options: not worth keeping
  const name = `${seed}/${stream}`;
  let found = kept.get(name);
  if (!found || found.length < count) kept.set(name, (found = uniforms(seed, stream, count)));
  return found;
}

type Coefficients = readonly [readonly number[], readonly number[]];
const CENTRE: Coefficients = [
  [
    3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
    67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
  ],
  [
    1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
    39307.89580009271061, 28729.085735721942674, 5226.495278852854561,
  ],
];
const MIDDLE: Coefficients = [
  [
    1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
    1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4,
  ],
  [
    1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
    0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9,
  ],
];
const FAR: Coefficients = [
  [
    6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
    0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
  ],
  [
    1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
    1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
  ],
];

function ratio(c: Coefficients, x: number): number {
  let [top, bottom] = [0, 0];
  for (let i = 7; i >= 0; i--) {
    top = top * x + c[0][i]!;
    bottom = bottom * x + c[1][i]!;
  }
  return top / bottom;
}

/** The standard normal quantile (Wichura 1988, AS 241). */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(CENTRE, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const z = r <= 5 ? ratio(MIDDLE, r - 1.6) : ratio(FAR, r - 5);
  return p < 0.5 ? -z : z;
}

const keptNormals = new Map<string, Float64Array>();

/** Standard normal numbers: the quantiles of the uniforms. The first `count` entries are what Python draws. */
export function normals(seed: number, stream: number, count: number): Float64Array {
  const name = `${seed}/${stream}`;
  let found = keptNormals.get(name);
  if (!found || found.length < count) {
    found = uniforms(seed, stream, count);
    for (let i = 0; i < count; i++) found[i] = normalQuantile(found[i]!);
    keptNormals.set(name, found);
  }
  return found;
}

/** The distribution of a sum of independent coin flips, to be inverted at uniforms. */
export interface FlipSum {
  rows: number;
  mean: number;
  deviation: number;
  skewness: number;
  start: number;
  cdf: Float64Array | null;
}

export function flipSum(rows: ArrayLike<number>, prob: ArrayLike<number>): FlipSum {
  let [n, mean, variance, third] = [0, 0, 0, 0];
  for (let j = 0; j < rows.length; j++) {
    const v = rows[j]! * prob[j]! * (1 - prob[j]!);
    n += rows[j]!;
    mean += rows[j]! * prob[j]!;
    variance += v;
    third += v * (1 - 2 * prob[j]!);
  }
  const deviation = Math.sqrt(variance);
  const out: FlipSum = {
    rows: n,
    mean,
    deviation,
    skewness: variance > 0 ? third / deviation ** 3 : 0,
    start: 0,
    cdf: null,
  };
  if (n > 1 && variance < TABLE_VARIANCE) tabulate(out, rows, prob);
  return out;
}

function tabulate(out: FlipSum, rows: ArrayLike<number>, prob: ArrayLike<number>): void {
  const needed = Math.min(out.rows + 1, 20 * out.deviation + 40);
  const length = LENGTHS.find((size) => needed <= size)!;
  out.start = out.rows + 1 <= length ? 0 : Math.floor(out.mean) - length / 2;
  const half = length / 2;
  const re = new Float64Array(half + 1);
  const im = new Float64Array(half + 1);
  for (let f = 0; f <= half; f++) {
    const t = (2 * Math.PI * f) / length;
    const [cos, sin] = [Math.cos(t), Math.sin(t)];
    let [size, phase] = [0, 0];
    for (let j = 0; j < rows.length; j++) {
      const p = prob[j]!;
      size += 0.5 * rows[j]! * Math.log(Math.max(1 - 2 * p * (1 - p) * (1 - cos), 1e-300));
      phase += rows[j]! * Math.atan2(p * sin, 1 - p + p * cos);
    }
    phase -= out.start * t;
    re[f] = Math.exp(size) * Math.cos(phase);
    im[f] = -Math.exp(size) * Math.sin(phase);
  }
  const cosines = new Float64Array(length);
  const sines = new Float64Array(length);
  for (let k = 0; k < length; k++) {
    cosines[k] = Math.cos((2 * Math.PI * k) / length);
    sines[k] = Math.sin((2 * Math.PI * k) / length);
  }
  out.cdf = new Float64Array(length);
  let sum = 0;
  for (let k = 0; k < length; k++) {
    let mass = re[0]! + (k % 2 ? -1 : 1) * re[half]!;
    for (let f = 1; f < half; f++) {
      const at = (f * k) & (length - 1);
      mass += 2 * (re[f]! * cosines[at]! - im[f]! * sines[at]!);
    }
    sum += Math.max(mass / length, 0);
    out.cdf[k] = sum;
  }
}

/** The smallest value whose distribution function exceeds the uniform. */
export function flipQuantile(law: FlipSum, uniform: number): number {
  if (law.rows === 1) return uniform >= 1 - law.mean ? 1 : 0;
  if (law.cdf) return clip(law.start + upperBound(law.cdf, uniform), 0, law.rows);
  const z = normalQuantile(uniform);
  const bent = z + (law.skewness / 6) * (z * z - 1);
  return clip(Math.floor(law.mean + law.deviation * bent + 0.5), 0, law.rows);
}

export { keptUniforms };
