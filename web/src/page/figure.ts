/** The reliability diagram and its histogram, drawn with Observable Plot. */

import * as Plot from "@observablehq/plot";
import { fullestBin } from "../stats/verdict";
import type { Binned, CurveBin } from "../stats/measure";
import type { IsotonicFit } from "../stats/isotonic";
import { count, percent, percentRange, t } from "../words/words";

export interface Look {
  ink: string;
  quiet: string;
  accent: string;
  band: string;
  curve: string;
}

/** Colours from the style sheet, so that the figure follows light and dark. */
export const PAGE_LOOK: Look = {
  ink: "var(--ink)",
  quiet: "var(--quiet)",
  accent: "var(--accent)",
  band: "var(--band)",
  curve: "var(--curve)",
};

/** Fixed colours on white, for files. */
export const FILE_LOOK: Look = { ink: "#1b1f24", quiet: "#6a7178", accent: "#1f5fae", band: "#e1e5ea", curve: "#b4552d" };

const MARGIN = { marginLeft: 60, marginRight: 14 };
export const PLOT_CLASS = "calibrant-figure";

export interface FigureInput {
  found: Binned;
  isotonic: IsotonicFit;
  events: boolean;
  width: number;
  sentence: string;
}

export function diagram(input: FigureInput, look: Look = PAGE_LOOK): SVGSVGElement {
  const { found, isotonic, width } = input;
  const points = found.curve.filter((bin) => bin.n > 0);
  const suffix = input.events ? "" : ".answer";
  const band = Array.from(found.band.mean, (x, i) => ({ x, low: found.band.low[i]!, high: found.band.high[i]! }));
  const steps: { x: number; y: number }[] = [];
  isotonic.value.forEach((y, i) => steps.push({ x: isotonic.low[i]!, y }, { x: isotonic.high[i]!, y }));
  const most = fullestBin(points);
  const svg = Plot.plot({
    className: PLOT_CLASS,
    width,
    height: Math.min(width, 480),
    ...MARGIN,
    marginTop: 14,
    marginBottom: 40,
    inset: 8,
    style: { color: look.ink, background: "transparent", fontSize: "12px", fontFamily: "inherit" },
    x: { domain: [0, 1], ticks: 5, tickFormat: percent, label: t(`figure.x${suffix}`), labelAnchor: "center", labelArrow: "none" },
    y: { domain: [0, 1], ticks: 5, tickFormat: percent, label: t(`figure.y${suffix}`), labelAnchor: "center", labelArrow: "none" },
    r: { domain: [0, most?.n ?? 1], range: [0, Math.min(18, width / 24)] },
    marks: [
      Plot.gridX({ ticks: 5, stroke: look.quiet, strokeOpacity: 0.16 }),
      Plot.gridY({ ticks: 5, stroke: look.quiet, strokeOpacity: 0.16 }),
      band.length > 1
        ? Plot.areaY(band, { x: "x", y1: "low", y2: "high", fill: look.band })
        : Plot.ruleX(band, { x: "x", y1: "low", y2: "high", stroke: look.band, strokeWidth: 14 }),
      Plot.link([0], { x1: 0, y1: 0, x2: 1, y2: 1, stroke: look.quiet, strokeDasharray: "3,4" }),
      Plot.line(steps, { x: "x", y: "y", stroke: look.curve, strokeWidth: 1.5 }),
      Plot.ruleX(points, {
        x: "mean", y1: "observedLow", y2: "observedHigh", stroke: look.accent, strokeWidth: 1.5
      }),
      Plot.dot(points, {
        x: "mean", y: "observed", r: "n", fill: look.accent, fillOpacity: 0.82, stroke: look.accent
      }),
      look === PAGE_LOOK
        ? Plot.tip(points, Plot.pointer({
            x: "mean", y: "observed", title: tip, fill: "var(--paper)", stroke: look.quiet, maxRadius: 60,
          }))
        : null,
    ],
  }) as SVGSVGElement;
  const named = t("figure.describe", { bins: count(found.bins.edges.length - 1), sentence: input.sentence });
  return asImage(svg, named);
}

