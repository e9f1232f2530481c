/**
 * Flags and arguments: those that several commands share, and those of an operation. Names, values
 * and descriptions of these come from the path, the query and the body that the API's definition
 * gives it, so that a new parameter of the API is a new flag.
 */
import { Effect, Option, Schema, SchemaAST } from "effect"
import { Flag, Argument } from "effect/cli"
import type { HttpApiEndpoint } from "effect/http-api"
import { Label, TextLimit, Time } from "simplan/ports"
import * as Calls from "../client/Calls.ts"
import { Fields } from "../../fields/index.ts"
import { isAbsolute, relative } from "node:path"
import * as Connection from "../client/Connection.ts"

// The path of a request ends at an empty id, and is another one with a dot or two.
const isOneId = (id: string): boolean => !/^\.{0,2}$/.test(id) && TextLimit.isWithin(id, TextLimit.ID)

/** An argument with an id or an ICCID, in whatever way it is written (rules I1 and I13). */
export const id = (description: string, name = "ID") =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filter(isOneId, () => "an id"),
    Argument.map(Fields.resource)
  )

/** An optional flag with an id. */
export const optionalId = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<id>"),
    Flag.withDescription(description),
    Flag.filter(isOneId, () => "an id"),
    Flag.map(Fields.resource),
    Flag.optional
  )

/** An optional flag with an instant (rule W8). */
export const instant = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<instant>"),
    Flag.withDescription(description),
    Flag.filter(
      (text) => Time.fromIso(text) !== undefined,
      () => "an instant with a zone, such as 2026-01-31T12:00:00Z"
    ),
    Flag.optional
  )

/** An argument with a text. */
const text = (description: string, name: string) => Argument.String(name).pipe(Argument.withDescription(description))

/** The flag of a command that can be tried out. */
export const dryRun = (description: string) =>
  Flag.Boolean("dry-run").pipe(Flag.withDescription(description), Flag.withDefault(false))

/** A path as it is named from the directory that the command runs in. */
export const fromHere = (path: string): string => {
  const short = relative("", path)
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short
}

/** An argument with a file, which shells complete. */
export const file = (description: string) =>
  Argument.Path("FILE").pipe(Argument.withDescription(description), Argument.map(fromHere))

/** The flags of every command that is about an organization. */
export const organization = {
  org: optionalId("org", "Id of the organization; may be left out where there is only one"),
  ...Connection.flags
}

/** Flags that are shorter than the names of their fields. */
const short: Readonly<Record<string, string>> = {
  country_iso_2: "country",
  coverage_id: "coverage",
  data_MBs: "MB",
  is_esim: "esim",
  lpa_string: "lpa",
  organization_id: "org",
  period_days: "days",
  resource_id: "resource",
  search_query: "search",
  tags: "tag",
  url: "to",
  webhook_endpoint_id: "endpoint"
}

/** Other names of the flags of fields. */
const aliases: Readonly<Record<string, string>> = { expires_at: "expires", organization_id: "organization" }

/** What the flag of all does. */
export const ALL = "All of them; has to be given if nothing else says which"

/** Fields that are true if their flags are given, with what these do. */
const switches: Readonly<Record<string, string>> = {
  all: ALL,
  dry_run: "Show what it would do, and do nothing",
  force: "Do not ask the telco what it lists on a SIM that will be free",
  install: "Show the links that install eSIMs"
}

/** Fields that are no filters: `Lists` and `Calls.inParts` have the values. */
const ofPages = new Set(["after", "page", "page_size"])

const BOOLEANS = ["true", "false"]

const isId = (field: string): boolean => /_id$|^(actor|iccid|id)$/.test(field)

/**
 * The values of a field that has only some. A list takes any text as a label, and has nothing of an
 * unknown one.
 */
const choices = (field: string, ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (field === "label") return Label.labels
  if (ast._tag === "Boolean") return BOOLEANS
  if (ast._tag !== "Union") return []
  return ast.types.flatMap((one) => (one._tag === "Literal" && typeof one.literal === "string" ? [one.literal] : []))
}

/** The type of a value that may be null, which no flag gives. */
const valueOf = (ast: SchemaAST.AST): SchemaAST.AST => {
  const [value, ...others] = ast._tag === "Union" ? ast.types.filter(({ _tag }) => _tag !== "Null") : []
  return value === undefined || others.length > 0 ? ast : value
}

const meaningOf = (ast: SchemaAST.AST): string =>
  String(ast.context?.annotations?.["description"] ?? "").replaceAll("`", "")

/**
 * The value that a text is, by the type or the example of its field: the text itself if it can be.
 */
const valueFrom = (type: SchemaAST.AST) => {
  const ast = valueOf(type)
  const { examples: [example] = [] } = type.context?.annotations ?? {}
  const scalar = (text: string): unknown =>
    typeof (Array.isArray(example) ? example[0] : example) === "number" ? Number(text) : text
  return (text: string): unknown => {
    if (ast._tag === "Boolean") return text === "true"
    if (text === "" && ast !== type) return null
    return ast._tag === "Arrays" ? text.split(",").flatMap((part) => (part === "" ? [] : [scalar(part)])) : scalar(text)
  }
}

/** The flag of a field; its value is none if it is not given. */
export type OfField = Flag.Flag<Option.Option<unknown>>

