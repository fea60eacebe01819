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
export function numberBytes(below: bigint): number {
  return [1, 2, 4].find((size) => below <= 1n << BigInt(8 * size)) ?? 8;
}

/** Bytes of one field. */
export function fieldBytes(field: Field): number {
  if (field.kind === "bits") return Math.ceil(field.count / 8);
  return numberBytes(field.below) * (field.kind === "row" ? field.count : 1);
}

/** Bytes of a payload: the same for every report of a survey. */
export function payloadBytes(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + fieldBytes(field), 0);
}

/** The payload of a report: its fields one after the other, numbers little-endian. */
export function writePayload(fields: readonly Field[], report: Report): Uint8Array {
  const bytes = new Uint8Array(payloadBytes(fields));
  let at = 0;
  fields.forEach((field, i) => {
    const items = [report[i]!].flat() as (number | bigint | Uint8Array)[];
    for (const item of items) {
      if (item instanceof Uint8Array) {
        bytes.set(item, at);
        at += item.length;
        continue;
      }
      const size = numberBytes((field as { below: bigint }).below);
      for (let k = 0; k < size; k++) bytes[at++] = Number((BigInt(item) >> BigInt(8 * k)) & 255n);
    }
  });
  return bytes;
}

/** A byte for every bit, packed. */
export function packBits(bits: ArrayLike<number>): Uint8Array {
  const packed = new Uint8Array(Math.ceil(bits.length / 8));
  for (let v = 0; v < bits.length; v++) packed[v >> 3]! |= bits[v]! << (v & 7);
  return packed;
}
