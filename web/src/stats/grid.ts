/** Grids: the fixed cells that a view falls back to. Twin of src/calibrant/tallies/grid.py. */

import { zeros } from "./arrays";

const TAIL = 2 ** -7;
const scratch = new DataView(new ArrayBuffer(8));

function bitsOf(value: number): number {
  // The sign, exponent and first 20 bits of the fraction suffice: no grid has more than 2^10 cells in an octave.
  scratch.setFloat64(0, value);
  return scratch.getUint32(0);
}

function fromBits(high: number): number {
  scratch.setUint32(0, high);
  scratch.setUint32(4, 0);
  return scratch.getFloat64(0);
}

export class Grid {
  readonly tailCells: number;
  readonly size: number;
  readonly edges: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly anchor: Float64Array;
  private readonly firstStep: number;
  private readonly shift: number;

  constructor(
    readonly name: string,
    readonly widthCells: number,
    tailBits: number,
    tailUntil: number,
  ) {
    const m = widthCells;
    this.tailCells = ((tailUntil - 7) << tailBits) + 1;
    this.size = m + 2 * this.tailCells;
    this.shift = 20 - tailBits;
    this.firstStep = ((1023 - tailUntil) << tailBits) - 1;
    this.edges = zeros(m + 1);
    for (let k = 0; k < m; k++) this.edges[k] = k / m;
    this.edges[m] = Infinity;
    const tail = this.tailCells;
    const tailLow = zeros(tail);
    for (let s = 1; s < tail; s++) tailLow[s] = fromBits((s + this.firstStep) << this.shift);
    const inside = (value: number): number => Math.min(Math.max(value, TAIL), 1 - TAIL);
    this.low = zeros(this.size);
    this.high = zeros(this.size);
    this.anchor = zeros(this.size);
    for (let s = 0; s < tail; s++) {
      const upper = s + 1 < tail ? tailLow[s + 1]! : TAIL;
      this.low[s] = tailLow[s]!;
      this.high[s] = upper;
      const mirror = this.size - 1 - s;
      this.low[mirror] = 1 - upper;
      this.high[mirror] = 1 - tailLow[s]!;
      this.anchor[mirror] = 1;
    }
    for (let k = 0; k < m; k++) {
      this.low[tail + k] = inside(this.edges[k]!);
      this.high[tail + k] = inside(this.edges[k + 1]!);
      this.anchor[tail + k] = k / m;
    }
  }

  middle(cell: number): number {
    return (this.low[cell]! + this.high[cell]!) / 2;
  }

  /** The cell of a probability in [0, 1]. */
  index(prob: number): number {
    if (prob < TAIL || prob > 1 - TAIL) {
      const upper = prob > 0.5;
      const step = Math.max((bitsOf(upper ? 1 - prob : prob) >>> this.shift) - this.firstStep, 0);
      return upper ? this.size - 1 - step : step;
    }
    const m = this.widthCells;
    const scaled = prob * m;
    let cell = Math.trunc(scaled);
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6) {
      cell = Math.min(cell, m - 1);
      if (prob < this.edges[cell]!) cell -= 1;
      else if (prob >= this.edges[cell + 1]!) cell += 1;
    }
    return cell + this.tailCells;
  }

  /** Whether a probability equals the edge that decides its bin: its cell's lower edge, 0 or 1. */
  onEdge(prob: number, cell: number): boolean {
    return cell === this.size - 1 ? prob === 1 : prob === this.low[cell]!;
  }
}

const make: Record<string, () => Grid> = {
  "fine/1": () => new Grid("fine/1", 50_400, 10, 40),
  "coarse/1": () => new Grid("coarse/1", 720, 2, 40),
  "compact/1": () => new Grid("compact/1", 60, 0, 37),
};
const made: Record<string, Grid> = {};

export const isGrid = (name: string): boolean => Object.hasOwn(make, name);

export function gridOf(name: string): Grid {
  if (!isGrid(name)) throw new Error(`unknown grid ${name}`);
  return (made[name] ??= make[name]!());
}
