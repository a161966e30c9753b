import { describe, expect, test } from "vitest";
import { findLayout } from "../src/read/columns";
import { ReadError } from "../src/read/dialect";
import { readHead, readTally } from "../src/read/reader";
import { readNumber, readOutcome, sumsToOne } from "../src/read/values";
import { rowsOfSlice, type Tally } from "../src/tally/tally";

async function read(text: string | Uint8Array): Promise<Tally> {
  const blob = new Blob([text as BlobPart]);
  const dialect = await readHead(blob);
  const layout = findLayout(dialect.names, dialect.repeated);
  if (!layout) throw new Error(`no layout for ${dialect.names.join("|")}`);
  return readTally(blob, "x.csv", dialect, layout, () => undefined);
}
const used = (tally: Tally): number => tally.slices.reduce((sum, slice) => sum + rowsOfSlice(slice), 0);
const reasons = (tally: Tally): Record<string, number> =>
  Object.fromEntries([tally.leftOut, ...tally.slices.map((s) => s.leftOut)].flatMap((part) => Object.entries(part).map(([k, v]) => [k, v.rows])));

describe("clumsy tables", () => {
  const good: [string, string | Uint8Array][] = [
    ["plain", "probability,outcome\n0.2,0\n0.9,1\n"],
    ["the other names", "p,y\n0.2,0\n0.9,1"],
    ["names in another case and with space", " P , Correct \n0.2,0\n0.9,1"],
    ["tabs", "probability\toutcome\n0.2\t0\n0.9\t1\n"],
    ["semicolons and decimal commas", "p;y\n0,2;0\n0,9;1\n"],
    ["spaces", "p y\n0.2 0\n0.9   1\n"],
    ["CRLF", "p,y\r\n0.2,0\r\n0.9,1\r\n"],
    ["old Mac line ends", "p,y\r0.2,0\r0.9,1\r"],
    ["a byte order mark", "\ufeffp,y\n0.2,0\n0.9,1\n"],
    ["UTF-16", new Uint8Array([0xff, 0xfe, ...Array.from("p,y\n0.2,0\n0.9,1\n").flatMap((c) => [c.charCodeAt(0), 0])])],
    ["quotes", '"p","y","said"\n"0.2","0","a, ""b"""\n"0.9","1","two\nlines"\n'],
    ["a space before a quote", 'p, y\n"0.2", "0"\n"0.9", "1"\n'],
    ["true and false", "p,y\n0.2,FALSE\n0.9,true\n"],
    ["percent signs", "p,y\n20%,0\n90 %,1\n"],
    ["blank lines", "\n\np,y\n\n0.2,0\n\n0.9,1\n\n"],
    ["a separator line", "sep=;\np;y\n0.2;0\n0.9;1\n"],
    ["a comment", "# made today\np,y\n0.2,0\n0.9,1\n"],
    ["exponents", "p,y\n2e-1,0\n9E-1,1\n"],
    ["outcomes with decimals", "p,y\n0.2,0.0\n0.9,1.00\n"],
    ["a column that is not needed", "id,p,y\na,0.2,0\nb,0.9,1\n"],
  ];
  test.each(good)("%s", async (_, text) => {
    const tally = await read(text);
    expect(reasons(tally)).toEqual({});
    expect(used(tally)).toBe(2);
    expect(Array.from(tally.slices[0]!.views["event"]!.key)).toEqual([0.2, 0.9]);
  });
});

test("rows that cannot be used are counted by reason, with their records and lines", async () => {
  const tally = await read("p,y\n0.2,0\n1.5,1\n\n,1\nx,0\n0.3,2\n0.4,\n0.5,maybe\n0.6,1,9\n-0,1\n");
  expect(reasons(tally)).toEqual({
    "probability is outside 0 to 1": 1, "probability is missing": 1, "probability is not a number": 1,
    "outcome is not 0 or 1": 2, "outcome is missing": 1, "wrong number of columns": 1,
  });
  expect(tally.slices[0]!.leftOut["probability is missing"]).toEqual({ rows: 1, first: [3], lines: [5] });
  expect(tally.source.rows).toBe(9);
  expect(Object.is(tally.slices[0]!.views["event"]!.key[0], 0)).toBe(true);
});

test("quoted line breaks keep line numbers right", async () => {
  const tally = await read('p,y,said\n0.2,0,"a\nb"\n7,1,c\n');
  expect(tally.slices[0]!.leftOut["probability is outside 0 to 1"]).toEqual({ rows: 1, first: [2], lines: [4] });
});

test("choices, answers and predicted labels", async () => {
  const choice = await read("p_a,p_b,label\n0.7,0.3,a\n0.4,0.6,A\n0.5,0.1,b\n0.5,0.5,c\n");
  expect(choice.slices[0]!.kind).toBe("choice");
  expect(reasons(choice)).toEqual({ "probabilities do not add up to 1": 1, "label is not one of the options": 1 });
  expect(choice.source.notes).toContain("labels matched to options without regard to case");
  const answer = await read("confidence,correct\n0.7,1\n0.4,0\n");
  expect(answer.slices[0]!.kind).toBe("answer");
  const predicted = await read("confidence,predicted,label\n0.7,x,x\n0.4,1,1.0\n0.4,x,y\n");
  expect(predicted.slices[0]!.moments.first[0]![2]).toBe(2);
});

test("files that are no table say why", async () => {
  for (const [text, code] of [
    ["", "error.empty"], ["\n \n", "error.empty"], ["p,y\n", "error.no_row"], ["p,y\n0.1\0,1\n", "error.binary"],
    ['p,y\n0.2,"0\n0.9,1\n', "error.quote"],
  ] as const)
    await expect(read(text)).rejects.toMatchObject({ code });
  await expect(read(new Uint8Array([0x70, 0x2c, 0x79, 0x0a, 0xe9, 0x2c, 0x31]))).rejects.toBeInstanceOf(ReadError);
});

test("single values", () => {
  expect(["0.5", "1e-3", " .5 ", "50%", "NaN", "", "0x1", "1_0", "1,5", "--1", "inf", "5e"].map((v) => readNumber(v, "."))).toEqual([
    0.5, 0.001, 0.5, 0.5, "missing", "missing", "unreadable", "unreadable", "unreadable", "unreadable", Infinity, "unreadable",
  ]);
  expect(readNumber("84", ".", true)).toBe(0.84);
  expect(["1", "0", "TRUE", "yes", "1.0", ""].map((v) => readOutcome(v, ".", [], []))).toEqual([1, 0, 1, "unreadable", 1, "missing"]);
  expect(["Sim", "não", "x"].map((v) => readOutcome(v, ".", ["sim"], ["não"]))).toEqual([1, 0, "unreadable"]);
  expect(sumsToOne(Float64Array.of(0.33, 0.33, 0.33))).toBe(true);
  expect(sumsToOne(Float64Array.of(0.333, 0.333, 0.3))).toBe(false);
});

test("names that two columns have are not chosen by themselves", () => {
  expect(findLayout(["p", "prob", "y"])).toBeNull();
  expect(findLayout(["p", "p_a", "p_b", "label"])).toBeNull();
  expect(findLayout(["chance", "won"])).toBeNull();
});
