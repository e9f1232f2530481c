/**
 * Requests for custom regions (rule I4), over country codes of the caller's catalogue.
 */
import * as fc from "fast-check"
import { type Label, labels } from "../../domain/Label.ts"

/** A custom region as a client asks for it, without the organization. */
export interface Wanted {
  /** May have spaces around it, which the service trims. */
  readonly regionName: string
  /** Drawn from all labels, also where no operator of a listed country has it. */
  readonly label: Label
  /** ISO 3166 alpha-2 codes as a client types them: in either case, with spaces around them, and repeated. */
  readonly iso2List: ReadonlyArray<string>
}

/** A code as somebody may type it. */
const typed = (code: string): fc.Arbitrary<string> => fc.constantFrom(code, code.toLowerCase(), ` ${code}`, `${code} `)

const regionName = fc.oneof(
  fc.constantFrom("Nordics", " Nordics ", "Benelux", "東南アジア"),
  fc.string({ minLength: 1 }).filter((name) => name.trim() !== "")
)

/** Well-formed requests over these countries; a code may come twice, and in any case. */
export const valid = (iso2Codes: ReadonlyArray<string>): fc.Arbitrary<Wanted> =>
  fc.record({
    regionName,
    label: fc.constantFrom(...labels),
    iso2List: fc.array(fc.constantFrom(...iso2Codes).chain(typed), {
      minLength: 1,
      maxLength: 6
    })
  })

/** Requests that are wrong in one way, with the field that must be named. */
export const invalid = (
  iso2Codes: ReadonlyArray<string>
): fc.Arbitrary<{ readonly wanted: Wanted; readonly field: string }> =>
  fc.oneof(
    fc.tuple(valid(iso2Codes), fc.constantFrom("", " ", "\n")).map(([wanted, regionName]) => ({
      wanted: { ...wanted, regionName },
      field: "regionName"
    })),
    fc.tuple(valid(iso2Codes), fc.constantFrom("", "S", "SWE", "S1", "ß", "5E")).map(([wanted, code]) => ({
      wanted: { ...wanted, iso2List: [...wanted.iso2List, code] },
      field: "iso2List"
    })),
    valid(iso2Codes).map((wanted) => ({
      wanted: { ...wanted, iso2List: [] },
      field: "iso2List"
    }))
  )
