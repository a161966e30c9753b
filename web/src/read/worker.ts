/** The worker: reads a file off the page's thread, and hands over the tally. It sends nothing anywhere else. */

import { fromDocument, TallyError } from "../tally/store";
import { fixedNumbers } from "../stats/measure";
import { rowsOfSlice, type Tally } from "../tally/tally";
import { findLayout, guessLayout } from "./columns";
import { ReadError } from "./dialect";
import type { Job, Report } from "./protocol";
import { readHead, readTally } from "./reader";

const say = (report: Report): void => self.postMessage(report);

self.onmessage = async (event: MessageEvent<Job>) => {
  try {
    await read(event.data);
  } catch (error) {
    if (error instanceof ReadError) say({ type: "error", code: error.code, values: error.values });
    else if (error instanceof TallyError) say({ type: "error", code: "error.tally", values: {} });
    else say({ type: "error", code: "error.unexpected", values: { what: String(error).slice(0, 200) } });
  }
};

async function read({ blob, name, layout }: Job): Promise<void> {
  const start = (await blob.slice(0, 64).text()).trimStart();
  if (start.startsWith("{")) {
    done(fromDocument(parsed(await blob.text())));
    return;
  }
  const dialect = await readHead(blob);
  const found = layout ?? findLayout(dialect.names, dialect.repeated);
  const shown = found ?? guessLayout(dialect.names, dialect.rows);
  say({ type: "columns", names: dialect.names, rows: dialect.rows.slice(0, 5), layout: shown, found: found !== null });
  if (!found) return;
  let last = 0;
  const tally = await readTally(blob, name, dialect, found, (rows, bytes) => {
    if (performance.now() - last < 60) return;
    last = performance.now();
    say({ type: "progress", rows, share: Math.min(bytes / blob.size, 1) });
  });
  done(tally);
}

/** Hands over the tally with what its first screen needs, so that the page itself computes little. */
function done(tally: Tally): void {
  say({ type: "done", tally, fixed: tally.slices.map((slice) => (rowsOfSlice(slice) ? fixedNumbers(slice) : null)) });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TallyError("not JSON");
  }
}
