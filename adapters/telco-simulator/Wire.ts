/**
 * The way to the telco and back: where faults befall calls, and where calls are counted.
 *
 * A call that is on its way reaches the telco even if its caller gives up, as it would over a network.
 */
import { Duration, Effect, Fiber, Ref, type Scope } from "effect"
import { Telco } from "simplan/ports"
import * as Faults from "./Faults.ts"

/** How many calls of each kind came in since the layer was built, those that never reached the telco included. */
export type CallCounts = Readonly<Record<Faults.Kind, number>>

interface State {
  readonly faults: ReadonlyArray<Faults.Fault>
  readonly calls: CallCounts
}

const untouched: State = {
  faults: [],
  calls: {
    createPackage: 0,
    suspendPackage: 0,
    cancelPackage: 0,
    sendSms: 0,
    releaseProfile: 0,
    setMobilePlan: 0,
    listPackages: 0
  }
}

/** Counts calls, and makes them go wrong. */
export interface Controls {
  /** Since the simulator was built. */
  readonly calls: Effect.Effect<CallCounts>
  /** Replaces the faults that are left. */
  readonly setFaults: (faults: ReadonlyArray<Faults.Fault>) => Effect.Effect<void>
  /** Adds a fault behind those that are left. */
  readonly addFault: (fault: Faults.Fault) => Effect.Effect<void>
  /** The calls from now on meet no fault; one that is slow already stays so. */
  readonly clearFaults: Effect.Effect<void>
}

export interface Wire extends Controls {
  /** Makes the call, with what befalls it; `work` is what the telco does, given an injected refusal or null. */
  readonly send: <A>(
    call: Faults.Call,
    work: (refusal: string | null) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
}

const unavailable = (message: string, retryAfterSeconds: number | null = null): Telco.Unavailable =>
  new Telco.Unavailable({ message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) })

const outOfReach = ({ isKnown, retryAfterSeconds }: Faults.Fate): Telco.Unavailable => {
  const message = "The telco is out of reach"
  return isKnown ? new Telco.Unavailable({ message, isDone: false }) : unavailable(message, retryAfterSeconds)
}

/** A wire with no faults; calls on their way end with the scope. */
export const make: Effect.Effect<Wire, never, Scope.Scope> = Effect.gen(function* () {
  const state = yield* Ref.make(untouched)
  const scope = yield* Effect.scope

  const fateOf = (call: Faults.Call): Effect.Effect<Faults.Fate> =>
    Ref.modify(state, ({ calls, faults }) => {
      const [fate, left] = Faults.take(faults, call)
      return [fate, { faults: left, calls: { ...calls, [call.kind]: calls[call.kind] + 1 } }]
    })

  const arrive = <A>(
    fate: Faults.Fate,
    work: (refusal: string | null) => Effect.Effect<A, Telco.Refused | Telco.Unavailable>
  ): Effect.Effect<A, Telco.Refused | Telco.Unavailable> => {
    if (fate.unavailable) return Effect.fail(outOfReach(fate))
    if (!fate.answerLost) return work(fate.refusal)
    return Effect.andThen(Effect.exit(work(fate.refusal)), Effect.fail(unavailable("The telco's answer was lost")))
  }

  return {
    send: (call, work) =>
      Effect.flatMap(fateOf(call), (fate) => {
        if (!Duration.isPositive(fate.delay)) return arrive(fate, work)
        const onItsWay = Effect.andThen(
          Effect.sleep(fate.delay),
          Effect.suspend(() => arrive(fate, work))
        )
        return Effect.flatMap(Effect.forkIn(onItsWay, scope), Fiber.join)
      }),
    calls: Effect.map(Ref.get(state), ({ calls }) => calls),
    setFaults: (faults) => Ref.update(state, (now) => ({ ...now, faults })),
    addFault: (fault) => Ref.update(state, (now) => ({ ...now, faults: [...now.faults, fault] })),
    clearFaults: Ref.update(state, (now) => ({ ...now, faults: [] }))
  }
})
