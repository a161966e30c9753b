/** Cells: one view of a tally, from which every statistic is computed. Twin of src/calibrant/tallies/cells.py. */

import { mapped, total, zeros, type Pair } from "./arrays";
import { binCount, binOf, type Bins } from "./bins";
import { gridOf, type Grid } from "./grid";

export const EXACT = "exact";
export const MAX_EXACT = 2 ** 16;
const ROUNDING = 1e-15;

/** Two sums per outcome: [outcome][moment] of cells. */
export type Table = [Pair, Pair];

/** A sorted sparse table of cells: plain data, so that a worker can hand it over. */
export interface Cells {
  resolution: string;
  key: Float64Array;
  rows: Pair;
  edge: Pair;
  offset: Table | null;
  weight: Table | null;
  edgeWeight: Table | null;
  offsetV: Table | null;
}

/** Sums over the rows of each bin, per outcome; v, vp, vpp are those with squared weights. */
export interface BinSums {
  rows: Pair;
  w: Pair;
  wp: Pair;
  wpp: Pair;
  v: Pair;
  vp: Pair;
  vpp: Pair;
}

const PARTS = ["rows", "w", "wp", "wpp", "v", "vp", "vpp"] as const;

export function exactCells(key: Float64Array, rows: Pair, weight: Table | null = null): Cells {
  return { resolution: EXACT, key, rows, edge: rows, offset: null, weight, edgeWeight: weight, offsetV: null };
}

/** Exact cells of rows, however many distinct probabilities they have. */
export function cellsOf(prob: ArrayLike<number>, outcome: ArrayLike<number>, weights?: ArrayLike<number> | null): Cells {
  const order = Array.from({ length: prob.length }, (_, i) => i).sort((a, b) => prob[a]! - prob[b]!);
  const key: number[] = [];
  const rows: [number[], number[]] = [[], []];
  const weight: [[number[], number[]], [number[], number[]]] = [[[], []], [[], []]];
  for (const i of order) {
    const p = prob[i]! + 0;
    if (!key.length || key[key.length - 1] !== p) {
      key.push(p);
      for (const o of [0, 1] as const) {
        rows[o].push(0);
        weight[o][0].push(0);
        weight[o][1].push(0);
      }
    }
    const at = key.length - 1;
    const o = outcome[i] ? 1 : 0;
    rows[o][at]! += 1;
    if (weights) {
      weight[o][0][at]! += weights[i]!;
      weight[o][1][at]! += weights[i]! * weights[i]!;
    }
  }
  const f = (values: number[]): Float64Array => Float64Array.from(values);
  const table: Table | null = weights
    ? [[f(weight[0][0]), f(weight[0][1])], [f(weight[1][0]), f(weight[1][1])]]
    : null;
  return exactCells(f(key), [f(rows[0]), f(rows[1])], table);
}

export const isExact = (cells: Cells): boolean => cells.resolution === EXACT;
export const isWeighted = (cells: Cells): boolean => cells.weight !== null;
export const rowsIn = (cells: Cells): number => total(cells.rows[0]) + total(cells.rows[1]);
const grid = (cells: Cells): Grid => gridOf(cells.resolution);

export const wOf = (cells: Cells): Pair => (cells.weight ? [cells.weight[0][0], cells.weight[1][0]] : cells.rows);
export const vOf = (cells: Cells): Pair => (cells.weight ? [cells.weight[0][1], cells.weight[1][1]] : cells.rows);

export function anchorOf(cells: Cells): Float64Array {
  return isExact(cells) ? cells.key : mapped(cells.key.length, (i) => grid(cells).anchor[cells.key[i]!]!);
}

/** The mean probability of each cell; exactly the probability where cells are exact. */
export function probOf(cells: Cells): Float64Array {
  if (isExact(cells)) return cells.key;
  const anchor = anchorOf(cells);
  const w = wOf(cells);
  const f = cells.offset!;
  return mapped(anchor.length, (i) => anchor[i]! + (f[0][0][i]! + f[1][0][i]!) / (w[0][i]! + w[1][i]!));
}

const summed = new WeakMap<Cells, BinSums>();

/** Sums per cell and outcome; kept, since every step of the slider asks for them. */
export function cellSums(cells: Cells): BinSums {
  let found = summed.get(cells);
  if (!found) summed.set(cells, (found = sumCells(cells)));
  return found;
}