function tip(bin: CurveBin): string {
  return t("figure.tip", {
    low: percent(bin.low), high: percent(bin.high), said: percent(bin.mean!), seen: percent(bin.observed!),
    range: percentRange(bin.observedLow!, bin.observedHigh!), n: count(bin.n),
  });
}

export function histogram({ found, width }: FigureInput, look: Look = PAGE_LOOK): SVGSVGElement {
  const bins = found.curve.map((bin) => ({ ...bin, x1: bin.low, x2: bin.high }));
  const svg = Plot.plot({
    className: PLOT_CLASS,
    width,
    height: 96,
    ...MARGIN,
    marginTop: 8,
    marginBottom: 22,
    insetLeft: 8,
    insetRight: 8,
    style: { color: look.ink, background: "transparent", fontSize: "12px", fontFamily: "inherit" },
    x: { domain: [0, 1], ticks: 5, tickFormat: percent, label: null },
    y: { ticks: 2, tickFormat: (n: number) => (Number.isInteger(n) ? count(n) : ""), label: t("figure.rows"), labelAnchor: "center", labelArrow: "none" },
    marks: [
      Plot.rect(bins, { x1: "x1", x2: "x2", y1: 0, y2: "n", fill: look.accent, fillOpacity: 0.45, inset: 0.5 }),
      Plot.ruleY([0], { stroke: look.quiet }),
    ],
  }) as SVGSVGElement;
  return asImage(svg, t("figure.describe.histogram", { bins: count(found.bins.edges.length - 1) }));
}

function asImage(svg: SVGSVGElement, name: string): SVGSVGElement {
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  // Inside an image nothing has a name of its own; the table of bins has every point.
  svg.querySelectorAll("g[aria-label]").forEach((group) => group.removeAttribute("aria-label"));
  return svg;
}

/** Both figures as one SVG file that needs nothing else. */
export function figureFile(input: FigureInput, title: string): string {
  const wide = { ...input, width: 560 };
  const top = diagram(wide, FILE_LOOK);
  const below = histogram(wide, FILE_LOOK);
  const heights = [44, Number(top.getAttribute("height")), Number(below.getAttribute("height"))] as const;
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const height = heights[0] + heights[1] + heights[2];
  for (const [name, value] of Object.entries({ xmlns: space, width: 560, height, viewBox: `0 0 560 ${height}`, "font-family": "system-ui, sans-serif", "font-size": 12 }))
    svg.setAttribute(name, String(value));
  const paper = document.createElementNS(space, "rect");
  paper.setAttribute("width", "560");
  paper.setAttribute("height", String(height));
  paper.setAttribute("fill", "#fff");
  svg.append(paper);
  wrapped(title, 76).forEach((line, i) => {
    const text = document.createElementNS(space, "text");
    text.setAttribute("x", "16");
    text.setAttribute("y", String(20 + 17 * i));
    text.setAttribute("fill", FILE_LOOK.ink);
    text.setAttribute("font-size", "13");
    text.setAttribute("font-weight", "600");
    text.textContent = line;
    svg.append(text);
  });
  [top, below].forEach((part, i) => {
    part.querySelectorAll("style").forEach((style) => style.remove());
    part.setAttribute("y", String(i ? heights[0] + heights[1] : heights[0]));
    part.setAttribute("color", FILE_LOOK.ink);
    svg.append(part);
  });
  return new XMLSerializer().serializeToString(svg);
}

function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1]!;
    if (last && last.length + word.length + 1 > width && lines.length < 2) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}

/** An SVG file drawn as PNG, at twice its size. */
export async function asPng(svg: string): Promise<Blob> {
  const image = new Image();
  const loaded = new Promise((done, failed) => {
    image.onload = done;
    image.onerror = failed;
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await loaded;
  const canvas = document.createElement("canvas");
  canvas.width = image.width * 2;
  canvas.height = image.height * 2;
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  context.drawImage(image, 0, 0);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no PNG"))), "image/png"));
}
