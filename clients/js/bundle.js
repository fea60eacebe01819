// Builds files for pages: `node bundle.js src/page.ts dist/sottovoce.js`, and so on in pairs. They are readable, and leave out the comments, which are in the sources.
import fs from "node:fs";
import { build } from "esbuild";

const withoutComments = {
  name: "without-comments",
  setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const contents = fs.readFileSync(path, "utf8").replace(/^ *\/\*\*[^]*?\*\/\n|^ *\/\/.*\n/gm, "");
    return { contents, loader: "ts" };
  }),
};
const options = {
  bundle: true, format: "esm", target: "es2020", charset: "utf8", logLevel: "warning", plugins: [withoutComments],
  alias: { "@sottovoce/client": "./src/page.ts" },
};

const files = process.argv.slice(2);
for (let i = 0; i < files.length; i += 2) await build({ ...options, entryPoints: [files[i]], outfile: files[i + 1] });
