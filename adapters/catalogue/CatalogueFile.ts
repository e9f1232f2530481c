/**
 * A custom catalogue as a file: the body of `PUT /catalogue` and the answer of `GET /catalogue`.
 * `complete` reads one, and `toFile` writes one that reads back as the same catalogue.
 */
import { Refusal } from "simplan"
import { type Catalogue, Id as Ids, Label, TextLimit } from "simplan/ports"
import { Effect, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import * as Defaults from "./Defaults.ts"

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
/** A UUID, in whatever letters (rule I13). */
const Id = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu, { expected: "a UUID" })
).pipe(Schema.decode({ decode: SchemaGetter.transform(Ids.canonical), encode: SchemaGetter.passthrough() }))
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

const Country = Schema.Struct({ iso2: Iso2, iso3: Iso3, name: Name })

const Operator = Schema.Struct({
  operator_id: Schema.optionalKey(Id),
  name: Name,
  country: Iso2,
  supported_rats: setOf(Rat, 1),
  mcc_mnc: setOf(MccMnc, 0),
  labels: setOf(Schema.Literals(Label.labels), 0)
})

const Profile = Schema.Struct({
  coverage_id: Schema.optionalKey(Id),
  label: Schema.Literals(Label.labels),
  region_name: Name,
  region_code: Name,
  iso2_list: setOf(Iso2, 1)
})

/** The refusal of a field, by its path in the file. */
const invalid = (path: ReadonlyArray<PropertyKey>, message: string): Refusal.InvalidField =>
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

/** The refusal of what stands at a path in the file. */
const refusalOf = (at: ReadonlyArray<PropertyKey>, issue: SchemaIssue.Issue): Refusal.InvalidField => {
  const [first] = format(issue).issues
  const path = [...at, ...(first?.path ?? []).map((key) => (typeof key === "object" ? key.key : key))]
  const message = (first?.message ?? "must be a catalogue").replace(/^Expected /, "must be ")
  return invalid(path.length === 0 ? ["catalogue"] : path, message)
}

const strictly = { onExcessProperty: "error" } as const

/** How many items of a file are looked at in one turn of the event loop: some milliseconds. */
const TURN = 500

/**
 * Decodes the items of a list of the file in turns of the event loop, up to the first that is
 * refused.
 */
const decoding = <A, B>(list: string, item: Schema.ConstraintDecoder<A>, of: (decoded: A) => B) => {
  const decode = Schema.decodeUnknownResult(item)
  return Effect.fnUntraced(function* (items: ReadonlyArray<unknown>) {
    const made: Array<B> = []
    for (const [index, one] of items.entries()) {
      if (index % TURN === TURN - 1) yield* Effect.yieldNow
      const decoded = Result.mapError(decode(one, strictly), ({ issue }) => refusalOf([list, index], issue))
      made.push(of(yield* Effect.fromResult(decoded)))
    }
    return made
  })
}

const List = Schema.Array(Schema.Unknown)

const decodeLists = Schema.decodeUnknownResult(
  Schema.Struct({ countries: Schema.optionalKey(List), operators: List, profiles: List })
)

/** The JSON of a catalogue's file; the names are the API's. */
export interface File {
  /** Those of ISO 3166 if it is left out. */
  readonly countries?: ReadonlyArray<typeof Country.Type>
  /** Each in one country; an id that is left out follows from the country and the name. */
  readonly operators: ReadonlyArray<typeof Operator.Type>
  /** Each of one label; an id that is left out follows from the label and the region's code. */
  readonly profiles: ReadonlyArray<typeof Profile.Type>
}

const operatorOf = ({ country, labels, mcc_mnc, name, operator_id, supported_rats }: typeof Operator.Type) => ({
  operatorId: operator_id ?? Defaults.operatorId(country, name),
  name,
  countryIso2: country,
  supportedRats: supported_rats,
  mccMnc: mcc_mnc,
  labels
})

const profileOf = ({ coverage_id, iso2_list, label, region_code, region_name }: typeof Profile.Type) => ({
  coverageId: coverage_id ?? Defaults.coverageId(label, region_code),
  label,
  regionName: region_name,
  regionCode: region_code,
  iso2List: iso2_list
})

const decodeCountries = decoding("countries", Country, (country) => country)
const decodeOperators = decoding("operators", Operator, operatorOf)
const decodeProfiles = decoding("profiles", Profile, profileOf)

