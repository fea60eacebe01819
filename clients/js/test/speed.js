// Times of costly surveys, for `benchmarks/javascript.py`: milliseconds of processor time, as JSON on standard output.
import { Survey, systemWords } from "../dist/index.js";
import { COSTLY } from "./costly.js";

/** Milliseconds of processor time of this process: a busy machine changes them less than the clock. */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** One survey in a fresh process: reading it, the first report and the second; null where it is refused. */
function times([text, value]) {
  const bytes = text.length;
  const start = now();
  let read;
  try {
    read = Survey.parse(text);
  } catch (error) {
    return { bytes, read: now() - start, refused: error.message };
  }
  const parsed = now();
  read.randomize(value, systemWords());
  const first = now();
  read.randomize(value, systemWords());
  return { bytes, read: parsed - start, first: first - parsed, second: now() - first };
}

const [name] = process.argv.slice(2);
if (name === undefined) console.log(JSON.stringify(Object.keys(COSTLY)));
else console.log(JSON.stringify({ ...times(COSTLY[name]()), peak: process.resourceUsage().maxRSS * 1024 }));
