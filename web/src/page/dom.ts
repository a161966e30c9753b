/** Making elements. Text is always set as text, so that no name, label or cell can become markup. */

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "class") element.className = String(value);
    else if (name === "for") element.setAttribute("for", String(value));
    else if (name in element && !name.startsWith("aria")) (element as unknown as Props)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((c): c is Node | string | number => c !== null && c !== undefined && c !== false).map((c) => (typeof c === "number" ? String(c) : c)));
  return element;
}

export function table(
  caption: string, head: string[], rows: Child[][], options: { numeric?: number[]; rowClass?: (i: number) => string; shown?: boolean } = {},
): HTMLElement {
  const numeric = new Set(options.numeric ?? []);
  const cell = (child: Child, i: number): HTMLElement =>
    i === 0
      ? h("th", { scope: "row" }, child)
      : h("td", { class: numeric.has(i) ? "number" : "" }, child);
  return h(
    "div",
    { class: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: options.shown ? "" : "hidden" }, caption),
      h("thead", {}, h("tr", {}, head.map((name, i) => h("th", { scope: "col", class: numeric.has(i) ? "number" : "" }, name)))),
      h("tbody", {}, rows.map((row, i) => h("tr", { class: options.rowClass?.(i) ?? "" }, row.map(cell)))),
    ),
  );
}

/** Saves a blob as a file. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
