/**
 * The values of query parameters, after the endpoint's schema has accepted their texts.
 */
import { Effect } from "effect"
import type { Storage } from "simplan/ports"
import * as Cursor from "./Cursor.ts"
import * as Errors from "./Errors.ts"
import { Text } from "../../fields/index.ts"

/** Refuses a query with a text that no storage can keep. */
export const texts = (query: Readonly<Record<string, string | undefined>>): Effect.Effect<void, Errors.Problem> => {
  for (const name in query) {
    const message = Text.problem(query[name] ?? "")
    if (message !== undefined) return Effect.fail(Errors.invalidField(name, message))
  }
  return Effect.void
}

/** The truth value of a parameter; null where it is absent. */
export const flag = (text: "true" | "false" | undefined): boolean | null =>
  text === undefined ? null : text === "true"

/** The largest number of items on the page; `preset` where the parameter is absent. */
export const pageSize = (text: string | undefined, preset: number): number =>
  text === undefined ? preset : Number(text)

/** The page that a list of the management API is asked for; of `preset` items where the request does not say. */
export const keyset = (
  query: { readonly page_size?: string; readonly page?: string },
  preset: number
): Effect.Effect<Storage.Keyset<Storage.CreatedCursor>, Errors.Problem> =>
  Effect.map(Effect.fromResult(Cursor.toCreated(query.page)), (after) => ({
    after,
    limit: pageSize(query.page_size, preset)
  }))

const CODE = /^[A-Za-z]{2}$/

/**
 * The country code of a parameter, in upper case; null where the parameter is absent or blank. Refuses what is not of two
 * letters, since no country could have it.
 */
export const country = (name: string, text: string | undefined): Effect.Effect<string | null, Errors.Problem> => {
  const code = (text ?? "").trim()
  if (code === "") return Effect.succeed(null)
  return CODE.test(code)
    ? Effect.succeed(code.toUpperCase())
    : Effect.fail(Errors.invalidField(name, "must be an ISO 2-letter country code"))
}

/** The country codes of a comma list, likewise; null where the parameter is absent or names none. */
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
