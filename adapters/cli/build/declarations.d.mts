/** The names of the declarations that these ones lead to, themselves included. Throws where one of the named is missing. */
export declare const reachedFrom: (names: ReadonlyArray<string>, read: (name: string) => string) => ReadonlySet<string>
