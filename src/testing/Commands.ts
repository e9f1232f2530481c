/**
 * What can happen to a service, as commands for random runs: plain data, how to draw it, and how it is run.
 *
 *     const session = Commands.begin(simulated)
 *     const { asked, outcome } = yield* Commands.run(session, command)
 *
 * `modelRun` wraps them for fast-check's `fc.commands` and `fc.asyncModelRun`.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import type { StorageError } from "../ports/Storage.ts"
import * as Arbitrary from "./commands/Arbitrary.ts"
import type { Asked, Outcome } from "./commands/Asked.ts"
import type { Command } from "./commands/Command.ts"
import { perform } from "./commands/Performing.ts"
import { resolve } from "./commands/Resolving.ts"
import type { Session } from "./commands/Session.ts"

export {
  type Bounds,
  command,
  modest,
  run as runs
} from "./commands/Arbitrary.ts"
export type { Answer, Asked, Outcome, Request } from "./commands/Asked.ts"
export type { Command, Side } from "./commands/Command.ts"
export { begin, type Session } from "./commands/Session.ts"

/** What a command came to. */
export interface Ran {
  /** The request with its ids and instants. */
  readonly asked: Asked
  /** How the request ended. A defect or a failure of storage is reported as `Broken`. */
  readonly outcome: Outcome
}

/** Runs a command. It never fails: whatever comes of it is an outcome. */
export const run = (session: Session, command: Command): Effect.Effect<Ran, StorageError> =>
  Effect.gen(function* () {
    const asked = yield* resolve(session, command)
    return { asked, outcome: yield* perform(session, asked) }
  })

/** What a model run reports of each command, in order; `expect` is called after each, and may throw. */
export interface Model {
  /** Grows by one with each command, before `expect` is called. */
  readonly ran: Array<Ran>
}

/** Commands for `fc.commands`: `fc.asyncModelRun(() => ({ model: { ran: [] }, real: session }), commands)`. */
export const modelRun = (
  expect: (session: Session, model: Model) => Promise<void> | void = () => {},
  bounds: Arbitrary.Bounds = Arbitrary.modest
): fc.Arbitrary<Iterable<fc.AsyncCommand<Model, Session>>> =>
  fc.commands(
    [
      Arbitrary.command(bounds).map((command) => ({
        check: () => true,
        run: async (model: Model, session: Session) => {
          model.ran.push(await Effect.runPromise(session.simulated.inItsTime(run(session, command))))
          await expect(session, model)
        },
        toString: () => JSON.stringify(command)
      }))
    ],
    { maxCommands: bounds.commands, size: "max" }
  )
