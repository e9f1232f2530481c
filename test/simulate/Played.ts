/**
 * Scenarios played for tests.
 */
import { Effect, Result } from "effect"
import { Scenarios } from "../../adapters/simulation/index.ts"

/** The history of a scenario's text; what is wrong with it is thrown. */
export const text = async (source: string): Promise<Scenarios.History.History> => {
  const scenario = Scenarios.ScenarioFile.read(source)
  if (Result.isFailure(scenario)) throw new Error(scenario.failure.map(({ sentence }) => sentence).join("\n"))
  return Effect.runPromise(Scenarios.Play.history(scenario.success))
}

/** The history of a scenario's value. */
export const value = (scenario: object): Promise<Scenarios.History.History> =>
  text(JSON.stringify({ title: "a test", ...scenario }))
