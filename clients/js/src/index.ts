import "./mechanisms/withdelta.js";
import "./device/nodedefault.js";

export * from "./page.js";
export type { Change, Changing, Elapsed, Ledger, Log, Receipt, Row, State } from "./device/ledger.js";
export type { Kept, Memo, Memories } from "./device/memory.js";
export type { Limits } from "./device/budget.js";
export type { Explanation, Part } from "./device/explaining.js";
export type { Patience } from "./device/sending.js";
export type { Outside } from "./admit.js";
export { ratioText, type Certificate } from "./certificate.js";
export type { Fraction } from "./fraction.js";
export type { Mechanism } from "./mechanism.js";
export type { Field } from "./fields.js";
export type { Domain } from "./domain.js";
export { newId, systemWords, type Words } from "./words.js";
export { writeUpload, writeUploadJson, type ReportOut, type Upload } from "./upload.js";
export { isDay, windowDays, windowName, type WindowDays, type WindowKind } from "./windows.js";
export { fromHex } from "./bytes.js";
