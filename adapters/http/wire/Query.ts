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
