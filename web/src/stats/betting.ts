/** A Brier interval that always holds, for few rows. Twin of the betting interval of intervals/means.py. */

import { isExact, type Cells } from "./cells";
import type { MeanInterval } from "./moments";

const BETS = 96;

export function brierBettingInterval(cells: Cells, level = 0.95): MeanInterval {
  if (!isExact(cells) || cells.weight) return { low: null, high: null, method: null };
  const pairs: [number, number][] = [];
  for (let i = 0; i < cells.key.length; i++) {
    const p = cells.key[i]!;
    if (cells.rows[0][i]!) pairs.push([p * p, cells.rows[0][i]!]);
    if (cells.rows[1][i]!) pairs.push([(1 - p) * (1 - p), cells.rows[1][i]!]);
  }
  return {
    low: limit(pairs, level),
    high: 1 - limit(pairs.map(([x, n]) => [1 - x, n]), level),
    method: "betting (conservative)",
  };
}

function limit(pairs: [number, number][], level: number): number {
  const values = fewer(pairs);
  const rows = values.reduce((sum, [, n]) => sum + n, 0);
  const target = Math.log(2 / (1 - level)) + Math.log(BETS);
  let low = 0;
  let high = values.reduce((sum, [x, n]) => sum + x * n, 0) / rows;
  if (!(high > 0)) return 0;
  const gains = new Float64Array(BETS);
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    let top = -Infinity;
    for (let b = 0; b < BETS; b++) {
      const fraction = (b + 0.5) / BETS;
      let sum = 0;
      for (const [x, n] of values) sum += n * Math.log1p(fraction * (x / middle - 1));
      gains[b] = sum;
      top = Math.max(top, sum);
    }
    let money = 0;
    for (const gain of gains) money += Math.exp(gain - top);
    if (top + Math.log(money) >= target) low = middle;
    else high = middle;
  }
  return low;
}

/** At most 2,048 values: neighbours together, each group at its smallest. */
function fewer(pairs: [number, number][]): [number, number][] {
  const sorted = pairs.slice().sort((a, b) => a[0] - b[0]);
  if (sorted.length <= 2048) return sorted;
  const out: [number, number][] = [];
  for (let g = 0; g < 2048; g++) {
    const from = Math.trunc((g * sorted.length) / 2048);
    const to = Math.trunc(((g + 1) * sorted.length) / 2048);
    let n = 0;
    for (let i = from; i < to; i++) n += sorted[i]![1];
    if (to > from) out.push([sorted[from]![0], n]);
  }
  return out;
}
