/**
 * Changes of a SIM's service at a system without keys (rule S7): what a call without an answer does
 * after others.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { CallFailure, Journal, ServiceChanges, SimLocks } from "../../adapters/telco-calls/index.ts"

const TELCO = "supplier"
const ICCID = "8985200000000000001"
const LATE = 300_000

const failure = (outcome: CallFailure.Outcome, message: string) => new CallFailure.CallFailure({ outcome, message })

/** A system that stops what has service, and starts what has none, and refuses all else. */
const makeWorld = Effect.gen(function* () {
  const journal = yield* Journal.makeMemory
  const state = {
    isActive: true,
    calls: 0,
    isLost: false,
    /** What befalls after a call was refused, and before that is known. */
    between: () => {}
  }
  const setService = ServiceChanges.make(
    ({ active }) =>
      Effect.gen(function* () {
        state.calls += 1
        if (state.isLost) return yield* failure("Unknown", "no answer")
        if (state.isActive !== active) {
          state.isActive = active
          return
        }
        state.between()
        // It looks whether it is so already.
        if (state.isActive !== active) yield* failure("Refused", "not allowed in this state")
      }),
    { telco: TELCO, journal, locks: SimLocks.make(journal, { telco: TELCO }), lateMillis: LATE }
  )
  const set = (key: string, active: boolean) => setService({ key, iccid: ICCID, active })
  return { state, set }
})

type World = Effect.Success<typeof makeWorld>

const run = (test: (world: World) => Effect.Effect<void, unknown>) =>
  Effect.runPromise(Effect.flatMap(makeWorld, test).pipe(Effect.provide(TestClock.layer())))

describe("A change of a SIM's service", () => {
  it("is not refused for good by what a call that was not answered has just done", () =>
    run(({ set, state }) =>
      Effect.gen(function* () {
        state.isLost = true
        expect(yield* Effect.flip(set("pause", false))).toMatchObject({ _tag: "Telco.Unavailable" })
        state.isLost = false
        state.between = () => {
          state.isActive = false
        }
        const again = yield* Effect.flip(set("resume", true))
        expect(again).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: LATE / 1_000 })
        yield* TestClock.adjust(LATE)
        yield* set("resume", true)
        expect(state.isActive).toBe(true)
        const { calls } = state
        yield* set("resume", true)
        expect(state.calls).toBe(calls)
      })
    ))

  it("is refused for good if none may come", () =>
    run(({ set, state }) =>
      Effect.gen(function* () {
        state.between = () => {
          state.isActive = false
        }
        expect(yield* Effect.flip(set("resume", true))).toMatchObject({ _tag: "Telco.Refused" })
        const { calls } = state
        expect(yield* Effect.flip(set("resume", true))).toMatchObject({ _tag: "Telco.Refused" })
        expect(state.calls).toBe(calls)
      })
    ))
})
