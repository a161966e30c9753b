// The shared generator and the noise floor in plain JavaScript: proof that tests/vectors/random.json can be reproduced
// with Math.imul and doubles alone. Run: node tests/vectors/random.mjs
import { readFileSync } from "node:fs";

function high(a, b) {
  // Upper 32 bits of a 32 × 32 bit product, from 16-bit halves.
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16;
  const low = a0 * b0, mid = a1 * b0 + (low >>> 16), other = a0 * b1 + (mid & 0xffff);
  return (a1 * b1 + Math.floor(mid / 65536) + Math.floor(other / 65536)) >>> 0;
}

export function philox(counter, key) {
  let [a, b, c, d] = counter, [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const hl = high(a, 0xd2511f53), ll = Math.imul(a, 0xd2511f53) >>> 0;
    const hr = high(c, 0xcd9e8d57), lr = Math.imul(c, 0xcd9e8d57) >>> 0;
    [a, b, c, d] = [(hr ^ b ^ k0) >>> 0, lr, (hl ^ d ^ k1) >>> 0, ll];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [a, b, c, d];
}

export function uniforms(seed, stream, count) {
  const out = new Float64Array(count), key = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0];
  for (let j = 0; 2 * j < count; j++) {
    const w = philox([j >>> 0, Math.floor(j / 2 ** 32), stream, 0], key);
    for (let h = 0; h < 2 && 2 * j + h < count; h++)
      out[2 * j + h] = ((w[2 * h] >>> 6) * 67108864 + (w[2 * h + 1] >>> 6) + 0.5) / 2 ** 52;
  }
  return out;
}

const CENTRE = [
  [3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
    67265.770927008700853, 33430.575583588128105, 2509.0809287301226727],
  [1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
    39307.89580009271061, 28729.085735721942674, 5226.495278852854561]];
const MIDDLE = [
  [1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
    1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4],
  [1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
    0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9]];
const FAR = [
  [6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
    0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7],
  [1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
    1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15]];
const ratio = (c, x) => c[0].reduceRight((s, v) => s * x + v, 0) / c[1].reduceRight((s, v) => s * x + v, 0);

