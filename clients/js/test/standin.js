// What the tests of vectors use of Node, for browsers: an import map puts this file in the place of node:test, node:fs,
// node:path and node:url, so that Chromium runs the very same tests.
const tests = [];

export default function test(name, check) {
  tests.push([name, check]);
}

/** Run all tests that were imported; the names and errors of those that fail. */
export async function run() {
  const failed = [];
  for (const [name, check] of tests.splice(0)) {
    try {
      await check();
    } catch (error) {
      failed.push(`${name}: ${error.message}`);
    }
  }
  return failed;
}

function get(path) {
  const request = new XMLHttpRequest();
  request.open("GET", path, false);
  request.send();
  if (request.status !== 200) throw new Error(`${path}: status ${request.status}`);
  return request.responseText;
}

test.readFileSync = get;
test.readdirSync = (path) => [...get(path).matchAll(/href="([\w-]+\.json)"/g)].map(([, name]) => name);
test.join = (...parts) => new URL(parts.join("/"), location.origin).pathname;
test.dirname = (path) => path.replace(/\/[^/]*$/, "");
export const fileURLToPath = (url) => new URL(url).pathname;
