import { fromHex, utf8 } from "./bytes.js";
import { InvalidArgument, NotTrusted } from "./errors.js";
/** Refuse a survey that another key than the pinned one signed, or nobody. */
export function checkPublisher(survey, pinned) {
    if (!/^[0-9a-f]{64}$/.test(pinned))
        throw new InvalidArgument("publisher must be a public key of 64 hexadecimal digits in lower case");
    const { publisher } = survey;
    if (publisher === pinned)
        return;
    const found = publisher === "" ? "is not signed" : `was signed by the key ${publisher}`;
    throw new NotTrusted(`${survey} ${found}, not by ${pinned}, which was agreed to: it is not answered`);
}
/** Refuse a survey unless this is its publisher's signature (Ed25519), or where the platform cannot say so. */
export async function checkSignature(survey, signature) {
    const message = utf8(`sottovoce survey 1\n${survey.digest}\n`);
    if (!(await verify(fromHex(survey.publisher), fromHex(signature), message))) {
        throw new NotTrusted(`${survey} was not signed by the key ${survey.publisher}, or it was changed after it was signed: it is not answered`);
    }
}
async function verify(publisher, signature, message) {
    try {
        const { subtle } = crypto;
        const key = await subtle.importKey("raw", publisher, "Ed25519", false, ["verify"]);
        return await subtle.verify("Ed25519", key, signature, message);
    }
    catch (error) {
        throw new NotTrusted(`the signature cannot be checked here, so the survey is not answered: plain http and older browsers lack Ed25519 (${error})`);
    }
}