export function normalQuantile(p) {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(CENTRE, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const z = r <= 5 ? ratio(MIDDLE, r - 1.6) : ratio(FAR, r - 5);
  return p < 0.5 ? -z : z;
}

export function flipSum(rows, prob) {
  let n = 0, mean = 0, variance = 0, third = 0;
  rows.forEach((r, j) => {
    const v = r * prob[j] * (1 - prob[j]);
    n += r; mean += r * prob[j]; variance += v; third += v * (1 - 2 * prob[j]);
  });
  const deviation = Math.sqrt(variance), skewness = variance > 1 ? third / deviation ** 3 : 0;
  let start = 0, cdf = null;
  if (n > 1 && variance < 400) {
    const needed = Math.min(n + 1, 20 * deviation + 40);
    const length = [32, 64, 128, 256, 512].find((size) => needed <= size);
    start = n + 1 <= length ? 0 : Math.floor(mean) - length / 2;
    const re = [], im = [];
    for (let f = 0; f <= length / 2; f++) {
      const t = (2 * Math.PI * f) / length;
      let size = 0, phase = 0;
      rows.forEach((r, j) => {
        const p = prob[j];
        size += 0.5 * r * Math.log(Math.max(1 - 2 * p * (1 - p) * (1 - Math.cos(t)), 1e-300));
        phase += r * Math.atan2(p * Math.sin(t), 1 - p + p * Math.cos(t));
      });
      phase -= start * t;
      re.push(Math.exp(size) * Math.cos(phase)); im.push(-Math.exp(size) * Math.sin(phase));
    }
    cdf = new Float64Array(length);
    for (let k = 0, sum = 0; k < length; k++) {
      let mass = re[0] + (k % 2 ? -1 : 1) * re[length / 2];
      for (let f = 1; f < length / 2; f++) {
        const t = (2 * Math.PI * ((f * k) % length)) / length;
        mass += 2 * (re[f] * Math.cos(t) - im[f] * Math.sin(t));
      }
      sum += Math.max(mass / length, 0);
      cdf[k] = sum;
    }
  }
  return { n, mean, deviation, skewness, start, cdf };
}

export function flipQuantile(law, u) {
  const clip = (x) => Math.min(Math.max(x, 0), law.n);
  if (law.n === 1) return u >= 1 - law.mean ? 1 : 0;
  if (law.cdf) {
    let a = 0, b = law.cdf.length; // the first entry above u
    while (a < b) { const m = (a + b) >> 1; if (law.cdf[m] <= u) a = m + 1; else b = m; }
    return clip(law.start + a);
  }
  const z = normalQuantile(u), bent = z + (law.skewness / 6) * (z * z - 1);
  return clip(Math.floor(law.mean + law.deviation * bent + 0.5));
}

// Cells of equal p; above 300 of them, neighbours of one bin are merged into about 300 groups of equal mass.
export function merged(prob, at, limit = 300) {
  const counts = new Map();
  for (const p of prob) counts.set(p, (counts.get(p) ?? 0) + 1);
  const cells = [...counts].sort((a, b) => a[0] - b[0]), bins = new Map();
  let before = 0, last = null;
  for (const [p, rows] of cells) {
    const k = at(p), share = Math.floor((before + rows - rows / 2) * (limit / prob.length));
    before += rows;
    if (!bins.has(k)) { bins.set(k, []); last = null; }
    const groups = bins.get(k);
    if (cells.length > limit && last !== null && share === last) {
      const g = groups[groups.length - 1];
      g.rows += rows; g.sum += rows * p;
    } else groups.push({ rows, sum: rows * p });
    last = share;
  }
  return [...bins.values()].map((g) => ({ rows: g.map((x) => x.rows), prob: g.map((x) => x.sum / x.rows) }));
}

export function floor({ prob, outcome, weight, bins }, norm, draws, seed, stream) {
  const at = (p) => { let k = 0; while (k < bins - 1 && p >= (k + 1) / bins) k++; return k; };
  const groups = new Map();
  prob.forEach((p, i) => {
    const k = at(p), g = groups.get(k) ?? { p: [], w: 0, residual: 0, variance: 0 }, w = weight?.[i] ?? 1;
    g.p.push(p); g.w += w; g.residual += w * (p - outcome[i]); g.variance += w * w * p * (1 - p);
    groups.set(k, g);
  });
  const each = [...groups.keys()].sort((a, b) => a - b).map((k) => groups.get(k)), K = each.length;
  const W = each.reduce((s, g) => s + g.w, 0);
  const error = (d) => norm === "max" ? Math.max(...d.map((x, k) => Math.abs(x) / each[k].w))
    : norm === "l1" ? d.reduce((s, x) => s + Math.abs(x), 0) / W
    : Math.sqrt(d.reduce((s, x, k) => s + (x * x) / each[k].w, 0) / W);
  const laws = weight ? null : merged(prob, at).map((g) => flipSum(g.rows, g.prob));
  const u = uniforms(seed, stream, draws * K), found = new Float64Array(draws);
  for (let b = 0; b < draws; b++)
    found[b] = error(each.map((g, k) => weight ? normalQuantile(u[b * K + k]) * Math.sqrt(g.variance)
      : laws[k].mean - flipQuantile(laws[k], u[b * K + k])));
  const value = error(each.map((g) => g.residual));
  const reached = found.reduce((s, x) => s + (x >= value - 1e-12 * Math.max(1, value) ? 1 : 0), 0);
  const mean = found.reduce((s, x) => s + x, 0) / draws, sorted = found.slice().sort(), h = 0.95 * (draws - 1), i = Math.floor(h);
  return { value, floor: mean, floor_95: sorted[i] + (h - i) * (sorted[i + 1] - sorted[i]), p_value: (1 + reached) / (1 + draws) };
}

const vectors = JSON.parse(readFileSync(new URL("random.json", import.meta.url)));
const problems = [];
const near = (a, b, tolerance, what) => { if (!(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)))) problems.push(`${what}: ${a} for ${b}`); };
for (const c of vectors.philox) {
  const words = philox(c.counter, c.key).map((w) => w.toString(16).padStart(8, "0"));
  if (words.join() !== c.words.join()) problems.push(`philox ${words}`);
}
for (const c of vectors.uniforms) uniforms(c.seed, c.stream, c.values.length).forEach((u, i) => near(u, c.values[i], 0, "uniform"));
vectors.normal_quantile.p.forEach((p, i) => near(normalQuantile(p), vectors.normal_quantile.z[i], 1e-14, "quantile"));
for (const c of vectors.flip_sums) {
  const law = flipSum(c.rows, c.prob), u = uniforms(c.seed, 1, 12);
  (c.cdf ?? []).forEach((x, i) => near(law.cdf[i], x, 1e-12, "cdf"));
  c.draws.forEach((d, i) => near(flipQuantile(law, u[i]), d, 0, "draw"));
}
for (const c of vectors.floors)
  for (const [norm, expected] of Object.entries(c.norms)) {
    const found = floor(c, norm, expected.draws, expected.seed, vectors.streams.floor);
    for (const name of ["value", "floor", "floor_95", "p_value"]) near(found[name], expected[name], 1e-12, `${c.name} ${norm} ${name}`);
  }
console.log(problems.length ? problems.join("\n") : "all vectors reproduced");
process.exit(problems.length ? 1 : 0);
