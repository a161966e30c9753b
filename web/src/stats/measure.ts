/** Every number of one slice, from the tally alone. Twin of src/calibrant/measure. */

import { mainView, rowsOfSlice, topView, type Slice } from "../tally/tally";
import { widthBins, type Bins, type Closed } from "./bins";
import { chooseBins, type Binning } from "./binning";
import { brierBettingInterval } from "./betting";
import { binSums, edgesMoved, plainRows, meanProb, observed, residual, rowsOf, squareOf, weightOf, type Cells } from "./cells";
import { decompose } from "./decomposition";
import { calibrationError, debiasedSquare, signedRoot } from "./errors";
import { binGaps, l1Interval, l2Interval, type ErrorInterval } from "./inversion";
import { aucOfCells, corpOfCells, isotonicFit, type IsotonicFit } from "./isotonic";
import { bernsteinInterval, gapInterval, has, mean, meanInterval, plainMeanInterval, shareInterval, skillInterval, type MeanInterval } from "./moments";
import { consistencyBand, drawnErrors, FLOOR_DRAWS, floorOfCells, floorOfDraws, nullResiduals, type ConsistencyBand, type Null } from "./noise";
import { normalQuantile } from "./random";
import { slopeOfCells } from "./slope";
import { wilson, zOf } from "./wilson";

export interface Num {
  value: number | null;
  low?: number | null;
  high?: number | null;
  better?: "lower" | "higher";
  why?: string;
  bins?: number;
  binning?: string;
  floor?: number;
  floor95?: number;
  pValue?: number;
  infiniteRows?: number;
  sumScale?: number;
  biasCorrected?: number;
  errorBound?: number;
}

export type Numbers = Record<string, Num>;

export interface CurveBin {
  low: number;
  high: number;
  n: number;
  mean: number | null;
  observed: number | null;
  observedLow: number | null;
  observedHigh: number | null;
  gap: number | null;
}

export interface MeasureOptions {
  bins: number;
  binning: Binning;
  closed?: Closed;
  seed?: number;
}

/** The curve of one view: bins in order, empty ones included. */
export function curveOfCells(cells: Cells, bins: Bins, level = 0.95): CurveBin[] {
  const sums = binSums(cells, bins);
  const [n, weight, v, p, y, d] = [rowsOf(sums), weightOf(sums), squareOf(sums), meanProb(sums), observed(sums), residual(sums)];
  return Array.from(n, (rows, k) => {
    const edges = { low: bins.edges[k]!, high: bins.edges[k + 1]! };
    if (!rows) return { ...edges, n: 0, mean: null, observed: null, observedLow: null, observedHigh: null, gap: null };
    const [low, high] = wilson(y[k]!, v[k]! > 0 ? weight[k]! ** 2 / v[k]! : 0, level);
    return {
      ...edges, n: rows, mean: p[k]!, observed: y[k]!, observedLow: low, observedHigh: high, gap: -d[k]! / weight[k]!,
    };
  });
}

