/**
 * Query parameters: their values, after the endpoint's schema has accepted their texts; page
 * tokens, which are opaque to callers; and names that a request has and its endpoint does not.
 *
 * A page token that this service cannot have made is refused here, before any storage sees it. The
 * management API refuses unknown names, of query parameters and of fields of a body, so that a
 * mistake of an operator does not go unnoticed.
 */
import { Effect, Result, SchemaAST } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { Time } from "simplan"
import type { Storage } from "simplan/ports"
import { Fields, Messages } from "../../fields/index.ts"
import * as Errors from "./Errors.ts"

/** The longest part of an unknown name that a message shows. */
const SHOWN = 64

/** Null: any name is known, or the schema is of no object. */
const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> | null =>
  ast._tag === "Objects" && ast.indexSignatures.length === 0
    ? ast.propertySignatures.map(({ name }) => String(name))
    : null

/** Whose names they are: `query parameter` of the `route`, or `field` of the `body`. */
interface Kind {
  readonly name: string
  readonly of: string
}

/**
 * What refuses the first of some names that the schema does not have, with the one that was likely
 * meant.
 */
export const unknownNames = (
  { ast }: { readonly ast: SchemaAST.AST },
  kind: Kind
): ((given: object) => Errors.Problem | undefined) => {
  const names = namesOf(SchemaAST.toEncoded(ast))
  if (names === null) return () => undefined
  const all = names.length === 0 ? `the ${kind.of} has none` : `the ${kind.of} has ${names.join(", ")}`
  return (given) => {
    const stranger = Object.keys(given).find((name) => !names.includes(name))
    if (stranger === undefined) return undefined
    const meant = Messages.nearest(stranger, names)
    const hint = meant === undefined ? all : `did you mean ${meant}?`
    return Errors.invalidField(stranger.slice(0, SHOWN) || '""', `is not a known ${kind.name}; ${hint}`)
  }
}

const badToken: Result.Result<never, Errors.Problem> = Result.fail(
  Errors.invalidField("page", "must be a token that next_page gave")
)

const decoded = (token: string): string | undefined => {
  const text = Result.getOrUndefined(Base64Url.decodeString(token))
  return text !== undefined && Fields.textProblem(text) === undefined && Base64Url.encode(text) === token
    ? text
    : undefined
}

/** The token of a position in a list ordered by creation. */
export const createdToken = (cursor: Storage.CreatedCursor | null): string | null =>
  cursor === null ? null : Base64Url.encode(`${cursor.createdAt}:${cursor.id}`)

/** The position that a token of `createdToken` stands for; null without a token. */
export const createdCursor = (
  token: string | undefined
): Result.Result<Storage.CreatedCursor | null, Errors.Problem> => {
  if (token === undefined) return Result.succeed(null)
  const match = /^(-?\d{1,15}):([\x21-\x7e]{1,200})$/.exec(decoded(token) ?? "")
  const [, createdAt, id] = match ?? []
  return createdAt === undefined || id === undefined ? badToken : Result.succeed({ createdAt: Number(createdAt), id })
}

/** The token of a position in a list ordered by import sequence. */
export const importSequenceToken = (importSequence: number | null): string | null =>
  importSequence === null ? null : Base64Url.encode(String(importSequence))

/** The position that a token of `importSequenceToken` stands for; null without a token. */
export const importSequenceCursor = (token: string | undefined): Result.Result<number | null, Errors.Problem> => {
  if (token === undefined) return Result.succeed(null)
  const match = /^\d{1,15}$/.exec(decoded(token) ?? "")
  return match === null ? badToken : Result.succeed(Number(match[0]))
}

/** Refuses a query with a text that no storage can keep. */
export const texts = (query: Readonly<Record<string, unknown>>): Effect.Effect<void, Errors.Problem> => {
  for (const name in query) {
    const message = Fields.textProblem(String(query[name] ?? ""))
    if (message !== undefined) return Effect.fail(Errors.invalidField(name, message))
  }
  return Effect.void
}

/** The instant of a text that its schema has accepted; null for none. */
export const instant = (text: string | null | undefined): Time.Instant | null =>
  text === null || text === undefined ? null : (Time.fromIso(text) ?? null)

/** The largest number of items on the page; `preset` if the parameter is absent. */
export const pageSize = (text: string | undefined, preset: number): number =>
  text === undefined ? preset : Number(text)

/**
 * The page that a list of the management API is asked for; of `preset` items if the request does
 * not say.
 */
export const keyset = (
  query: { readonly page_size?: string | undefined; readonly page?: string | undefined },
  preset: number
): Effect.Effect<Storage.Keyset<Storage.CreatedCursor>, Errors.Problem> =>
  Effect.map(Effect.fromResult(createdCursor(query.page)), (after) => ({
    after,
    limit: pageSize(query.page_size, preset)
  }))

const CODE = /^[A-Za-z]{2}$/

/**
 * The country code of a parameter, in upper case; null if the parameter is absent or blank.
 * Refuses what is not of two letters, since no country could have it.
 */
export const country = (name: string, text: string | undefined): Effect.Effect<string | null, Errors.Problem> => {
  const code = (text ?? "").trim()
  if (code === "") return Effect.succeed(null)
  return CODE.test(code)
    ? Effect.succeed(code.toUpperCase())
    : Effect.fail(Errors.invalidField(name, "must be an ISO 2-letter country code"))
}

/**
 * The country codes of a comma list, likewise; null if the parameter is absent or names none.
 */
export const countries = (
  name: string,
  list: string | undefined
): Effect.Effect<ReadonlyArray<string> | null, Errors.Problem> => {
  const codes = (list ?? "").split(",").map((code) => code.trim())
  const named = codes.filter((code) => code !== "")
  if (named.some((code) => !CODE.test(code))) {
    return Effect.fail(Errors.invalidField(name, "must be ISO 2-letter country codes, separated by commas"))
  }
  return Effect.succeed(named.length === 0 ? null : named.map((code) => code.toUpperCase()))
}
