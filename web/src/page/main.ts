/** The page: what is shown, and what happens when something is touched. */

import { CODES, type Verdict } from "../stats/verdict";
import type { Binned, Fixed, MeasureOptions } from "../stats/measure";
import type { Layout } from "../read/columns";
import type { Report } from "../read/protocol";
import type { LeftOut, Tally } from "../tally/tally";
import { count, decimal, hasWord, lang, percent, percentRange, points, setLang, t, type Lang } from "../words/words";
import { Analysis } from "./analysis";
import { h, save, table } from "./dom";
import { embedded, type Embedded } from "./embedded";
import { binsCsv, markdown, summary, tallyFile } from "./exports";
import { asPng, diagram, figureFile, histogram, PAGE_LOOK } from "./figure";
import { mappingForm, type Columns } from "./mapping";
import { decompositions, numbersTable } from "./numbers";
import { SAMPLES } from "./samples";
import { start, stop } from "./session";

interface State {
  source: { blob: Blob; name: string } | null;
  columns: Columns | null;
  mapping: boolean;
  reading: { name: string; rows: number; share: number } | null;
  problem: { code: string; values: Record<string, string> } | null;
  tally: Tally | null;
  analyses: Analysis[];
  chosen: number;
  options: MeasureOptions & { bins: number };
  asTable: boolean;
  input: boolean;
}

const state: State = {
  source: null, columns: null, mapping: false, reading: null, problem: null, tally: null, analyses: [], chosen: 0,
  options: { bins: 10, binning: "width" }, asTable: false, input: true,
};
let report: Embedded | null = null;
let settleTimer = 0;

const root = document.getElementById("page")!;
const $ = (id: string): HTMLElement => document.getElementById(id)!;

function render(): void {
  document.documentElement.lang = lang() === "pt" ? "pt-BR" : "en";
  document.title = t("page.title");
  root.replaceChildren(
    h("a", { class: "skip", href: "#results" }, t("page.skip")),
    masthead(),
    h("main", {},
      h("section", { id: "input", "aria-label": t("input.heading") }),
      h("section", { id: "results", tabIndex: -1, "aria-live": "off", "aria-label": t("results.heading") }),
      about()),
  );
  renderInput();
  renderResults();
}

function masthead(): HTMLElement {
  const choose = (wanted: Lang): HTMLElement =>
    h("button", { type: "button", lang: wanted, "aria-pressed": String(lang() === wanted), onclick: () => (setLang(wanted), render()) },
      wanted === "en" ? "English" : "Português");
  return h("header", { class: "masthead" },
    h("div", {}, h("p", { class: "kicker" }, "Calibrant · ", t("page.kicker")), h("h1", {}, t("page.title")), h("p", { class: "subtitle" }, t("page.subtitle"))),
    h("div", { class: "languages", role: "group", "aria-label": t("page.language") }, choose("en"), choose("pt")));
}

// ------------------------------------------------------------------------------------------------------------ input

function renderInput(): void {
  const box = $("input");
  if (state.reading) return void box.replaceChildren(progress(state.reading));
  if (state.mapping && state.columns) {
    const unknown = !state.columns.found;
    box.replaceChildren(h("div", { class: "card" },
      unknown && h("p", { class: "notice" }, t("map.unknown", { name: state.source!.name })),
      mappingForm(state.columns, (layout) => read(layout), () => ((state.mapping = false), (state.input ||= unknown), renderInput()))));
    return;
  }
  if (!state.input && state.tally) return void box.replaceChildren(sourceLine(state.tally));
  box.replaceChildren(inputCard());
}

function progress({ name, rows, share }: NonNullable<State["reading"]>): HTMLElement {
  return h("div", { class: "card reading" },
    h("p", { id: "reading-name" }, t("reading", { name })),
    h("progress", { max: 1, value: share, "aria-labelledby": "reading-name" }),
    h("p", { class: "quiet", role: "status" }, t("reading.rows", { rows: count(rows) })),
    h("button", { type: "button", onclick: cancel }, t("reading.cancel")));
}

function cancel(): void {
  stop();
  state.reading = null;
  state.input = true;
  state.problem = { code: "reading.cancelled", values: {} };
  renderInput();
}

