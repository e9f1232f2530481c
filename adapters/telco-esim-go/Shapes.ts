/**
 * The answers of eSIM Go (OpenAPI 2.5), and what the types of `AccountApi` make of them.
 *
 * The schemas have only what simplan needs. The documents are loose: prices are declared as
 * integers and are decimals in the examples, an ICCID is a number of 19 digits in one example, a
 * time is in milliseconds or a text, and lists come alone or in an object. So each number is read
 * as the text that stands in the body (`parse`), exactly, and then as what its field is.
 */
import { Option, Schema } from "effect"
import { ActivationCode, type Amount, Iccid, Time } from "simplan/ports"
import * as AccountApi from "./AccountApi.ts"
import * as Units from "./Units.ts"

/** A text of JSON, or a number outside of texts. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** The value that a body is, with each number as its text; undefined if it is no JSON. */
export const parse = (body: string): unknown => {
  try {
    const value: unknown = JSON.parse(body.replace(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)))
    return value
  } catch {
    return undefined
  }
}

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Text = optional(Schema.String)
const Flag = optional(Schema.Boolean)

/** A list of Go's, in which an empty one may be null. */
const list = <S extends Schema.Top>(schema: S) => optional(Schema.Array(schema))

/** The body of an error, and what `POST …/suspend` and `DELETE` answer. */
export const Message = Schema.Struct({ message: Text, status: Text })

const IccidText = Schema.String.check(
  Schema.makeFilter((text: string) => Iccid.parse(text) !== undefined || "is no ICCID")
)

const Esim = Schema.Struct({ iccid: IccidText, matchingId: Text, smdpAddress: Text })

const Item = Schema.Struct({
  type: Text,
  item: Text,
  quantity: Text,
  esims: list(Esim),
  iccids: list(IccidText)
})

/** `POST /orders`, and what `GET /orders` lists. The time has two names in OpenAPI 2.5. */
export const Order = Schema.Struct({
  order: list(Item),
  orderReference: Schema.String.check(Schema.isNonEmpty()),
  total: Text,
  currency: Text,
  status: Text,
  statusMessage: Text,
  createdDate: Text,
  createDate: Text
})

/** `POST /orders` with `type` `validate`. */
export const Quote = Schema.Struct({ total: Schema.String, currency: Schema.String, valid: Flag })

const Assignment = Schema.Struct({
  id: Schema.String,
  initialQuantity: Text,
  remainingQuantity: Text,
  assignmentDateTime: Text,
  assignmentReference: Text,
  bundleState: Text,
  startTime: Text,
  endTime: Text,
  unlimited: Flag
})

/** A bundle of `GET /esims/{iccid}/bundles`. */
export const Assignments = Schema.Struct({ name: Schema.String, assignments: list(Assignment) })

/** `GET /esims/{iccid}`. */
export const Details = Schema.Struct({
  ...Esim.fields,
  profileStatus: Text,
  firstInstalledDateTime: Text,
  state: Text
})

/** `GET /esims/{iccid}/suspend`. */
export const Suspension = Schema.Struct({ suspended: Schema.Boolean })

/** An entry of `GET /esims/{iccid}/history`; the name of the bundle has two names. */
export const Action = Schema.Struct({ name: Schema.String, bundleName: Text, bundle: Text, date: Text })

const Country = Schema.Struct({ iso: Text, name: Text })

/** A bundle of `GET /catalogue`. */
export const Bundle = Schema.Struct({
  name: Schema.String.check(Schema.isNonEmpty()),
  description: Text,
  countries: list(Schema.Union([Country, Schema.String])),
  dataAmount: Text,
  duration: Text,
  durationUnit: Text,
  speed: list(Schema.String),
  autostart: Flag,
  unlimited: Flag,
  price: Text
})

/** `GET /organisation`, alone (OpenAPI 2.5) or in `organisations`. */
export const Organisation = Schema.Struct({ balance: Schema.String, currency: Schema.String })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * The rows of a list that comes alone, in an object under the name, or as its only row (which has
 * the field `single`); null where Go has no rows. Undefined for anything else.
 */
export const rows = (value: unknown, name: string, single?: string): ReadonlyArray<unknown> | undefined => {
  if (value === null) return []
  if (Array.isArray(value)) return value
  if (!isObject(value)) return undefined
  if (name in value) return rows(value[name], name)
  return single !== undefined && single in value ? [value] : undefined
}

/** The instant of a time in milliseconds, or as a text; null for others. */
export const instantOf = (text: string | null | undefined): Time.Instant | null => {
  if (!text) return null
  if (/^\d{12,14}$/.test(text)) return Number(text) < Time.END_OF_TIME ? Number(text) : null
  return Time.fromIso(text) ?? null
}

