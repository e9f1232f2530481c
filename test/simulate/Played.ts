/**
 * Plays scenarios for tests.
 */
import { Effect, Result } from "effect"
import * as Timeline from "../../adapters/timeline/index.ts"

/** The history of a scenario's text; throws its mistakes. */
export const text = async (source: string): Promise<Timeline.History.History> => {
  const scenario = Timeline.Scenario.read(source)
  if (Result.isFailure(scenario)) throw new Error(scenario.failure.map(({ sentence }) => sentence).join("\n"))
  return Effect.runPromise(Timeline.Play.history(scenario.success))
}

/** The history of a scenario's value. */
export const value = (scenario: object): Promise<Timeline.History.History> =>
  text(JSON.stringify({ title: "a test", ...scenario }))
