/** `e^(-x^2)` for x from 0 on, without the error that squaring a double would have. */
function bell(x) {
    const head = Math.fround(x);
    return Math.exp(-head * head) * Math.exp(-(x - head) * (x + head));
}
/** The complementary error function for x from 0 on, right to about 1e-15 of its value. */
function erfc(x) {
    if (x < 1) {
        let term = x;
        let sum = x;
        for (let i = 1; Math.abs(term) > 1e-18 * sum; i++) {
            term *= (2 * x * x) / (2 * i + 1);
            sum += term;
        }
        return 1 - (2 / Math.sqrt(Math.PI)) * bell(x) * sum;
    }
    // The continued fraction x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...))), from its far end.
    let tail = x;
    for (let i = Math.ceil(60 + 200 / x); i > 0; i--)
        tail = x + i / 2 / tail;
    return bell(x) / (Math.sqrt(Math.PI) * tail);
}
/** The normal distribution function. */
export function normal(x) {
    const upper = erfc(Math.abs(x) / Math.SQRT2) / 2;
    return x < 0 ? upper : 1 - upper;
}
/** Its inverse: by bisection of the double's range, then Newton's steps on the logarithm. */
export function normalInverse(p) {
    if (!(p > 0))
        return -Infinity;
    if (p >= 1)
        return Infinity;
    if (p > 0.5)
        return -normalInverse(1 - p);
    const target = Math.log(p);
    let x = -Math.sqrt(-2 * target + 1e-300);
    for (let i = 0; i < 60; i++) {
        const value = normal(x);
        const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
        // d/dx log(normal(x)) = density / value: log(normal) is concave, so steps do not overshoot from below.
        const step = ((Math.log(value) - target) * value) / density;
        x -= step;
        if (!(Math.abs(step) > 1e-15 * Math.abs(x)))
            break;
    }
    return x;
}