const flag = (field: string, type: SchemaAST.AST, hasPreset: boolean): OfField => {
  const name = short[field] ?? field.replaceAll("_", "-")
  const ast = valueOf(type)
  const isInstant = SchemaAST.resolveAt("isInstant")(ast) === true
  const isNamed = isInstant || isId(field)
  const meaning = meaningOf(type).replace(/\bnull\b/, isNamed ? "left out" : "empty")
  const toValue = valueFrom(type)
  const does = switches[field]
  if (does !== undefined) {
    const isGiven = Flag.Boolean(name).pipe(Flag.withDescription(does), Flag.withDefault(false))
    return Flag.map(isGiven, (given) => (given ? Option.some(toValue("true")) : Option.none()))
  }
  if (isNamed) {
    const made = isInstant ? instant(name, meaning) : optionalId(name, meaning)
    return aliases[field] === undefined ? made : Flag.withAlias(made, aliases[field])
  }
  const values = choices(field, ast)
  const given: Flag.Flag<string> = values.length === 0 ? Flag.String(name) : Flag.Literals(name, values)
  const value = Flag.map(given.pipe(Flag.withMetavar(`<${name}>`), Flag.withDescription(meaning)), toValue)
  if (ast._tag === "Arrays") {
    // A list may be given in parts.
    const parts = Flag.atLeast(value, hasPreset || type.context?.isOptional === true ? 0 : 1)
    return Flag.map(parts, ([one, ...others]) =>
      one === undefined ? Option.none() : Option.some(others.length === 0 ? one : [one, ...others].flat())
    )
  }
  return hasPreset || type.context?.isOptional === true ? Flag.optional(value) : Flag.map(value, Option.some)
}

type Field = readonly [name: string, type: SchemaAST.AST]

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<Field> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name, type }) => [String(name), type]) : []

const isObject = (type: SchemaAST.AST): boolean => valueOf(type)._tag === "Objects"

/** The fields, and those of an object in its place. */
const leaves = (ast: SchemaAST.AST): ReadonlyArray<Field> =>
  fieldsOf(ast).flatMap((field) => (isObject(field[1]) ? leaves(valueOf(field[1])) : [field]))

/** Values by the names of fields. */
type Values = Readonly<Record<string, unknown>>

/** The object that has these values; undefined if it has none of them. */
const objectOf = (ast: SchemaAST.AST, values: Values): Values | undefined => {
  const fieldOf = ([name, type]: Field) =>
    [name, isObject(type) ? objectOf(valueOf(type), values) : values[name]] as const
  const set = fieldsOf(ast)
    .map(fieldOf)
    .filter(([, value]) => value !== undefined)
  return set.length === 0 ? undefined : Object.fromEntries(set)
}

function decode(schema: Schema.Top, values: object): Effect.Effect<Values, Schema.SchemaError>
function decode(schema: Schema.Top, values: object) {
  return Schema.decodeUnknownEffect(schema)(values)
}

/** What a command takes otherwise than its operation. */
export interface Otherwise {
  /** Fields that are given without a flag, by the names of their arguments. */
  readonly named?: Readonly<Record<string, string>>
  /** Flags instead of those that follow from the definition. */
  readonly flags?: Readonly<Record<string, OfField>>
  /** What is sent of fields whose flags are not given. */
  readonly presets?: Values
  /** What is sent of fields that have no flags; undefined: nothing. */
  readonly fixed?: Values
}

/** An endpoint, as the API's definition has it. */
export interface Endpoint {
  readonly path: string
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: HttpApiEndpoint.PayloadMap
}

/** Whether the operation is one of the management API about an organization. */
export const isOfOrganization = ({ path }: Pick<Endpoint, "path">): boolean => path.includes("/organizations/:id/")

/** The flags and arguments of an operation, and how its query and its body are read from them. */
export const of = (endpoint: Endpoint, { fixed = {}, flags = {}, named = {}, presets = {} }: Otherwise = {}) => {
  const [body, query] = [endpoint.payload.get("application/json")?.schemas[0], endpoint.query ?? Schema.Struct({})]
  const asked = ({ ast }: Schema.Top) => leaves(ast).filter(([name]) => !ofPages.has(name) && !(name in fixed))
  const fields = [...(body === undefined ? [] : asked(body)), ...asked(query)]
  const inPath = endpoint.params === undefined ? [] : asked(endpoint.params)
  const argument = ([name, type]: Field) => {
    const shown = named[name] ?? (name === "iccid" ? "ICCID" : "ID")
    return [name, isId(name) ? id(meaningOf(type), shown) : text(meaningOf(type), shown)] as const
  }
  return {
    ids: Object.fromEntries(inPath.filter(([name]) => name !== "id" || !isOfOrganization(endpoint)).map(argument)),
    others: Object.fromEntries(fields.filter(([name]) => name in named).map(argument)),
    flags: Object.fromEntries(
      fields
        .filter(([name]) => !(name in named))
        .map(([name, type]) => [name, flags[name] ?? flag(name, type, name in presets)])
    ),
    isPaged: fieldsOf(query.ast).some(([name]) => name === "page_size"),
    read: (given: Values) => {
      const values = { ...presets, ...given, ...fixed }
      const read = (schema: Schema.Top) => decode(schema, objectOf(schema.ast, values) ?? {})
      return Effect.mapError(
        Effect.all({ query: read(query), payload: body === undefined ? Effect.undefined : read(body) }),
        Calls.malformed
      )
    }
  }
}
