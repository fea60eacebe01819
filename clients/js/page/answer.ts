import { make } from "./dom.js";
import { Interview } from "./asking.js";
import { TEXTS } from "./texts.js";

/** Tokens as a collector issues them. */
const TOKEN = /^#[\w-]{43}$/;

/** The token after `#`, which leaves the address bar and the history, and is kept nowhere. */
function takeToken(): string | undefined {
  const { hash, pathname, search } = location;
  if (!TOKEN.test(hash)) return undefined;
  history.replaceState(null, "", pathname + search);
  return hash.slice(1);
}

/** The code of a refusal that the collector knew when it sent the page. */
function refusedBy({ closed, tokens }: DOMStringMap, token: string | undefined): { refused?: string } {
  if (closed !== undefined) return { refused: "survey-closed" };
  return tokens !== undefined && token === undefined ? { refused: "not-allowed" } : {};
}

const place = document.getElementById("ask")!;
const token = takeToken();
const interview = new Interview(place, "h2", {
  url: location.origin + location.pathname.replace(/\/answer$/, ""),
  plainHttp: true, // the page itself came from there
  options: token === undefined ? {} : { token },
  ...refusedBy(place.dataset, token),
});

if (!isSecureContext) place.before(make("p", { class: "warning" }, TEXTS.insecure));
onhashchange = () => TOKEN.test(location.hash) && location.reload(); // another link, opened in this tab
ononline = () => interview.resend();
void interview.begin();
