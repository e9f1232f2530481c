/** See `HeavyReads.mjs`. */

export interface Filled {
  readonly organizationId: string
  readonly sums: number
  readonly endpoints: number
  /** In ms since 1970. */
  readonly now: number
}

export const fill: (of: Filled) => ReadonlyArray<string>

export interface HeavyRead {
  readonly name: string
  readonly holder: "key" | "operator"
  readonly path: string
  readonly connections: number
}

export const reads: (of: {
  readonly organizationId: string
  readonly iccid: string
  readonly now: number
}) => ReadonlyArray<HeavyRead>
