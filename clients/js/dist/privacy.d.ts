import type { Certificate } from "./certificate.js";
/** What a certificate means, for the people asked, in the words of the library in Python. All figures are rounded up. */
export declare function privacyInWords({ ratio, scope }: Certificate): string;
