import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import en from "../src/words/en.json";
import pt from "../src/words/pt.json";
import { count, decimal, hasWord, percent, percentRange, points, setLang } from "../src/words/words";

const source = new URL("../src", import.meta.url).pathname;
const files = readdirSync(source, { recursive: true }).map(String).filter((name) => name.endsWith(".ts"));
const text = files.map((name) => readFileSync(join(source, name), "utf8")).join("\n");

test("every sentence that the page asks for exists", () => {
  const asked = [...text.matchAll(/\bt\(\s*"([\w.]+)"/g)].map((match) => match[1]!);
  expect(asked.length).toBeGreaterThan(60);
  expect(asked.filter((key) => !hasWord(key))).toEqual([]);
});

test("both languages have the same sentences with the same places", () => {
  const places = (sentence: string): string[] => [...sentence.matchAll(/\{\w+\}/g)].map((match) => match[0]).sort();
  for (const [key, sentence] of Object.entries(en))
    expect([key, places((pt as Record<string, string>)[key] ?? "")]).toEqual([key, places(sentence)]);
});

test("numbers read as in Python", () => {
  expect([percent(0.84), percent(0.0023), percent(0.9996), percent(1), percentRange(0.66, 0.76)]).toEqual(["84%", "0.2%", "99.96%", "100%", "66–76%"]);
  expect([points(-0.131), points(0.0123), points(0.01)]).toEqual(["13 points", "1.2 points", "1 point"]);
  expect([decimal(0.22081), decimal(0.0000123), decimal(Infinity), decimal(-0.5, 2), count(1736)]).toEqual(["0.2208", "1.2e-05", "infinite", "-0.50", "1,736"]);
  setLang("pt");
  expect([percent(0.0023), decimal(1234.5, 1), count(1736)]).toEqual(["0,2%", "1.234,5", "1.736"]);
  setLang("en");
});
