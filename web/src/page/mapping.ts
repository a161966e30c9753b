/** The form that says which column is which, and which columns make slices. */

import { optionNames, type Layout } from "../read/columns";
import type { Kind } from "../tally/tally";
import { t } from "../words/words";
import { h, table } from "./dom";

export interface Columns {
  names: string[];
  rows: string[][];
  layout: Layout;
  found: boolean;
}

export function mappingForm(columns: Columns, apply: (layout: Layout) => void, close: (() => void) | null): HTMLElement {
  let layout: Layout = { ...columns.layout };
  let fields = 0;
  const form = h("form", { class: "mapping", onsubmit: submit });
  draw();
  return form;

  function submit(event: Event): void {
    event.preventDefault();
    const many = layout.kind === "choice" || layout.kind === "score";
    if (many && layout.prob.length < 2) {
      form.querySelector(".problem")!.textContent = t("map.problem.two");
      return;
    }
    apply({ ...layout, options: many ? optionNames(layout.prob) : [], prob: many ? layout.prob : layout.prob.slice(0, 1) });
  }

  function change(part: Partial<Layout>): void {
    const redraw = part.kind !== undefined;
    layout = { ...layout, ...part };
    if (redraw) draw();
  }

  function labelled(label: string, field: HTMLElement): HTMLElement {
    field.id = `map-${fields++}`;
    return h("div", { class: "field" }, h("label", { for: field.id }, label), field);
  }

  function select(label: string, value: string, change: (value: string) => void, none?: string): HTMLElement {
    const options = columns.names.map((name) => h("option", { value: name, selected: name === value }, name));
    if (none) options.unshift(h("option", { value: "", selected: value === "" }, none));
    return labelled(label, h("select", { onchange: (e: Event) => change((e.target as HTMLSelectElement).value) }, options));
  }

  function boxes(label: string, chosen: string[], set: (names: string[]) => void): HTMLElement {
    return h("fieldset", {}, h("legend", {}, label), h("div", { class: "boxes" }, columns.names.map((name) =>
      h("label", { class: "box" }, h("input", {
        type: "checkbox", checked: chosen.includes(name),
        onchange: (e: Event) => {
          const on = (e.target as HTMLInputElement).checked;
          const rest = chosen.filter((other) => other !== name);
          chosen = on ? columns.names.filter((other) => other === name || rest.includes(other)) : rest;
          set(chosen);
        },
      }), name))));
  }

  function words(label: string, value: string[], set: (words: string[]) => void): HTMLElement {
    return labelled(label, h("input", {
      type: "text", value: value.join(", "), placeholder: t("map.words"),
      onchange: (e: Event) => set((e.target as HTMLInputElement).value.split(",").map((w) => w.trim().toLowerCase()).filter(Boolean)),
    }));
  }

  function draw(): void {
    const many = layout.kind === "choice" || layout.kind === "score";
    const answer = layout.kind === "answer";
    const kinds: Kind[] = ["yes_no", "answer", "choice", "score"];
    form.replaceChildren(
      h("h2", {}, t("map.heading")),
      labelled(t("map.kind"), h("select", {
        onchange: (e: Event) => change({ kind: (e.target as HTMLSelectElement).value as Kind }),
      }, kinds.map((kind) => h("option", { value: kind, selected: kind === layout.kind }, t(`map.kind.${kind}`))))),
      many
        ? boxes(t(layout.kind === "score" ? "map.levels" : "map.options"), layout.prob, (prob) => change({ prob }))
        : select(t(answer ? "map.confidence" : "map.prob"), layout.prob[0] ?? "", (name) => change({ prob: [name] })),
      select(t(many ? "map.label" : answer ? "map.correct" : "map.outcome"), layout.outcome, (outcome) => change({ outcome })),
      ...(answer ? [select(t("map.predicted"), layout.predicted ?? "", (name) => change({ predicted: name || null }), t("map.predicted.none"))] : []),
      ...(many ? [] : [words(t("map.yes"), layout.yes, (yes) => change({ yes })), words(t("map.no"), layout.no, (no) => change({ no }))]),
      h("label", { class: "box" }, h("input", {
        type: "checkbox", checked: layout.percent, onchange: (e: Event) => change({ percent: (e.target as HTMLInputElement).checked }),
      }), t("map.percent")),
      boxes(t("map.by"), layout.by, (by) => change({ by })),
      h("details", {}, h("summary", {}, t("map.first")), table(t("map.first"), columns.names, columns.rows)),
      h("p", { class: "problem", role: "alert" }),
      h("p", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, t("map.apply")),
        close && h("button", { type: "button", onclick: close }, t("map.close"))),
    );
  }
}
