/**
 * Rows of an inventory import (rules I1, I7, I8 and W9). Each row is a SIM, perhaps with warnings,
 * or an error. An error in one row stops no other row.
 */
import { Record, Result } from "effect"
import * as ActivationCode from "./ActivationCode.ts"
import * as Iccid from "./Iccid.ts"
import { isLabel, type Label, labels } from "./Label.ts"
import * as SimIdentities from "./SimIdentities.ts"
import * as TextLimit from "./TextLimit.ts"

/** A SIM to import. Blanks around the texts are ignored. */
export interface SimRow extends SimIdentities.Unchecked {
  /** As it was sent, with or without a trailing `F` (rule I1). */
  readonly iccid: string
  /** As it was sent; one that is no label is an error of the row. */
  readonly label: string
  /** False: a physical SIM. */
  readonly isEsim: boolean
  /** The activation code (rule I8), up to 255 characters. Null or absent: none. */
  readonly lpa?: string | null
}

/** A row whose other columns could not be read; `problem` says why, and names the column. */
export interface UnreadableRow {
  /**
   * As far as it could be read; null if it is no text, but a number for one, which loses digits.
   */
  readonly iccid: string | null
  /** As far as it could be read. */
  readonly label: string
  /** A sentence for the one who imports. */
  readonly problem: string
}

/** A row of an import; its values are not checked yet. */
export type Row = SimRow | UnreadableRow

/** The texts that a row may leave out, with the names of their columns. */
export const columns = {
  lpa: "lpa",
  imsi: "imsi",
  msisdn: "msisdn",
  subscriberId: "subscriber_id"
} as const satisfies { readonly [Name in Exclude<keyof SimRow, "iccid" | "label" | "isEsim">]-?: string }

type Text = keyof typeof columns

const texts = Record.keys(columns)

/** Those columns, as a sentence has them. */
export const columnNames = texts
  .map((name) => columns[name])
  .join(", ")
  .replace(/, (\w+)$/, " and $1")

/** A row that can be imported. */
export interface Parsed extends SimIdentities.SimIdentities {
  /** Without a trailing `F` (rule I1). */
  readonly iccid: string
  /** The label of the plans that it takes. */
  readonly label: Label
  /** False: a physical SIM. */
  readonly isEsim: boolean
  /** Null: none. */
  readonly lpa: string | null
  /** Sentences about what is odd but taken, such as a wrong Luhn digit (rule I1). */
  readonly warnings: ReadonlyArray<string>
}

/**
 * The row of a record, with its texts as they came. A text of another type makes the row
 * unreadable, and so does an `isEsim` that is undefined; `nameOf` is what its sender calls a field.
 */
export const rowOf = (
  {
    iccid,
    isEsim,
    label
  }: { readonly [Name in "iccid" | "label"]: unknown } & { readonly isEsim: boolean | undefined },
  read: (name: Text) => unknown,
  nameOf: (name: Text | "isEsim") => string = (name) => name
): Row => {
  const named = { iccid: iccid ?? "", label: typeof label === "string" ? label : "" }
  const unreadable = (problem: string): Row => ({
    iccid: typeof named.iccid === "string" ? named.iccid : null,
    label: named.label,
    problem
  })
  if (typeof named.iccid !== "string") return unreadable("iccid must be text")
  if (isEsim === undefined) return unreadable(`${nameOf("isEsim")} must be true or false`)
  const found: { [Name in Text]?: string | null } = {}
  for (const name of texts) {
    const value = read(name) ?? null
    if (value !== null && typeof value !== "string") return unreadable(`${nameOf(name)} must be a string`)
    found[name] = value
  }
  return { iccid: named.iccid, label: named.label, isEsim, ...found }
}

/** Rules I1, I7 and I8: the SIM that a row describes, or what is wrong with the row. */
export const parse = (row: Row): Result.Result<Parsed, string> => {
  if ("problem" in row && row.iccid === null) return Result.fail(row.problem)
  const iccid = Iccid.parse(row.iccid ?? "")
  if (iccid === undefined) return Result.fail("iccid must have 18 to 20 digits")
  const label = row.label.trim()
  if (!isLabel(label)) return Result.fail(`label must be one of ${labels.join(", ")}`)
  if ("problem" in row) return Result.fail(row.problem)
  const { isEsim } = row
  const lpa = row.lpa?.trim() ? ActivationCode.canonical(row.lpa) : null
  if (lpa !== null && !TextLimit.isStorable(lpa)) return Result.fail("lpa must be plain text")
  if (lpa !== null && !TextLimit.isWithin(lpa, TextLimit.LPA)) {
    return Result.fail(`lpa ${TextLimit.message(TextLimit.LPA)}`)
  }
  if (!isEsim && lpa !== null) return Result.fail("lpa must be empty for a physical SIM")
  if (lpa !== null && ActivationCode.parse(lpa) === undefined) {
    return Result.fail(`lpa must be ${ActivationCode.expected}`)
  }
  const identities = SimIdentities.parse(row)
  if (Result.isFailure(identities)) return Result.fail(identities.failure)
  return Result.succeed({
    iccid,
    label,
    isEsim,
    lpa,
    ...identities.success,
    warnings: [
      ...(Iccid.hasLuhnDigit(iccid) ? [] : ["the last digit of the iccid is not its Luhn check digit"]),
      ...(isEsim && lpa === null ? ["an eSIM without an lpa cannot be downloaded"] : [])
    ]
  })
}

/**
 * The ICCID by which messages name a row: one that is none as it was sent, at most 40 characters.
 */
export const name = ({ iccid }: Pick<Row, "iccid">): string => Iccid.canonical(iccid ?? "").slice(0, 40)
