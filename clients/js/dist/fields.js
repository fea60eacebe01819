/** A field of a number below a size. */
export function numberField(name, below) {
    return { kind: "number", name, below: BigInt(below) };
}
/** A field of `count` bits. */
export function bitsField(name, count) {
    return { kind: "bits", name, count };
}
/** A field of `count` numbers below a size. */
export function rowField(name, count, below) {
    return { kind: "row", name, count, below: BigInt(below) };
}
/** Bytes of a number below a size: the fewest of 1, 2, 4 and 8 that hold the largest one. */
export function numberBytes(below) {
    const most = below - 1n;
    return most < 1n << 8n ? 1 : most < 1n << 16n ? 2 : most < 1n << 32n ? 4 : 8;
}
/** Bytes of one field. */
export function fieldBytes(field) {
    switch (field.kind) {
        case "number": return numberBytes(field.below);
        case "bits": return Math.ceil(field.count / 8);
        case "row": return field.count * numberBytes(field.below);
    }
}
/** Bytes of a payload: the same for every report of a survey. */
export function payloadBytes(fields) {
    return fields.reduce((sum, field) => sum + fieldBytes(field), 0);
}
/** The payload of a report: its fields one after the other, numbers little-endian. */
export function writePayload(fields, report) {
    const bytes = new Uint8Array(payloadBytes(fields));
    const view = new DataView(bytes.buffer);
    let at = 0;
    const put = (value, size) => {
        if (size === 8)
            view.setBigUint64(at, BigInt(value), true);
        else if (size === 4)
            view.setUint32(at, Number(value), true);
        else if (size === 2)
            view.setUint16(at, Number(value), true);
        else
            view.setUint8(at, Number(value));
        at += size;
    };
    fields.forEach((field, i) => {
        const item = report[i];
        if (field.kind === "number")
            put(item, numberBytes(field.below));
        else if (field.kind === "row")
            for (const one of item)
                put(one, numberBytes(field.below));
        else {
            bytes.set(item, at);
            at += fieldBytes(field);
        }
    });
    return bytes;
}
