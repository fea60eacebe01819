/** A part of a report: a number below a size, packed bits, or a row of numbers below a size. */
export type Field =
  | { readonly kind: "number"; readonly name: string; readonly below: bigint }
  | { readonly kind: "bits"; readonly name: string; readonly count: number }
  | { readonly kind: "row"; readonly name: string; readonly count: number; readonly below: bigint };

/** What a mechanism reports, one item for each field. Bits come packed, bit v being bit v mod 8 of byte v div 8. */
export type Report = readonly (number | bigint | Uint8Array | readonly number[])[];

/** A field of a number below a size. */
export function numberField(name: string, below: number | bigint): Field {
  return { kind: "number", name, below: BigInt(below) };
}

/** A field of `count` bits. */
export function bitsField(name: string, count: number): Field {
  return { kind: "bits", name, count };
}

/** A field of `count` numbers below a size. */
export function rowField(name: string, count: number, below: number): Field {
  return { kind: "row", name, count, below: BigInt(below) };
}

/** Bytes of a number below a size: the fewest of 1, 2, 4 and 8 that hold the largest one. */
export function numberBytes(below: bigint): 1 | 2 | 4 | 8 {
  const most = below - 1n;
  return most < 1n << 8n ? 1 : most < 1n << 16n ? 2 : most < 1n << 32n ? 4 : 8;
}

/** Bytes of one field. */
export function fieldBytes(field: Field): number {
  switch (field.kind) {
    case "number": return numberBytes(field.below);
    case "bits": return Math.ceil(field.count / 8);
    case "row": return field.count * numberBytes(field.below);
  }
}

/** Bytes of a payload: the same for every report of a survey. */
export function payloadBytes(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + fieldBytes(field), 0);
}

/** The payload of a report: its fields one after the other, numbers little-endian. */
export function writePayload(fields: readonly Field[], report: Report): Uint8Array {
  const bytes = new Uint8Array(payloadBytes(fields));
  const view = new DataView(bytes.buffer);
  let at = 0;
  const put = (value: number | bigint, size: 1 | 2 | 4 | 8): void => {
    if (size === 8) view.setBigUint64(at, BigInt(value), true);
    else if (size === 4) view.setUint32(at, Number(value), true);
    else if (size === 2) view.setUint16(at, Number(value), true);
    else view.setUint8(at, Number(value));
    at += size;
  };
  fields.forEach((field, i) => {
    const item = report[i];
    if (field.kind === "number") put(item as number | bigint, numberBytes(field.below));
    else if (field.kind === "row") for (const one of item as readonly number[]) put(one, numberBytes(field.below));
    else {
      bytes.set(item as Uint8Array, at);
      at += fieldBytes(field);
    }
  });
  return bytes;
}