/** Scores: they do not depend on bins. */
export function scoreNumbers(slice: Slice): Numbers {
  const m = slice.moments;
  const cells = mainView(slice);
  const half = slice.kind === "yes_no" || slice.kind === "answer";
  const outcomes =
    slice.kind === "yes_no" ? ["outcome"] : half ? ["right"] : slice.options.map((option) => `class:${option}`);
  const out: Numbers = {};
  const top = half ? 1 : 2;
  let brier: MeanInterval = meanInterval(m, "brier", [0, top]);
  if (brier.method === null && half) brier = brierBettingInterval(cells);
  if (brier.method === null && !half) brier = bounded(slice, "brier", top);
  const value = mean(m, "brier");
  out["brier"] = { value, low: brier.low, high: brier.high, better: "lower", ...(half ? { sumScale: 2 * value } : {}) };
  const uniform = brierUniform(slice);
  if (uniform !== null) out["brier_uniform"] = { value: uniform };
  const base = brierBaseRate(slice);
  if (base !== null) {
    out["brier_base_rate"] = { value: base };
    if (base === 0) out["brier_skill"] = { value: null, better: "higher", why: "one_class" };
    else {
      const limits = outcomes.every((name) => has(m, name)) ? skillInterval(m, outcomes) : NO_LIMITS;
      out["brier_skill"] = { value: 1 - value / base, low: limits.low, high: limits.high, better: "higher" };
    }
  }
  const infinite = slice.infiniteLog.rows;
  const log = meanInterval(m, "log", [0, Infinity]);
  out["log_loss"] = infinite
    ? { value: null, better: "lower", infiniteRows: infinite, why: "infinite" }
    : { value: mean(m, "log"), low: log.low, high: log.high, better: "lower", infiniteRows: 0 };
  out["accuracy"] = { value: mean(m, "right"), ...limits(shareInterval(m, "right")), better: "higher" };
  out["mean_confidence"] = { value: mean(m, "confidence"), ...limits(plainMeanInterval(m, "confidence")) };
  out["confidence_gap"] = { value: mean(m, "confidence") - mean(m, "right"), ...limits(gapInterval(m, "confidence", "right")) };
  if (slice.kind === "yes_no") {
    out["base_rate"] = { value: mean(m, "outcome"), ...limits(shareInterval(m, "outcome")) };
    out["mean_probability"] = { value: mean(m, "prob"), ...limits(plainMeanInterval(m, "prob")) };
    out["bias"] = { value: mean(m, "prob") - mean(m, "outcome"), ...limits(gapInterval(m, "prob", "outcome")) };
  }
  out["auc"] = aucNumber(cells);
  if (slice.kind === "score") {
    const steps = Math.max(slice.options.length - 1, 1);
    let rps = meanInterval(m, "rps", [0, steps]);
    if (rps.method === null) rps = bounded(slice, "rps", steps);
    out["rps"] = { value: mean(m, "rps"), ...limits(rps), better: "lower" };
  }
  return out;
}

const NO_LIMITS = { low: null, high: null };

/** The interval of a bounded mean where few rows are right, or few wrong; rows without weights only. */
function bounded(slice: Slice, name: string, top: number): MeanInterval {
  const m = slice.moments;
  return m.second === m.first ? bernsteinInterval(m, name, [0, top]) : { ...NO_LIMITS, method: null };
}

const limits = ({ low, high }: MeanInterval): { low: number | null; high: number | null } => ({ low, high });

function brierUniform(slice: Slice): number | null {
  if (slice.kind === "yes_no") return 0.25;
  let [rows, sum] = [0, 0];
  for (const [k, n] of Object.entries(slice.optionCounts)) {
    rows += n;
    sum += n * (1 - 1 / Number(k));
  }
  return rows ? sum / rows : null;
}

function brierBaseRate(slice: Slice): number | null {
  if (slice.kind === "yes_no" || slice.kind === "answer") {
    const rate = mean(slice.moments, slice.kind === "yes_no" ? "outcome" : "right");
    return rate * (1 - rate);
  }
  const weights = Object.values(slice.classes);
  const all = weights.reduce((a, b) => a + b, 0);
  return all ? weights.reduce((sum, w) => sum + (w / all) * (1 - w / all), 0) : null;
}

/** The AUC with DeLong's interval on the scale of its log odds. */
function aucNumber(cells: Cells, level = 0.95): Num {
  const found = aucOfCells(cells);
  if (Number.isNaN(found.value)) return { value: null, better: "higher", why: "one_class" };
  const [w, v] = cells.weight
    ? [[cells.weight[0][0], cells.weight[1][0]], [cells.weight[0][1], cells.weight[1][1]]]
    : [cells.rows, cells.rows];
  const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0);
  const few = Math.min(...[0, 1].map((o) => sum(w[o]!) ** 2 / sum(v[o]!)));
  const out: Num = { value: found.value, better: "higher", errorBound: found.errorBound };
  if (few < 10 - 1e-9) return out;
  if (found.value <= 1e-12 || found.value >= 1 - 1e-12) {
    const rarest = ((1 - level) / 2) ** (1 / few);
    return found.value >= 0.5 ? { ...out, low: rarest, high: 1 } : { ...out, low: 0, high: 1 - rarest };
  }
  const half = (zOf(level) * found.standardError) / (found.value * (1 - found.value));
  const centre = Math.log(found.value / (1 - found.value));
  const expit = (x: number): number => 1 / (1 + Math.exp(-x));
  const hidden = found.errorBound;
  return { ...out, low: Math.max(expit(centre - half) - hidden, 0), high: Math.min(expit(centre + half) + hidden, 1) };
}

