/** Folding yes/no cells into their top view. Twin of src/calibrant/tallies/fold.py. */

import { zeros, type Pair } from "./arrays";
import { exactCells, isExact, type Cells, type Table } from "./cells";
import { gridOf, type Grid } from "./grid";

/** Confidence = max(p, 1 − p), outcome = the top answer was right; at p = 0.5 "yes" counts as the top one. */
export function fold(cells: Cells): Cells {
  return isExact(cells) ? foldExact(cells) : foldGrid(cells);
}

function foldExact(cells: Cells): Cells {
  const keys = new Set<number>();
  for (const p of cells.key) keys.add(p >= 0.5 ? p : 1 - p);
  const key = Float64Array.from(keys).sort();
  const place = new Map<number, number>();
  key.forEach((p, i) => place.set(p, i));
  const rows = pair(key.length);
  const weight: Table = [pair(key.length), pair(key.length)];
  for (let i = 0; i < cells.key.length; i++) {
    const p = cells.key[i]!;
    const upper = p >= 0.5;
    const at = place.get(upper ? p : 1 - p)!;
    for (const o of [0, 1] as const) {
      const to = upper ? o : 1 - o;
      rows[to]![at]! += cells.rows[o][i]!;
      if (!cells.weight) continue;
      weight[to]![0][at]! += cells.weight[o][0][i]!;
      weight[to]![1][at]! += cells.weight[o][1][i]!;
    }
  }
  return exactCells(key, rows, cells.weight ? weight : null);
}

const pair = (size: number): Pair => [zeros(size), zeros(size)];

/** Sums of a grid's cells by outcome, each in one array for the whole grid. */
class Sums {
  readonly rows: Pair;
  readonly edge: Pair;
  readonly weight: Table;
  readonly edgeWeight: Table;
  readonly offset: Table;
  readonly offsetV: Table;

  constructor(readonly grid: Grid) {
    const table = (): Table => [pair(grid.size), pair(grid.size)];
    this.rows = pair(grid.size);
    this.edge = pair(grid.size);
    [this.weight, this.edgeWeight, this.offset, this.offsetV] = [table(), table(), table(), table()];
  }

  /** Rows whose offsets, with sums f and ff under w (g and gg under v), grow by `by`. */
  add(at: number, o: 0 | 1, rows: number, w: number, v: number, offsets: readonly number[], by: number): void {
    const [f, ff, g, gg] = offsets as [number, number, number, number];
    this.rows[o][at]! += rows;
    this.weight[o][0][at]! += w;
    this.weight[o][1][at]! += v;
    this.offset[o][0][at]! += f + w * by;
    this.offset[o][1][at]! += ff + (2 * f + w * by) * by;
    this.offsetV[o][0][at]! += g + v * by;
    this.offsetV[o][1][at]! += gg + (2 * g + v * by) * by;
  }

  onEdge(at: number, o: 0 | 1, rows: number, w: number, v: number): void {
    this.edge[o][at]! += rows;
    this.edgeWeight[o][0][at]! += w;
    this.edgeWeight[o][1][at]! += v;
  }

  cells(weighted: boolean): Cells {
    const keep: number[] = [];
    for (let k = 0; k < this.grid.size; k++) if (this.rows[0][k]! + this.rows[1][k]! > 0) keep.push(k);
    const pick = (values: Float64Array): Float64Array => Float64Array.from(keep, (k) => values[k]!);
    const both = (values: Pair): Pair => [pick(values[0]), pick(values[1])];
    const table = (values: Table): Table => [both(values[0]), both(values[1])];
    return {
      resolution: this.grid.name,
      key: Float64Array.from(keep),
      rows: both(this.rows),
      edge: both(this.edge),
      offset: table(this.offset),
      weight: weighted ? table(this.weight) : null,
      edgeWeight: weighted ? table(this.edgeWeight) : null,
      offsetV: weighted ? table(this.offsetV) : null,
    };
  }
}

const NOTHING = [0, 0, 0, 0] as const;

function foldGrid(cells: Cells): Cells {
  const grid = gridOf(cells.resolution);
  const sums = new Sums(grid);
  for (let i = 0; i < cells.key.length; i++)
    for (const o of [0, 1] as const) {
      const rows = cells.rows[o][i]!;
      if (rows) foldCell(cells, grid, sums, i, o, rows);
    }
  return sums.cells(cells.weight !== null);
}

function foldCell(cells: Cells, grid: Grid, sums: Sums, i: number, o: 0 | 1, rows: number): void {
  const key = cells.key[i]!;
  const low = grid.low[key]!;
  const w = cells.weight ? cells.weight[o][0][i]! : rows;
  const v = cells.weight ? cells.weight[o][1][i]! : rows;
  const edge = cells.edge[o][i]!;
  const ew = cells.edgeWeight ? cells.edgeWeight[o][0][i]! : edge;
  const ev = cells.edgeWeight ? cells.edgeWeight[o][1][i]! : edge;
  const f = cells.offset![o];
  const g = (cells.offsetV ?? cells.offset!)[o];
  if (low >= 0.5) {
    sums.add(key, o, rows, w, v, [f[0][i]!, f[1][i]!, g[0][i]!, g[1][i]!], 0);
    if (edge) sums.onEdge(key, o, edge, ew, ev);
    return;
  }
  const turned = (1 - o) as 0 | 1;
  const mirror = grid.size - 1 - key;
  // Rows on the lower edge a of a middle cell [a, b) lie on 1 − a, which is the edge of the next cell.
  const middle = key >= grid.tailCells && key < grid.tailCells + grid.widthCells;
  const [gone, goneW, goneV] = middle ? [edge, ew, ev] : [0, 0, 0];
  if (rows > gone) {
    const offsets = [-f[0][i]!, f[1][i]!, -g[0][i]!, g[1][i]!];
    sums.add(mirror, turned, rows - gone, w - goneW, v - goneV, offsets, 1 - grid.anchor[key]! - grid.anchor[mirror]!);
    if (!middle && edge) sums.onEdge(mirror, turned, edge, ew, ev);
  }
  if (gone > 0) {
    const value = 1 - low;
    const cell = grid.index(value);
    sums.add(cell, turned, gone, goneW, goneV, NOTHING, value - grid.anchor[cell]!);
    if (grid.onEdge(value, cell)) sums.onEdge(cell, turned, gone, goneW, goneV);
  }
}
