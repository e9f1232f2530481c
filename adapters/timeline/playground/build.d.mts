/** Writes the playground into a file; gives its size in bytes. */
export declare const buildPlayground: (path: string) => Promise<number>
