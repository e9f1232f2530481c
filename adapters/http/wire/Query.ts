/**
 * Query parameters, once the endpoint's schema has taken them: what their texts mean.
 */
import { Effect } from "effect"
import * as Errors from "./Errors.ts"
import * as Text from "./Text.ts"

/** Sees that all texts of a query are texts that can be looked for. */
export const texts = (query: Readonly<Record<string, string | undefined>>): Effect.Effect<void, Errors.Problem> => {
  for (const name in query) {
    const message = Text.problem(query[name] ?? "")
    if (message !== undefined) return Effect.fail(Errors.invalidField(name, message))
  }
  return Effect.void
}

/** `true`, `false`, or null where the parameter is absent. */
export const flag = (text: "true" | "false" | undefined): boolean | null =>
  text === undefined ? null : text === "true"

/** How many items a page has at most. */
export const pageSize = (text: string | undefined, preset: number): number =>
  text === undefined ? preset : Number(text)
