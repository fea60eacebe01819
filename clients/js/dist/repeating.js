import { writeDecimal } from "./decimal.js";
import { windowIndex } from "./windows.js";
/** Keys of version 3 and 4. */
export const REPEATING = ["ask", "changes", "period"];
const ASK = /^1(?:\/(?:[2-9]|[1-9][0-9]{1,2}|1000))?$/;
/** Read the rules of version 3 and 4, or take those of version 2, and refuse what does not fit the survey. */
export function readRepeating(found, { mechanism, window, opens, closes }) {
    const version = found.whole("survey", 2, 4);
    const again = version > 2;
    const ask = again ? found.text("ask") : "1";
    const [changes, period] = again ? [found.whole("changes", 0, 1000), found.whole("period", 0, 10000)] : [0, 0];
    found.require(ASK.test(ask), "ask", "1, or 1/W with W from 2 to 1000");
    found.require(version !== 3 || ask !== "1" || changes + period > 0, "survey", "2 where ask is 1, and changes and period are 0");
    const { memory } = mechanism;
    const repeats = window !== "once";
    const windows = period > 0 ? period : repeats && opens !== "" && closes !== "" ? windowIndex(window, closes) - windowIndex(window, opens) + 1 : undefined;
    found.require(ask === "1" || (repeats && memory === undefined), "ask", "1 where the window is once, or devices remember");
    if (memory === undefined) {
        found.require(changes + period === 0, "changes", "0, and period too, unless the mechanism is memoized");
    }
    else {
        found.require(repeats, "window", "day, week or month where devices remember");
        found.require(period !== 1, "period", "0, or at least 2");
        found.require(changes === 0 || changes < (windows ?? 0), "changes", "0, or below the number of windows that memory lasts");
    }
    const cost = memory === undefined ? mechanism.epsilon.text : writeDecimal(memory.cost(changes + 1, windows));
    return { ask, cohorts: Number(ask.slice(2)) || 1, changes, period, cost };
}
