/**
 * What changes if a catalogue is replaced: countries, operators and profiles that come, go, or
 * are others.
 */
import type * as Types from "./Types.ts"
import * as Words from "./Words.ts"

type File = Types.Data<"imports", "catalogue">

/** As it is answered, with all that a file may leave out. */
export type Catalogue = {
  readonly [Name in keyof File]-?: ReadonlyArray<Required<NonNullable<File[Name]>[number]>>
}

export interface Change {
  readonly kind: "country" | "operator" | "profile"
  readonly name: string
  readonly what: "comes" | "goes" | "changes"
  /** Of what changes, each field with both values. */
  readonly detail: string
  /** How many plans use what goes; absent of what stays or comes. */
  readonly plans?: number
}

/** How many plans of all organizations have a coverage profile. */
export type Use = Types.Item<"imports", "catalogueUses">

type Fields = Readonly<Record<string, string | ReadonlyArray<string>>>

const inWords = (
  name: string,
  before: string | ReadonlyArray<string>,
  after: string | ReadonlyArray<string>
): string => {
  const title = Words.spaced(name)
  if (typeof before === "string" || typeof after === "string") return `${title}: ${before} to ${after}`
  const [gone, come] = [before.filter((one) => !after.includes(one)), after.filter((one) => !before.includes(one))]
  return [
    `${title}:`,
    ...(come.length > 0 ? [`with ${come.join(", ")}`] : []),
    ...(gone.length > 0 ? [`without ${gone.join(", ")}`] : [])
  ].join(" ")
}

const isSame = (before: string | ReadonlyArray<string>, after: string | ReadonlyArray<string>): boolean =>
  typeof before === "string" || typeof after === "string"
    ? before === after
    : before.length === after.length && before.every((one) => after.includes(one))

const between = (before: Fields, after: Fields): string =>
  Object.keys(before)
    .flatMap((name) => {
      const [from = "", to = ""] = [before[name], after[name]]
      return isSame(from, to) ? [] : [inWords(name, from, to)]
    })
    .join("; ")

const ofKind = <Item extends object>(
  kind: Change["kind"],
  before: ReadonlyArray<Item>,
  after: ReadonlyArray<Item>,
  idOf: (item: Item) => string,
  nameOf: (item: Item) => string,
  fieldsOf: (item: Item) => Fields,
  plansOf: (item: Item) => number
): ReadonlyArray<Change> => {
  const [old, next] = [before, after].map((items) => new Map(items.map((item) => [idOf(item), item])))
  return [
    ...before.flatMap((item): ReadonlyArray<Change> => {
      const other = next?.get(idOf(item))
      if (other === undefined) return [{ kind, name: nameOf(item), what: "goes", detail: "", plans: plansOf(item) }]
      const detail = between(fieldsOf(item), fieldsOf(other))
      return detail === "" ? [] : [{ kind, name: nameOf(item), what: "changes", detail }]
    }),
    ...after.flatMap(
      (item): ReadonlyArray<Change> =>
        old?.has(idOf(item)) === true ? [] : [{ kind, name: nameOf(item), what: "comes", detail: "" }]
    )
  ]
}

/** All changes, kind by kind, with how many plans use what goes. */
export const of = (before: Catalogue, after: Catalogue, uses: ReadonlyArray<Use>): ReadonlyArray<Change> => {
  const profiles = new Map(before.profiles.map(({ coverage_id, iso2_list }) => [coverage_id, iso2_list]))
  const plansOf = (isOf: (use: Use, countries: ReadonlyArray<string>) => boolean): number =>
    uses
      .filter((use) => isOf(use, use.iso2_list ?? profiles.get(use.coverage_id) ?? []))
      .reduce((sum, { plans }) => sum + plans, 0)
  return [
    ...ofKind(
      "country",
      before.countries,
      after.countries,
      ({ iso2 }) => iso2,
      ({ iso2, name }) => `${name} (${iso2})`,
      ({ iso3, name }) => ({ iso3, name }),
      ({ iso2 }) => plansOf((_, countries) => countries.includes(iso2))
    ),
    ...ofKind(
      "operator",
      before.operators,
      after.operators,
      ({ operator_id }) => operator_id,
      ({ country, name }) => `${name} (${country})`,
      ({ country, labels, mcc_mnc, name, supported_rats }) => ({ name, country, supported_rats, mcc_mnc, labels }),
      ({ country, labels }) => plansOf(({ label }, countries) => countries.includes(country) && labels.includes(label))
    ),
    ...ofKind(
      "profile",
      before.profiles,
      after.profiles,
      ({ coverage_id }) => coverage_id,
      ({ label, region_name }) => `${region_name}, ${label}`,
      ({ iso2_list, label, region_code, region_name }) => ({ label, region_name, region_code, iso2_list }),
      ({ coverage_id }) => plansOf((use) => use.coverage_id === coverage_id)
    )
  ]
}
