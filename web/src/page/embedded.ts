/** What a report carries inside itself: the tally, and the numbers that Python computed. */

import type { CurveBin, Num, Numbers } from "../stats/measure";
import type { Code, Verdict } from "../stats/verdict";
import { fromDocument } from "../tally/store";
import type { Tally } from "../tally/tally";

interface RawReport {
  slices: { by: Record<string, string>; numbers: Record<string, Record<string, unknown>>; verdict: Record<string, unknown> }[];
  version?: string;
}

export interface Embedded {
  tally: Tally;
  lang: string;
  /** Numbers and verdict of a slice, as Python gave them. */
  slice: (name: string) => { numbers: Numbers; verdict: Verdict } | null;
}

export function embedded(): Embedded | null {
  const text = document.getElementById("calibrant-data")?.textContent?.trim();
  if (!text) return null;
  const raw = JSON.parse(text) as { tally?: unknown; report?: RawReport; lang?: string } | null;
  if (!raw?.tally) return null;
  const slices = raw.report?.slices ?? [];
  return {
    tally: fromDocument(raw.tally),
    lang: raw.lang ?? "en",
    slice: (name) => {
      const found = slices.find((part) => nameOf(part.by) === name);
      return found ? { numbers: numbersOf(found.numbers), verdict: verdictOf(found.verdict) } : null;
    },
  };
}

const nameOf = (by: Record<string, string>): string =>
  Object.entries(by)
    .map(([column, value]) => `${column}=${value}`)
    .join(", ");

const number = (value: unknown): number | null => (typeof value === "number" ? value : null);

function numbersOf(raw: Record<string, Record<string, unknown>>): Numbers {
  const out: Numbers = {};
  for (const [name, given] of Object.entries(raw)) {
    const one: Num = { value: number(given["value"]) };
    if ("low" in given) Object.assign(one, { low: number(given["low"]), high: number(given["high"]) });
    if ("bins" in given) Object.assign(one, { bins: number(given["bins"]), binning: String(given["binning"]) });
    if ("floor" in given)
      Object.assign(one, { floor: number(given["floor"]), floor95: number(given["floor_95"]), pValue: number(given["p_value"]) });
    out[name] = one;
  }
  return out;
}

function verdictOf(raw: Record<string, unknown>): Verdict {
  const findings = (raw["findings"] ?? []) as { text: string }[];
  return {
    code: String(raw["code"]) as Code,
    sentence: String(raw["sentence"]),
    meaning: String(raw["meaning"] ?? ""),
    advice: String(raw["advice"] ?? ""),
    findings: findings.map((one) => String(one.text)),
  };
}

export type { CurveBin };
