/** The tally: everything that the page keeps of the rows. Twin of src/calibrant/tallies/tally.py. */

import type { Cells } from "../stats/cells";
import { fold } from "../stats/fold";
import { rowsIn } from "../stats/cells";
import type { Moments } from "../stats/moments";

export type Kind = "yes_no" | "answer" | "choice" | "score";

export interface LeftOut {
  rows: number;
  first: number[];
  /** Line numbers in the file of the same rows; they stay in the page. */
  lines: number[];
}

export interface Slice {
  by: Record<string, string>;
  kind: Kind;
  options: string[];
  views: Record<string, Cells>;
  moments: Moments;
  infiniteLog: { rows: number; weight: number };
  optionCounts: Record<string, number>;
  classes: Record<string, number>;
  ties: number;
  leftOut: Record<string, LeftOut>;
  weights: "sampling" | "frequency" | null;
  /** Rows come in clusters: intervals then need sums per cluster, which only Python reads. */
  clustered?: boolean;
  /** The sealed cluster sums, kept as they came for whoever reads the tally next. */
  clusters?: unknown;
}

export interface Tally {
  by: string[];
  source: { names: string[]; rows: number; notes: string[] };
  leftOut: Record<string, LeftOut>;
  slices: Slice[];
}

export const mainView = (slice: Slice): Cells => slice.views[slice.kind === "yes_no" ? "event" : "top"]!;

export const rowsOfSlice = (slice: Slice): number => rowsIn(mainView(slice));

const folded = new WeakMap<Slice, Cells>();

/** Confidence against right, for every kind. */
export function topView(slice: Slice): Cells {
  if (slice.kind !== "yes_no") return slice.views["top"]!;
  let found = folded.get(slice);
  if (!found) folded.set(slice, (found = fold(slice.views["event"]!)));
  return found;
}

export const sliceName = (slice: Slice): string =>
  Object.entries(slice.by)
    .map(([column, value]) => `${column}=${value}`)
    .join(", ");
