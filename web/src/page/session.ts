/** One reading at a time, in a worker made from the page's own text, so that it inherits the page's policy. */

import type { Job, Report } from "../read/protocol";

declare const WORKER_SOURCE: string;

let running: Worker | null = null;

export function start(job: Job, report: (report: Report) => void): void {
  stop();
  const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
  const worker = (running = new Worker(url));
  worker.onmessage = (event: MessageEvent<Report>) => {
    if (running !== worker) return;
    report(event.data);
    if (event.data.type === "done" || event.data.type === "error" || (event.data.type === "columns" && !event.data.found)) stop();
  };
  worker.onerror = (event) => {
    if (running !== worker) return;
    stop();
    report({ type: "error", code: "error.unexpected", values: { what: event.message || "worker" } });
  };
  worker.postMessage(job);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Ends the reading, if there is one. */
export function stop(): void {
  running?.terminate();
  running = null;
}
