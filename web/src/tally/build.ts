/** Building cells in one pass: exact while distinct probabilities are few, on a grid after that.
 *  Twin of src/calibrant/tallies/build.py. */

import { zeros, type Pair } from "../stats/arrays";
import { exactCells, MAX_EXACT, type Cells } from "../stats/cells";
import { gridOf, type Grid } from "../stats/grid";

const SLOTS = 2 ** 18;

export class CellBuilder {
  private table: Int32Array | null = null;
  private key: Float64Array = zeros(64);
  private rows: Float64Array = zeros(128);
  private size = 0;
  private dense: DenseCells | null = null;

  constructor(private readonly gridName = "fine/1") {}

  add(prob: number, outcome: number): void {
    if (this.dense) this.dense.add(prob, outcome, 1);
    else {
      const place = this.place(prob); // before `rows` is looked up: it may be replaced by a larger one
      this.rows[2 * place + outcome]! += 1;
    }
    if (this.size > MAX_EXACT) this.toGrid();
  }

  cells(): Cells {
    if (this.dense) return this.dense.cells();
    const order = Array.from({ length: this.size }, (_, i) => i).sort((a, b) => this.key[a]! - this.key[b]!);
    const pick = (at: (i: number) => number): Float64Array => Float64Array.from(order, at);
    const rows: Pair = [pick((i) => this.rows[2 * i]!), pick((i) => this.rows[2 * i + 1]!)];
    return exactCells(pick((i) => this.key[i]!), rows);
  }

  private place(prob: number): number {
    this.table ??= new Int32Array(SLOTS);
    const value = prob + 0; // no minus zero
    // The product spreads typed decimals evenly; the slot after a taken one is tried next.
    let slot = hash(value);
    for (let at = this.table[slot]!; at !== 0; at = this.table[slot]!) {
      if (this.key[at - 1] === value) return at - 1;
      slot = (slot + 1) & (SLOTS - 1);
    }
    if (this.size === this.key.length) {
      this.key = grown(this.key);
      this.rows = grown(this.rows);
    }
    this.key[this.size] = value;
    this.table[slot] = ++this.size;
    return this.size - 1;
  }

  private toGrid(): void {
    this.dense = new DenseCells(gridOf(this.gridName));
    for (let i = 0; i < this.size; i++)
      for (const o of [0, 1]) {
        const rows = this.rows[2 * i + o]!;
        if (rows) this.dense.add(this.key[i]!, o, rows);
      }
    this.size = 0;
    this.table = null;
    this.key = this.rows = zeros(0);
  }
}

const bytes = new Float64Array(1);
const words = new Uint32Array(bytes.buffer);

function hash(value: number): number {
  bytes[0] = value;
  const mixed = Math.imul(words[0]! ^ Math.imul(words[1]!, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
}

function grown(values: Float64Array): Float64Array {
  const out = zeros(2 * values.length);
  out.set(values);
  return out;
}

class DenseCells {
  private readonly rows: Float64Array;
  private readonly edge: Float64Array;
  private readonly f: Float64Array;
  private readonly ff: Float64Array;

  constructor(private readonly grid: Grid) {
    this.rows = zeros(2 * grid.size);
    this.edge = zeros(2 * grid.size);
    this.f = zeros(2 * grid.size);
    this.ff = zeros(2 * grid.size);
  }

  add(prob: number, outcome: number, rows: number): void {
    const cell = this.grid.index(prob);
    const slot = 2 * cell + outcome;
    const offset = prob - this.grid.anchor[cell]!;
    this.rows[slot]! += rows;
    this.f[slot]! += rows * offset;
    this.ff[slot]! += rows * offset * offset;
    if ((offset === 0 || prob === 1) && this.grid.onEdge(prob, cell)) this.edge[slot]! += rows;
  }

  cells(): Cells {
    const keep: number[] = [];
    for (let cell = 0; cell < this.grid.size; cell++)
      if (this.rows[2 * cell]! + this.rows[2 * cell + 1]! > 0) keep.push(cell);
    const pick = (values: Float64Array, o: number): Float64Array =>
      Float64Array.from(keep, (cell) => values[2 * cell + o]!);
    const pair = (values: Float64Array): Pair => [pick(values, 0), pick(values, 1)];
    return {
      resolution: this.grid.name,
      key: Float64Array.from(keep),
      rows: pair(this.rows),
      edge: pair(this.edge),
      offset: [[pick(this.f, 0), pick(this.ff, 0)], [pick(this.f, 1), pick(this.ff, 1)]],
      weight: null,
      edgeWeight: null,
      offsetV: null,
    };
  }
}