/**
 * Checks a file and fills in its defaults: the countries of ISO 3166-1, operator ids by country and
 * name, and profile ids by label and region code. The answer of `GET /catalogue` is also a file,
 * with or without its envelope. A large file lets others have turns of the event loop.
 *
 * The failure names the first invalid field: a wrong value, an unknown country, a duplicate, or a
 * country in a profile without an operator of the profile's label.
 */
export const complete = Effect.fn("CatalogueFile.complete")(function* (file: unknown) {
  const lists = yield* Effect.fromResult(
    Result.mapError(decodeLists(unwrapped(file), strictly), ({ issue }) => refusalOf([], issue))
  )
  const catalogue: Catalogue.Catalogue = {
    countries: lists.countries === undefined ? Defaults.countries : yield* decodeCountries(lists.countries),
    operators: yield* decodeOperators(lists.operators),
    profiles: yield* decodeProfiles(lists.profiles)
  }
  const wrong = firstInconsistency(catalogue)
  return wrong === undefined ? catalogue : yield* wrong
})

/** The catalogue as a file. */
export const toFile = ({ countries, operators, profiles }: Catalogue.Catalogue): File => ({
  countries: countries.map(({ iso2, iso3, name }) => ({ iso2, iso3, name })),
  operators: operators.map((operator) => ({
    operator_id: operator.operatorId,
    name: operator.name,
    country: operator.countryIso2,
    supported_rats: operator.supportedRats,
    mcc_mnc: operator.mccMnc,
    labels: operator.labels
  })),
  profiles: profiles.map(({ coverageId, iso2List, label, regionCode, regionName }) => ({
    coverage_id: coverageId,
    label,
    region_name: regionName,
    region_code: regionCode,
    iso2_list: iso2List
  }))
})

const unwrapped = (file: unknown): unknown =>
  typeof file === "object" && file !== null && "data" in file && "error" in file ? file.data : file

const firstInconsistency = (catalogue: Catalogue.Catalogue): Refusal.InvalidField | undefined =>
  wrongCountry(catalogue) ?? wrongOperator(catalogue) ?? wrongProfile(catalogue)

/**
 * Refuses the first item whose key an earlier item has; `of` ends the sentence "must not be another
 * …".
 */
const duplicate = <A>(
  list: string,
  field: string,
  items: ReadonlyArray<A>,
  key: (item: A) => string,
  of: string
): Refusal.InvalidField | undefined => {
  const seen = new Set<string>()
  const index = items.findIndex((item) => seen.size === seen.add(key(item)).size)
  return index < 0 ? undefined : invalid([list, index, field], `must not be another ${of}`)
}

const wrongCountry = ({ countries }: Catalogue.Catalogue): Refusal.InvalidField | undefined =>
  duplicate("countries", "iso2", countries, ({ iso2 }) => iso2, "country's too") ??
  duplicate("countries", "iso3", countries, ({ iso3 }) => iso3, "country's too")

const wrongOperator = ({ countries, operators }: Catalogue.Catalogue): Refusal.InvalidField | undefined => {
  const known = new Set(countries.map(({ iso2 }) => iso2))
  const stray = operators.findIndex(({ countryIso2 }) => !known.has(countryIso2))
  if (stray >= 0) return invalid(["operators", stray, "country"], "must be the code of one of the countries")
  const name = ({ countryIso2, name }: Catalogue.Operator) => `${countryIso2}/${name}`
  return (
    duplicate("operators", "name", operators, name, "operator's of the country") ??
    duplicate("operators", "operator_id", operators, ({ operatorId }) => operatorId, "operator's too")
  )
}

const wrongProfile = ({ operators, profiles }: Catalogue.Catalogue): Refusal.InvalidField | undefined => {
  const served = new Set(
    operators.flatMap(({ countryIso2, labels }) => labels.map((label) => `${label}/${countryIso2}`))
  )
  for (const [index, { iso2List, label }] of profiles.entries()) {
    const at = iso2List.findIndex((iso2) => !served.has(`${label}/${iso2}`))
    if (at >= 0) {
      return invalid(["profiles", index, "iso2_list", at], `must have an operator of the label ${label}`)
    }
  }
  const code = ({ label, regionCode }: Catalogue.StandardProfile) => `${label}/${regionCode}`
  return (
    duplicate("profiles", "region_code", profiles, code, "profile's of the label") ??
    duplicate("profiles", "coverage_id", profiles, ({ coverageId }) => coverageId, "profile's too")
  )
}
