/**
 * Several processes on one storage and one telco, each with a machine clock of its own that stands
 * still until it is moved: one that is not moved is frozen, the end of its calls apart.
 */
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Clock, Context, Deferred, Duration, Effect, Layer, ManagedRuntime } from "effect"
import { Services, Settings, Time } from "simplan"
import { Clocks, Storage, WebhookSender, Telco, TelcoPorts } from "simplan/ports"
import { StandardCatalogue } from "simplan/catalogue"
import * as Memory from "simplan/memory"
import { TelcoSimulator } from "simplan/telco-simulator"

export const START: Time.Instant = Date.UTC(2026, 0, 31, 12)

/**
 * A clock whose sleepers wake when it has been moved as far as they sleep. Setting it wakes none.
 */
const makeClock = () => {
  let now = START
  let setBy = 0
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const shown = () => now + setBy
  const nanos = () => BigInt(now) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: shown,
    currentTimeMillis: Effect.sync(shown),
    currentTimeNanosUnsafe: () => BigInt(shown()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(shown()) * 1_000_000n),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const sleeper = { at: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => sleepers.delete(sleeper))
      })
  }
  const move = (millis: number) => {
    now += millis
    for (const sleeper of sleepers) {
      if (sleeper.at > now) continue
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  const set = (by: number) => {
    setBy += by
  }
  return { clock, move, set }
}

/** The telco may take its time. */
const limits = Layer.effect(
  Settings.Settings,
  Effect.map(Settings.Settings, (defaults) => ({ ...defaults, telcoTimeoutMillis: Time.HOUR }))
)

/** A call on its way: it has reached the telco or not, and its answer has not come. */
interface Hold {
  readonly begun: Deferred.Deferred<void>
  readonly goOn: Deferred.Deferred<void>
  readonly when: "before" | "after"
}

export const make = async () => {
  const outside = ManagedRuntime.make(
    Layer.mergeAll(
      Memory.layer,
      TelcoSimulator.layerMemory(),
      Clocks.virtual(START),
      StandardCatalogue.layer,
      NodeCrypto.layer
    )
  )
  const context = await outside.context()
  const telco = Context.get(context, Telco.Telco)
  let hold: Hold | undefined
  const sent: Array<string> = []
  let status = 200

  // The next call waits, before it or after it; those that come then do not.
  const held = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const mine = hold
      if (mine === undefined) return call
      hold = undefined
      const wait = Effect.andThen(Deferred.succeed(mine.begun, undefined), Deferred.await(mine.goOn))
      return mine.when === "before" ? Effect.andThen(wait, call) : Effect.tap(call, () => wait)
    })
  const ports = context.pipe(
    Context.add(
      Telco.Telco,
      TelcoPorts.map(telco, (call) => held(call))
    ),
    Context.add(WebhookSender.WebhookSender, {
      send: ({ eventId }) => {
        const answer = { status }
        sent.push(eventId)
        return held(Effect.succeed(answer))
      }
    })
  )
  const storage = Context.get(ports, Storage.Storage)
  /** Another process; a deaf one is notified of no changes, its own included. */
  const process = (options: { readonly isDeaf?: boolean } = {}) => {
    const { clock, move, set } = makeClock()
    const own = options.isDeaf === true ? { ...storage, watch: () => Effect.void } : storage
    const timed = Layer.succeedContext(ports.pipe(Context.add(Clock.Clock, clock), Context.add(Storage.Storage, own)))
    const runtime = ManagedRuntime.make(Services.layer.pipe(Layer.provideMerge(timed), Layer.provide(limits)))
    return {
      /** The machine's time goes on. What was waiting for it has run when this resolves. */
      move: async (millis: number) => {
        move(millis)
        await new Promise((resolve) => setImmediate(resolve))
      },
      /** Sets the machine's clock so many milliseconds ahead, or back. Time goes on as before. */
      setClock: set,
      run: <A, E>(effect: Effect.Effect<A, E, Services.Services | Layer.Success<typeof timed>>) =>
        runtime.runPromise(Effect.provideService(effect, Clock.Clock, clock))
    }
  }
  return {
    process,
    sent,
    /** The status of the webhooks' receiver for calls from now on. */
    answer: (of: number) => {
      status = of
    },
    /** Holds the next call to the telco or to a receiver. */
    holdNext: (when: Hold["when"]) => {
      const own: Hold = { begun: Deferred.makeUnsafe(), goOn: Deferred.makeUnsafe(), when }
      hold = own
      return {
        begun: () => Effect.runPromise(Deferred.await(own.begun)),
        goOn: () => Effect.runPromise(Deferred.succeed(own.goOn, undefined))
      }
    },
    /** Moves business time, for all. */
    setNow: (instant: Time.Instant) =>
      outside.runPromise(Context.get(context, Clocks.BusinessClock).set?.(instant) ?? Effect.void),
    telco: () => outside.runPromise(TelcoSimulator.TelcoSimulator.use((of) => of.packages)),
    close: () => outside.dispose()
  }
}
