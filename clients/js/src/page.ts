/** What a page needs: the bundle `dist/sottovoce.js` has these names. */
export { Survey, type FetchOptions, type ParseOptions, type SignedOptions } from "./survey.js";
export { Client, type ClientOptions } from "./device/client.js";
export { BrowserLedger } from "./device/browserledger.js";
export { toHex } from "./bytes.js";
export { InvalidArgument, InvalidSurvey, InvalidValue, Mismatch, NoAnswer, NoLedger, NoRandomness, NotTrusted, OverBudget, Refused, SottovoceError } from "./errors.js";