export interface Binned {
  numbers: Numbers;
  curve: CurveBin[];
  bins: Bins;
  drawn: Null;
  band: ConsistencyBand;
  /** The folded view of yes/no questions in its bins. */
  top: { bins: Bins; drawn: Null } | null;
  options: MeasureOptions;
  settled: boolean;
}

/** What depends on the bins: curve, errors, decomposition. Fast enough for every step of a slider. */
export function binnedNumbers(slice: Slice, options: MeasureOptions): Binned {
  const seed = options.seed ?? 0;
  const cells = plainRows(mainView(slice));
  const bins = chooseBins(cells, options.bins, options.binning, options.closed);
  const sums = binSums(cells, bins);
  const drawn = nullResiduals(cells, bins, seed);
  const facts = { bins: bins.edges.length - 1, binning: bins.scheme };
  const numbers: Numbers = {};
  const error = (name: string, from: Cells, using: Bins, given: Null, norm: "l1" | "max" = "l1"): void => {
    const found = floorOfCells(from, using, norm, seed, given);
    numbers[name] = { value: found.value, better: "lower", bins: using.edges.length - 1, binning: using.scheme };
    // A floor from independent rows would be too low for rows that come in clusters.
    if (!slice.clustered)
      Object.assign(numbers[name]!, { floor: found.floor, floor95: found.floor95, pValue: found.pValue });
  };
  let folded: Binned["top"] = null;
  if (slice.kind === "yes_no") {
    error("event_ece", cells, bins, drawn);
    const top = plainRows(topView(slice));
    const topBins = chooseBins(top, options.bins, options.binning, options.closed);
    folded = { bins: topBins, drawn: nullResiduals(top, topBins, seed) };
    error("confidence_ece", top, topBins, folded.drawn);
  } else error("confidence_ece", cells, bins, drawn);
  const square = debiasedSquare(sums);
  numbers["debiased_l2"] = Number.isNaN(square)
    ? { value: null, better: "lower", ...facts, why: "single_rows" }
    : { value: signedRoot(square), better: "lower", ...facts };
  error("max_calibration_error", cells, bins, drawn, "max");
  optionErrors(slice, options, numbers);
  const terms = decompose(sums);
  numbers["reliability"] = { value: terms.reliability, better: "lower", ...facts, biasCorrected: terms.corrected.reliability };
  numbers["resolution"] = { value: terms.resolution, better: "higher", ...facts, biasCorrected: terms.corrected.resolution };
  numbers["uncertainty"] = { value: terms.uncertainty, biasCorrected: terms.corrected.uncertainty };
  numbers["within_bin_variance"] = { value: terms.withinBinVariance, ...facts };
  numbers["within_bin_covariance"] = { value: terms.withinBinCovariance, ...facts };
  const moved = edgesMoved(cells, bins);
  if (moved) numbers["edges_moved"] = { value: moved };
  return {
    numbers, curve: curveOfCells(mainView(slice), bins), bins, drawn, band: consistencyBand(drawn), top: folded, options,
    settled: false,
  };
}

/** Intervals of the binned errors by test inversion: slower, so asked for when the slider rests. */
export function binnedIntervals(slice: Slice, found: Binned, seed = 0): void {
  if (found.settled) return;
  found.settled = true;
  const cells = plainRows(mainView(slice));
  const gaps = binGaps(binSums(cells, found.bins));
  const name = slice.kind === "yes_no" ? "event_ece" : "confidence_ece";
  const set = (to: string, one: ErrorInterval): void => {
    if (one.inDomain) Object.assign(found.numbers[to]!, { low: one.low, high: one.high });
  };
  set(name, l1Interval(gaps, seed, 0.95, found.drawn));
  if (found.top) {
    const top = binGaps(binSums(plainRows(topView(slice)), found.top.bins));
    set("confidence_ece", l1Interval(top, seed, 0.95, found.top.drawn));
  }
  optionFloors(slice, found, seed);
  const l2 = l2Interval(gaps, seed, 0.95, found.drawn);
  if (l2.inDomain && found.numbers["debiased_l2"]!.value !== null)
    Object.assign(found.numbers["debiased_l2"]!, { low: l2.low, high: l2.high });
}

