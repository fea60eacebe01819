// Reads all of MessagePack, as a collector must, to distinguish malformed bytes from values of another type.

/** Thrown for anything that is not MessagePack. */
export class Malformed extends Error {}

const MOST_DEPTH = 8;

/** One value and nothing after it: bigint, {text}, {bytes}, {array}, {map}, or {other}. */
export function readMsgpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;

  function take(count) {
    if (at + count > bytes.length) throw new Malformed("it breaks off");
    at += count;
    return at - count;
  }
  const size = (width) => {
    const from = take(width);
    return width === 1 ? view.getUint8(from) : width === 2 ? view.getUint16(from) : view.getUint32(from);
  };
  const raw = (count) => bytes.slice(take(count), at);
  const text = (count) => {
    try {
      return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw(count)) };
    } catch (error) {
      throw error instanceof Malformed ? error : new Malformed("not UTF-8");
    }
  };
  const other = (count) => {
    take(count);
    return { other: true };
  };

  function items(count, depth) {
    if (depth > MOST_DEPTH) throw new Malformed("too deep");
    if (count > bytes.length - at) throw new Malformed("it breaks off");
    return Array.from({ length: count }, () => value(depth));
  }
  const array = (count, depth) => ({ array: items(count, depth + 1) });
  const map = (count, depth) => ({ map: items(2 * count, depth + 1) });

  function value(depth) {
    const code = view.getUint8(take(1));
    if (code < 0x80) return BigInt(code);
    if (code < 0x90) return map(code & 15, depth);
    if (code < 0xa0) return array(code & 15, depth);
    if (code < 0xc0) return text(code & 31);
    if (code >= 0xe0) return BigInt(code - 256);
    switch (code) {
      case 0xc0: case 0xc2: case 0xc3: return { other: true };
      case 0xc4: return { bytes: raw(size(1)) };
      case 0xc5: return { bytes: raw(size(2)) };
      case 0xc6: return { bytes: raw(size(4)) };
      case 0xc7: return other(1 + size(1));
      case 0xc8: return other(1 + size(2));
      case 0xc9: return other(1 + size(4));
      case 0xca: return other(4);
      case 0xcb: return other(8);
      case 0xcc: return BigInt(view.getUint8(take(1)));
      case 0xcd: return BigInt(view.getUint16(take(2)));
      case 0xce: return BigInt(view.getUint32(take(4)));
      case 0xcf: return view.getBigUint64(take(8));
      case 0xd0: return BigInt(view.getInt8(take(1)));
      case 0xd1: return BigInt(view.getInt16(take(2)));
      case 0xd2: return BigInt(view.getInt32(take(4)));
      case 0xd3: return view.getBigInt64(take(8));
      case 0xd4: return other(2);
      case 0xd5: return other(3);
      case 0xd6: return other(5);
      case 0xd7: return other(9);
      case 0xd8: return other(17);
      case 0xd9: return text(size(1));
      case 0xda: return text(size(2));
      case 0xdb: return text(size(4));
      case 0xdc: return array(size(2), depth);
      case 0xdd: return array(size(4), depth);
      case 0xde: return map(size(2), depth);
      case 0xdf: return map(size(4), depth);
      default: throw new Malformed("a byte that means nothing");
    }
  }

  const found = value(0);
  if (at !== bytes.length) throw new Malformed("bytes after it");
  return found;
}
