/** How a text table is written, from its first lines. Twin of src/calibrant/io/dialect.py and delimiter.py. */

import Papa from "papaparse";

export interface Dialect {
  delimiter: string;
  decimal: "." | ",";
  names: string[];
  /** Lines before the first record, the header among them. */
  skip: number;
  rows: string[][];
  notes: string[];
  repeated: string[];
}

export class ReadError extends Error {
  constructor(readonly code: string, readonly values: Record<string, string> = {}) {
    super(code);
  }
}

export const SPACES = " ";
const DELIMITERS = ["\t", ";", "|", ","];
const SAMPLE = 200;
const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*%?$/;
const FRACTION = /^([+-]?(\d*[.,]\d+([eE][+-]?\d+)?|\d+[eE]-\d+)\s*%?|\d+([.,]\d+)?\s*%)$/;
const COMMA = /^[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?$/;
const COMMA_QUOTED = /^([01]?,\d+|\d{1,3},\d+\s*%)$/;
const POINT = /^[+-]?\d*\.\d+([eE][+-]?\d+)?\s*%?$/;
const VALUES = new Set(["", "na", "n/a", "nan", "null", "none", "true", "false", "-"]);

/** A cell without surrounding space, and without quotes that a space kept the parser from seeing. */
export function clean(cell: string): string {
  const text = cell.trim();
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1).replaceAll('""', '"');
  return text;
}

export const squeeze = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/gm, "").replace(/[ \t]+/g, " ");

function cells(lines: string[], delimiter: string): string[][] {
  const text = lines.join("\n");
  const found = Papa.parse<string[]>(delimiter === SPACES ? squeeze(text) : text, { delimiter, newline: "\n" });
  return found.data.map((row) => row.map(clean)).filter((row) => row.length > 1 || row[0] !== "");
}

function usualWidth(rows: string[][]): number {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(row.length, (counts.get(row.length) ?? 0) + 1);
  let best = 0;
  for (const [width, n] of counts) {
    const top = counts.get(best) ?? 0;
    if (n > top || (n === top && width > best)) best = width;
  }
  return best;
}

export function findDelimiter(lines: string[]): string {
  const found: { first: boolean; share: number; width: number; delimiter: string }[] = [];
  for (const delimiter of [...DELIMITERS, SPACES]) {
    const rows = cells(lines.slice(0, 50), delimiter);
    const width = usualWidth(rows);
    if (width < 2) continue;
    const share = rows.filter((row) => row.length === width).length / rows.length;
    if (delimiter === SPACES && (found.length || share < 0.5)) continue;
    found.push({ first: rows[0]!.length === width, share: Math.round(share * 10), width, delimiter });
  }
  if (!found.length) return ",";
  const rank = (f: (typeof found)[number]): number => (f.first ? 100 : 0) + f.share;
  const best = Math.max(...found.map(rank));
  const tied = found.filter((f) => rank(f) === best);
  const others = tied.filter((f) => f.delimiter !== ",");
  return (others.length ? others : tied).reduce((a, b) => (b.width > a.width ? b : a)).delimiter;
}

/** Finds how the table is written; `head` is its beginning, cut at a line end, with \n as line ends. */
export function findDialect(head: string, whole: boolean): Dialect {
  if (head.includes("\0")) throw new ReadError("error.binary");
  const lines = head.split("\n");
  if (!whole && lines.length > 1) lines.pop();
  const notes: string[] = [];
  let start = 0;
  let given: string | null = null;
  while (start < lines.length && !lines[start]!.trim()) start++;
  const separator = /^sep=(.)$/.exec((lines[start] ?? "").trim().replace(/^"|"$/g, "").toLowerCase());
  if (separator) {
    given = separator[1]!;
    start++;
  } else start = afterComments(lines, start);
  const body = lines.slice(start, start + SAMPLE).filter((line) => line.trim());
  if (!body.length) throw new ReadError("error.empty");
  const delimiter = given ?? findDelimiter(body.map((line) => line.replace(/^#\s*/, "")));
  let table = cells(body, delimiter);
  let header: boolean;
  if (lines[start]!.startsWith("#")) {
    table = [cells([lines[start]!.replace(/^#+\s*/, "")], delimiter)[0]!, ...table.slice(1)];
    header = true;
  } else {
    const first = table[0]!;
    const values = first.every((cell) => VALUES.has(cell.toLowerCase()) || NUMBER.test(cell));
    header = !values && !first.some((cell) => FRACTION.test(cell));
  }
  const rows = header ? table.slice(1) : table;
  if (!rows.length && whole) throw new ReadError("error.no_row");
  const names = namesOf(table[0]!, rows, header, start);
  const values = rows.flat();
  const commas = values.filter((v) => (delimiter === "," ? COMMA_QUOTED : COMMA).test(v)).length;
  const dots = values.filter((v) => POINT.test(v)).length;
  const decimal = commas > dots || (delimiter === ";" && !dots) ? "," : ".";
  if (delimiter !== "," && delimiter !== "\t")
    notes.push(`columns separated by ${delimiter === SPACES ? "spaces" : `'${delimiter}'`}`);
  if (decimal === "," && commas) notes.push("decimal comma");
  if (!header) notes.push("no header: columns are numbered from 1");
  const folded = header ? table[0]!.map((name) => name.trim().toLowerCase()) : [];
  const repeated = folded.filter((name, i) => name && folded.indexOf(name) !== i);
  return { delimiter, decimal, names, skip: start + (header ? 1 : 0), rows, notes, repeated };
}

function afterComments(lines: string[], start: number): number {
  let end = start;
  while (end + 1 < lines.length && lines[end]!.startsWith("#")) end++;
  if (end === start) return start;
  const body = lines.slice(end, end + SAMPLE).filter((line) => line.trim());
  if (!body.length) return end;
  const delimiter = findDelimiter(body);
  const bare = lines[end - 1]!.replace(/^#+\s*/, "");
  const fits = usualWidth(cells(body, delimiter)) === (cells([bare], delimiter)[0]?.length ?? 0);
  const isHeader = fits && cells(body.slice(0, 1), delimiter)[0]!.some((cell) => NUMBER.test(cell));
  return isHeader && usualWidth(cells(body, delimiter)) > 1 ? end - 1 : end;
}

function namesOf(first: string[], rows: string[][], header: boolean, start: number): string[] {
  const width = rows.length ? usualWidth(rows) : first.length;
  if (Math.max(width, first.length) > 20_000) throw new ReadError("error.columns");
  if (!header) return Array.from({ length: width }, (_, i) => String(i + 1));
  const exact = rows.filter((row) => row.length === first.length);
  const wide = rows.filter((row) => row.length === first.length + 1);
  if (first.length > 1 && wide.length > exact.length)
    return unique(wide.some((row) => row[row.length - 1]) ? ["", ...first] : [...first, ""]);
  if (rows.length && !exact.length)
    throw new ReadError("error.width", { line: String(start + 1), have: String(first.length), want: String(width) });
  return unique(first);
}

function unique(names: string[]): string[] {
  const seen = new Set<string>();
  return names.map((name, i) => {
    let clean = name.trim().replace(/^\ufeff+/, "") || `column ${i + 1}`;
    while (seen.has(clean.toLowerCase())) clean = `${clean} (${i + 1})`;
    seen.add(clean.toLowerCase());
    return clean;
  });
}
