// Runs src/twin.ts in Node: node twin.mjs CASES.json RESULTS.json
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "node_modules/.twin");
await build({
  root: here,
  configFile: false,
  logLevel: "error",
  build: { ssr: join(here, "src/twin.ts"), outDir: out, emptyOutDir: true, target: "node20", rollupOptions: { output: { entryFileNames: "twin.mjs" } } },
});
await import(pathToFileURL(join(out, "twin.mjs")).href);
