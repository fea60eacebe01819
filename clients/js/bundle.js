// Builds one file for pages: `node bundle.js src/page.ts dist/sottovoce.js`. It is readable, and leaves out the comments, which are in src/.
import fs from "node:fs";
import { build } from "esbuild";

const [entry, outfile] = process.argv.slice(2);
const withoutComments = {
  name: "without-comments",
  setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const contents = fs.readFileSync(path, "utf8").replace(/^ *\/\*\*[^]*?\*\/\n|^ *\/\/.*\n/gm, "");
    return { contents, loader: "ts" };
  }),
};
await build({ entryPoints: [entry], outfile, bundle: true, format: "esm", target: "es2020", charset: "utf8", logLevel: "warning", plugins: [withoutComments] });
