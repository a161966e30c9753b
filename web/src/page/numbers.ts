/** The table of numbers: each with its interval, and with what it should be compared to. */

import type { Num, Numbers } from "../stats/measure";
import type { Kind } from "../tally/tally";
import { count, decimal, hasWord, percent, percentRange, t, valueRange } from "../words/words";
import { h, table } from "./dom";

const MAIN = ["brier", "brier_skill", "log_loss", "event_ece", "confidence_ece", "debiased_l2", "max_calibration_error", "classwise_ece", "top_label_ece", "auc", "rps"];
const REST = ["accuracy", "mean_confidence", "confidence_gap", "base_rate", "mean_probability", "bias", "slope", "intercept"];
/** Shown in other places of the page, or beside another number. */
const ELSEWHERE = new Set([
  "brier_uniform", "brier_base_rate", "edges_moved", "reliability", "resolution", "uncertainty", "within_bin_variance",
  "within_bin_covariance", "miscalibration", "discrimination",
]);
const SHARES = new Set(["accuracy", "mean_confidence", "base_rate", "mean_probability"]);

export function numberName(name: string, one: Num): string {
  const key = `number.${name}`;
  if (!hasWord(key)) return name.replaceAll("_", " ");
  const bins = count(one.bins ?? 0);
  return t(key, { bins: one.binning === "mass" ? t("bins.mass", { bins }) : bins });
}

function value(name: string, one: Num): Node {
  if (one.value === null) return h("span", { class: "none" }, t(one.why && hasWord(`why.${one.why}`) ? `why.${one.why}` : "numbers.none"));
  return h("strong", {}, SHARES.has(name) ? percent(one.value) : decimal(one.value));
}

function interval(name: string, one: Num, settled: boolean, clustered: boolean): string {
  if (one.low != null && one.high != null)
    return SHARES.has(name) ? percentRange(one.low, one.high) : valueRange(one.low, one.high);
  const slow = ["event_ece", "confidence_ece", "debiased_l2"].includes(name);
  if (slow && clustered) return t("numbers.run");
  return slow && !settled ? t("numbers.settling") : "";
}

function beside(name: string, one: Num, all: Numbers, kind: Kind): (Node | string)[] {
  if (one.floor !== undefined && one.floor95 !== undefined) {
    const p = decimal(one.pValue!, one.pValue! < 0.001 ? 4 : 3);
    const text = t("beside.floor", { floor: decimal(one.floor), floor95: decimal(one.floor95), p });
    const inside = one.value !== null && one.value <= one.floor95;
    return [text, h("span", { class: inside ? "tag" : "tag strong" }, t(inside ? "beside.floor.inside" : "beside.floor.outside"))];
  }
  if (one.floor !== undefined) return [t("beside.floor.mean", { floor: decimal(one.floor) })];
  const of = (key: string): string => (all[key]?.value == null ? "–" : decimal(all[key]!.value!));
  switch (name) {
    case "brier": {
      const values = { sum: one.sumScale === undefined ? "" : decimal(one.sumScale), uniform: of("brier_uniform"), base: of("brier_base_rate") };
      return [t(kind === "yes_no" ? "beside.brier" : kind === "answer" ? "beside.brier.answer" : "beside.brier.sum", values)];
    }
    case "brier_skill": return [t("beside.skill")];
    case "log_loss": return [one.infiniteRows ? t("beside.log.infinite", { rows: count(one.infiniteRows) }) : t("beside.log")];
    case "debiased_l2": return [t("beside.debiased")];
    case "auc": return [t("beside.auc")];
    case "slope": return [t("beside.slope")];
    case "confidence_gap": return [t("beside.gap")];
    case "bias": return [t("beside.bias")];
    case "rps": return [t("beside.rps")];
    default: return [];
  }
}

export function numbersTable(numbers: Numbers, kind: Kind, settled: boolean, clustered: boolean): HTMLElement {
  // A report brings numbers that only Python computes, such as tests; they come last.
  const others = Object.keys(numbers).filter((name) => ![...MAIN, ...REST].includes(name) && !ELSEWHERE.has(name));
  const names = [...MAIN, ...REST, ...others].filter((name) => numbers[name]);
  const rows = names.map((name) => {
    const one = numbers[name]!;
    const arrow = one.better
      ? h("span", { class: "arrow", title: t(`numbers.${one.better}`), role: "img", "aria-label": t(`numbers.${one.better}`) }, one.better === "lower" ? "↓" : "↑")
      : null;
    return [
      h("span", {}, numberName(name, one), " ", arrow, h("span", { class: "beside" }, ...beside(name, one, numbers, kind))),
      value(name, one),
      interval(name, one, settled, clustered),
    ];
  });
  const head = ["name", "value", "interval"].map((key) => t(`numbers.${key}`));
  return table(t("numbers.heading"), head, rows, { numeric: [1, 2], rowClass: (i) => (i === MAIN.filter((n) => numbers[n]).length ? "break" : "") });
}

/** The decompositions as sums that can be followed. */
export function decompositions(numbers: Numbers, kind: Kind): HTMLElement {
  const get = (name: string): number => numbers[name]?.value ?? 0;
  const term = (sign: string, key: string, amount: number): HTMLElement =>
    h("li", {}, h("span", { class: "sign", "aria-hidden": sign === "=" ? "true" : null }, sign), h("strong", {}, decimal(amount)),
      h("span", { class: "term" }, t(`parts.${key}`)), hasWord(`parts.${key}.note`) && h("small", {}, t(`parts.${key}.note`)));
  const total = get("reliability") - get("resolution") + get("uncertainty") + get("within_bin_variance") - get("within_bin_covariance");
  return h("div", { class: "parts" },
    kind === "choice" || kind === "score" ? h("p", { class: "quiet" }, t("parts.top")) : null,
    h("h3", {}, t("parts.binned")),
    h("ol", { class: "sum" }, term("", "reliability", get("reliability")), term("−", "resolution", get("resolution")),
      term("+", "uncertainty", get("uncertainty")), term("+", "variance", get("within_bin_variance")),
      term("−", "covariance", get("within_bin_covariance")), term("=", "brier", total)),
    h("h3", {}, t("parts.corp")),
    h("ol", { class: "sum" }, term("", "miscalibration", get("miscalibration")), term("−", "discrimination", get("discrimination")),
      term("+", "uncertainty", get("uncertainty")),
      term("=", "brier", get("miscalibration") - get("discrimination") + get("uncertainty"))));
}
