/**
 * What the telco suite is about: what a test sees behind the port, how it makes calls go wrong, and
 * the orders that the cases make.
 */
import { Effect, Random } from "effect"
import { type Capabilities, full } from "../../domain/Capabilities.ts"
import type { PlanTerms } from "../../domain/Plan.ts"
import { type PackageOrder, type Refused, Telco, type TelcoPackage, type Unavailable } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import type { Change } from "../../ports/TelcoPorts.ts"
import * as Suite from "../Suite.ts"

/** Observes what is behind the port; each function gives an effect, a promise or the value. */
export interface Observe<R> {
  /** How many packages with these ids there are that are not cancelled. */
  readonly packages: (packageIds: ReadonlyArray<string>) => Suite.Answer<number, R>
  /** How many messages with this text were sent to the ICCID. */
  readonly messages: (iccid: string, text: string) => Suite.Answer<number, R>
  /** Whether the ICCID's mobile plan is applied. */
  readonly mobilePlan: (iccid: string) => Suite.Answer<boolean, R>
  /** Whether the SIM has service; absent: that is not checked. */
  readonly service?: (iccid: string) => Suite.Answer<boolean, R>
}

/** What the cases are about. */
export interface Subject<R> {
  /** What the telco declares that it can do with the SIM. */
  readonly can: Capabilities
  /** The SIM; of a telco that sells, one that nobody has used. */
  readonly iccid: string
  readonly order: (packageId: string, window?: PackageOrder["window"]) => PackageOrder
  /** Compares what is behind the port, if that can be seen. */
  readonly observed: <A>(
    what: string,
    expected: A,
    read: (observe: Observe<R>) => Suite.Answer<A, R>
  ) => Effect.Effect<void, unknown, R>
}

const ICCID = "8988303000000000017"

const defaultTerms: PlanTerms = {
  name: "Conformance",
  coverageId: "00000000-0000-5000-8000-000000000000",
  regionCode: "FR",
  label: "Green",
  dataMegaBytes: 100,
  periodDays: 7,
  throttling: [],
  recurrence: null
}

/** What the cases go by. */
export interface Options<R> {
  readonly iccid?: string
  readonly load?: string
  readonly terms?: PlanTerms
  readonly observe?: Observe<R>
}

const subjectOn = <R>(
  { load, observe, terms = defaultTerms }: Options<R>,
  { can, iccid }: Pick<Subject<R>, "can" | "iccid">
): Subject<R> => ({
  can,
  iccid,
  order: (packageId, window = null) => ({ packageId, iccid, window, terms, ...(load !== undefined && { load }) }),
  observed: (what, expected, read) =>
    observe === undefined
      ? Effect.void
      : Effect.flatMap(
          Suite.answerOf(() => read(observe)),
          (actual) => Suite.equals(what, actual, expected)
        )
})

/** A SIM that nobody has used, if the telco sells SIMs with a load; else always the same one. */
const simOf = Effect.fnUntraced(function* <R>({ iccid = ICCID, load, terms = defaultTerms }: Options<R>) {
  if (load === undefined) return iccid
  const { buySim } = yield* Telco
  if (buySim === undefined) return yield* new Suite.CaseFailed({ message: "The telco sells no SIM with a load" })
  const purchase = { organizationId: "conformance", label: terms.label, load, limit: null }
  const sim = yield* repeated("buying", buySim({ ...purchase, purchaseId: yield* freshKey }))
  return sim.iccid
})

/** Cases about a SIM, each with one of its own if the telco sells SIMs. */
export const cases = <R>(
  options: Options<R>,
  list: (subject: Subject<R>) => ReadonlyArray<Suite.Case<Telco | R>>
): ReadonlyArray<Suite.Case<Telco | R>> => {
  const { label } = options.terms ?? defaultTerms
  return list(subjectOn(options, { can: full, iccid: ICCID })).map(({ name }, index) => ({
    name,
    effect: Effect.gen(function* () {
      const can = yield* (yield* TelcoCapabilities.current)({ organizationId: "conformance", label })
      const on = subjectOn(options, { can, iccid: yield* simOf(options) })
      yield* list(on)[index]?.effect ?? Effect.void
    })
  }))
}

/** Whether a SIM can have packages beside each other. */
export const isShared = ({ topUps }: Capabilities): boolean =>
  topUps?.kept === "apart" && (topUps.most === null || topUps.most > 2)

/** A key that was never used before. */
export const freshKey = Effect.map(Effect.all([Random.nextInt, Random.nextInt]), ([high, low]) => {
  const part = (number: number): string => Math.abs(number).toString(36)
  return `conformance-${part(high)}${part(low)}`
})