function inputCard(): HTMLElement {
  const area = h("textarea", { id: "pasted", rows: 6, spellcheck: false, placeholder: t("input.placeholder"), autocomplete: "off" });
  const file = h("input", { type: "file", id: "file", class: "hidden-file", accept: ".csv,.tsv,.txt,.gz,.json,text/csv,text/tab-separated-values,application/json",
    onchange: () => file.files?.[0] && open(file.files[0], file.files[0].name) });
  const paste = (): void => void (area.value.trim() && open(new Blob([area.value]), t("input.pasted")));
  area.addEventListener("paste", () => setTimeout(paste, 0));
  return h("div", { class: "card" },
    h("h2", {}, t("input.heading")),
    h("label", { for: "pasted" }, t("input.label")), area,
    h("p", { class: "buttons" },
      h("button", { type: "button", class: "primary", onclick: paste }, t("input.check")),
      file, h("label", { for: "file", class: "button" }, t("input.choose")),
      h("span", { class: "quiet drop" }, t("input.drop"))),
    h("p", { class: "samples" }, h("span", {}, t("input.sample"), ": "),
      SAMPLES.map((sample) => h("button", { type: "button", class: "link", onclick: () => open(new Blob([sample.text]), sample.name) }, t(sample.label)))),
    h("p", { class: "quiet" }, t("input.help")),
    h("p", { class: "quiet" }, t("input.columns")),
    state.problem && h("div", { class: "notice", role: "alert" },
      state.problem.code.startsWith("error.") && h("strong", {}, t("error.heading"), ". "), t(state.problem.code, state.problem.values)));
}

function sourceLine(tally: Tally): HTMLElement {
  const used = state.analyses.reduce((sum, part) => sum + part.n, 0);
  return h("div", { class: "source" },
    h("p", {}, h("strong", {}, tally.source.names.join(", ")), " · ",
      t("source.read", { rows: count(tally.source.rows || used), used: count(used) }),
      report && h("span", { class: "quiet" }, " · ", t("report.only")),
      tally.source.notes.length > 0 && h("span", { class: "quiet block" }, t("source.columns", { notes: tally.source.notes.join("; ") }))),
    h("p", { class: "buttons" },
      state.columns && h("button", { type: "button", onclick: () => ((state.mapping = true), renderInput()) }, t("map.open")),
      h("button", { type: "button", onclick: () => ((state.input = true), (state.problem = null), renderInput(), $("pasted").focus()) }, t("input.change"))));
}

function open(blob: Blob, name: string): void {
  state.source = { blob, name };
  state.columns = null;
  read(null);
}

function read(layout: Layout | null): void {
  state.problem = null;
  state.mapping = false;
  state.reading = { name: state.source!.name, rows: 0, share: 0 };
  renderInput();
  start({ ...state.source!, layout }, heard);
}

function heard(message: Report): void {
  if (message.type === "progress") {
    state.reading = { name: state.source!.name, rows: message.rows, share: message.share };
    const bar = $("input").querySelector("progress");
    if (bar) bar.value = message.share;
    const said = $("input").querySelector("[role=status]");
    if (said) said.textContent = t("reading.rows", { rows: count(message.rows) });
    return;
  }
  if (message.type === "columns") {
    state.columns = message;
    if (message.found) return;
    state.reading = null;
    state.mapping = true;
    renderInput();
    $("input").querySelector("select")?.focus();
    return;
  }
  state.reading = null;
  if (message.type === "error") {
    state.problem = { code: message.code, values: message.values };
    state.input = true;
    renderInput();
    return;
  }
  report = null;
  show(message.tally, message.fixed);
}

/** Shows a tally, or says why none of its rows can be used. */
function show(tally: Tally, fixed: (Fixed | null)[] = []): void {
  state.tally = tally;
  state.analyses = tally.slices.map((slice, i) => new Analysis(slice, report, fixed[i] ?? null)).filter((part) => part.n > 0);
  const slices = state.analyses;
  state.chosen = 0;
  state.input = !slices.length;
  state.problem = slices.length ? null : { code: "error.none_left", values: { rows: count(tally.source.rows) } };
  if (slices.length > 1) state.chosen = worstFirst()[0]!;
  renderInput();
  renderResults();
  if (slices.length) $("results").focus({ preventScroll: true });
}

// ---------------------------------------------------------------------------------------------------------- results

const current = (): Analysis | undefined => state.analyses[state.chosen];

/** Places of the slices, worst verdict first, then the larger. */
function worstFirst(): number[] {
  const codes = state.analyses.map((part) => CODES.indexOf(part.verdict().code));
  return state.analyses.map((_, i) => i).sort((a, b) => codes[a]! - codes[b]! || state.analyses[b]!.n - state.analyses[a]!.n);
}

