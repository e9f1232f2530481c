/**
 * The schema of the catalogue's file: the body of `PUT /catalogue`, and the answer of `GET /catalogue`.
 */
import { Refusal } from "simplan"
import { Label, TextLimit } from "simplan/ports"
import { Result, Schema, SchemaIssue } from "effect"

const Iso2 = Schema.String.check(
  Schema.isPattern(/^[A-Z]{2}$/u, { expected: "an ISO 2-letter country code in upper case" })
)
const Iso3 = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, { expected: "an ISO 3-letter country code in upper case" })
)
const Name = Schema.String.check(
  Schema.makeFilter((name: string) => TextLimit.isWithin(name, TextLimit.NAME), {
    message: TextLimit.message(TextLimit.NAME)
  }).abort(),
  Schema.isPattern(/^(?!\s)[^\p{Cc}\p{Cs}]+(?<!\s)$/u, { expected: "a name without spaces around it" })
)
const Id = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u, { expected: "a UUID in lower case" })
)
const Rat = Schema.String.check(Schema.isPattern(/^[2-5]G$/u, { expected: "2G, 3G, 4G or 5G" }))
const MccMnc = Schema.String.check(Schema.isPattern(/^\d{3}-\d{2,3}$/u, { expected: "a code of the form <mcc>-<mnc>" }))

/** A list without duplicates, with at least `least` members. */
const setOf = <S extends Schema.Top & { readonly Type: string }>(member: S, least: 0 | 1) =>
  Schema.Array(member).check(
    Schema.makeFilter((members) => members.length >= least, { expected: "a list that is not empty" }),
    Schema.makeFilter((members) => new Set<string>(members).size === members.length, {
      expected: "a list without duplicates"
    })
  )

export const Country = Schema.Struct({ iso2: Iso2, iso3: Iso3, name: Name })

export const Operator = Schema.Struct({
  operator_id: Schema.optionalKey(Id),
  name: Name,
  country: Iso2,
  supported_rats: setOf(Rat, 1),
  mcc_mnc: setOf(MccMnc, 0),
  labels: setOf(Schema.Literals(Label.labels), 0)
})

export const Profile = Schema.Struct({
  coverage_id: Schema.optionalKey(Id),
  label: Schema.Literals(Label.labels),
  region_name: Name,
  region_code: Name,
  iso2_list: setOf(Iso2, 1)
})

/** The JSON of a catalogue's file; the names are the API's. */
export const File = Schema.Struct({
  countries: Schema.optionalKey(Schema.Array(Country)),
  operators: Schema.Array(Operator),
  profiles: Schema.Array(Profile)
})

/** A catalogue's file, decoded. */
export type File = typeof File.Type

const decodeFile = Schema.decodeUnknownResult(File)

/** The refusal of a field, by its path in the file. */
export const invalid = (path: ReadonlyArray<PropertyKey>, message: string): Refusal.InvalidField =>
  new Refusal.InvalidField({
    field: path
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
      .join("")
      .replace(/^\./, ""),
    message
  })

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "must be given"
    if (issue._tag === "UnexpectedKey") return "is not a field of the catalogue"
    return SchemaIssue.defaultLeafHook(issue)
  }
})

/** Decodes a file; the failure names the first invalid field. */
export const decode = (file: unknown): Result.Result<File, Refusal.InvalidField> =>
  Result.mapError(decodeFile(file, { onExcessProperty: "error" }), ({ issue }) => {
    const [first] = format(issue).issues
    const path = (first?.path ?? []).map((key) => (typeof key === "object" ? key.key : key))
    const message = (first?.message ?? "must be a catalogue").replace(/^Expected /, "must be ")
    return path.length === 0 ? invalid(["catalogue"], message) : invalid(path, message)
  })