function sumCells(cells: Cells): BinSums {
  const anchor = anchorOf(cells);
  const size = anchor.length;
  const w = wOf(cells);
  const v = vOf(cells);
  const none: Table = [[zeros(0), zeros(0)], [zeros(0), zeros(0)]];
  const exact = isExact(cells);
  const f = cells.offset ?? none;
  const g = cells.offsetV ?? f;
  const first = (base: Pair, offset: Table): Pair =>
    [0, 1].map((o) => mapped(size, (i) => base[o]![i]! * anchor[i]! + (exact ? 0 : offset[o]![0][i]!))) as Pair;
  const second = (base: Pair, offset: Table): Pair =>
    [0, 1].map((o) =>
      mapped(size, (i) => {
        const a = anchor[i]!;
        if (exact) return base[o]![i]! * a * a;
        return (base[o]![i]! * a + 2 * offset[o]![0][i]!) * a + offset[o]![1][i]!;
      }),
    ) as Pair;
  const wp = first(w, f);
  const wpp = second(w, f);
  const same = !cells.weight;
  return { rows: cells.rows, w, wp, wpp, v, vp: same ? wp : first(v, g), vpp: same ? wpp : second(v, g) };
}

/** The bin of each cell. Of grid cells the middle decides. */
export function binIndex(cells: Cells, bins: Bins): Int32Array {
  const out = new Int32Array(cells.key.length);
  const exact = isExact(cells);
  const g = exact ? null : grid(cells);
  for (let i = 0; i < out.length; i++) out[i] = binOf(bins, exact ? cells.key[i]! : g!.middle(cells.key[i]!));
  return out;
}

/** How many edges of the bins lie inside an occupied cell, and are moved to an end of it. */
export function edgesMoved(cells: Cells, bins: Bins): number {
  if (isExact(cells)) return 0;
  const g = grid(cells);
  let moved = 0;
  for (let k = 1; k < bins.edges.length - 1; k++) {
    const edge = bins.edges[k]!;
    for (let i = 0; i < cells.key.length; i++) {
      if (g.low[cells.key[i]!]! < edge && edge < g.high[cells.key[i]!]!) moved++;
      if (g.low[cells.key[i]!]! >= edge) break;
    }
  }
  return moved;
}

/** Sums per bin, empty bins included. */
export function binSums(cells: Cells, bins: Bins): BinSums {
  const sums = cellSums(cells);
  const place = binIndex(cells, bins);
  const size = binCount(bins);
  const out = emptySums(size);
  for (const part of PARTS)
    for (const o of [0, 1] as const) {
      const from = sums[part][o];
      const to = out[part][o];
      for (let i = 0; i < from.length; i++) to[place[i]!]! += from[i]!;
    }
  if (!isExact(cells) && bins.closed === "right") closeRight(cells, bins, place, out);
  return out;
}

/** Moves the rows that lie exactly on a bin's lower edge into the bin below. */
function closeRight(cells: Cells, bins: Bins, place: Int32Array, out: BinSums): void {
  const g = grid(cells);
  for (let i = 0; i < place.length; i++) {
    const low = g.low[cells.key[i]!]!;
    const at = place[i]!;
    if (at === 0 || low !== bins.edges[at]!) continue;
    for (const o of [0, 1] as const) {
      const rows = cells.edge[o][i]!;
      const w = cells.edgeWeight ? cells.edgeWeight[o][0][i]! : rows;
      const v = cells.edgeWeight ? cells.edgeWeight[o][1][i]! : rows;
      const moved = { rows, w, wp: w * low, wpp: w * low * low, v, vp: v * low, vpp: v * low * low };
      for (const part of PARTS) {
        out[part][o][at]! -= moved[part];
        out[part][o][at - 1]! += moved[part];
      }
    }
  }
}

function emptySums(size: number): BinSums {
  const pair = (): Pair => [zeros(size), zeros(size)];
  return { rows: pair(), w: pair(), wp: pair(), wpp: pair(), v: pair(), vp: pair(), vpp: pair() };
}

/** Only the bins that hold rows, and their places. */
export function occupied(sums: BinSums): BinSums {
  const keep: number[] = [];
  for (let k = 0; k < sums.rows[0].length; k++) if (sums.rows[0][k]! + sums.rows[1][k]! > 0) keep.push(k);
  if (keep.length === sums.rows[0].length) return sums;
  const pick = (pair: Pair): Pair => [0, 1].map((o) => mapped(keep.length, (i) => pair[o]![keep[i]!]!)) as Pair;
  return Object.fromEntries(PARTS.map((part) => [part, pick(sums[part])])) as unknown as BinSums;
}