function optionErrors(slice: Slice, options: MeasureOptions, numbers: Numbers): void {
  const classes = optionViews(slice, "class:");
  if (!classes.length) return;
  const error = (cells: Cells): number => calibrationError(binSums(cells, chosen(cells, options)));
  const errors = classes.map(error);
  const facts = { bins: chosen(classes[0]!, options).edges.length - 1, binning: options.binning, better: "lower" as const };
  numbers["classwise_ece"] = { value: errors.reduce((a, b) => a + b, 0) / errors.length, ...facts };
  const tops = optionViews(slice, "top:");
  const weights = tops.map(weightIn);
  const all = weights.reduce((a, b) => a + b, 0);
  numbers["top_label_ece"] = { value: tops.reduce((sum, c, i) => sum + (weights[i]! / all) * error(c), 0), ...facts };
}

const optionViews = (slice: Slice, prefix: string): Cells[] =>
  Object.entries(slice.views).filter(([name, cells]) => name.startsWith(prefix) && cells.key.length).map(([, c]) => c);
const chosen = (cells: Cells, options: MeasureOptions): Bins =>
  chooseBins(cells, options.bins, options.binning, options.closed);
const weightIn = (cells: Cells): number => weightOf(binSums(cells, widthBins(1)))[0]!;

/** Floors of class-wise and top-label errors. Twin of calibration/option_floors.py. */
function optionFloors(slice: Slice, found: Binned, seed: number): void {
  const options = found.options;
  const [classwise, topLabel] = [found.numbers["classwise_ece"], found.numbers["top_label_ece"]];
  if (!classwise || !topLabel) return;
  const classes = optionViews(slice, "class:");
  const floors = classes.map((cells) => floorOfCells(cells, chosen(cells, options), "l1", seed).floor);
  classwise.floor = floors.reduce((a, b) => a + b, 0) / floors.length;
  const errors = new Float64Array(FLOOR_DRAWS);
  const tops = optionViews(slice, "top:").map(plainRows);
  const all = tops.reduce((sum, cells) => sum + weightIn(cells), 0);
  tops.forEach((cells, place) => {
    const drawn = drawnErrors(nullResiduals(cells, chosen(cells, options), seed + place * 2 ** 32), "l1");
    const share = weightIn(cells) / all;
    for (let b = 0; b < errors.length; b++) errors[b]! += share * drawn[b]!;
  });
  Object.assign(topLabel, floorOfDraws(topLabel.value!, errors));
}

export interface Fitted {
  numbers: Numbers;
  isotonic: IsotonicFit;
  tenths: CurveBin[];
}

/** What depends on neither bins nor slider: CORP, slope, and the ten fixed bins of the headline. */
export function fittedNumbers(slice: Slice): Fitted {
  const cells = mainView(slice);
  const corp = corpOfCells(cells);
  const slope = slopeOfCells(cells);
  const z = normalQuantile(0.975);
  const fitted = (value: number, error: number): Num => {
    if (slope.why) return { value: null, why: slope.why };
    // Rows in clusters need their sums; sampling weights need the sandwich form.
    return Number.isNaN(error) || slice.clustered ? { value } : { value, low: value - z * error, high: value + z * error };
  };
  const numbers: Numbers = {
    miscalibration: { value: corp.miscalibration, better: "lower", errorBound: corp.errorBound },
    discrimination: { value: corp.discrimination, better: "higher", errorBound: corp.errorBound },
    slope: fitted(slope.slope, slope.slopeSe),
    intercept: fitted(slope.intercept, slope.interceptSe),
  };
  return { numbers, isotonic: isotonicFit(cells), tenths: curveOfCells(cells, widthBins(10)) };
}

export { rowsOfSlice };

/** What a slice needs for its verdict: independent of the slider, so a worker can compute it beforehand. */
export interface Fixed {
  scores: Numbers;
  fitted: Fitted;
  ten: Binned;
}

export function fixedNumbers(slice: Slice): Fixed {
  const ten = binnedNumbers(slice, { bins: 10, binning: "width" });
  if (!slice.clustered) binnedIntervals(slice, ten);
  return { scores: scoreNumbers(slice), fitted: fittedNumbers(slice), ten };
}
