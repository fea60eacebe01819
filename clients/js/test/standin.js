// What the tests of vectors and of memory use of Node, for browsers: an import map puts this file in the place of node:test, node:fs,
// node:path and others, so that Chromium runs the very same tests.
const tests = [];

export default function test(name, ...rest) {
  const check = rest.pop();
  if (!rest[0]?.skip) tests.push([name, check]);
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

/** Values as a text in which different ones differ. */
function written(value) {
  if (value instanceof Uint8Array) return `bytes ${value.join()}`;
  if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`;
  return JSON.stringify(Object.entries(value).sort().map(([key, inside]) => [key, written(inside)]));
}

function demand(right, why) {
  if (!right) throw new Error(why);
}

/** Whether an error is as wanted: a class, or an object of texts and patterns. */
function fits(error, wanted) {
  if (typeof wanted === "function") return error instanceof wanted;
  return Object.entries(wanted).every(([key, one]) => (one instanceof RegExp ? one.test(error[key]) : error[key] === one));
}

test.ok = (right, why) => demand(right, String(why));
test.equal = (found, wanted) => demand(Object.is(found, wanted), `${found} for ${wanted}`);
test.match = (text, pattern) => demand(pattern.test(text), `${text} for ${pattern}`);
test.deepEqual = (found, wanted) => demand(written(found) === written(wanted), `${written(found)} for ${written(wanted)}`);
test.notDeepEqual = (found, wanted) => demand(written(found) !== written(wanted), written(found));
test.throws = (work, wanted) => {
  let error;
  try {
    work();
  } catch (thrown) {
    error = thrown;
  }
  demand(error !== undefined && fits(error, wanted), String(error));
};
test.rejects = async (promise, wanted) => {
  const error = await promise.then(() => undefined, (thrown) => thrown);
  demand(error !== undefined && fits(error, wanted), String(error));
};
test.readFileSync = get;
test.readdirSync = (path) => [...get(path).matchAll(/href="([\w-]+\.json)"/g)].map(([, name]) => name);
test.join = (...parts) => new URL(parts.join("/"), location.origin).pathname;
test.dirname = (path) => path.replace(/\/[^/]*$/, "");
export const fileURLToPath = (url) => new URL(url).pathname;
