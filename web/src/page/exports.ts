/** What can be taken away: figure, table, tally, Markdown, a summary to paste. */

import type { Binned, Numbers } from "../stats/measure";
import type { Verdict } from "../stats/verdict";
import { toJson } from "../tally/store";
import type { Tally } from "../tally/tally";
import { count, decimal, percent, percentRange, t, valueRange } from "../words/words";
import { numberName } from "./numbers";

/** Bins as CSV, numbers in full. No cell holds text of the user, so none can start a formula. */
export function binsCsv(found: Binned): string {
  const head = "low,high,n,mean_probability,observed,observed_low,observed_high,gap";
  const rows = found.curve.map((b) =>
    [b.low, b.high, b.n, b.mean, b.observed, b.observedLow, b.observedHigh, b.gap].map((v) => v ?? "").join(","),
  );
  return [head, ...rows].join("\r\n") + "\r\n";
}

export const tallyFile = (tally: Tally): string => toJson(tally);

/** Signs that Markdown or a table would read as markup, escaped. */
const plain = (text: string): string => text.replace(/[\\`*_{}[\]<>|#!~]/g, "\\$&").replace(/[\r\n]+/g, " ");

export function markdown(tally: Tally, slice: string, verdict: Verdict, numbers: Numbers, found: Binned): string {
  const lines = [`# ${plain(verdict.sentence)}`, "", `${plain(verdict.meaning)} ${plain(verdict.advice)}`, ""];
  lines.push(plain(`${tally.source.names.join(", ")}: ${t("reading.rows", { rows: count(tally.source.rows) })}${slice ? ` · ${slice}` : ""}`), "");
  lines.push(`| ${t("numbers.name")} | ${t("numbers.value")} | ${t("numbers.interval")} |`, "|---|--:|--:|");
  for (const [name, one] of Object.entries(numbers)) {
    if (name === "edges_moved") continue;
    const range = one.low != null && one.high != null ? valueRange(one.low, one.high) : "";
    lines.push(`| ${plain(numberName(name, one))} | ${one.value === null ? t("numbers.none") : decimal(one.value)} | ${range} |`);
  }
  lines.push("", `| ${["bin", "rows", "says", "happens", "interval"].map((k) => t(`bins.${k}`)).join(" | ")} |`, "|---|--:|--:|--:|--:|");
  for (const bin of found.curve)
    if (bin.n)
      lines.push(`| ${decimal(bin.low, 3)}–${decimal(bin.high, 3)} | ${count(bin.n)} | ${percent(bin.mean!)} | ${percent(bin.observed!)} | ${percentRange(bin.observedLow!, bin.observedHigh!)} |`);
  return lines.join("\n") + "\n";
}

/** A few lines to paste into a message: no link in them. */
export function summary(tally: Tally, slice: string, verdict: Verdict, numbers: Numbers): string {
  const lines = [verdict.sentence, verdict.meaning];
  for (const name of ["brier", "brier_skill", "log_loss", "event_ece", "confidence_ece", "auc"]) {
    const one = numbers[name];
    if (!one || (name === "confidence_ece" && numbers["event_ece"])) continue;
    const value = one.value === null ? t("numbers.none") : decimal(one.value);
    const beside = one.floor !== undefined
      ? ` (${t("beside.floor", { floor: decimal(one.floor), floor95: decimal(one.floor95!), p: decimal(one.pValue!) })})`
      : one.low != null && one.high != null ? ` (${valueRange(one.low, one.high)})` : "";
    lines.push(`${numberName(name, one)}: ${value}${beside}`);
  }
  lines.push(`${[...tally.source.names, ...(slice ? [slice] : [])].join(", ")}, ${t("reading.rows", { rows: count(tally.source.rows) })}`);
  return lines.join("\n");
}
