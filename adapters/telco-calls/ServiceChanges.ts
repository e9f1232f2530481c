/**
 * Stops the service of a SIM, or starts it again, at a system that knows no idempotency keys
 * (rule S7).
 *
 * A call says what the service is to be, so it may be made again if its outcome is unknown; but
 * not when a later change of the same SIM has been asked for, which it would undo. A change is done
 * only when no call without an answer may come after it that asked for the contrary: until then it
 * is made, and the caller is told to ask again. Changes of a SIM follow each other under its lock,
 * and each call is in the journal before it is made.
 */
import { Clock, Effect, Schema } from "effect"
import { Telco } from "simplan/ports"
import * as CallFailure from "./CallFailure.ts"
import * as CallRecords from "./CallRecords.ts"
import * as Journal from "./Journal.ts"
import type * as SimLocks from "./SimLocks.ts"

const Change = Schema.Struct({
  active: Schema.Boolean,
  isDone: Schema.Boolean,
  refusal: Schema.NullOr(Schema.String),
  /** When the last call was made whose outcome is not known; null: there is none. */
  unknownAt: Schema.NullOr(Schema.Finite)
})

type Change = typeof Change.Type

/** The operation of the port. */
type SetService = NonNullable<Telco.Telco["Service"]["setService"]>

type Request = Parameters<SetService>[0]

/** Makes one call, whatever was asked for before. */
type Call = (of: Request) => Effect.Effect<void, CallFailure.CallFailure>

/** What the changes go by. */
export interface Options {
  /** Names the system in the journal, which several telcos may share. */
  readonly telco: string
  /** Where calls and their outcomes are kept. */
  readonly journal: Journal.Journal["Service"]
  /** Those of the same telco and journal. */
  readonly locks: SimLocks.Locks
  /** How long a call without an answer may still be done, in milliseconds. */
  readonly lateMillis: number
}

const opposed = "The telco has not answered another change of this SIM's service, and may still make it"

/** The operation of the port over these calls. */
export const make = (call: Call, { journal, lateMillis, locks, telco }: Options): SetService => {
  const records = CallRecords.make(journal, { telco, kind: Journal.SERVICE }, Change)

  /** Until when a call that asked for the contrary may still be done. */
  const contraryUntil = (all: ReadonlyArray<Change>, active: boolean): number =>
    Math.max(0, ...all.map((one) => (one.active === active || one.unknownAt === null ? 0 : one.unknownAt + lateMillis)))

  const change = Effect.fnUntraced(function* (of: Request, held: SimLocks.Held) {
    const { active, iccid, key } = of
    const changes = yield* records.ofSim(iccid)
    const all = changes.flatMap(({ get }) => get() ?? [])
    const place = changes.findIndex((one) => one.key === key)
    const { get, put } = changes[place] ?? (yield* records.open(key, iccid))
    const before = get()
    if (before?.isDone === true) return
    if (before !== null && before.refusal !== null) return yield* new Telco.Refused({ message: before.refusal })
    // A newer change holds, whatever became of this one.
    if (before !== null && place < changes.length - 1) return
    const asked: Change = { active, isDone: false, refusal: null, unknownAt: yield* Clock.currentTimeMillis }
    yield* put(asked)
    const known: Change = { ...asked, unknownAt: before?.unknownAt ?? null }
    yield* held.keep
    // Its outcome is written down whoever gives up.
    yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const answer = yield* Effect.result(restore(call(of)))
        const now = yield* Clock.currentTimeMillis
        const until = contraryUntil(all, active)
        const again = CallFailure.unavailable(opposed, Math.ceil((until - now) / 1_000))
        if (answer._tag === "Success") {
          yield* put({ ...known, isDone: until <= now })
          return until > now ? yield* again : undefined
        }
        const failure = CallFailure.toPort(answer.failure)
        if (failure._tag === "Telco.Refused" && until > now) {
          yield* put(known)
          return yield* again
        }
        if (failure._tag === "Telco.Refused") yield* put({ ...known, refusal: failure.message })
        else yield* put(answer.failure.outcome === "NotDone" ? known : { ...asked, unknownAt: now })
        return yield* failure
      })
    )
  })

  return (of) => locks.withLock(of.iccid, (held) => change(of, held))
}
