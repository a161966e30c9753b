/** Collecting judged rows into slices. Twin of src/calibrant/tallies/collect.py and rows.py. */

import { NAMES } from "../stats/moments";
import { CellBuilder } from "./build";
import type { Kind, LeftOut, Slice } from "./tally";

const MAX_OPTION_VIEWS = 20;
const FIRST_RECORDS = 3;

export class SliceBuilder {
  readonly leftOut: Record<string, LeftOut> = {};
  private readonly views: Record<string, CellBuilder> = {};
  private readonly first: Float64Array;
  private readonly names: readonly string[];
  private readonly scores: Float64Array;
  private readonly optionCounts: Record<string, number> = {};
  private readonly classes: Record<string, number> = {};
  private readonly main: CellBuilder;
  private infinite = 0;
  private ties = 0;

  constructor(
    private readonly by: Record<string, string>,
    private readonly kind: Kind,
    private readonly options: string[],
  ) {
    const classes = kind === "choice" || kind === "score" ? options.length <= MAX_OPTION_VIEWS : false;
    this.names = [...NAMES[kind], ...(classes ? options.map((option) => `class:${option}`) : [])];
    this.first = new Float64Array(this.names.length ** 2);
    this.scores = new Float64Array(this.names.length);
    this.main = this.view(kind === "yes_no" ? "event" : "top");
  }

  refuse(reason: string, record: number, line: number): void {
    const found = (this.leftOut[reason] ??= { rows: 0, first: [], lines: [] });
    found.rows++;
    if (found.first.length < FIRST_RECORDS) {
      found.first.push(record);
      found.lines.push(line);
    }
  }

  /** A yes/no question, or a stated confidence with right or wrong. */
  addEvent(p: number, y: number): void {
    const happened = y === 1 ? p : 1 - p;
    const s = this.scores;
    const brier = (p - y) * (p - y);
    const log = this.log(happened);
    const top = p >= 0.5;
    let at = 3;
    s[0] = 1;
    s[1] = p;
    s[2] = y;
    if (this.kind === "yes_no") {
      if (p === 0.5) this.ties++;
      s[3] = top ? p : 1 - p;
      s[4] = top === (y === 1) ? 1 : 0;
      at = 5;
    }
    s[at] = brier;
    s[at + 1] = log;
    this.main.add(p, y);
    this.moment();
  }

  /** A choice or an ordered score. */
  addChoice(p: Float64Array, label: number): void {
    let top = 0;
    let square = 0;
    for (let k = 0; k < p.length; k++) {
      if (p[k]! > p[top]!) top = k;
      square += p[k]! * p[k]!;
    }
    let same = 0;
    for (let k = 0; k < p.length; k++) if (p[k] === p[top]) same++;
    if (same > 1) this.ties++;
    const confidence = p[top]!;
    const right = top === label ? 1 : 0;
    const scores = [1, confidence, right, Math.max(square - 2 * p[label]! + 1, 0), this.log(p[label]!)];
    if (this.kind === "score") scores.push(...this.ranked(p, label));
    if (this.options.length <= MAX_OPTION_VIEWS) for (let k = 0; k < p.length; k++) scores.push(label === k ? 1 : 0);
    this.set(this.scores, scores);
    this.view("top").add(confidence, right);
    this.optionCounts[p.length] = (this.optionCounts[p.length] ?? 0) + 1;
    if (this.options.length <= MAX_OPTION_VIEWS) {
      for (let k = 0; k < p.length; k++) {
        const option = this.options[k]!;
        this.classes[option] = (this.classes[option] ?? 0) + (label === k ? 1 : 0);
        this.view(`class:${option}`).add(p[k]!, label === k ? 1 : 0);
        const views = this.view(`top:${option}`);
        if (top === k) views.add(confidence, right);
      }
      if (this.kind === "score") this.cuts(p, label);
    }
    this.moment();
  }

  slice(): Slice {
    const size = this.names.length;
    const first = Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => this.first[Math.min(i, j) * size + Math.max(i, j)]!),
    );
    return {
      by: this.by,
      kind: this.kind,
      options: this.options,
      views: Object.fromEntries(Object.entries(this.views).map(([name, builder]) => [name, builder.cells()])),
      moments: { names: [...this.names], first, second: first },
      infiniteLog: { rows: this.infinite, weight: this.infinite },
      optionCounts: this.optionCounts,
      classes: this.classes,
      ties: this.ties,
      leftOut: this.leftOut,
      weights: null,
    };
  }

  private view(name: string): CellBuilder {
    const main = name === "event" || name === "top";
    return (this.views[name] ??= new CellBuilder(main ? "fine/1" : "coarse/1"));
  }

  private ranked(p: Float64Array, label: number): number[] {
    let [below, rps, level] = [0, 0, 0];
    for (let k = 0; k < p.length; k++) {
      below += p[k]!;
      level += k * p[k]!;
      if (k < p.length - 1) rps += (below - (k >= label ? 1 : 0)) ** 2;
    }
    return [rps, level, label];
  }

  private cuts(p: Float64Array, label: number): void {
    let below = 0;
    for (let k = 0; k < p.length - 1; k++) {
      below += p[k]!;
      this.view(`cut:${k}`).add(Math.min(Math.max(below, 0), 1), label <= k ? 1 : 0);
    }
  }

  private log(happened: number): number {
    if (happened > 0) return -Math.log(happened);
    this.infinite++;
    return 0;
  }

  private set(into: Float64Array, values: number[]): void {
    for (let i = 0; i < values.length; i++) into[i] = values[i]!;
  }

  private moment(): void {
    const size = this.scores.length;
    for (let i = 0; i < size; i++) {
      const one = this.scores[i]!;
      for (let j = i; j < size; j++) this.first[i * size + j]! += one * this.scores[j]!;
    }
  }
}
