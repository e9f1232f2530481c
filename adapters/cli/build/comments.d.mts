/** The text of a module without these comments of it, and without the lines that had nothing else. */
export declare const withoutComments: (
  text: string,
  comments: ReadonlyArray<{ readonly start: number; readonly end: number; readonly value: string }>
) => string

/** Rewrites all compiled files of a folder. */
export declare const leaveOut: (folder: string) => Promise<void>