const both = (pair: Pair): Float64Array => mapped(pair[0].length, (i) => pair[0][i]! + pair[1][i]!);
export const rowsOf = (s: BinSums): Float64Array => both(s.rows);
export const weightOf = (s: BinSums): Float64Array => both(s.w);
export const squareOf = (s: BinSums): Float64Array => both(s.v);

export function meanProb(s: BinSums): Float64Array {
  const w = weightOf(s);
  return mapped(w.length, (i) => (s.wp[0][i]! + s.wp[1][i]!) / w[i]!);
}

export function observed(s: BinSums): Float64Array {
  const w = weightOf(s);
  return mapped(w.length, (i) => s.w[1][i]! / w[i]!);
}

/** Σw(p − y) per bin. */
export const residual = (s: BinSums): Float64Array =>
  mapped(s.wp[0].length, (i) => s.wp[0][i]! + (s.wp[1][i]! - s.w[1][i]!));

/** Σw²(p − y)² per bin. */
export const residualSquare = (s: BinSums): Float64Array =>
  mapped(s.vpp[0].length, (i) => s.vpp[0][i]! + (s.vpp[1][i]! - 2 * s.vp[1][i]! + s.v[1][i]!));

/** Σw²p(1 − p) per bin. */
export const nullVariance = (s: BinSums): Float64Array =>
  mapped(s.vp[0].length, (i) => s.vp[0][i]! - s.vpp[0][i]! + (s.vp[1][i]! - s.vpp[1][i]!));

/** Exact probabilities that differ by rounding only taken as one. */
export function pooled(cells: Cells): Cells {
  if (!isExact(cells)) return cells;
  const start: number[] = [];
  for (let i = 0; i < cells.key.length; i++)
    if (i === 0 || cells.key[i]! - cells.key[i - 1]! >= ROUNDING) start.push(i);
  if (start.length === cells.key.length) return cells;
  const group = (values: Float64Array): Float64Array => grouped(values, start);
  const weight: Table | null = cells.weight
    ? (cells.weight.map((pair) => pair.map(group)) as Table)
    : null;
  return exactCells(mapped(start.length, (i) => cells.key[start[i]!]!), [group(cells.rows[0]), group(cells.rows[1])], weight);
}

/** Sums of the runs that begin at `start`. */
export function grouped(values: Float64Array, start: ArrayLike<number>): Float64Array {
  const out = zeros(start.length);
  let run = -1;
  for (let i = 0; i < values.length; i++) {
    if (run + 1 < start.length && start[run + 1] === i) run++;
    out[run]! += values[i]!;
  }
  return out;
}

/** Weights that are numbers of repetitions (Σw² = Σw, whole) as that many rows. */
export function plainRows(cells: Cells): Cells {
  if (!cells.weight) return cells;
  for (const o of [0, 1] as const)
    for (let i = 0; i < cells.key.length; i++) {
      const w = cells.weight[o][0][i]!;
      if (w !== cells.weight[o][1][i]! || w !== Math.round(w)) return cells;
    }
  const rows: Pair = [cells.weight[0][0], cells.weight[1][0]];
  if (isExact(cells)) return exactCells(cells.key, rows);
  const edge: Pair = [cells.edgeWeight![0][0], cells.edgeWeight![1][0]];
  return { ...cells, rows, edge, weight: null, edgeWeight: null, offsetV: null };
}

/** The cells at the given places. */
export function part(cells: Cells, keep: ArrayLike<number>): Cells {
  const pick = (values: Float64Array): Float64Array => mapped(keep.length, (i) => values[keep[i]!]!);
  const pair = (values: Pair): Pair => [pick(values[0]), pick(values[1])];
  const table = (values: Table | null): Table | null => values && [pair(values[0]), pair(values[1])];
  return {
    resolution: cells.resolution,
    key: pick(cells.key),
    rows: pair(cells.rows),
    edge: pair(cells.edge),
    offset: table(cells.offset),
    weight: table(cells.weight),
    edgeWeight: table(cells.edgeWeight),
    offsetV: table(cells.offsetV),
  };
}
