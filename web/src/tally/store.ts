/** Tally files, schema calibrant.tally/1. Twin of src/calibrant/tallies/store.py. */

import type { Pair } from "../stats/arrays";
import { EXACT, exactCells, rowsIn, type Cells, type Table } from "../stats/cells";
import { gridOf, isGrid } from "../stats/grid";
import type { Moments } from "../stats/moments";
import { mainView, type Kind, type LeftOut, type Slice, type Tally } from "./tally";

export const SCHEMA = "calibrant.tally/1";

export class TallyError extends Error {}

const KINDS: readonly string[] = ["yes_no", "answer", "choice", "score"];

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

export function toDocument(tally: Tally): Json {
  return {
    schema: SCHEMA,
    by: tally.by,
    source: tally.source,
    left_out: leftOutDocument(tally.leftOut),
    slices: tally.slices.map(sliceDocument),
  };
}

export const toJson = (tally: Tally): string => JSON.stringify(toDocument(tally)) + "\n";

const leftOutDocument = (leftOut: Record<string, LeftOut>): Json[] =>
  Object.entries(leftOut).map(([reason, { rows, first }]) => ({ reason, rows, first }));

function sliceDocument(slice: Slice): Json {
  const { names, first, second } = slice.moments;
  return {
    by: slice.by,
    kind: slice.kind,
    options: slice.options,
    weights: slice.weights,
    n: rowsIn(mainView(slice)),
    moments: second === first ? { names, first } : { names, first, second },
    infinite_log: slice.infiniteLog,
    option_counts: slice.optionCounts,
    classes: slice.classes,
    ties: slice.ties,
    left_out: leftOutDocument(slice.leftOut),
    views: Object.fromEntries(Object.entries(slice.views).map(([name, cells]) => [name, cellsDocument(cells)])),
    ...(slice.clustered ? { clusters: slice.clusters } : {}),
  };
}

function cellsDocument(cells: Cells): Json {
  const list = (values: Float64Array): number[] => Array.from(values);
  const pair = (values: Pair): number[][] => values.map(list);
  const table = (values: Table): number[][][] => values.map(pair);
  const out: Json = { resolution: cells.resolution, key: list(cells.key), rows: pair(cells.rows) };
  if (cells.resolution !== EXACT) {
    out["edge"] = pair(cells.edge);
    out["offset"] = table(cells.offset!);
    if (cells.edgeWeight) out["edge_weight"] = table(cells.edgeWeight);
    if (cells.offsetV) out["offset_v"] = table(cells.offsetV);
  }
  if (cells.weight) out["weight"] = table(cells.weight);
  return out;
}

/** Reads a tally; refuses what is none, of another version, or damaged. */
export function fromDocument(raw: unknown): Tally {
  const doc = raw as Json;
  if (!doc || typeof doc !== "object" || doc["schema"] !== SCHEMA) throw new TallyError("not a tally");
  try {
    const source = doc["source"] ?? {};
    return {
      by: doc["by"].map(String),
      source: {
        names: (source.names ?? []).map(String),
        rows: Number(source.rows ?? 0),
        notes: (source.notes ?? []).map(String),
      },
      leftOut: readLeftOut(doc["left_out"]),
      slices: doc["slices"].map(readSlice),
    };
  } catch (error) {
    throw error instanceof TallyError ? error : new TallyError("damaged");
  }
}

function readLeftOut(raw: Json[]): Record<string, LeftOut> {
  return Object.fromEntries(
    raw.map((entry) => [
      String(entry["reason"]),
      { rows: Number(entry["rows"]), first: entry["first"].map(Number), lines: [] },
    ]),
  );
}

function texts(raw: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, String(value)]));
}

function numbers(raw: Json): Record<string, number> {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key, Number(value)]));
}

function readSlice(raw: Json): Slice {
  if (!KINDS.includes(raw["kind"])) throw new TallyError("unknown kind");
  const slice: Slice = {
    by: texts(raw["by"]),
    kind: raw["kind"] as Kind,
    options: raw["options"].map(String),
    views: Object.fromEntries(Object.entries(raw["views"]).map(([name, view]) => [name, readCells(view as Json)])),
    moments: readMoments(raw["moments"]),
    infiniteLog: { rows: Number(raw["infinite_log"].rows), weight: Number(raw["infinite_log"].weight) },
    optionCounts: numbers(raw["option_counts"]),
    classes: numbers(raw["classes"]),
    ties: Number(raw["ties"]),
    leftOut: readLeftOut(raw["left_out"]),
    weights: raw["weights"] ?? null,
    ...(raw["clusters"] ? { clustered: true, clusters: raw["clusters"] } : {}),
  };
  if (rowsIn(mainView(slice)) !== Number(raw["n"])) throw new TallyError("damaged");
  return slice;
}

function readMoments(raw: Json): Moments {
  const matrix = (rows: unknown[][]): number[][] => rows.map((row) => row.map(finite));
  const first = matrix(raw["first"]);
  return { names: raw["names"].map(String), first, second: raw["second"] ? matrix(raw["second"]) : first };
}

function finite(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TallyError("damaged");
  return value;
}

function readCells(raw: Json): Cells {
  const array = (values: unknown[], size: number): Float64Array => {
    if (values.length !== size) throw new TallyError("damaged");
    return Float64Array.from(values, finite);
  };
  const size = raw["key"].length;
  const key = array(raw["key"], size);
  const pair = (values: unknown[][]): Pair => [array(values[0]!, size), array(values[1]!, size)];
  const table = (name: string): Table | null =>
    raw[name] ? [pair(raw[name][0]), pair(raw[name][1])] : null;
  const rows = pair(raw["rows"]);
  const resolution = String(raw["resolution"]);
  const top = resolution === EXACT ? 1 : isGrid(resolution) ? gridOf(resolution).size - 1 : -1;
  if (top < 0) throw new TallyError("unknown grid");
  for (let i = 0; i < size; i++)
    if (key[i]! < 0 || key[i]! > top || (i > 0 && key[i]! <= key[i - 1]!)) throw new TallyError("damaged");
  if (resolution === EXACT) return exactCells(key, rows, table("weight"));
  return {
    resolution,
    key,
    rows,
    edge: pair(raw["edge"]),
    offset: table("offset"),
    weight: table("weight"),
    edgeWeight: table("edge_weight"),
    offsetV: table("offset_v"),
  };
}
