/**
 * A mistake in a scenario that is found only when the scenario is played: terms that the service refuses, or an attachment
 * that does not exist.
 */
import { Data, Effect } from "effect"
import * as Problem from "./Problem.ts"

export class Mistake extends Data.TaggedError("ScenarioMistake")<Problem.Problem> {}

/** The mistake of the field at a path; `must` says what is allowed. */
export const at = (root: unknown, path: Problem.Path, must: string): Effect.Effect<never, Mistake> =>
  Effect.fail(new Mistake(Problem.wrong(root, path, must)))
