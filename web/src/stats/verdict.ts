/** What the numbers mean. Twin of src/calibrant/verdict and report/headline.py; thresholds and sentences are theirs. */

import thresholds from "../../../src/calibrant/verdict/thresholds.json";
import type { Kind } from "../tally/tally";
import { count, decimal, percent, percentRange, points, pointsRange, t } from "../words/words";
import type { CurveBin, Num, Numbers } from "./measure";

export type Code =
  | "honest" | "overconfident" | "underconfident" | "hedging" | "right_order_unusable_numbers"
  | "base_rate_echo" | "worse_than_guessing" | "cannot_tell";

export const CODES: readonly Code[] = [
  "worse_than_guessing", "hedging", "base_rate_echo", "right_order_unusable_numbers", "overconfident",
  "underconfident", "cannot_tell", "honest",
];

export interface Verdict {
  code: Code;
  sentence: string;
  meaning: string;
  advice: string;
  findings: string[];
}

type Found = Map<string, string>;
const bar = (name: keyof typeof thresholds): number => thresholds[name].value;
const ROUNDING = 1e-9;
const ONE_SIDED = 0.75;
const LEAST_OF_EACH = 10;

class Case {
  readonly found: Found = new Map();
  constructor(readonly numbers: Numbers, readonly kind: Kind, readonly n: number) {}

  get events(): boolean {
    return this.kind === "yes_no";
  }
  get(name: string, part: "value" | "low" | "high" = "value"): number | null {
    const value = (this.numbers[name] as Num | undefined)?.[part];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  }
  has(...codes: string[]): boolean {
    return codes.some((code) => this.found.has(code));
  }
  get tolerance(): number {
    const rate = this.events ? this.get("base_rate") : null;
    if (rate === null) return bar("tolerance");
    return toleranceFor(rate);
  }
}

/** Three points, or half of the rarer outcome's rate where that is less. */
function toleranceFor(rate: number): number {
  const rare = bar("rare_share") * Math.min(rate, 1 - rate);
  return rare > 0 ? Math.min(bar("tolerance"), rare) : bar("tolerance");
}

export function judge(numbers: Numbers, tenths: CurveBin[], kind: Kind, n: number): Verdict {
  const c = new Case(numbers, kind, n);
  gaps(c);
  errors(c);
  information(c);
  const certain = numbers["log_loss"]?.infiniteRows ?? 0;
  if (certain > 0) c.found.set("certain_and_wrong", t("finding.certain_and_wrong", { rows: count(certain) }));
  const [code, shape] = n ? decide(c) : (["cannot_tell", ""] as [Code, string]);
  return {
    code,
    sentence: headline(tenths, c, code),
    meaning: meaning(c, code, shape),
    advice: t(`advice.${code}`),
    findings: [...c.found.values()],
  };
}

function gaps(c: Case): void {
  for (const [name, over, under] of [
    ["confidence_gap", "overconfident", "underconfident"],
    ["bias", "says_too_high", "says_too_low"],
  ] as const) {
    const [gap, low, high] = [c.get(name), c.get(name, "low"), c.get(name, "high")];
    if (gap === null || low === null || high === null) continue;
    if ((low <= 0 && high >= 0) || Math.abs(gap) <= c.tolerance) continue;
    const code = gap > 0 ? over : under;
    const range = gap > 0 ? pointsRange(low, high) : pointsRange(-high, -low);
    c.found.set(code, t(`finding.${code}`, { gap: points(gap), range }));
  }
}

function errors(c: Case): void {
  const [low, high] = [c.get("debiased_l2", "low"), c.get("debiased_l2", "high")];
  if (low !== null && low > c.tolerance) c.found.set("miscalibrated", t("finding.miscalibrated", { low: points(low) }));
  else if (high !== null && high < c.tolerance)
    c.found.set("within_tolerance", t("finding.within_tolerance", { high: points(high), tolerance: points(c.tolerance) }));
  const slope = c.get("slope");
  if (slope === null) return;
  const [below, above] = [c.get("slope", "high"), c.get("slope", "low")];
  const code = below !== null && below < 1 ? "too_extreme" : above !== null && above > 1 ? "too_flat" : null;
  if (code) c.found.set(code, t(`finding.${code}`, { slope: decimal(slope, 2) }));
}

