/** What to ask: the seconds for the whole exchange, and the most bytes of an answer that are read. */
export interface Request {
    readonly seconds: number;
    readonly most: number;
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: Uint8Array;
}
/** What came back, of whatever status. */
export interface Answer {
    readonly status: number;
    readonly headers: Headers;
    readonly body: Uint8Array;
}
/** One request and its whole answer, or `NoAnswer`. No redirection is followed, no cookie sent, nothing kept in a cache. */
export declare function exchange(url: string, { seconds, most, method, headers, body }: Request): Promise<Answer>;
/** The object of JSON that an answer holds; an empty one where it holds anything else, such as a page of a gateway. */
export declare function readObject(answer: Answer): Record<string, unknown>;
/** An address that a path can be added to; unencrypted only on this machine, unless `plainHttp` allows it. */
export declare function checkUrl(url: string, plainHttp: boolean): string;
