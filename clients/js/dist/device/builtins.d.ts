/** The parts of Node that a ledger needs, asked for at run time so that browsers can load the same files. */
interface Builtins {
    "node:fs": {
        existsSync(path: string): boolean;
        mkdirSync(path: string, options: {
            recursive: boolean;
            mode: number;
        }): void;
        openSync(path: string, flags: string, mode?: number): number;
        fsyncSync(file: number): void;
        closeSync(file: number): void;
        linkSync(from: string, to: string): void;
        rmSync(path: string, options: {
            force: boolean;
        }): void;
        chmodSync(path: string, mode: number): void;
        statSync(path: string): {
            size: number;
        };
        readFileSync(path: string, encoding: string): string;
    };
    "node:os": {
        homedir(): string;
        uptime(): number;
    };
    "node:path": {
        join(...parts: string[]): string;
        dirname(path: string): string;
    };
    "node:sqlite": {
        DatabaseSync: new (path: string) => Database;
    };
}
/** A connection of `node:sqlite`. */
export interface Database {
    exec(sql: string): void;
    prepare(sql: string): {
        all(): Record<string, unknown>[];
        run(...values: unknown[]): unknown;
    };
    close(): void;
}
/** The environment's variables. */
export declare function environment(): Record<string, string | undefined>;
/** A module of Node's own, or undefined where there is none of that name. */
export declare function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined;
export {};