export const freshPackageId = Effect.map(freshKey, (key) => `${key}:0`)

/** Makes the same call twice. */
export const sameCall = (what: string, call: (telco: Telco["Service"]) => Effect.Effect<void, unknown>) =>
  Effect.flatMap(Telco, (telco) =>
    Effect.mapError(
      Effect.andThen(call(telco), call(telco)),
      (cause) => new Suite.CaseFailed({ message: `${what} twice: ${String(cause)}` })
    )
  )

export const timesInOrder = ({ activationAt, expirationAt }: TelcoPackage): Effect.Effect<void, Suite.CaseFailed> =>
  Effect.gen(function* () {
    for (const time of [activationAt, expirationAt]) {
      yield* Suite.holds(`${time} is an instant`, time === null || Number.isSafeInteger(time))
    }
    yield* Suite.holds(
      `The activation ${activationAt} is before the expiry ${expirationAt}`,
      activationAt === null || expirationAt === null || activationAt < expirationAt
    )
  })

/**
 * How often a call is repeated whose outcome is unknown, and the longest pause in between, in
 * milliseconds.
 */
const ATTEMPTS = 40
const LONGEST_PAUSE = 1_000
const PAUSE = 20

/** Repeats the same call until its outcome is known, as the service does. */
export const repeated = <A>(
  what: string,
  call: Effect.Effect<A, Refused | Unavailable>
): Effect.Effect<A, Refused | Suite.CaseFailed> =>
  Effect.gen(function* () {
    let last = "no answer"
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const result = yield* Effect.result(call)
      if (result._tag === "Success") return result.success
      const { failure } = result
      if (failure._tag === "Telco.Refused") return yield* failure
      last = failure.message
      const asked = (failure.retryAfterSeconds ?? 0) * 1_000
      yield* Effect.sleep(Math.min(Math.max(asked, PAUSE), LONGEST_PAUSE))
    }
    return yield* new Suite.CaseFailed({ message: `${what}: unavailable ${ATTEMPTS} times, at last: ${last}` })
  })

/** The name of an operation of the port `Telco` that changes something, such as `createPackage`. */
export type Operation = Change

type Hook<R> = Suite.Answer<void, R>

/** Something to wait for: an effect, or a function that gives a promise. */
type Wait<R> = Effect.Effect<void, unknown, R> | (() => PromiseLike<void> | void)

/** Waits for it. */
export const waitFor = <R>(wait: Wait<R>): Effect.Effect<void, unknown, R> =>
  Effect.isEffect(wait) ? wait : Suite.answerOf<void, R>(wait)

/**
 * Makes calls go wrong, behind the port: in the telco's fake, or on the way to it. Each of the
 * first four befalls the next call of that operation, once. Cases whose hook is missing are not
 * defined. Hooks are plain functions, which may be asynchronous, or give effects.
 */
export interface Faults<R> {
  /** The call never reaches the telco, and nobody answers it. */
  readonly loseRequest?: (operation: Operation) => Hook<R>
  /** The telco does the work, and its answer is lost. */
  readonly loseAnswer?: (operation: Operation) => Hook<R>
  /**
   * The telco does the work later than the caller waits, which is 50 ms in this suite. What the
   * hook gives waits until the work is done.
   */
  readonly doLate?: (operation: Operation) => Effect.Effect<Wait<R>, unknown, R> | (() => PromiseLike<void> | void)
  /** The telco refuses for good. */
  readonly refuse?: (operation: Operation) => Hook<R>
  /** The telco learns the times of a package that waits for its first use. */
  readonly reportTimes?: (packageId: string) => Hook<R>
  /** A customer uses so many bytes of a package, and nothing is reported of it. */
  readonly use?: (packageId: string, bytes: number) => Hook<R>
  /** Waits until the adapter has mended what took effect late; nothing to wait for unless given. */
  readonly settle?: Wait<R>
}

/** What the suite cannot observe without each of the hooks. */
const about = {
  loseRequest: "lost requests",
  loseAnswer: "lost answers",
  doLate: "late effects",
  refuse: "refusals",
  reportTimes: "times reported later",
  use: "usage"
} as const satisfies Partial<Record<keyof Faults<never>, string>>

const names = ["loseRequest", "loseAnswer", "doLate", "refuse", "reportTimes", "use"] as const

/** What is not observed for want of hooks, in words. */
export const missing = <R>(faults: Faults<R>): ReadonlyArray<string> =>
  names.filter((name) => faults[name] === undefined).map((name) => about[name])
