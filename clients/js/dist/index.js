export { Survey } from "./survey.js";
export { ratioText } from "./certificate.js";
export { newId, systemWords } from "./words.js";
export { writeUpload, writeUploadJson } from "./upload.js";
export { isDay, windowDays, windowName } from "./windows.js";
export { fromHex, toHex } from "./bytes.js";
export { InvalidArgument, InvalidSurvey, InvalidValue, NoRandomness, SottovoceError } from "./errors.js";