function information(c: Case): void {
  const skill = c.get("brier_skill", "high");
  if (skill !== null && skill < bar("least_skill")) {
    const code = skill < -ROUNDING ? "below_base_rate" : "no_skill";
    c.found.set(code, t(`finding.${code}`, { high: decimal(skill, 3) }));
  }
  const [brier, uniform] = [c.get("brier", "low"), c.get("brier_uniform")];
  if (brier !== null && uniform !== null && brier > (1 - bar("uniform_share")) * uniform) {
    const code = brier > uniform ? "above_uniform" : "near_uniform";
    c.found.set(code, t(`finding.${code}`, { low: decimal(brier), uniform: decimal(uniform) }));
  }
  const [low, high] = [c.get("auc", "low"), c.get("auc", "high")];
  if (low !== null && low > bar("order_auc")) c.found.set("order", t("finding.order", { low: decimal(low, 2) }));
  if (high !== null && high < 1 - bar("order_auc"))
    c.found.set("upside_down", t("finding.upside_down", { high: decimal(high, 2) }));
}

function decide(c: Case): [Code, string] {
  const ordered = c.has("order");
  const gap = c.has("overconfident", "underconfident", "says_too_high", "says_too_low");
  const below = c.has("below_base_rate");
  if (c.has("above_uniform") || (below && (ordered || !gap || c.has("upside_down"))))
    return [ordered ? "right_order_unusable_numbers" : "worse_than_guessing", ""];
  if (!ordered && hedges(c)) return ["hedging", ""];
  const oneSided = isOneSided(c);
  if (!oneSided && c.has("overconfident")) return ["overconfident", "gap"];
  if (!oneSided && c.has("underconfident")) return ["underconfident", "gap"];
  if (!ordered && c.has("no_skill")) return ["base_rate_echo", ""];
  if (gap || c.has("miscalibrated")) return otherwiseOff(c);
  return [c.has("within_tolerance") ? "honest" : "cannot_tell", ""];
}

function hedges(c: Case): boolean {
  const knowsSkill = c.get("brier_skill", "high") !== null;
  if (!c.has("near_uniform") || !(c.has("no_skill", "below_base_rate") || !knowsSkill)) return false;
  const [confidence, uniform] = [c.get("mean_confidence"), c.get("brier_uniform")];
  const guess = uniform === null ? null : 1 - (c.events ? 2 * uniform : uniform);
  const bold = confidence !== null && guess !== null && confidence > guess + bar("hedge_confidence");
  return !(bold && c.has("overconfident"));
}

function isOneSided(c: Case): boolean {
  const [gap, bias] = [c.get("confidence_gap"), c.get("bias")];
  return c.events && gap !== null && bias !== null && Math.abs(gap) < ONE_SIDED * Math.abs(bias);
}

function otherwiseOff(c: Case): [Code, string] {
  const biased = c.has("says_too_high", "says_too_low");
  if (!biased && c.has("too_extreme")) return ["overconfident", "slope"];
  if (!biased && c.has("too_flat")) return ["underconfident", "slope"];
  if (c.has("order")) return ["right_order_unusable_numbers", ""];
  if (biased) return [c.has("says_too_high") ? "overconfident" : "underconfident", "bias"];
  const flat = (c.get("slope") ?? 0) > 1 || (c.get("confidence_gap") ?? 0) < 0;
  return [flat ? "underconfident" : "overconfident", "slope"];
}

function meaning(c: Case, code: Code, shape: string): string {
  if (code === "cannot_tell") return open(c);
  if (code === "worse_than_guessing") return worse(c);
  if (code === "overconfident" || code === "underconfident") {
    if (shape === "bias") return t(`verdict.${code}.bias`, overallShares(c));
    if (shape === "slope") return t(`verdict.${code}.slope`);
    return t(`verdict.${code}`, { gap: points(c.get("confidence_gap") ?? 0) });
  }
  if (code === "honest") return t("verdict.honest", { tolerance: points(c.tolerance) });
  if (code === "base_rate_echo") return t("verdict.base_rate_echo", { base_rate: rate(c) });
  if (code === "right_order_unusable_numbers" && c.has("says_too_high", "says_too_low"))
    return t("verdict.right_order_unusable_numbers.bias", overallShares(c));
  return t(`verdict.${code}`);
}

function worse(c: Case): string {
  if (c.has("upside_down")) return t("verdict.worse_than_guessing.upside_down");
  const reference = c.has("above_uniform")
    ? t("reference.uniform")
    : t("reference.base_rate", { base_rate: rate(c) });
  return t("verdict.worse_than_guessing", { reference });
}

