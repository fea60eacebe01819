export { Survey } from "./survey.js";
export { Client } from "./device/client.js";
export { BrowserLedger } from "./device/browserledger.js";
export { ratioText } from "./certificate.js";
export { newId, systemWords } from "./words.js";
export { writeUpload, writeUploadJson } from "./upload.js";
export { isDay, windowDays, windowName } from "./windows.js";
export { fromHex, toHex } from "./bytes.js";
export { InvalidArgument, InvalidSurvey, InvalidValue, Mismatch, NoAnswer, NoLedger, NoRandomness, OverBudget, Refused, SottovoceError } from "./errors.js";