function renderResults(): void {
  const box = $("results");
  const analysis = current();
  if (!analysis) {
    box.replaceChildren(h("h2", {}, t("results.heading")), h("p", { class: "quiet" }, t("results.empty")), ...(state.tally ? [leftOutTable(allLeftOut())].filter(Boolean) as Node[] : []));
    return;
  }
  const verdict = analysis.verdict();
  box.replaceChildren(
    headline(analysis, verdict),
    h("div", { id: "changing" }),
    h("section", { class: "card plain", id: "rest" }),
  );
  renderChanging();
  const rest = [leftOutTable(allLeftOut()), state.analyses.length > 1 ? slicesTable() : null, exportsRow()];
  $("rest").replaceChildren(...rest.filter((node): node is HTMLElement => node !== null));
}

function headline(analysis: Analysis, verdict: Verdict): HTMLElement {
  return h("div", { class: "headline" },
    h("h2", { class: "hidden" }, t("results.heading")),
    analysis.name && h("p", { class: "kicker" }, analysis.name),
    h("p", { class: "sentence", role: "status" }, verdict.sentence),
    h("p", { class: `verdict ${verdict.code}` }, verdict.meaning),
    h("p", { class: "quiet" }, verdict.advice),
    h("details", {}, h("summary", {}, t("results.why")),
      h("ul", {}, verdict.findings.map((text) => h("li", {}, text))), h("p", { class: "quiet" }, t("results.bins_fixed"))));
}

/** The part that follows the slider: it is drawn again at every step, without reading again. */
function renderChanging(): void {
  const analysis = current()!;
  const found = analysis.binned(state.options);
  const settled = found.settled;
  let box = $("changing");
  if (!box.firstChild) {
    box.append(
      h("div", { class: "columns" },
        h("div", {},
          h("section", { class: "card" }, h("h3", {}, t(analysis.events ? "figure.heading" : "figure.heading.answer")), controls(), h("div", { id: "figure" })),
          h("section", { class: "card" }, h("h3", { class: "section" }, t("parts.heading")), h("div", { id: "parts" }))),
        h("section", { class: "card" }, h("h3", { class: "section" }, t("numbers.heading")), h("div", { id: "numbers" }))),
      h("section", { class: "card" }, h("h3", { class: "section" }, t("bins.heading")), h("div", { id: "bins" })));
    box = $("changing");
  }
  drawFigure(analysis, found);
  drawNumbers(analysis, found, settled);
  $("bins").replaceChildren(binsTable(analysis, found));
  clearTimeout(settleTimer);
  if (!settled)
    settleTimer = window.setTimeout(() => {
      analysis.settle(found);
      drawNumbers(analysis, found, true);
    }, 180);
}

function drawNumbers(analysis: Analysis, found: Binned, settled: boolean): void {
  const numbers = analysis.numbers(found);
  $("numbers").replaceChildren(numbersTable(numbers, analysis.slice.kind, settled, analysis.slice.clustered === true));
  $("parts").replaceChildren(decompositions(found.numbers["reliability"] ? { ...analysis.fitted.numbers, ...found.numbers } : numbers, analysis.slice.kind));
  const moved = found.numbers["edges_moved"]?.value;
  const said = $("effective");
  const filled = found.curve.filter((bin) => bin.n > 0).length;
  said.textContent = t("controls.effective", { bins: count(filled) }) + (moved ? ` · ${t("bins.moved", { edges: count(moved) })}` : "");
}

function controls(): HTMLElement {
  const output = h("output", { for: "slider" }, String(state.options.bins));
  const set = (part: Partial<MeasureOptions>): void => {
    state.options = { ...state.options, ...part };
    output.textContent = String(state.options.bins);
    renderChanging();
  };
  let frame = 0;
  const slider = h("input", { type: "range", id: "slider", min: "2", max: "100", step: "1", value: String(state.options.bins),
    oninput: () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => set({ bins: Number(slider.value) }));
    } });
  const choice = (binning: "width" | "mass"): HTMLElement =>
    h("label", { class: "box" }, h("input", { type: "radio", name: "binning", value: binning, checked: state.options.binning === binning, onchange: () => set({ binning }) }), t(`controls.${binning}`));
  const view = (asTable: boolean): HTMLElement =>
    h("label", { class: "box" }, h("input", { type: "radio", name: "view", checked: state.asTable === asTable, onchange: () => ((state.asTable = asTable), renderChanging()) }), t(asTable ? "figure.view.table" : "figure.view.figure"));
  return h("div", { class: "controls" },
    h("div", { class: "slider" }, h("label", { for: "slider" }, t("controls.bins")), slider, output, h("span", { class: "quiet", id: "effective" })),
    h("fieldset", {}, h("legend", { class: "hidden" }, t("controls.binning")), choice("width"), choice("mass")),
    h("fieldset", {}, h("legend", { class: "hidden" }, t("figure.heading")), view(false), view(true)));
}

