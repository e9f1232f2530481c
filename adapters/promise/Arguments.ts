/**
 * Arguments of methods, checked by schemas (rules W8 and W9): an unknown field, a wrong type and a
 * text over its limit are each an `InvalidFieldError` that names the method, the field, what it
 * must be, and what it is.
 *
 * Values of other realms are taken. Jest and `node:vm` run a host's modules in a realm of their
 * own, where `structuredClone` and Node's modules make values of classes that `instanceof` does not
 * know.
 */
import { Result, Schema, SchemaGetter } from "effect"
import { Time } from "simplan"
import { TextLimit, type Version as Rules } from "simplan/ports"
import type { View } from "simplan/views"
import { inspect, types } from "node:util"
import { Fields, Messages, TimeSpan as Span } from "../fields/index.ts"
import * as Errors from "./errors/Errors.ts"
import type { TimeSpan as HostTimeSpan } from "./types/Calls.ts"

/** How much of a value a message shows, in characters. */
const SHOWN = 60

/** A value as messages show it: on one line, and cut off. */
export const shown = (value: unknown): string => {
  const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxStringLength: SHOWN })
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`
}

/** The error of a field. `value` is shown unless it is left out. */
export const invalid = (method: string, field: string, message: string, ...value: [] | [unknown]) =>
  new Errors.InvalidFieldError({
    code: "invalid_field",
    status: 400,
    field,
    message: `${method}: ${field} ${message}${value.length === 0 ? "" : `, not ${shown(value[0])}`}`
  })

/** The value at a path such as `reports[2].iccid`; nothing if there is none. */
const at = (request: unknown, field: string): [] | [unknown] => {
  let value: unknown = request
  for (const key of field.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return []
    value = Object.getOwnPropertyDescriptor(value, key)?.value
  }
  return value === undefined ? [] : [value]
}

/** The error of a field of this request. */
export const invalidIn = (method: string, request: unknown, field: string, message: string) =>
  // A message about several fields, or about a field that may not be there, names no value.
  /; |^is |^has |^must not be empty/.test(message)
    ? invalid(method, field, message)
    : invalid(method, field, message, ...at(request, field))

/**
 * Makes a function that checks a method's request, and throws an `InvalidFieldError` if it is
 * wrong. `whole` is what messages call the request itself.
 */
export const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, whole = "the request") => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "first", onExcessProperty: "error" })
  return (method: string, request: unknown): S["Type"] => {
    const decoded = decode(request)
    if (Result.isSuccess(decoded)) return decoded.success
    const { field, message } = Messages.toRefusal(decoded.failure.issue, whole)
    throw invalidIn(method, request, field, message)
  }
}

/** A text by which a request names something, which is taken as it is. */
export const Text = Fields.storable(TextLimit.ID)

/** An id by which a request names something, in any letters (rule I13). */
export const Id = Fields.asId(Text)

/** An ICCID, in whatever way it is written (rule I1). */
export const Iccid = Fields.asIccid(Fields.UndecodedIccid.check(Fields.isStorable))

/** An id, or an ICCID. */
export const Resource = Fields.asResource(Text)

/** A name. The domain refuses an empty one. */
export const Name = Fields.storable(TextLimit.NAME)

/** Why something is changed, in the words of the caller. */
export const Why = Fields.storable(TextLimit.REASON)

/** What somebody looks for (rule L1). */
export const Search = Fields.storable(TextLimit.NAME)

/** What every request about an organization has. */
export const ofOrganization = { organizationId: Id }

/** The version that an edit is of (rule W16). */
export const Version = Schema.optional(Fields.integer(0, Number.MAX_SAFE_INTEGER))

/** The versions that an edit may find. */
export const versions = (ifVersion: number | undefined): Rules.Expected =>
  ifVersion === undefined ? undefined : [ifVersion]

const INSTANT = "must be a valid Date, or RFC 3339 text with a zone, such as 2026-01-31T12:00:00Z"

const isInstant = (value: unknown): value is Date | string =>
  typeof value === "string"
    ? Time.fromIso(value) !== undefined
    : types.isDate(value) && value.getTime() >= Time.START_OF_TIME && value.getTime() < Time.END_OF_TIME

/** An instant: a `Date` or RFC 3339 text, between the years 0 and 9999. */
export const Instant = Schema.declare(isInstant, { message: INSTANT })

/** The instant that a host has given. */
export const toInstant = (value: Date | string): Time.Instant =>
  typeof value === "string" ? (Time.fromIso(value) ?? Number.NaN) : value.getTime()

const InstantOfDomain = Instant.pipe(
  Schema.decodeTo(Schema.Number, {
    decode: SchemaGetter.transform(toInstant),
    encode: SchemaGetter.transform((instant: number) => new Date(instant))
  })
)

const schemaOf = (form: View.Form): Schema.Codec<unknown, unknown> => {
  switch (form._tag) {
    case "Text":
      return Text
    case "Token":
      return Schema.String
    case "Id":
      return Id
    case "Iccid":
      return Iccid
    case "Resource":
      return Resource
    case "Label":
      return AnyLabel
    case "Limited":
      return Fields.storable(form.limit)
    case "Instant":
    case "UnixSeconds":
      return InstantOfDomain
    case "Json":
      return Schema.Record(Schema.String, Schema.Unknown)
    case "Boolean":
      return Flag
    case "Number":
      return Schema.Number
    case "Integer":
      return Fields.integer(form.minimum, form.maximum)
    case "OneOf":
      return Fields.oneOf(form.values)
    case "NullOr":
      return Schema.NullOr(schemaOf(form.of))
    case "List":
      return form.most === null ? Schema.Array(schemaOf(form.of)) : Fields.list(schemaOf(form.of), form.most)
    case "Nested":
      return structOf(form.view)
  }
}

const structOf = ({ fields }: View.View): Schema.Codec<unknown, unknown> => {
  const named = Object.entries(fields).map(([name, field]) => {
    const schema = schemaOf(field.kind.form)
    return [name, field.isOptional ? Schema.optional(schema) : schema]
  })
  const made: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = Object.fromEntries(named)
  return Schema.Struct(made)
}

/**
 * What makes a request the domain's: presets for what it leaves out, and the names that are others
 * there.
 */
const completing = (fields: View.AnyFields) => {
  const presets = Object.entries(fields).flatMap(([name, { from = name, preset }]) =>
    preset === undefined ? [] : [[from, preset]]
  )
  return (request: unknown): unknown => {
    const given = Object.entries(Object(request))
    const sent = given.flatMap(([name, value]) => (value === undefined ? [] : [[fields[name]?.from ?? name, value]]))
    return Object.fromEntries([...presets, ...sent])
  }
}

type Checked = (method: string, request: unknown) => unknown

// Methods are made anew for each transaction of a host, and their views stay the same.
const made = new WeakMap<View.View, Checked>()

const checkedBy = (view: View.View): Checked => {
  const known = made.get(view)
  if (known !== undefined) return known
  const decode = decoder(structOf(view))
  const complete = completing(view.fields)
  const checked: Checked = (method, request) => complete(decode(method, request))
  made.set(view, checked)
  return checked
}

/**
 * Makes a function that checks a method's request by its view, and gives the domain's form of it.
 */
export function ofView<Fields extends View.AnyFields>(
  view: View.View<Fields>
): (method: string, request: unknown) => View.Domain<Fields>
export function ofView(view: View.View): Checked {
  return (method, request) => checkedBy(view)(method, request)
}

/** The instant that a host has given; null if it has given none. */
export const toInstantOrNull = (value: Date | string | null | undefined): Time.Instant | null =>
  value === undefined || value === null ? null : toInstant(value)

/** The instant as the host gets it. */
export const toDate = (instant: Time.Instant): Date => new Date(instant)

/** The instant as the host gets it; null if there is none. */
export const toDateOrNull = (instant: Time.Instant | null): Date | null => (instant === null ? null : new Date(instant))

/** A label. */
export const AnyLabel = Fields.Label

/** True or false. */
export const Flag = Schema.Boolean.annotate({ message: "must be true or false" })

/** What a length of time must be. */
export const TIME_SPAN_MESSAGE = 'must be a number of milliseconds that is not negative, or a text such as "20 seconds"'

/** Milliseconds; undefined if it is no length of time that is finite and not negative. */
export const millis = (value: unknown): number | undefined => {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : undefined
  return typeof value === "string" ? Span.millis(value) : undefined
}

/** Whether it is a length of time. */
const isTimeSpan = (value: unknown): value is HostTimeSpan => millis(value) !== undefined

const isSignal = (value: unknown): value is AbortSignal =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "aborted") === "boolean" &&
  typeof Reflect.get(value, "addEventListener") === "function"

/** An `AbortSignal`. */
export const Signal = Schema.declare(isSignal, { message: "must be an AbortSignal" })

/** Whether it is a URL. */
export const isUrl = (value: unknown): value is URL =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "href") === "string" &&
  Reflect.get(value, "searchParams") !== undefined

/** A length of time: milliseconds, or a number with a unit. */
export const TimeSpan = Schema.declare(isTimeSpan, { message: TIME_SPAN_MESSAGE })
