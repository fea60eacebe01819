/** Whether a whole number is a prime, by trial division: numbers here are below 2^22 or so. */
export function isPrime(n: number): boolean {
  if (n < 2 || (n > 2 && n % 2 === 0)) return false;
  for (let q = 3; q * q <= n; q += 2) if (n % q === 0) return false;
  return true;
}

/** The first prime at or above a number. */
export function primeFrom(n: number): number {
  let p = Math.max(n, 2);
  while (!isPrime(p)) p++;
  return p;
}
