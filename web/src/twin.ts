/** For the test that compares both languages: tallies in, every number and verdict out. Not part of the page. */

import { readFileSync, writeFileSync } from "node:fs";
import { binnedIntervals, binnedNumbers, fittedNumbers, rowsOfSlice, scoreNumbers } from "./stats/measure";
import { judge } from "./stats/verdict";
import type { Binning } from "./stats/binning";
import { fromDocument, toDocument } from "./tally/store";
import { setLang, type Lang } from "./words/words";

interface Case {
  tally: unknown;
  bins: number;
  binning: Binning;
  closed: "left" | "right";
  intervals: boolean;
  lang: Lang;
}

const [, , from, to] = process.argv;
const cases = JSON.parse(readFileSync(from!, "utf8")) as Case[];
const results = cases.map(({ tally, bins, binning, closed, intervals, lang }) => {
  setLang(lang);
  const read = fromDocument(tally);
  const slices = read.slices.map((slice) => {
    const found = binnedNumbers(slice, { bins, binning, closed });
    if (intervals) binnedIntervals(slice, found);
    const fitted = fittedNumbers(slice);
    const numbers = { ...scoreNumbers(slice), ...fitted.numbers, ...found.numbers };
    const band = { low: Array.from(found.band.low), high: Array.from(found.band.high) };
    return { numbers, curve: found.curve, band, verdict: judge(numbers, fitted.tenths, slice.kind, rowsOfSlice(slice)) };
  });
  return { slices, again: toDocument(read) };
});
writeFileSync(to!, JSON.stringify(results));
