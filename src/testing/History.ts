/**
 * Histories: what a run was, from its seed to its end, as plain data that survives JSON.
 *
 * After every step the whole service is observed through its ports, and what has changed since the step before is
 * kept: lines, states, events, the telco's books and calls, webhooks. The same seed and commands give the same history,
 * byte for byte.
 */
import { Effect } from "effect"
import type { Instant } from "../domain/Time.ts"
import type { StorageError } from "../ports/Storage.ts"
import * as Commands from "./Commands.ts"
import * as Observation from "./history/Observation.ts"
import type { Simulated } from "./Simulated.ts"

export type { Changes, AttachmentView } from "./history/Observation.ts"
export { nextDue, over as observe } from "./history/Observation.ts"

/** One command of a run, what came of it, and what it changed. */
export interface Step extends Commands.Ran {
  /** As it was drawn: plain data, with numbers in the place of ids. */
  readonly command: Commands.Command
  /** When it began, and when it was over. */
  readonly began: Instant
  /** Business time at which it was over. */
  readonly ended: Instant
  /** When the next job or delivery is due, as of its end; null where there is none. */
  readonly nextDue: Instant | null
  /** What differs from the end of the step before. */
  readonly changes: Observation.Changes
}

/** The SIMs that an organization began with. */
export interface Inventory {
  /** The organization that owns the SIMs. */
  readonly organizationId: string
  /** In the order of their import. */
  readonly iccids: ReadonlyArray<string>
}

/** One run: its seed, what there was at first, and each step. It survives JSON. */
export interface History {
  /** The seed of the simulation. With the same commands it gives the same history. */
  readonly seed: number
  /** Business time at which the simulation began. */
  readonly start: Instant
  /** Of the first organization and of the second. */
  readonly inventories: readonly [Inventory, Inventory]
  /** What there was before the first step. */
  readonly before: Observation.Changes
  /** One for each command, in order. */
  readonly steps: ReadonlyArray<Step>
}

/** Whether nothing is left to be done at the end of a step. */
export const isIdle = ({ ended, nextDue }: Step): boolean => nextDue === null || nextDue > ended

/** Runs the commands one after another and writes down what came of each. */
export const record = (
  simulated: Simulated,
  commands: ReadonlyArray<Commands.Command>
): Effect.Effect<History, StorageError> =>
  simulated.inItsTime(
    Effect.gen(function* () {
      const session = Commands.begin(simulated)
      const observe = Observation.over(simulated)
      const before = yield* observe
      const steps: Array<Step> = []
      for (const command of commands) {
        const began = yield* simulated.now
        const ran = yield* Commands.run(session, command)
        const ended = yield* simulated.now
        const changes = yield* observe
        steps.push({
          command,
          ...ran,
          began,
          ended,
          nextDue: yield* Observation.nextDue(simulated),
          changes
        })
      }
      const [first, second] = simulated.organizationIds
      return {
        seed: simulated.seed,
        start: simulated.start,
        inventories: [
          { organizationId: first, iccids: simulated.iccids(first) },
          { organizationId: second, iccids: simulated.iccids(second) }
        ],
        before,
        steps
      }
    })
  )

/** The history as JSON, in one line. */
export const toJson = (history: History): string => JSON.stringify(history)
