/**
 * Small faults in the domain, as data.
 */

/** What a fault is about. Of the first four nine in ten have to be found by the property tests. */
export type Area =
  | "activation"
  | "recurrence"
  | "state"
  | "threshold"
  | "calendar"
  | "terms"
  | "reports"
  | "creation"
  | "deletion"
  | "lifecycle"
  | "pauses"
  | "replacements"
  | "stock"
  | "limits"
  | "operation"
  | "sessions"
  | "sign-in"
  | "polls"
  | "engine"

export interface Fault {
  /** The folder that the file's path begins at. */
  readonly folder: string
  readonly file: string
  readonly area: Area
  /** Of DESIGN.md's section 2. */
  readonly rule: string
  /** What is wrong, in the words of the rule. */
  readonly name: string
  /** The text that is right; it occurs exactly once in the file. */
  readonly right: string
  readonly wrong: string
  /** Why nothing can distinguish the wrong text from the right one; null where something has to. */
  readonly equivalent: string | null
  /**
   * The run of the engine's simulation that found it last, such as `plan 3`; null where none is
   * known.
   */
  readonly hint: string | null
}

/** What becomes of the right text. */
type Change = (right: string) => string

/** A piece of it is another one. */
export const instead =
  (piece: string, other: string): Change =>
  (right) =>
    right.replace(piece, () => other)

/** A piece of it is left out. */
export const without = (piece: string): Change => instead(piece, "")

export type Row = readonly [rule: string, name: string, right: string, wrong: string | Change, equivalent?: string]

export const faultsIn = (folder: string, file: string, area: Area, rows: ReadonlyArray<Row>): ReadonlyArray<Fault> =>
  rows.map(([rule, name, right, wrong, equivalent = null]) => ({
    folder,
    file,
    area,
    rule,
    name,
    right,
    wrong: typeof wrong === "string" ? wrong : wrong(right),
    equivalent,
    hint: null
  }))

/** Faults in the domain. */
export const faultsOf = (file: string, area: Area, rows: ReadonlyArray<Row>): ReadonlyArray<Fault> =>
  faultsIn("src/domain", file, area, rows)
