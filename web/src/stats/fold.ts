/** Folding yes/no cells into their top view. Twin of src/calibrant/tallies/fold.py. */

import { zeros, type Pair } from "./arrays";
import { exactCells, isExact, type Cells, type Table } from "./cells";
import { gridOf } from "./grid";

interface Row {
  rows: [number, number];
  edge: [number, number];
  weight: [[number, number], [number, number]];
  edgeWeight: [[number, number], [number, number]];
  offset: [[number, number], [number, number]];
  offsetV: [[number, number], [number, number]];
}

const blank = (): Row => ({
  rows: [0, 0],
  edge: [0, 0],
  weight: [[0, 0], [0, 0]],
  edgeWeight: [[0, 0], [0, 0]],
  offset: [[0, 0], [0, 0]],
  offsetV: [[0, 0], [0, 0]],
});

/** Confidence = max(p, 1 − p), outcome = the top answer was right; at p = 0.5 "yes" counts as the top one. */
export function fold(cells: Cells): Cells {
  const found = new Map<number, Row>();
  const at = (key: number): Row => {
    let row = found.get(key);
    if (!row) found.set(key, (row = blank()));
    return row;
  };
  const exact = isExact(cells);
  const weighted = cells.weight !== null;
  for (let i = 0; i < cells.key.length; i++)
    for (const o of [0, 1] as const) {
      const rows = cells.rows[o][i]!;
      const w = weighted ? cells.weight![o][0][i]! : rows;
      const v = weighted ? cells.weight![o][1][i]! : rows;
      if (exact) {
        const upper = cells.key[i]! >= 0.5;
        add(at(upper ? cells.key[i]! : 1 - cells.key[i]!), upper ? o : 1 - o, rows, w, v);
        continue;
      }
      foldGrid(cells, i, o, rows, w, v, at);
    }
  return table(found, cells.resolution, weighted);
}

function add(row: Row, o: number, rows: number, w: number, v: number): void {
  row.rows[o]! += rows;
  row.weight[o]![0] += w;
  row.weight[o]![1] += v;
}

function foldGrid(
  cells: Cells, i: number, o: 0 | 1, rows: number, w: number, v: number, at: (key: number) => Row,
): void {
  const grid = gridOf(cells.resolution);
  const key = cells.key[i]!;
  const low = grid.low[key]!;
  const edge = cells.edge[o][i]!;
  const ew = cells.edgeWeight ? cells.edgeWeight[o][0][i]! : edge;
  const ev = cells.edgeWeight ? cells.edgeWeight[o][1][i]! : edge;
  const f = cells.offset![o];
  const g = (cells.offsetV ?? cells.offset!)[o];
  if (low >= 0.5) {
    const row = at(key);
    add(row, o, rows, w, v);
    shift(row, o, w, f[0][i]!, f[1][i]!, 0, row.offset);
    shift(row, o, v, g[0][i]!, g[1][i]!, 0, row.offsetV);
    onEdge(row, o, edge, ew, ev);
    return;
  }
  const turned = 1 - o;
  const mirror = grid.size - 1 - key;
  const middle = key >= grid.tailCells && key < grid.tailCells + grid.widthCells;
  // Rows on the lower edge a of a middle cell [a, b) lie on 1 − a, which is the next cell's edge.
  const stay = middle ? [edge, ew, ev] : [0, 0, 0];
  const rest = rows - stay[0]!;
  if (rest > 0) {
    const row = at(mirror);
    const by = 1 - grid.anchor[key]! - grid.anchor[mirror]!;
    add(row, turned, rest, w - stay[1]!, v - stay[2]!);
    shift(row, turned, w - stay[1]!, -f[0][i]!, f[1][i]!, by, row.offset);
    shift(row, turned, v - stay[2]!, -g[0][i]!, g[1][i]!, by, row.offsetV);
    if (!middle) onEdge(row, turned, edge, ew, ev);
  }
  if (stay[0]! > 0) {
    const value = 1 - low;
    const cell = grid.index(value);
    const row = at(cell);
    const by = value - grid.anchor[cell]!;
    add(row, turned, stay[0]!, stay[1]!, stay[2]!);
    shift(row, turned, stay[1]!, 0, 0, by, row.offset);
    shift(row, turned, stay[2]!, 0, 0, by, row.offsetV);
    if (grid.onEdge(value, cell)) onEdge(row, turned, stay[0]!, stay[1]!, stay[2]!);
  }
}

function shift(
  _row: Row, o: number, w: number, f: number, ff: number, by: number, into: [[number, number], [number, number]],
): void {
  into[o]![0] += f + w * by;
  into[o]![1] += ff + (2 * f + w * by) * by;
}

function onEdge(row: Row, o: number, rows: number, w: number, v: number): void {
  row.edge[o]! += rows;
  row.edgeWeight[o]![0] += w;
  row.edgeWeight[o]![1] += v;
}

function table(found: Map<number, Row>, resolution: string, weighted: boolean): Cells {
  const keys = Float64Array.from(found.keys()).sort();
  const pair = (): Pair => [zeros(keys.length), zeros(keys.length)];
  const tables = (): Table => [pair(), pair()];
  const rows = pair();
  const edge = pair();
  const [weight, edgeWeight, offset, offsetV] = [tables(), tables(), tables(), tables()];
  keys.forEach((key, i) => {
    const row = found.get(key)!;
    for (const o of [0, 1] as const) {
      rows[o][i] = row.rows[o];
      edge[o][i] = row.edge[o];
      for (const m of [0, 1] as const) {
        weight[o][m][i] = row.weight[o][m];
        edgeWeight[o][m][i] = row.edgeWeight[o][m];
        offset[o][m][i] = row.offset[o][m];
        offsetV[o][m][i] = row.offsetV[o][m];
      }
    }
  });
  if (resolution === "exact") return exactCells(keys, rows, weighted ? weight : null);
  return {
    resolution,
    key: keys,
    rows,
    edge,
    offset,
    weight: weighted ? weight : null,
    edgeWeight: weighted ? edgeWeight : null,
    offsetV: weighted ? offsetV : null,
  };
}
