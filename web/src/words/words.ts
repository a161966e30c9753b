/** Sentences and numbers as people read them. Twin of src/calibrant/words; the verdict's sentences are its files. */

import sharedEn from "../../../src/calibrant/words/en.json";
import sharedPt from "../../../src/calibrant/words/pt.json";
import pageEn from "./en.json";
import pagePt from "./pt.json";

export type Lang = "en" | "pt";

const VOCABULARY: Record<Lang, Record<string, string>> = {
  en: { ...sharedEn, ...pageEn },
  pt: { ...sharedPt, ...pagePt },
};

let current: Lang = "en";
export const lang = (): Lang => current;
export const setLang = (wanted: Lang): void => void (current = wanted);

export function t(key: string, values: Record<string, string> = {}): string {
  const text = VOCABULARY[current][key] ?? VOCABULARY.en[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

export const hasWord = (key: string): boolean => key in VOCABULARY[current] || key in VOCABULARY.en;

const marks = (text: string): string =>
  text.replace(/[.,]/g, (mark) => t(mark === "," ? "format.thousands" : "format.decimal"));

export const count = (value: number): string => marks(Math.round(value).toLocaleString("en-US"));

function digitsFor(...shares: number[]): number {
  let digits = 0;
  for (const share of shares) {
    const edge = Math.min(Math.abs(share), Math.abs(1 - share));
    if (edge > 0) digits = Math.max(digits, Math.min(12, Math.ceil(Number((-Math.log10(edge * 100)).toFixed(9)))));
  }
  return digits;
}

/** Rounds half to even on the decimal text, as Python's round does on what the decimals say. */
function fixed(value: number, digits: number): string {
  const shown = Number(value.toPrecision(10));
  const scale = 10 ** digits;
  const scaled = shown * scale;
  const tie = Math.abs(Math.abs(scaled - Math.trunc(scaled)) - 0.5) < 1e-9;
  if (digits === 0 && tie) return String(2 * Math.round(scaled / 2));
  return (shown + 0).toFixed(digits);
}

const barePercent = (share: number, digits: number): string => marks(fixed(share * 100, digits));

export const percent = (share: number): string => t("format.percent", { number: barePercent(share, digitsFor(share)) });

export function percentRange(low: number, high: number): string {
  const digits = digitsFor(low, high);
  const number = t("format.range", { low: barePercent(low, digits), high: barePercent(high, digits) });
  return t("format.percent", { number });
}

function barePoints(gap: number): string {
  const size = gap * 100;
  const digits = size >= 9.95 || size === 0 ? 0 : size >= 0.095 ? 1 : 2;
  const text = size.toFixed(digits);
  return marks(text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
}

export function points(gap: number): string {
  const text = barePoints(Math.abs(gap));
  return t(text === "1" ? "gap.point" : "gap.points", { points: text });
}

export const pointsRange = (low: number, high: number): string =>
  t("gap.points", { points: t("format.range", { low: barePoints(low), high: barePoints(high) }) });

/** A value with four decimals; smaller ones get two digits that count. */
export function decimal(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return t(value > 0 ? "format.infinite" : "format.minus_infinite");
  if (value && Math.abs(value) < 0.5 * 10 ** -digits)
    return marks(value.toExponential(1).replace(/e([+-])(\d)$/, "e$10$2"));
  const text = (value + 0).toFixed(digits);
  return marks(text.replace(/^(-?\d+)/, (whole) => Number(whole).toLocaleString("en-US").replace("-0", "-0")).replace(/^0/, value < 0 ? "-0" : "0"));
}

export function valueRange(low: number, high: number, digits = 4): string {
  return t(low >= 0 && Number.isFinite(high) ? "format.range" : "format.range_to", {
    low: decimal(low, digits),
    high: decimal(high, digits),
  });
}