/**
 * The activation code of an eSIM (rule I8), which the documents leave to be composed, with the
 * address as with and without `http://` in the examples; undefined if that makes none.
 */
export const lpaOf = ({
  matchingId,
  smdpAddress
}: Pick<AccountApi.Esim, "matchingId" | "smdpAddress">): string | undefined => {
  if (matchingId === null || matchingId === "" || smdpAddress === null) return undefined
  const host = smdpAddress
    .trim()
    .replace(/^[a-z]+:\/\//i, "")
    .replace(/\/.*$/, "")
  const code = `1$${host}$${matchingId.trim()}`
  return ActivationCode.parse(code) === undefined ? undefined : ActivationCode.canonical(code)
}

const esimFrom = ({ iccid, matchingId, smdpAddress }: typeof Esim.Type): AccountApi.Esim => ({
  iccid: Iccid.canonical(iccid),
  matchingId: matchingId ?? null,
  smdpAddress: smdpAddress ?? null
})

const itemFrom = ({ esims, iccids, item, quantity, type }: typeof Item.Type): AccountApi.Item => {
  const full = (esims ?? []).map(esimFrom)
  const bare = (iccids ?? []).map((iccid) => ({ iccid: Iccid.canonical(iccid), matchingId: null, smdpAddress: null }))
  return {
    type: type ?? "",
    name: item ?? "",
    quantity: quantity === null || quantity === undefined ? 1 : (Units.whole(quantity) ?? 1),
    esims: [...full, ...bare.filter(({ iccid }) => !full.some((one) => one.iccid === iccid))]
  }
}

export const orderFrom = (order: typeof Order.Type): AccountApi.Order => ({
  reference: order.orderReference,
  status: order.status ?? "",
  createdAt: instantOf(order.createdDate ?? order.createDate),
  items: (order.order ?? []).map(itemFrom),
  total: Units.amountOf(order.total, order.currency)
})

/** The state that a text is. */
export const stateOf = (text: string | null | undefined): AccountApi.State =>
  AccountApi.states.find((state) => state === text?.trim().toLowerCase()) ?? "other"

const bytes = (text: string | null | undefined): number | null => (text ? Units.whole(text) : null)

/**
 * An assignment's reference is that of its order, with `-` and an index behind it. That of an order
 * is a UUID, whose last part is longer than an index.
 */
export const orderOf = (assignmentReference: string): string => assignmentReference.replace(/-\d{1,4}$/, "")

export const assignmentsFrom = ({ assignments, name }: typeof Assignments.Type): ReadonlyArray<AccountApi.Assignment> =>
  (assignments ?? []).map((one) => ({
    name,
    assignmentId: one.id,
    order: one.assignmentReference ? orderOf(one.assignmentReference) : null,
    state: stateOf(one.bundleState),
    initialBytes: bytes(one.initialQuantity),
    remainingBytes: bytes(one.remainingQuantity),
    assignedAt: instantOf(one.assignmentDateTime),
    startedAt: instantOf(one.startTime),
    endsAt: instantOf(one.endTime),
    isUnlimited: one.unlimited ?? false
  }))

const simStates = ["active", "suspended", "deactivated"] as const

export const detailsFrom = (details: typeof Details.Type): AccountApi.Details => ({
  ...esimFrom(details),
  profileStatus: details.profileStatus ?? null,
  installedAt: instantOf(details.firstInstalledDateTime),
  state: simStates.find((state) => state === details.state?.toLowerCase()) ?? null
})

export const bundleFrom = (bundle: typeof Bundle.Type, currency: string): AccountApi.Bundle => {
  const amount = bytes(bundle.dataAmount)
  const duration = bytes(bundle.duration)
  const isMonths = bundle.durationUnit?.toLowerCase().startsWith("month") ?? false
  return {
    name: bundle.name,
    description: bundle.description ?? "",
    countries: (bundle.countries ?? []).flatMap((one) => (typeof one === "string" ? one : (one.iso ?? []))),
    dataBytes: bundle.unlimited === true || amount === null ? null : Units.bytesOf(amount),
    periodDays: isMonths ? null : duration,
    isUnlimited: bundle.unlimited ?? false,
    startsAtOnce: bundle.autostart ?? false,
    price: Units.amountOf(bundle.price, currency)
  }
}

export const balanceFrom = ({ balance, currency }: typeof Organisation.Type): Amount.Amount | null =>
  Units.amountOf(balance, currency)

export const quoteFrom = ({ currency, total }: typeof Quote.Type): Amount.Amount | null =>
  Units.amountOf(total, currency)

/** The value of a schema; undefined if it is none. */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((value: unknown) => S["Type"] | undefined) => {
  const decoder = Schema.decodeUnknownOption(schema)
  return (value) => Option.getOrUndefined(decoder(value))
}
