import { concatBytes } from "../bytes.js";
import { InvalidArgument, NoAnswer } from "../errors.js";
/** One request and its whole answer, or `NoAnswer`. No redirection is followed, no cookie sent, nothing kept in a cache. */
export async function exchange(url, { seconds, most, method = "GET", headers = {}, body }) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 1000 * seconds);
    try {
        const response = await fetch(url, {
            method, headers, redirect: "manual", credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
            signal: controller.signal, body: body ?? null,
        });
        return { status: response.status, headers: response.headers, body: await readBody(response, most) };
    }
    catch (error) {
        throw error instanceof NoAnswer ? error : new NoAnswer("the collector did not answer");
    }
    finally {
        clearTimeout(timer);
        controller.abort(); // what is left of an answer that was too long
    }
}
async function readBody(response, most) {
    const reader = response.body?.getReader();
    const pieces = [];
    for (let length = 0; reader !== undefined;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        length += value.length;
        if (length > most)
            throw new NoAnswer(`the answer is longer than ${most} bytes`);
        pieces.push(value);
    }
    return concatBytes(pieces);
}
/** The object of JSON that an answer holds; an empty one where it holds anything else, such as a page of a gateway. */
export function readObject(answer) {
    try {
        const value = JSON.parse(new TextDecoder().decode(answer.body));
        return typeof value === "object" && value !== null ? value : {};
    }
    catch {
        return {};
    }
}
/** An address that a path can be added to; unencrypted only on this machine, unless `plainHttp` allows it. */
export function checkUrl(url, plainHttp) {
    const parts = /^(https?):\/\/([\w.-]+|\[[\w:]+\])(:\d+)?(\/[!-~]*)?$/.exec(url);
    if (parts === null || /[?#]/.test(url))
        throw new InvalidArgument("url must be an address such as https://collector.example");
    if (parts[1] === "http" && !["localhost", "127.0.0.1", "[::1]"].includes(parts[2]) && !plainHttp) {
        throw new InvalidArgument("url must be https, or on this machine: plainHttp: true lets anyone on the network path read who sends what");
    }
    return url.replace(/\/+$/, "");
}
