/** From a file to a tally, in chunks: read, judge, add up. Twin of src/calibrant/io/read.py and predictions.py. */

import Papa from "papaparse";
import { SliceBuilder } from "../tally/collect";
import type { LeftOut, Tally } from "../tally/tally";
import { layoutNote, type Layout } from "./columns";
import { clean, findDialect, ReadError, SPACES, squeeze, type Dialect } from "./dialect";
import { LabelReader, MISSING, readNumber, readOutcome, sumsToOne, UNREADABLE } from "./values";

const HEAD = 2 ** 18;
const MAX_SLICES = 500;

export interface Head {
  dialect: Dialect;
}

/** The text of a file, in pieces with \n as the only line end. */
async function* texts(blob: Blob, onBytes: (read: number) => void): AsyncGenerator<string> {
  const first = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  let stream: ReadableStream<Uint8Array> = blob.stream();
  let read = 0;
  stream = stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes((read += chunk.length));
        controller.enqueue(chunk);
      },
    }),
  );
  if (first[0] === 0x1f && first[1] === 0x8b)
    stream = stream.pipeThrough(new DecompressionStream("gzip") as unknown as TransformStream<Uint8Array, Uint8Array>);
  const encoding = first[0] === 0xff && first[1] === 0xfe ? "utf-16le" : first[0] === 0xfe && first[1] === 0xff ? "utf-16be" : "utf-8";
  const decoder = new TextDecoder(encoding, { fatal: true });
  const reader = stream.getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    let text: string;
    try {
      text = held + (done ? decoder.decode() : decoder.decode(value, { stream: true }));
    } catch {
      throw new ReadError("error.encoding");
    }
    held = "";
    if (!done && text.endsWith("\r")) {
      held = "\r";
      text = text.slice(0, -1);
    }
    if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n");
    if (text) yield text;
    if (done) return;
  }
}

/** The beginning of a file, and how it is written. */
export async function readHead(blob: Blob): Promise<Dialect> {
  let head = "";
  let whole = true;
  for await (const text of texts(blob, () => undefined)) {
    head += text;
    if (head.length >= HEAD) {
      whole = false;
      break;
    }
  }
  if (!head.trim()) throw new ReadError("error.empty");
  return findDialect(head, whole);
}

type Progress = (rows: number, bytes: number) => void;

export async function readTally(
  blob: Blob, name: string, dialect: Dialect, layout: Layout, progress: Progress,
): Promise<Tally> {
  const judge = new Judge(dialect, layout);
  let bytes = 0;
  let rest = "";
  let skip = dialect.skip;
  for await (const piece of texts(blob, (read) => (bytes = read))) {
    let text = rest + piece;
    rest = "";
    while (skip > 0) {
      const end = text.indexOf("\n");
      if (end < 0) break;
      text = text.slice(end + 1);
      skip--;
    }
    if (skip > 0) {
      rest = text;
      continue;
    }
    const used = judge.parse(text, false);
    rest = text.slice(used);
    progress(judge.records, bytes);
  }
  if (rest && skip === 0) judge.parse(rest, true);
  return judge.tally(name);
}

/** Judges rows and adds them up; the first reason that a row meets is the one that counts. */
class Judge {
  records = 0;
  private line: number;
  private readonly strays: Record<string, LeftOut> = {};
  private readonly slices = new Map<string, SliceBuilder>();
  private only: SliceBuilder | null = null;
  private readonly labels: LabelReader;
  private readonly prob: number[];
  private readonly outcome: number;
  private readonly predicted: number;
  private readonly by: number[];
  private readonly p: Float64Array;

  constructor(private readonly dialect: Dialect, private readonly layout: Layout) {
    const place = (column: string): number => dialect.names.indexOf(column);
    this.prob = layout.prob.map(place);
    this.outcome = place(layout.outcome);
    this.predicted = layout.predicted === null ? -1 : place(layout.predicted);
    this.by = layout.by.map(place);
    this.labels = new LabelReader(layout.options);
    this.p = new Float64Array(layout.prob.length);
    this.line = dialect.skip;
  }

  /** Judges the complete rows of a text; returns how many characters they took. */
  parse(text: string, last: boolean): number {
    const spaced = this.dialect.delimiter === SPACES;
    const end = last ? text.length : text.lastIndexOf("\n") + 1;
    const source = spaced ? squeeze(text.slice(0, end)) : text;
    if (!source.includes('"')) {
      this.plain(source, spaced ? source.length : end);
      return end;
    }
    // The parser's own type lacks the low-level constructor that takes a text and leaves its last row.
    const Parser = (Papa as unknown as { Parser: new (config: object) => LowParser }).Parser;
    const found = new Parser({ delimiter: this.dialect.delimiter, newline: "\n", quoteChar: '"' }).parse(
      source, 0, !last && !spaced,
    );
    const open = found.errors.find((error) => error.code === "MissingQuotes");
    if (open && last) throw new ReadError("error.quote", { record: String(this.records + open.row + 1) });
    for (const row of found.data) {
      this.row(row, ++this.line);
      for (const cell of row) if (cell.includes("\n")) this.line += cell.split("\n").length - 1;
    }
    return spaced ? end : found.meta.cursor;
  }