function open(c: Case): string {
  if (c.n === 0) return t("verdict.cannot_tell.empty");
  const rows = rowsToTell(c);
  if (rows === null) return t("verdict.cannot_tell", { n: count(c.n) });
  const said = { n: count(c.n), rows: count(rows) };
  const error = c.get("debiased_l2", "high");
  if (error === null || gapShowsBy(c) > c.n)
    return t("verdict.cannot_tell.rows", { gap: points(gapInQuestion(c)), ...said });
  return t("verdict.cannot_tell.close", { error: points(error), tolerance: points(c.tolerance), ...said });
}

function gapInQuestion(c: Case): number {
  const gap = c.get("confidence_gap");
  return gap === null ? c.tolerance : Math.max(Math.abs(gap), c.tolerance);
}

function gapShowsBy(c: Case): number {
  const share = c.get("accuracy") ?? c.get(c.events ? "base_rate" : "mean_confidence");
  if (share === null) return Infinity;
  const p = Math.min(Math.max(share, 0.01), 0.99);
  const rows = Math.max(1, Math.round((bar("power_factor") * p * (1 - p)) / gapInQuestion(c) ** 2));
  if (c.get("confidence_gap", "high") !== null) return rows;
  return Math.max(rows, Math.ceil(LEAST_OF_EACH / Math.min(p, 1 - p)));
}

function rowsToTell(c: Case): number | null {
  let rows = gapShowsBy(c);
  if (c.n === 0 || !Number.isFinite(rows)) return null;
  const high = c.get("debiased_l2", "high");
  if (rows <= c.n && high !== null) {
    const wanted = c.n * Math.max(high / c.tolerance, 1) ** 2;
    const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
    rows = Math.ceil(wanted / step) * step;
  }
  return Math.max(Math.trunc(rows), c.n + 1);
}

function rate(c: Case): string {
  const found = c.get(c.events ? "base_rate" : "accuracy");
  return found === null ? t("reference.base_rate.unknown") : percent(found);
}

function overallShares(c: Case): Record<string, string> {
  const [stated, seen] = [c.get("mean_probability"), c.get("base_rate")];
  const unknown = t("reference.base_rate.unknown");
  return { stated: stated === null ? unknown : percent(stated), observed: seen === null ? unknown : percent(seen) };
}

/** The fullest of ten fixed bins; of equally full ones the one that says most. Outcomes play no part. */
export function fullestBin(tenths: CurveBin[]): CurveBin | null {
  let best: CurveBin | null = null;
  for (const bin of tenths) if (bin.n > 0 && (!best || bin.n >= best.n)) best = bin;
  return best;
}

function headline(tenths: CurveBin[], c: Case, code: Code): string {
  const point = fullestBin(tenths);
  if (!point) return t("headline.empty");
  const overall = overallHeadline(c, code);
  if (overall !== null && contradicts(point, code, c.events)) return overall;
  return t(`headline.${c.events ? "event" : "answer"}`, {
    stated: percent(point.mean!),
    observed: percent(point.observed!),
    range: percentRange(point.observedLow!, point.observedHigh!),
    n: count(point.n),
  });
}

function contradicts(point: CurveBin, code: Code, events: boolean): boolean {
  const [stated, low, high] = [point.mean!, point.observedLow!, point.observedHigh!];
  const within = low <= stated && stated <= high;
  if (code === "honest") return !within;
  if (code === "right_order_unusable_numbers") return within;
  if (code !== "overconfident" && code !== "underconfident") return false;
  const tooSure = events && stated < 0.5 ? stated < low : stated > high;
  return within || tooSure !== (code === "overconfident");
}

function overallHeadline(c: Case, code: Code): string | null {
  let what = c.events ? "event" : "answer";
  if (what === "event" && (code === "overconfident" || code === "underconfident")) {
    const [bias, gap] = [c.get("bias"), c.get("confidence_gap")];
    if (!(bias !== null && (gap === null || Math.abs(bias) > Math.abs(gap)))) what = "answer";
  }
  const [says, seen] = what === "event" ? ["mean_probability", "base_rate"] : ["mean_confidence", "accuracy"];
  const [stated, share] = [c.get(says!), c.get(seen!)];
  if (stated === null || share === null) return null;
  const values = { stated: percent(stated), observed: percent(share), n: count(c.n) };
  const [low, high] = [c.get(seen!, "low"), c.get(seen!, "high")];
  if (low === null || high === null) return t(`headline.${what}.overall_plain`, values);
  return t(`headline.${what}.overall`, { ...values, range: percentRange(low, high) });
}
