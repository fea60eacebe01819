/** What a page needs: the bundle `dist/sottovoce.js` has these names. */
export { Survey } from "./survey.js";
export { Client } from "./device/client.js";
export { BrowserLedger } from "./device/browserledger.js";
export { toHex } from "./bytes.js";
export { InvalidArgument, InvalidSurvey, InvalidValue, Mismatch, NoAnswer, NoLedger, NoRandomness, NotTrusted, OverBudget, Refused, SottovoceError } from "./errors.js";