  /** Text without quotes needs no parser: lines and delimiters are all there is. One array serves every row. */
  private plain(text: string, end: number): void {
    const row: string[] = [];
    const delimiter = this.dialect.delimiter;
    for (let at = 0; at < end; ) {
      let stop = text.indexOf("\n", at);
      if (stop < 0 || stop > end) stop = end;
      const line = text.slice(at, stop);
      let columns = 0;
      let cell = 0;
      for (let next = line.indexOf(delimiter); next >= 0; next = line.indexOf(delimiter, cell)) {
        row[columns++] = line.slice(cell, next);
        cell = next + 1;
      }
      row[columns] = line.slice(cell);
      row.length = columns + 1;
      this.row(row, ++this.line);
      at = stop + 1;
    }
  }

  private row(row: string[], line: number): void {
    if (row.length === 1 && row[0]!.trim() === "") return;
    this.records++;
    if (row.length !== this.dialect.names.length) {
      stray(this.strays, "wrong number of columns", this.records, line);
      return;
    }
    const slice = this.slice(row);
    if (this.layout.kind === "yes_no" || this.layout.kind === "answer") this.event(row, slice, line);
    else this.choice(row, slice, line);
  }

  private slice(row: string[]): SliceBuilder {
    if (!this.by.length && this.only) return this.only;
    const values = this.by.map((at) => clean(row[at]!));
    const key = this.by.length === 1 ? values[0]! : values.join("\u0000");
    let found = this.slices.get(key);
    if (!found) {
      if (this.slices.size >= MAX_SLICES)
        throw new ReadError("error.slices", { columns: this.layout.by.join(", "), most: String(MAX_SLICES) });
      const by = Object.fromEntries(this.layout.by.map((column, i) => [column, values[i]!]));
      const options = this.layout.kind === "yes_no" ? ["no", "yes"] : this.layout.options;
      this.slices.set(key, (found = new SliceBuilder(by, this.layout.kind, options)));
      this.only = found;
    }
    return found;
  }

  private event(row: string[], slice: SliceBuilder, line: number): void {
    const what = this.layout.kind === "yes_no" ? "probability" : "confidence";
    const refuse = (reason: string): void => slice.refuse(reason, this.records, line);
    const p = readNumber(row[this.prob[0]!]!, this.dialect.decimal, this.layout.percent);
    if (p === MISSING) return refuse(`${what} is missing`);
    if (p === UNREADABLE) return refuse(`${what} is not a number`);
    const y = this.truth(row);
    if (y === MISSING) return refuse("outcome is missing");
    if (y === UNREADABLE) return refuse(this.layout.yes.length ? "outcome is not a word of --yes or --no" : "outcome is not 0 or 1");
    if (!(p >= 0 && p <= 1)) return refuse(`${what} is outside 0 to 1`);
    if (y !== 0 && y !== 1) return refuse("outcome is not 0 or 1");
    slice.addEvent(p + 0, y);
  }

  private truth(row: string[]): ReturnType<typeof readOutcome> {
    const cell = row[this.outcome]!;
    if (this.predicted < 0) return readOutcome(cell, this.dialect.decimal, this.layout.yes, this.layout.no);
    const [said, right] = [clean(row[this.predicted]!), clean(cell)];
    if (!said || !right) return MISSING;
    return said === right || Number(said) === Number(right) ? 1 : 0;
  }

  private choice(row: string[], slice: SliceBuilder, line: number): void {
    const refuse = (reason: string): void => slice.refuse(reason, this.records, line);
    let [missing, outside] = [false, false];
    for (let k = 0; k < this.p.length; k++) {
      const value = readNumber(row[this.prob[k]!]!, this.dialect.decimal, this.layout.percent);
      if (value === UNREADABLE) return refuse("a probability is not a number");
      if (value === MISSING) missing = true;
      else {
        this.p[k] = value + 0;
        outside ||= !(value >= 0 && value <= 1);
      }
    }
    const label = this.labels.read(clean(row[this.outcome]!));
    if (label === this.layout.options.length) return refuse("label is not one of the options");
    if (missing) return refuse("a probability is missing");
    if (outside) return refuse("a probability is outside 0 to 1");
    if (!sumsToOne(this.p)) return refuse("probabilities do not add up to 1");
    if (label < 0) return refuse("label is missing");
    slice.addChoice(this.p, label);
  }

  tally(name: string): Tally {
    const notes = [layoutNote(this.layout), ...this.dialect.notes];
    if (this.layout.percent) notes.push("percent divided by 100");
    const slices = [...this.slices.values()].map((builder) => builder.slice());
    const order = (slice: (typeof slices)[number]): string[] => Object.values(slice.by);
    slices.sort((a, b) => compare(order(a), order(b)));
    return {
      by: this.layout.by,
      source: { names: [name], rows: this.records, notes: [...notes, ...this.labels.notes] },
      leftOut: this.strays,
      slices,
    };
  }
}

function compare(a: string[], b: string[]): number {
  for (let i = 0; i < a.length; i++) if (a[i]! !== b[i]!) return a[i]! < b[i]! ? -1 : 1;
  return 0;
}

function stray(into: Record<string, LeftOut>, reason: string, record: number, line: number): void {
  const found = (into[reason] ??= { rows: 0, first: [], lines: [] });
  found.rows++;
  if (found.first.length < 3) {
    found.first.push(record);
    found.lines.push(line);
  }
}

interface LowParser {
  parse(text: string, base: number, ignoreLast: boolean): {
    data: string[][];
    errors: { code: string; row: number }[];
    meta: { cursor: number };
  };
}
