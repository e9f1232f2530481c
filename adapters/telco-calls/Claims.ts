/**
 * Work on entries of the journal that fall due, each of them one process's.
 *
 * A process claims entries under a lease, and renews it for as long as it works on them. So what a
 * process has not done that was killed falls due again after the lease, also if the work itself
 * may take longer. A process that stood still for longer than that may share its work with another
 * one: what it writes has to bear that.
 */
import { Clock, Effect } from "effect"
import type * as Journal from "./Journal.ts"

/** The entries that a process works on. */
export interface Claimed {
  /** As they were when they were claimed. */
  readonly entries: ReadonlyArray<Journal.Entry>
  /**
   * Whether a time is the end of this claim: an entry that is due then was made due by nobody else.
   */
  readonly isEnd: (dueAt: number | null) => boolean
  /** The work on an entry is over: it is neither renewed nor handed back. */
  readonly end: (entry: Pick<Journal.Entry, "key">) => void
}

/** How many renewals fit into the time of a lease. */
const RENEWALS = 3

/**
 * Claims what is due now, at most `limit` entries, and works on them. What an interruption leaves
 * is due at once.
 */
export const use = Effect.fnUntraced(function* <A, E, R>(
  journal: Journal.Journal["Service"],
  of: Omit<Journal.Place, "key"> & { readonly leaseMillis: number; readonly limit: number },
  work: (claimed: Claimed) => Effect.Effect<A, E, R>
) {
  const { kind, leaseMillis, limit, telco } = of
  const now = yield* Clock.currentTimeMillis
  const ends = new Set([now + leaseMillis])
  const entries = yield* journal.claimDue({ telco, kind, now, until: now + leaseMillis, limit })
  const open = new Map(entries.map((entry) => [entry.key, entry]))

  const renew = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + leaseMillis
    ends.add(until)
    yield* journal.renew({ telco, kind, claims: [...open.values()], until })
  })
  // Failure: the lease ends, and another process does the work too.
  const renewing = Effect.sleep(leaseMillis / RENEWALS).pipe(
    Effect.andThen(Effect.catch(renew, ({ message }) => Effect.logDebug(`A lease was not renewed: ${message}`))),
    Effect.forever
  )
  // Failure: what is not handed back falls due when the lease ends.
  const handBack = Effect.suspend(() =>
    Effect.forEach([...open.values()], (entry) => Effect.ignore(journal.replace({ ...entry, dueAt: now })), {
      discard: true
    })
  )
  const claimed: Claimed = {
    entries,
    isEnd: (dueAt) => dueAt !== null && ends.has(dueAt),
    end: ({ key }) => void open.delete(key)
  }
  if (entries.length === 0) return yield* work(claimed)
  return yield* Effect.onInterrupt(Effect.raceFirst(work(claimed), renewing), () => handBack)
})
