/** Bytes that SHAKE-256 takes in, and gives out, between two permutations. */
const RATE = 136;

/** Rotations of the 25 lanes, in the order in which the permutation visits them. */
const TURNS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44];
/** The lane that follows, in the same order. */
const LANES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1];
/** Constants of the 24 rounds: low and high halves. */
const [ROUND_LOW, ROUND_HIGH] = roundConstants();

/** Keccak's round constants, from its shift register. */
function roundConstants(): [Uint32Array, Uint32Array] {
  const low = new Uint32Array(24);
  const high = new Uint32Array(24);
  let register = 1;
  for (let round = 0; round < 24; round++) {
    for (let j = 0; j < 7; j++) {
      const place = (1 << j) - 1;
      if (register & 1) {
        if (place < 32) low[round]! ^= 1 << place;
        else high[round]! ^= 1 << (place - 32);
      }
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1;
    }
  }
  return [low, high];
}

/** Keccak-f[1600]: lane i is `state[2i]` (low half) and `state[2i + 1]` (high half). */
function permute(state: Int32Array): void {
  const column = new Int32Array(10);
  const row = new Int32Array(10);
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 10; x++) {
      column[x] = state[x]! ^ state[x + 10]! ^ state[x + 20]! ^ state[x + 30]! ^ state[x + 40]!;
    }
    for (let x = 0; x < 5; x++) {
      const before = 2 * ((x + 4) % 5);
      const after = 2 * ((x + 1) % 5);
      const low = column[before]! ^ ((column[after]! << 1) | (column[after + 1]! >>> 31));
      const high = column[before + 1]! ^ ((column[after + 1]! << 1) | (column[after]! >>> 31));
      for (let y = 0; y < 50; y += 10) {
        state[y + 2 * x]! ^= low;
        state[y + 2 * x + 1]! ^= high;
      }
    }
    let low = state[2]!;
    let high = state[3]!;
    for (let i = 0; i < 24; i++) {
      const lane = 2 * LANES[i]!;
      const keptLow = state[lane]!;
      const keptHigh = state[lane + 1]!;
      const turn = TURNS[i]!;
      const by = turn & 31;
      const [one, two] = turn < 32 ? [low, high] : [high, low];
      state[lane] = by === 0 ? one : (one << by) | (two >>> (32 - by));
      state[lane + 1] = by === 0 ? two : (two << by) | (one >>> (32 - by));
      low = keptLow;
      high = keptHigh;
    }
    for (let y = 0; y < 50; y += 10) {
      for (let x = 0; x < 10; x++) row[x] = state[y + x]!;
      for (let x = 0; x < 10; x++) state[y + x] = row[x]! ^ (~row[(x + 2) % 10]! & row[(x + 4) % 10]!);
    }
    state[0]! ^= ROUND_LOW[round]!;
    state[1]! ^= ROUND_HIGH[round]!;
  }
}

/** The first `length` bytes of SHAKE-256 of a message. */
export function shake256(message: Uint8Array, length: number): Uint8Array {
  const state = new Int32Array(50);
  const padded = new Uint8Array(message.length + RATE - (message.length % RATE));
  padded.set(message);
  padded[message.length]! ^= 0x1f;
  padded[padded.length - 1]! ^= 0x80;
  for (let at = 0; at < padded.length; at += RATE) {
    for (let i = 0; i < RATE; i++) state[i >> 2]! ^= padded[at + i]! << (8 * (i & 3));
    permute(state);
  }
  const out = new Uint8Array(length);
  for (let at = 0; at < length; at++) {
    const i = at % RATE;
    if (i === 0 && at > 0) permute(state);
    out[at] = state[i >> 2]! >>> (8 * (i & 3));
  }
  return out;
}
