import "./mechanisms/withdelta.js";
import "./device/nodedefault.js";
export * from "./page.js";
export { ratioText } from "./certificate.js";
export { newId, systemWords } from "./words.js";
export { writeUpload, writeUploadJson } from "./upload.js";
export { isDay, windowDays, windowName } from "./windows.js";
export { fromHex } from "./bytes.js";
