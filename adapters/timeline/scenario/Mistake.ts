/**
 * A mistake of a scenario that shows only when it is played: terms that the service refuses, or an attachment that is
 * not there.
 */
import { Data, Effect } from "effect"
import * as Problem from "./Problem.ts"

export class Mistake extends Data.TaggedError("ScenarioMistake")<Problem.Problem> {}

/** The mistake of a field of the scenario, which `must` says more about. */
export const at = (root: unknown, path: Problem.Path, must: string): Effect.Effect<never, Mistake> =>
  Effect.fail(new Mistake(Problem.wrong(root, path, must)))
