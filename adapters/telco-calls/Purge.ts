/**
 * Purges the journal of calls that are over, once an hour.
 *
 * An entry of a call (`CallKinds`) goes when it has not changed for 35 days. A call that is made again writes its entry, and
 * is made again within the hour as long as it has no outcome, so its entry stays; that of a message lives as long as the
 * request for it. The first purge comes an hour after the start, when calls that waited for it have been made.
 */
import { Clock, Effect } from "effect"
import { Time } from "simplan/ports"
import * as CallKinds from "./CallKinds.ts"
import type * as Journal from "./Journal.ts"

/** For how long an entry stays after its last change, in milliseconds. */
export const KEPT = 35 * Time.DAY

const EVERY = Time.HOUR

/** How many entries are deleted at a time. */
const BATCH = 1_000

/** Deletes what is over now: how many entries. */
export const run = Effect.fn("TelcoCalls.purge")(function* (
  journal: Journal.Journal["Service"],
  telcos: ReadonlyArray<string>
) {
  const before = (yield* Clock.currentTimeMillis) - KEPT
  let deleted = 0
  for (const telco of telcos) {
    for (const kind of CallKinds.all) {
      for (let more = BATCH; more === BATCH; deleted += more) {
        more = yield* journal.purge({ telco, kind, before, limit: BATCH })
      }
    }
  }
  return deleted
})

/** Deletes what is over now. A failure waits for the next time. */
export const once = (journal: Journal.Journal["Service"], telcos: ReadonlyArray<string>): Effect.Effect<void> =>
  run(journal, telcos).pipe(
    Effect.asVoid,
    Effect.catch(({ message }) => Effect.logWarning(`The purge of the telco's calls waits: ${message}`)),
    Effect.catchDefect((defect) => Effect.logError("The purge of the telco's calls has failed", defect))
  )

/** Runs `once` every hour until it is interrupted. */
export const forever = (journal: Journal.Journal["Service"], telcos: ReadonlyArray<string>): Effect.Effect<never> =>
  Effect.sleep(EVERY).pipe(Effect.andThen(once(journal, telcos)), Effect.forever)
