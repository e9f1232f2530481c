/**
 * Rows of an inventory import (rule I1). Each row is a SIM, perhaps with warnings, or an error. An error in one row stops
 * no other row.
 */
import { Result } from "effect"
import * as Iccid from "./Iccid.ts"
import { isLabel, type Label, labels } from "./Label.ts"

/** A row as it was sent; nothing in it is checked yet. */
export interface Row {
  readonly iccid: unknown
  readonly label: unknown
  readonly isEsim: unknown
  readonly lpa?: unknown
}

export interface Parsed {
  readonly iccid: string
  readonly label: Label
  readonly isEsim: boolean
  readonly lpa: string | null
  readonly warnings: ReadonlyArray<string>
}

const yes = new Set(["true", "1", "yes"])
const no = new Set(["false", "0", "no"])

const flag = (value: unknown): boolean | undefined => {
  if (typeof value !== "string" && typeof value !== "boolean" && typeof value !== "number") return undefined
  const text = String(value).trim().toLowerCase()
  return yes.has(text) ? true : no.has(text) ? false : undefined
}

/** Rule I1: the SIM that a row describes, or what is wrong with the row. */
export const parse = (row: Row): Result.Result<Parsed, string> => {
  const iccid = typeof row.iccid === "string" ? Iccid.parse(row.iccid) : undefined
  if (iccid === undefined) return Result.fail("iccid must have 18 to 20 digits")
  const label = typeof row.label === "string" ? row.label.trim() : ""
  if (!isLabel(label)) return Result.fail(`label must be one of ${labels.join(", ")}`)
  const isEsim = flag(row.isEsim)
  if (isEsim === undefined) return Result.fail("is_esim must be true or false")
  if (row.lpa !== undefined && row.lpa !== null && typeof row.lpa !== "string") {
    return Result.fail("lpa must be a string")
  }
  const lpa = row.lpa?.trim() ? row.lpa.trim() : null
  if (lpa !== null && (lpa.includes("\u0000") || !isWellFormed(lpa))) return Result.fail("lpa must be plain text")
  if (!isEsim && lpa !== null) return Result.fail("lpa must be empty for a physical SIM")
  return Result.succeed({
    iccid,
    label,
    isEsim,
    lpa,
    warnings: [
      ...(Iccid.hasLuhnDigit(iccid) ? [] : ["the last digit of the iccid is not its Luhn check digit"]),
      ...(isEsim && lpa === null ? ["an eSIM without an lpa cannot be downloaded"] : [])
    ]
  })
}

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/** The ICCID by which messages name a row: as it was sent, at most 40 characters. */
export const name = (row: Row): string => (typeof row.iccid === "string" ? row.iccid.slice(0, 40) : "")
