import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { widthBins } from "../src/stats/bins";
import { cellsOf } from "../src/stats/cells";
import { floorOfCells } from "../src/stats/noise";
import { flipQuantile, flipSum, normalQuantile, normals, philox, uniforms } from "../src/stats/random";

// The same committed vectors that Python's tests run.
const vectors = JSON.parse(readFileSync(new URL("../../tests/vectors/random.json", import.meta.url), "utf8"));

test("the generator gives the shared words", () => {
  for (const c of vectors.philox)
    expect(philox(c.counter, c.key).map((word: number) => word.toString(16).padStart(8, "0"))).toEqual(c.words);
});

test("uniform and normal numbers are the shared ones", () => {
  for (const c of vectors.uniforms) expect(Array.from(uniforms(c.seed, c.stream, c.values.length))).toEqual(c.values);
  vectors.normal_quantile.p.forEach((p: number, i: number) =>
    expect(Math.abs(normalQuantile(p) - vectors.normal_quantile.z[i])).toBeLessThan(1e-13 * Math.max(1, Math.abs(vectors.normal_quantile.z[i]))),
  );
  const { seed, stream, values } = vectors.normals;
  values.forEach((z: number, i: number) => expect(normals(seed, stream, values.length)[i]).toBeCloseTo(z, 13));
});

test("sums of coin flips are the shared ones", () => {
  for (const c of vectors.flip_sums) {
    const law = flipSum(c.rows, c.prob);
    (c.cdf ?? []).forEach((x: number, i: number) => expect(Math.abs(law.cdf![i]! - x)).toBeLessThan(1e-12));
    const u = uniforms(c.seed, 1, 12);
    expect(c.draws.map((_: number, i: number) => flipQuantile(law, u[i]!))).toEqual(c.draws);
  }
});

test("noise floors are the shared ones", () => {
  for (const c of vectors.floors)
    for (const [norm, expected] of Object.entries<any>(c.norms)) {
      const found = floorOfCells(cellsOf(c.prob, c.outcome, c.weight), widthBins(c.bins), norm as "l1", expected.seed);
      expect(Math.abs(found.value - expected.value)).toBeLessThan(1e-12);
      expect(Math.abs(found.floor - expected.floor)).toBeLessThan(1e-12);
      expect(Math.abs(found.floor95 - expected.floor_95)).toBeLessThan(1e-12);
      expect(found.pValue).toBe(expected.p_value);
    }
});
