/** The text of a module without these comments of it, and without the lines that had nothing else. */
export declare const withoutComments: (
  text: string,
  comments: ReadonlyArray<{ readonly start: number; readonly end: number; readonly value: string }>
) => string

/** The names of the declarations that these ones lead to, themselves included. Throws where one of the named is missing. */
export declare const reachedFrom: (names: ReadonlyArray<string>, read: (name: string) => string) => ReadonlySet<string>
