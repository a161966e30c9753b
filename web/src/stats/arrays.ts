/** Small things that the statistics share: sums, quantiles, searches. */

export type Pair = [Float64Array, Float64Array];

export const zeros = (size: number): Float64Array => new Float64Array(size);

export function total(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
}

export function mapped(size: number, at: (i: number) => number): Float64Array {
  const out = new Float64Array(size);
  for (let i = 0; i < size; i++) out[i] = at(i);
  return out;
}

/** Number of entries that are at most `value` in a rising array: the place to insert after equal ones. */
export function upperBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of entries that are below `value` in a rising array. */
export function lowerBound(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The quantile of sorted values by linear interpolation, as numpy's default does. */
export function quantileOfSorted(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const a = sorted[below]!;
  const b = sorted[Math.min(below + 1, sorted.length - 1)]!;
  const t = place - below;
  return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

export const clip = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
