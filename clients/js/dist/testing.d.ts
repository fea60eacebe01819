/** For tests of programs that use this package: nothing here keeps a promise to a person. */
export { MemoryLedger } from "./device/memoryledger.js";
