/** The adapter against the fake SMSC, with short times. */
import { Effect, type Layer, Logger, Redacted, type Scope } from "effect"
import { Addresses, Smpp } from "../../adapters/telco-smpp/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import * as FakeSmsc from "../fakes/smsc/FakeSmsc.ts"
import { it } from "vitest"
import type * as Tests from "../setup/Tests.ts"

export const iccid = "8988303000000000017"

/** The last digits of the ICCID as a phone number. */
export const numberOf = (of: string): string => `4477${of.slice(-8)}`

const quick: Omit<Smpp.Options, "url"> = {
  telco: "smsc",
  password: Redacted.make(FakeSmsc.password),
  destinationOf: (of) => Effect.succeed(Addresses.msisdn(numberOf(of))),
  connectMillis: 1_000,
  answerMillis: 300,
  waitMillis: 500,
  enquireLinkMillis: 60_000,
  reconnectMillis: 20,
  longestReconnectMillis: 50,
  pauseMillis: 20,
  longestPauseMillis: 100
}

export interface World {
  readonly smsc: FakeSmsc.FakeSmsc
  readonly smpp: Smpp.Smpp
  readonly journal: Journal.Journal["Service"]
  /** Another process over the same journal. */
  readonly another: (options?: Partial<Smpp.Options>) => Effect.Effect<Smpp.Smpp, never, Scope.Scope>
}

/** Runs something in a world of its own. */
export const played = <A>(
  test: (world: World) => Effect.Effect<A, unknown, Scope.Scope>,
  options: Partial<Smpp.Options> = {},
  around: Layer.Layer<never> = Logger.layer([])
): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const smsc = yield* FakeSmsc.make
        const journal = yield* Journal.Journal
        const another = (more: Partial<Smpp.Options> = {}) =>
          Smpp.make({ url: smsc.url, ...quick, ...options, ...more }).pipe(
            Effect.orDie,
            Effect.provideService(Journal.Journal, journal)
          )
        return yield* test({ smsc, smpp: yield* another(), journal, another })
      })
    ).pipe(Effect.provide(Journal.layerMemory), Effect.provide(around))
  )

/** A test in a world of its own, whose connections have these options. */
export const playWith =
  (options: Partial<Smpp.Options>) =>
  (name: string, body: Tests.Body<Scope.Scope, [world: World]>): void =>
    it(name, () => played((world) => Effect.gen(() => body(world)), options))

export const play = playWith({})

/** Waits until it holds. */
export const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.flatMap(Effect.sleep(5), () => until(holds))))

export const sms = (
  messageId: string,
  text: string,
  more: { readonly from?: string; readonly iccid?: string } = {}
) => ({
  messageId,
  iccid,
  from: "simplan",
  text,
  ...more
})
