/**
 * Flags and arguments that several commands share: ids, files, instants, the organization that a
 * command of the management API is about, and the filters of a list, or of a bulk action. Names,
 * values and descriptions of filters come from the query, or the body, that the API's definition
 * gives it, so that a new parameter of the API is a new flag.
 */
import { Effect, type Option, Record, Schema, SchemaAST } from "effect"
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

/** The flag of a command that can be tried out. */
export const dryRun = (description: string) =>
  Flag.Boolean("dry-run").pipe(Flag.withDescription(description), Flag.withDefault(false))

const fromHere = (path: string): string => {
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

/** Flags that are shorter than the names of their parameters. */
const short: Readonly<Record<string, string>> = {
  country_iso_2: "country",
  is_esim: "esim",
  organization_id: "org",
  resource_id: "resource",
  search_query: "search",
  webhook_endpoint_id: "endpoint"
}

/** Parameters that are no filters: `Lists` has the flags for them. */
const ofPages = new Set(["page", "page_size"])

const BOOLEANS = ["true", "false"]

const isId = (parameter: string): boolean => /_id$|^(actor|iccid)$/.test(parameter)

/**
 * The values of a parameter that has only some. A list takes any text as a label, and has nothing
 * of an unknown one.
 */
const choices = (parameter: string, ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (parameter === "label") return Label.labels
  if (ast._tag === "Boolean") return BOOLEANS
  if (ast._tag !== "Union") return []
  return ast.types.flatMap((one) => (one._tag === "Literal" && typeof one.literal === "string" ? [one.literal] : []))
}

const flag = (parameter: string, ast: SchemaAST.AST): Flag.Flag<Option.Option<string>> => {
  const name = short[parameter] ?? parameter.replaceAll("_", "-")
  const description = String(ast.context?.annotations?.["description"] ?? "").replaceAll("`", "")
  if (SchemaAST.resolveAt("isInstant")(ast) === true) return instant(name, description)
  if (isId(parameter)) return optionalId(name, description)
  const values = choices(parameter, ast)
  const text: Flag.Flag<string> = values.length === 0 ? Flag.String(name) : Flag.Literals(name, values)
  return text.pipe(Flag.withMetavar(`<${name}>`), Flag.withDescription(description), Flag.optional)
}

const typesOf = (ast: SchemaAST.AST): ReadonlyArray<readonly [parameter: string, type: SchemaAST.AST]> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name, type }) => [String(name), type]) : []

const flagsOf = (
  ast: SchemaAST.AST,
  leftOut: ReadonlySet<string>
): Readonly<Record<string, Flag.Flag<Option.Option<string>>>> =>
  Object.fromEntries(
    typesOf(ast)
      .filter(([parameter]) => !leftOut.has(parameter))
      .map(([parameter, type]) => [parameter, flag(parameter, type)])
  )

/** An endpoint with a query, as the API's definition has it. */
interface Endpoint<Query extends Schema.Top> {
  readonly "~Query": Query
  readonly query: Schema.Top | undefined
}

/** What the parser has made of the flags, by parameter. */
type Given = Readonly<Record<string, Option.Option<string>>>

function decode<Query extends Schema.Top>(
  endpoint: Endpoint<Query>,
  values: object
): Effect.Effect<Query["Type"], Schema.SchemaError>
function decode({ query = Schema.Struct({}) }: Endpoint<Schema.Top>, values: object) {
  return Schema.decodeUnknownEffect(query)(values)
}

/** The flags of the filters of an endpoint, and how the query is read from them. */
export const of = <Query extends Schema.Top>(endpoint: Endpoint<Query>) => ({
  flags: { filter: flagsOf((endpoint.query ?? Schema.Struct({})).ast, ofPages) },
  /** The query that the flags make; the parameters of pages are not in it. */
  read: ({ filter }: { readonly filter: Given }) =>
    Effect.mapError(decode(endpoint, Record.getSomes(filter)), Calls.malformed)
})

/** An endpoint with a body, as the API's definition has it. */
interface Posting<Body extends Schema.Constraint> {
  readonly "~Payload": Body
  readonly payload: HttpApiEndpoint.PayloadMap
}

const bodyOf = (endpoint: Pick<Posting<Schema.Constraint>, "payload">): Schema.Top =>
  endpoint.payload.get("application/json")?.schemas[0] ?? Schema.Struct({})

function decodeBody<Body extends Schema.Constraint>(
  endpoint: Posting<Body>,
  values: object
): Effect.Effect<Body["Type"], Schema.SchemaError>
function decodeBody(endpoint: Posting<Schema.Top>, values: object) {
  return Schema.decodeUnknownEffect(bodyOf(endpoint))(values)
}

/**
 * The flags of the fields of an endpoint's body but for some, and how the body is read from them
 * and these.
 */
export const ofBody = <Body extends Schema.Constraint>(endpoint: Posting<Body>, leftOut: ReadonlyArray<string>) => {
  const { ast } = bodyOf(endpoint)
  const booleans = new Set(typesOf(ast).flatMap(([name, type]) => (type._tag === "Boolean" ? [name] : [])))
  return {
    flags: { filter: flagsOf(ast, new Set(leftOut)) },
    read: ({ filter }: { readonly filter: Given }, others: object) => {
      const given = Record.map(Record.getSomes(filter), (text, name) => (booleans.has(name) ? text === "true" : text))
      return Effect.mapError(decodeBody(endpoint, { ...given, ...others }), Calls.malformed)
    }
  }
}
