/** What the page and its worker say to each other. */

import type { Fixed } from "../stats/measure";
import type { Tally } from "../tally/tally";
import type { Layout } from "./columns";

export interface Job {
  blob: Blob;
  name: string;
  layout: Layout | null;
}

export type Report =
  | { type: "columns"; names: string[]; rows: string[][]; layout: Layout; found: boolean }
  | { type: "progress"; rows: number; share: number }
  | { type: "done"; tally: Tally; fixed: (Fixed | null)[] }
  | { type: "error"; code: string; values: Record<string, string> };
