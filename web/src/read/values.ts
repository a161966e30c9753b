/** Reading single values: text to number, to outcome, to option. Twin of src/calibrant/io/sql.py and labels.py. */

import { clean } from "./dialect";

const EMPTY = new Set(["", "na", "n/a", "nan", "null", "none"]);

/** States of a value besides a number: missing, or not of the kind asked for. */
export const MISSING = "missing";
export const UNREADABLE = "unreadable";
export type Read = number | typeof MISSING | typeof UNREADABLE;

export const isMissing = (text: string): boolean => EMPTY.has(text.toLowerCase());

/** A number; "84%" is 0.84. */
export function readNumber(cell: string, decimal: "." | ",", percent = false): Read {
  const code = cell.charCodeAt(cell.length - 1);
  if (!percent && decimal === "." && code >= 48 && code <= 57 && cell.length < 30) {
    const quick = cell.charCodeAt(0);
    const second = cell.charCodeAt(1);
    if ((quick === 46 || (quick >= 48 && quick <= 57)) && !(second > 57 && second !== 69 && second !== 101))
      return fallback(Number(cell));
  }
  let text = clean(cell);
  if (isMissing(text)) return MISSING;
  if (/_|[xX]|^[+-]?0[bBoO]/.test(text)) return UNREADABLE;
  if (decimal === ",") text = text.replaceAll(",", ".");
  const signed = text.endsWith("%");
  if (signed) text = text.replace(/[% ]+$/, "");
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const value = text === "" ? NaN : Number(text);
  if (Number.isNaN(value)) return UNREADABLE;
  return signed || percent ? value / 100 : value;
}

const fallback = (value: number): Read => (Number.isNaN(value) ? UNREADABLE : value);

/** An outcome: 0 or 1, true or false, or the words given; another number as it is. */
export function readOutcome(cell: string, decimal: "." | ",", yes: string[], no: string[]): Read {
  if (!yes.length) {
    if (cell === "1") return 1;
    if (cell === "0") return 0;
  }
  const text = clean(cell).toLowerCase();
  if (yes.length) {
    if (yes.includes(text)) return 1;
    if (no.length ? no.includes(text) : !isMissing(text)) return 0;
    return isMissing(text) ? MISSING : UNREADABLE;
  }
  if (text === "true") return 1;
  if (text === "false") return 0;
  return text.endsWith("%") ? UNREADABLE : readNumber(text, decimal);
}

/** Turns label texts into places of options: exact name, name in another case, else position counted from 0. */
export class LabelReader {
  readonly notes = new Set<string>();
  private readonly known = new Map<string, number>();
  private readonly byPosition: boolean;

  constructor(private readonly options: string[]) {
    this.byPosition = !options.some((name) => /^-*\d+$/.test(name));
  }

  /** The option's place, −1 where the label is missing, the number of options where it is none of them. */
  read(cell: string): number {
    const text = cell.trim();
    let found = this.known.get(text);
    if (found === undefined) this.known.set(text, (found = this.place(text)));
    return found;
  }

  private place(text: string): number {
    const exact = this.options.indexOf(text);
    if (exact >= 0) return exact;
    if (isMissing(text)) return -1;
    const folded = this.options.map((name) => name.toLowerCase());
    const same = folded.filter((name) => name === text.toLowerCase()).length;
    if (same === 1) {
      this.notes.add("labels matched to options without regard to case");
      return folded.indexOf(text.toLowerCase());
    }
    const value = Number(text);
    if (Number.isNaN(value)) return this.options.length;
    const equal = this.options.findIndex((name) => name.trim() !== "" && Number(name) === value);
    if (equal >= 0) return equal;
    if (this.byPosition && Number.isInteger(value) && value >= 0 && value < this.options.length) {
      this.notes.add("labels read as positions of options, counted from 0");
      return value;
    }
    return this.options.length;
  }
}

/** Whether a row adds up to 1, or misses it by no more than its own rounding to decimals explains. */
export function sumsToOne(p: Float64Array): boolean {
  let total = 0;
  for (const value of p) total += value;
  const gap = Math.abs(total - 1);
  if (gap <= 1e-6 * Math.max(p.length, 1)) return true;
  if (gap > 0.02 + 1e-9) return false;
  for (const decimals of [4, 3, 2]) {
    const step = 10 ** -decimals;
    if (gap > (p.length * step) / 2 + 1e-9) continue;
    if (p.every((value) => Math.abs(value / step - Math.round(value / step)) < 1e-6)) return true;
  }
  return false;
}
