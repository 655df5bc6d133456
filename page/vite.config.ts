import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { hashOfSources } from "./sources";

const DIST = join(__dirname, "../src/headwater/page/dist");

const rememberSources: Plugin = {
  name: "remember-sources",
  closeBundle() {
    writeFileSync(join(DIST, "sources.sha256"), hashOfSources(__dirname) + "\n");
  },
};

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: DIST,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run dev` shows the sources, with the answers of a server that runs at the usual port.
  server: { proxy: { "^/(session|live|status|periods|staleness|pushes|plan|bill|sources|dead-letters|views|queries|checked-queries)": "http://127.0.0.1:8765" } },
  plugins: [rememberSources],
});