function drawFigure(analysis: Analysis, found: Binned): void {
  const box = $("figure");
  if (state.asTable) return void box.replaceChildren(binsTable(analysis, found));
  const width = Math.max(Math.min(box.clientWidth || 480, 560), 240);
  const input = { found, isotonic: analysis.fitted.isotonic, events: analysis.events, width, sentence: analysis.verdict().sentence };
  box.replaceChildren(diagram(input, PAGE_LOOK), histogram(input, PAGE_LOOK), legend());
}

function legend(): HTMLElement {
  return h("ul", { class: "legend" }, ["point", "band", "corp", "diagonal"].map((key) =>
    h("li", {}, h("span", { class: `mark ${key}`, "aria-hidden": "true" }), t(`figure.legend.${key}`))));
}

function binsTable(analysis: Analysis, found: Binned): HTMLElement {
  const filled = found.curve.filter((bin) => bin.n > 0);
  const digits = state.options.binning === "mass" || state.options.bins > 20 ? 3 : 2;
  const rows = filled.map((bin, i) => [
    `${decimal(bin.low, digits)}–${decimal(bin.high, digits)}`,
    count(bin.n), percent(bin.mean!), percent(bin.observed!),
    percentRange(bin.observedLow!, bin.observedHigh!),
    h("span", { class: "gap" }, (bin.gap! < 0 ? "−" : "+") + points(bin.gap!)),
    h("span", {}, percentRange(found.band.low[i]!, found.band.high[i]!), " ", outside(found, i) && h("span", { class: "tag strong" }, t("bins.outside"))),
  ]);
  const head = ["bin", "rows", "says", analysis.events ? "happens" : "right", "interval", "gap", "band"].map((key) => t(`bins.${key}`));
  return table(t("bins.caption", { bins: count(found.bins.edges.length - 1) }), head, rows, { numeric: [1, 2, 3, 4, 5, 6], shown: true });
}

function outside(found: Binned, place: number): boolean {
  const seen = found.curve.filter((bin) => bin.n > 0)[place]!.observed!;
  return seen < found.band.low[place]! - 1e-12 || seen > found.band.high[place]! + 1e-12;
}

function slicesTable(): HTMLElement {
  const rows = worstFirst().map((i) => {
    const part = state.analyses[i]!;
    const verdict = part.verdict();
    const numbers = part.numbers(part.binned({ bins: 10, binning: "width" }));
    const [says, seen] = part.events ? ["mean_probability", "base_rate"] : ["mean_confidence", "accuracy"];
    const shown = i === state.chosen;
    const go = (): void => ((state.chosen = i), renderResults(), $("results").scrollIntoView());
    const get = (name: string): number | null => numbers[name]?.value ?? null;
    return [
      h("button", { type: "button", class: "link", onclick: go, "aria-pressed": String(shown) }, part.name || t("slice.none")),
      count(part.n), percent(get(says!)!), percent(get(seen!)!),
      get("brier_skill") === null ? "–" : decimal(get("brier_skill")!, 3), t(`code.${verdict.code}`),
    ];
  });
  const events = state.analyses[0]!.events;
  const head = ["slice", "rows", "says", events ? "happens" : "right", "skill", "verdict"].map((key) => t(`table.${key}`));
  return h("div", {}, h("h3", { class: "section" }, t("slice.heading")),
    table(t("slice.heading"), head, rows, { numeric: [1, 2, 3, 4], rowClass: (i) => (worstFirst()[i] === state.chosen ? "chosen" : "") }));
}

function allLeftOut(): Record<string, LeftOut> {
  const out: Record<string, LeftOut> = {};
  for (const part of [state.tally!.leftOut, ...state.tally!.slices.map((slice) => slice.leftOut)])
    for (const [reason, found] of Object.entries(part)) {
      const into = (out[reason] ??= { rows: 0, first: [], lines: [] });
      into.rows += found.rows;
      into.first.push(...found.first);
      into.lines.push(...found.lines);
    }
  return out;
}

