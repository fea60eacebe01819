/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUND = constants(64, 3);
/** The same of the square roots of the first eight. */
const START = constants(8, 2);

/** `floor(2^32 * p^(1/root)) mod 2^32` of the first primes, in integers. */
function constants(count: number, root: 2 | 3): Uint32Array {
  const words = new Uint32Array(count);
  for (let found = 0, p = 2; found < count; p++) {
    let prime = true;
    for (let q = 2; q * q <= p; q++) if (p % q === 0) prime = false;
    if (!prime) continue;
    const target = BigInt(p) << BigInt(32 * root);
    let low = 0n;
    for (let bit = 1n << 37n; bit > 0n; bit >>= 1n) {
      const tried = low + bit;
      if ((root === 2 ? tried * tried : tried * tried * tried) <= target) low = tried;
    }
    words[found++] = Number(low & 0xffffffffn);
  }
  return words;
}

/** SHA-256 of some bytes: 32 bytes, computed at once and without WebCrypto, which plain HTTP pages lack. */
export function sha256(message: Uint8Array): Uint8Array {
  const state = Uint32Array.from(START);
  const schedule = new Int32Array(64);
  const whole = message.length - (message.length % 64);
  for (let at = 0; at < whole; at += 64) block(state, schedule, message, at);

  const rest = message.length - whole;
  const last = new Uint8Array(rest < 56 ? 64 : 128);
  last.set(message.subarray(whole));
  last[rest] = 0x80;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(last.length - 4, (message.length << 3) >>> 0);
  for (let at = 0; at < last.length; at += 64) block(state, schedule, last, at);

  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) out.setUint32(4 * i, state[i]!);
  return digest;
}

/** One block of 64 bytes into the state. */
function block(state: Uint32Array, w: Int32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const j = at + 4 * i;
    w[i] = (bytes[j]! << 24) | (bytes[j + 1]! << 16) | (bytes[j + 2]! << 8) | bytes[j + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const large = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + small + w[i - 7]! + large) | 0;
  }
  let a = state[0]! | 0;
  let b = state[1]! | 0;
  let c = state[2]! | 0;
  let d = state[3]! | 0;
  let e = state[4]! | 0;
  let f = state[5]! | 0;
  let g = state[6]! | 0;
  let h = state[7]! | 0;
  for (let i = 0; i < 64; i++) {
    const up = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + up + ((e & f) ^ (~e & g)) + ROUND[i]! + w[i]!) | 0;
    const down = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (down + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
