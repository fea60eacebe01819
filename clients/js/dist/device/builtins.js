/** The environment's variables. */
export function environment() {
    return nodeProcess()?.env ?? {};
}
/** A module of Node's own, or undefined where there is none of that name. */
export function builtin(name) {
    return nodeProcess()?.getBuiltinModule?.(name);
}
function nodeProcess() {
    return globalThis.process;
}
