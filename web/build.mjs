// Builds the page: one HTML file with script, style and worker inside, and a policy that allows nothing else.
// node build.mjs [--check]   --check compares with the committed file and writes nothing.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../src/calibrant/web/page.html");

/** Names of everything that can send: none of them may be in the built page. */
const FORBIDDEN = [
  "XMLHttpRequest", "fetch(", "WebSocket", "EventSource", "sendBeacon", "RTCPeerConnection", "WebTransport",
  "importScripts", "window.open", "location.href", "location.assign", "location.replace", "new Function", "eval(",
];

/** Cuts out of the CSV parser what downloads files: the page gives it texts only. */
const withoutNetwork = {
  name: "without-network",
  enforce: "pre",
  transform(code, id) {
    if (!/papaparse[\\/]papaparse(\.min)?\.js$/.test(id)) return null;
    const names = code.match(/XMLHttpRequest/g);
    if (!names) throw new Error("the parser changed: look at what it downloads with");
    return { code: code.replaceAll("XMLHttpRequest", "NoRequest"), map: null };
  },
};

async function bundle(entry, define) {
  const output = await build({
    root: here,
    configFile: false,
    logLevel: "error",
    plugins: [withoutNetwork],
    define: { "process.env.NODE_ENV": '"production"', ...define },
    build: {
      write: false,
      target: "es2022",
      minify: true,
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: { input: join(here, entry), output: { format: "iife", codeSplitting: false } },
    },
  });
  const files = [output].flat().flatMap((one) => one.output);
  return files.find((file) => file.type === "chunk").code.trim();
}

const inline = (code) => code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/** The style element that the chart library puts into a figure; the policy must name it. */
function plotStyle() {
  const source = readFileSync(join(here, "node_modules/@observablehq/plot/src/plot.js"), "utf8");
  const found = /\.text\(\s*`(:where\(\.\$\{className\}\)[\s\S]*?)`/.exec(source);
  const name = /PLOT_CLASS = "([\w-]+)"/.exec(readFileSync(join(here, "src/page/figure.ts"), "utf8"));
  if (!found || !name) throw new Error("the chart library changed: look at the style that it writes");
  return found[1].replaceAll("${className}", name[1]);
}

const worker = await bundle("src/read/worker.ts", {});
const script = inline(await bundle("src/page/main.ts", { WORKER_SOURCE: JSON.stringify(worker) }));
const style = readFileSync(join(here, "src/page/style.css"), "utf8").replace(/\s*\n\s*/g, "\n").trim();
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)} ${hash(plotStyle())}`, "worker-src blob:",
  "connect-src 'none'", "img-src data:", "font-src 'none'", "base-uri 'none'", "form-action 'none'",
].join("; ");

let page = readFileSync(join(here, "index.html"), "utf8");
for (const [mark, text] of [["%POLICY%", policy], ["%STYLE%", style], ["%SCRIPT%", script]]) page = page.replace(mark, () => text);
const bad = FORBIDDEN.filter((name) => page.includes(name));
if (bad.length) throw new Error(`the page holds ${bad.join(", ")}`);

const zipped = gzipSync(page, { level: 9 }).length;
if (zipped > 250 * 1024) throw new Error(`the page has ${zipped} bytes gzipped, more than 250 kB`);
if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") !== page) {
    console.error("src/calibrant/web/page.html is not the build of these sources: run npm run build");
    process.exit(1);
  }
} else writeFileSync(target, page);
console.log(`${page.length} bytes, ${zipped} gzipped`);
