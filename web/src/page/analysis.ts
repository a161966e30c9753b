/** Everything known about one slice, computed once and kept. */

import { binnedIntervals, binnedNumbers, fixedNumbers, rowsOfSlice, type Binned, type Fitted, type Fixed, type MeasureOptions, type Numbers } from "../stats/measure";
import { judge, type Verdict } from "../stats/verdict";
import type { Slice } from "../tally/tally";
import { sliceName } from "../tally/tally";
import { lang } from "../words/words";
import type { Embedded } from "./embedded";

export class Analysis {
  readonly n: number;
  readonly name: string;
  readonly events: boolean;
  private last: { name: string; found: Binned } | null = null;
  constructor(readonly slice: Slice, private readonly report: Embedded | null, private kept: Fixed | null = null) {
    this.n = rowsOfSlice(slice);
    this.name = sliceName(slice);
    this.events = slice.kind === "yes_no";
  }

  private get fixed(): Fixed {
    return (this.kept ??= fixedNumbers(this.slice));
  }

  get fitted(): Fitted {
    return this.fixed.fitted;
  }

  /** The verdict by ten equal-width bins; a report's own where it has one in this language. */
  verdict(): Verdict {
    const given = this.report && this.report.lang === lang() ? this.report.slice(this.name) : null;
    if (given) return given.verdict;
    const { scores, fitted, ten } = this.fixed;
    const numbers = { ...scores, ...fitted.numbers, ...ten.numbers };
    const told = this.report?.slice(this.name)?.numbers ?? {};
    for (const [name, one] of Object.entries(told)) numbers[name] = { ...numbers[name], ...one };
    return judge(numbers, fitted.tenths, this.slice.kind, this.n);
  }

  binned(options: MeasureOptions): Binned {
    if (options.bins === 10 && options.binning === "width") return this.fixed.ten;
    const name = `${options.bins} ${options.binning}`;
    if (this.last?.name !== name) this.last = { name, found: binnedNumbers(this.slice, options) };
    return this.last.found;
  }

  /** Intervals that take a while. */
  settle(found: Binned): void {
    if (!this.slice.clustered) binnedIntervals(this.slice, found);
  }

  /** All numbers, a report's own ones in place of ours where they have the same bins. */
  numbers(found: Binned): Numbers {
    const { scores, fitted } = this.fixed;
    const out: Numbers = { ...scores, ...fitted.numbers, ...found.numbers };
    for (const [name, told] of Object.entries(this.report?.slice(this.name)?.numbers ?? {})) {
      const mine = out[name];
      if (!mine || told.bins === undefined || (told.bins === mine.bins && told.binning === mine.binning))
        out[name] = { ...mine, ...told };
    }
    return out;
  }
}
