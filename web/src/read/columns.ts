/** Which column means what: chosen by the user, or found by name. Twin of src/calibrant/io/columns.py. */

import type { Kind } from "../tally/tally";

export interface Layout {
  kind: Kind;
  prob: string[];
  outcome: string;
  predicted: string | null;
  options: string[];
  by: string[];
  percent: boolean;
  yes: string[];
  no: string[];
}

const PROBABILITY = ["probability", "p", "prob"];
const OUTCOME = ["outcome", "y", "correct"];
const CONFIDENCE = ["confidence", "top1_confidence", "top_confidence"];
const LABEL = ["label", "true_label", "gold", "answer"];
const PREDICTED = ["predicted", "pred_label", "predicted_label", "prediction"];
const PREFIXES = ["p_", "prob_", "probability_"];

const EXTRA = { predicted: null, options: [], by: [], percent: false, yes: [], no: [] };

const fold = (name: string): string => name.trim().toLowerCase();

/** The layout that the names tell, or null when a person must choose. */
export function findLayout(names: string[], repeated: string[] = []): Layout | null {
  const some = (wanted: string[]): string[] => names.filter((name) => wanted.includes(fold(name)));
  const one = (wanted: string[]): string | null => {
    const found = some(wanted);
    return found.length === 1 && !repeated.includes(fold(found[0]!)) ? found[0]! : null;
  };
  const prob = some(PROBABILITY);
  const options = optionColumns(names);
  const label = one(["label"]) ?? one(LABEL) ?? one(OUTCOME);
  if (prob.length && options.length) return null;
  if (prob.length) {
    const said = one(PROBABILITY);
    const truth = some(OUTCOME).length ? one(OUTCOME) : one(["label"]);
    return said && truth ? { kind: "yes_no", prob: [said], outcome: truth, ...EXTRA } : null;
  }
  if (options.length) {
    return label && !options.includes(label)
      ? { kind: "choice", prob: options, outcome: label, ...EXTRA, options: optionNames(options) }
      : null;
  }
  const said = one(CONFIDENCE);
  if (!said) return null;
  if (some(OUTCOME).length) {
    const truth = one(OUTCOME);
    return truth ? { kind: "answer", prob: [said], outcome: truth, ...EXTRA } : null;
  }
  const [predicted, right] = [one(PREDICTED), one(LABEL)];
  return predicted && right ? { kind: "answer", prob: [said], outcome: right, ...EXTRA, predicted } : null;
}

export function optionColumns(names: string[]): string[] {
  for (const prefix of PREFIXES) {
    const found = names.filter((name) => fold(name).startsWith(prefix));
    if (found.length > 1) return found;
  }
  return [];
}

/** Names of options from those of their columns, without a prefix that all share. */
export function optionNames(columns: string[]): string[] {
  for (const prefix of PREFIXES)
    if (columns.every((name) => fold(name).startsWith(prefix) && name.trim().length > prefix.length))
      return columns.map((name) => name.trim().slice(prefix.length));
  return columns.map((name) => name.trim());
}

/** A first guess for the mapping form: columns of numbers between 0 and 1, and columns of zeros and ones. */
export function guessLayout(names: string[], rows: string[][]): Layout {
  const [unit, binary]: [string[], string[]] = [[], []];
  names.forEach((name, i) => {
    const values = rows.map((row) => row[i] ?? "").filter((value) => value !== "");
    if (!values.length) return;
    const two = values.filter((v) => /^(0|1|true|false|0\.0|1\.0)$/i.test(v)).length;
    if (two >= 0.9 * values.length) binary.push(name);
    else if (values.every((v) => /^(0|1|[01]?[.,]\d+|\d{1,3}([.,]\d+)?%)$/.test(v))) unit.push(name);
  });
  const prob = unit[0] ?? names[0]!;
  const spare = binary.filter((name) => name !== prob);
  return { kind: "yes_no", prob: [prob], outcome: spare[0] ?? names[names.length - 1]!, ...EXTRA };
}

/** How the columns were understood, in the words that a tally carries. */
export function layoutNote(layout: Layout): string {
  const quoted = layout.prob.map((name) => `\`${name.slice(0, 40)}\``);
  const truth = `\`${layout.outcome.slice(0, 40)}\``;
  if (layout.kind === "yes_no" || layout.kind === "answer") {
    const meaning = layout.kind === "yes_no" ? "probability" : "confidence";
    if (layout.predicted) return `${quoted[0]} as ${meaning}, right where \`${layout.predicted}\` = ${truth}`;
    return `${quoted[0]} as ${meaning}, ${truth} as ${layout.kind === "yes_no" ? "outcome" : "right or wrong"}`;
  }
  const shown = quoted.slice(0, 4).join(", ") + (quoted.length > 4 ? ` … (${quoted.length} columns)` : "");
  return `${shown} as probabilities of ${layout.kind === "score" ? "levels" : "options"}, ${truth} as the right one`;
}
