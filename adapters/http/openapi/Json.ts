/** JSON of an unknown shape, as the generator of the document gives it. */
export type Record = Readonly<globalThis.Record<string, unknown>>

export const isRecord = (value: unknown): value is Record =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The record, or an empty one. */
export const record = (value: unknown): Record => (isRecord(value) ? value : {})

/** The list, or an empty one. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The record with each of its values changed. */
export const mapValues = (of: unknown, change: (value: unknown, name: string) => unknown): Record =>
  Object.fromEntries(Object.entries(record(of)).map(([name, value]) => [name, change(value, name)]))
