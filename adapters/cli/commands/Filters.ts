/**
 * The filters of a list as flags. Their names, values and descriptions come from the query that the API's definition gives the
 * list, so that a new parameter of the API is a new flag.
 */
import { Effect, type Option, Record, Schema, SchemaAST } from "effect"
import { Flag } from "effect/cli"
import { Label } from "simplan/ports"
import * as Calls from "../client/Calls.ts"
import * as Flags from "./Flags.ts"

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

const isId = (parameter: string): boolean => /_id$|^(actor|iccid)$/.test(parameter)

/** The values of a parameter that has only some. A list takes any text as a label, and has nothing of an unknown one. */
const choices = (parameter: string, ast: SchemaAST.AST): ReadonlyArray<string> => {
  if (parameter === "label") return Label.labels
  if (ast._tag !== "Union") return []
  return ast.types.flatMap((one) => (one._tag === "Literal" && typeof one.literal === "string" ? [one.literal] : []))
}

const flag = (parameter: string, ast: SchemaAST.AST): Flag.Flag<Option.Option<string>> => {
  const name = short[parameter] ?? parameter.replaceAll("_", "-")
  const description = String(ast.context?.annotations?.["description"] ?? "").replaceAll("`", "")
  if (SchemaAST.resolveAt("isInstant")(ast) === true) return Flags.instant(name, description)
  if (isId(parameter)) return Flags.optionalId(name, description)
  const values = choices(parameter, ast)
  const text: Flag.Flag<string> = values.length === 0 ? Flag.String(name) : Flag.Literals(name, values)
  return text.pipe(Flag.withMetavar(`<${name}>`), Flag.withDescription(description), Flag.optional)
}

const flagsOf = (ast: SchemaAST.AST): Readonly<Record<string, Flag.Flag<Option.Option<string>>>> =>
  ast._tag === "Objects"
    ? Object.fromEntries(
        ast.propertySignatures
          .map(({ name, type }) => [String(name), type] as const)
          .filter(([parameter]) => !ofPages.has(parameter))
          .map(([parameter, type]) => [parameter, flag(parameter, type)])
      )
    : {}

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
  flags: { filter: flagsOf((endpoint.query ?? Schema.Struct({})).ast) },
  /** The query that the flags make; the parameters of pages are not in it. */
  read: ({ filter }: { readonly filter: Given }) =>
    Effect.mapError(decode(endpoint, Record.getSomes(filter)), Calls.malformed)
})
