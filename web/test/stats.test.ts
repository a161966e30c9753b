import fc from "fast-check";
import { expect, test } from "vitest";
import { binOf, widthBins } from "../src/stats/bins";
import { massBins } from "../src/stats/binning";
import { binSums, cellsOf, rowsOf } from "../src/stats/cells";
import { decompose } from "../src/stats/decomposition";
import { calibrationError } from "../src/stats/errors";
import { fold } from "../src/stats/fold";
import { gridOf } from "../src/stats/grid";
import { brierOfCells, corpOfCells } from "../src/stats/isotonic";
import { tQuantile, wilson } from "../src/stats/wilson";

const rows = fc.array(
  fc.tuple(fc.oneof(fc.integer({ min: 0, max: 100 }).map((k) => k / 100), fc.double({ min: 0, max: 1, noNaN: true })), fc.integer({ min: 0, max: 1 })),
  { minLength: 1, maxLength: 60 },
);
const split = (given: [number, number][]): [number[], number[]] => [given.map((r) => r[0]), given.map((r) => r[1])];

test("typed decimals lie in the bin that a person expects", () => {
  const bins = widthBins(10);
  expect([0, 0.3, 0.6, 0.7, 0.1 + 0.2, 1].map((p) => binOf(bins, p))).toEqual([0, 3, 6, 7, 3, 9]);
});

test("a worked example: two bins by hand", () => {
  const cells = cellsOf([0.25, 0.25, 0.55, 0.75, 0.75], [0, 0, 1, 1, 1]);
  expect(calibrationError(binSums(cells, widthBins(2)))).toBeCloseTo(0.29, 12);
  expect(brierOfCells(cellsOf([0.1, 0.9, 0.8, 0.3], [0, 1, 1, 0]))).toBeCloseTo(0.0375, 12);
});

test("five terms add up to the Brier score, and no row is lost", () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 50 }), fc.boolean(), (given, count, mass) => {
      const [p, y] = split(given);
      const cells = cellsOf(p, y);
      const bins = mass ? massBins(cells, count) : widthBins(count);
      const sums = binSums(cells, bins);
      const d = decompose(sums);
      const total = d.reliability - d.resolution + d.uncertainty + d.withinBinVariance - d.withinBinCovariance;
      const plain = p.reduce((sum, x, i) => sum + (x - y[i]!) ** 2, 0) / p.length;
      expect(Math.abs(total - plain)).toBeLessThan(1e-12);
      expect(rowsOf(sums).reduce((a, b) => a + b, 0)).toBe(p.length);
      const c = corpOfCells(cells);
      expect(Math.abs(c.miscalibration - c.discrimination + c.uncertainty - plain)).toBeLessThan(1e-12);
    }),
  );
});

test("folding keeps the Brier score", () => {
  fc.assert(
    fc.property(rows, (given) => {
      const cells = cellsOf(...split(given));
      expect(Math.abs(brierOfCells(fold(cells)) - brierOfCells(cells))).toBeLessThan(1e-12);
    }),
  );
});

test("every probability lies in its grid cell", () => {
  const grid = gridOf("fine/1");
  fc.assert(
    fc.property(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1e-3, noNaN: true }), fc.integer({ min: 0, max: 50400 }).map((k) => k / 50400)), (p) => {
      const cell = grid.index(p);
      expect(grid.low[cell]! <= p && (p < grid.high[cell]! || p === 1 || cell >= grid.size - grid.tailCells)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("Wilson and t by their tables", () => {
  const [low, high] = wilson(0.84, 100);
  expect([low, high].map((x) => x.toFixed(4))).toEqual(["0.7558", "0.8990"]);
  expect(wilson(1, 5).map((x) => x.toFixed(4))).toEqual(["0.5655", "1.0000"]);
  expect(tQuantile(0.975, 9)).toBeCloseTo(2.262157162798205, 10);
  expect(tQuantile(0.975, 1)).toBeCloseTo(12.706204736174705, 8);
  expect(tQuantile(0.975, 1e6)).toBeCloseTo(1.9599663568141, 9);
});