function leftOutTable(leftOut: Record<string, LeftOut>): HTMLElement | null {
  const reasons = Object.entries(leftOut);
  if (!reasons.length) return null;
  const all = reasons.reduce((sum, [, found]) => sum + found.rows, 0);
  const lines = reasons.some(([, found]) => found.lines.length > 0);
  const few = (places: number[]): string => [...places].sort((a, b) => a - b).slice(0, 3).map(count).join(", ");
  const rows = reasons.map(([reason, found]) => [
    lang() !== "en" && hasWord(`reason.${reason}`) ? t(`reason.${reason}`) : reason,
    count(found.rows), few(lines ? found.lines : found.first),
  ]);
  const head = [t("leftout.reason"), t("leftout.rows"), t(lines ? "leftout.lines" : "leftout.records")];
  const title = all === 1 ? t("leftout.heading.one") : t("leftout.heading", { rows: count(all) });
  return h("div", { id: "leftout" }, h("h3", { class: "section" }, title), table(title, head, rows, { numeric: [1, 2] }));
}

// ---------------------------------------------------------------------------------------------------------- exports

function exportsRow(): HTMLElement {
  const status = h("span", { role: "status", class: "quiet" });
  const with_ = <T>(use: (analysis: Analysis, found: Binned) => T): T => {
    const analysis = current()!;
    const found = analysis.binned(state.options);
    analysis.settle(found);
    return use(analysis, found);
  };
  const figure = (): string => with_((a, found) =>
    figureFile({ found, isotonic: a.fitted.isotonic, events: a.events, width: 560, sentence: a.verdict().sentence }, a.verdict().sentence));
  const text = (): string => with_((a, found) => summary(state.tally!, a.name, a.verdict(), a.numbers(found)));
  const button = (key: string, act: () => void): HTMLElement => h("button", { type: "button", onclick: act }, t(`export.${key}`));
  const keep = (content: string, type: string, name: string): void => save(new Blob([content], { type }), name);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      status.textContent = t("export.copied");
    } catch {
      keep(text() + "\n", "text/plain", "summary.txt");
      status.textContent = t("export.copy_failed");
    }
  };
  return h("div", { class: "exports" }, h("h3", { class: "section" }, t("export.heading")),
    h("p", { class: "buttons" },
      button("copy", () => void copy()),
      button("svg", () => keep(figure(), "image/svg+xml", "reliability.svg")),
      button("png", () => void asPng(figure()).then((png) => save(png, "reliability.png"))),
      button("csv", () => keep(with_((_, found) => binsCsv(found)), "text/csv", "bins.csv")),
      button("tally", () => keep(tallyFile(state.tally!), "application/json", "tally.json")),
      button("markdown", () => keep(with_((a, found) => markdown(state.tally!, a.name, a.verdict(), a.numbers(found), found)), "text/markdown", "report.md")),
      button("print", () => window.print()), status),
    h("p", { class: "quiet" }, t("export.tally.note")));
}

function about(): HTMLElement {
  const part = (key: string): Node[] => [h("h3", {}, t(key)), h("p", {}, t(`${key}.text`))];
  return h("section", { class: "about" },
    h("h2", {}, t("about.heading")), h("p", {}, t("about.text")),
    ...["brier", "ece", "diagram", "softmax"].flatMap((key) => part(`about.${key}`)),
    h("h2", {}, t("ask.heading")),
    ...["1", "2", "3", "4"].flatMap((key) => [h("h3", {}, t(`ask.${key}`)), h("p", {}, t(`ask.${key}.answer`))]),
    h("h2", {}, t("privacy.heading")), h("p", {}, t("privacy.text")));
}

// ------------------------------------------------------------------------------------------------------------- start

function listen(): void {
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  window.addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dragging"));
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    const file = event.dataTransfer?.files[0];
    if (file) open(file, file.name);
  });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width || !current() || state.asTable) return;
    width = window.innerWidth;
    drawFigure(current()!, current()!.binned(state.options));
  });
}

report = embedded();
const wanted = report?.lang ?? (navigator.language.toLowerCase().startsWith("pt") ? "pt" : "en");
setLang(wanted === "pt" ? "pt" : "en");
render();
listen();
if (report) show(report.tally);

