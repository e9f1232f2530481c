/**
 * The conformance suite of the telco port.
 *
 *     TelcoSuite.run("my telco", layer, { describe, it }, { iccid: "8988…" })
 *
 * It runs by what the telco declares (`capabilities` of the port): what it can do has to work,
 * and what it cannot do has to be refused. It uses keys that were never used before, so it can
 * run any number of times against the same telco. What the port cannot show, such as how many
 * messages were sent, is checked if `observe` shows it. What happens to calls that are lost,
 * late or refused is checked if `faults` makes them so. The suite's name says what it could not
 * observe.
 */
import { Effect, Layer } from "effect"
import type { PlanTerms } from "../domain/Plan.ts"
import { Telco } from "../ports/Telco.ts"
import * as Suite from "./Suite.ts"
import * as CapabilityCases from "./telco/CapabilityCases.ts"
import * as FaultCases from "./telco/FaultCases.ts"
import * as SaleCases from "./telco/SaleCases.ts"
import * as Subject from "./telco/Subject.ts"

export type { Faults, Observe, Operation } from "./telco/Subject.ts"

/** What the suite may use of a telco, and how it observes what is behind the port. */
export interface Options<R> extends Suite.Options {
  /** An eSIM that the telco knows and that may be used for tests. */
  readonly iccid?: string
  /**
   * The code of a bundle, if the telco sells eSIMs with bundles: each case buys one with it, and
   * orders it. Absent: all cases are about `iccid`.
   */
  readonly load?: string
  /** The terms of the packages to be ordered. */
  readonly terms?: PlanTerms
  /** Absent: effects that the port does not show are not checked. */
  readonly observe?: Subject.Observe<R>
  /**
   * Whether the telco has to refuse an order for a SIM on which others than its `onlyAttachments`
   * have packages (rule S5); false unless given: then it may also take it.
   */
  readonly findsOthers?: boolean
  /** Cases about a fault whose hook is absent are left out. */
  readonly faults?: Subject.Faults<R>
}

const { freshKey, freshPackageId, sameCall, timesInOrder } = Subject

/**
 * The suite's cases, for a runner of one's own. Those about faults are there if `faults` has the
 * hook that they need.
 */
export const cases = <R = never>(options: Options<R> = {}): ReadonlyArray<Suite.Case<Telco | R>> => {
  return Subject.cases(options, (subject) => [
    ...answered(subject),
    ...CapabilityCases.cases(subject),
    ...(options.load === undefined ? [] : SaleCases.cases(subject, options.load)),
    occupied(subject, options.findsOthers ?? false),
    ...FaultCases.cases(subject, options.faults ?? {})
  ])
}

/** A telco that does not look whether a SIM has packages of others makes the package. */
const occupied = <R>({ can, observed, order }: Subject.Subject<R>, isFound: boolean): Suite.Case<Telco | R> => ({
  name: isFound
    ? "the first order of a SIM on which others have a package is refused, names that, makes none, and is taken otherwise"
    : "the first order of a SIM on which others have a package is taken, or refused as that",
  effect: Effect.gen(function* () {
    const telco = yield* Telco
    const key = yield* freshKey
    const others = `${key}-others:0`
    const own = `${key}-own:0`
    yield* telco.createPackage(order(others))
    const first = { ...order(own), onlyAttachments: [`${key}-own`] }
    const answer = yield* Effect.result(telco.createPackage(first))
    if (answer._tag === "Failure") {
      const failure = answer.failure._tag === "Telco.Refused" ? answer.failure : null
      yield* Suite.equals("naming what is there", (failure?.occupiedBy?.length ?? 0) > 0, true)
      yield* observed("packages", 1, ({ packages }) => packages([others, own]))
    } else yield* Suite.equals("taking the order", isFound, false)
    if (!Subject.isShared(can)) return
    const after = yield* telco.createPackage(order(own))
    yield* Suite.equals("the answer once it is known who is there", yield* telco.createPackage(first), after)
  })
})

/** The cases in which every call is answered. */
const answered = <R>({ can, iccid, observed, order }: Subject.Subject<R>): ReadonlyArray<Suite.Case<Telco | R>> => [
  {
    name: "creating a package again gives the same package and no second one",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      const first = yield* telco.createPackage(order(packageId))
      const again = yield* telco.createPackage(order(packageId))
      yield* Suite.equals("the second answer", again, first)
      yield* observed("packages", 1, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "creating a package with one key many times at once gives one package",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      const calls = Array.from({ length: 8 }, () => telco.createPackage(order(packageId)))
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      yield* Suite.equals("different answers", new Set(answers.map((one) => JSON.stringify(one))).size, 1)
      yield* observed("packages", 1, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "packages with different keys are different",
    effect: Effect.gen(function* () {
      if (!Subject.isShared(can)) return
      const telco = yield* Telco
      const key = yield* freshKey
      const ids = [0, 1, 2].map((occurrence) => `${key}:${occurrence}`)
      const answers = yield* Effect.forEach(ids, (id) => telco.createPackage(order(id)))
      yield* Suite.equals("different packages", new Set(answers.map((one) => one.telcoPackageId)).size, 3)
      yield* observed("packages", 3, ({ packages }) => packages(ids))
    })
  },
  {
    name: "the times of a package with a window, where reported, are in order and stay the same",
    effect: Effect.gen(function* () {
      if (!can.windows) return
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      const window = { start: Date.UTC(2031, 0, 1), end: Date.UTC(2031, 0, 8) }
      const first = yield* telco.createPackage(order(packageId, window))
      yield* timesInOrder(first)
      yield* Suite.equals("the second answer", yield* telco.createPackage(order(packageId, window)), first)
    })
  },
  {
    name: "a package that waits for its first use has no times, or times in order",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      yield* timesInOrder(yield* telco.createPackage(order(yield* freshPackageId)))
    })
  },
  {
    name: "a package that was never created can be cancelled, and its key is spent",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.cancelPackage({ packageId, iccid })
      yield* Suite.failsWith("creating it late", "Telco.Refused", telco.createPackage(order(packageId)))
      yield* observed("packages", 0, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "a cancelled package's key is spent",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.createPackage(order(packageId))
      yield* telco.cancelPackage({ packageId, iccid })
      yield* Suite.failsWith("creating it again", "Telco.Refused", telco.createPackage(order(packageId)))
      yield* observed("packages", 0, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "cancelling again succeeds",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.createPackage(order(packageId))
      yield* sameCall("cancelling", () => telco.cancelPackage({ packageId, iccid }))
    })
  },
  {
    name: "cancelling one package leaves its neighbours",
    effect: Effect.gen(function* () {
      if (!Subject.isShared(can) || can.cancellation === "load") return
      const telco = yield* Telco
      const key = yield* freshKey
      const first = yield* telco.createPackage(order(`${key}:0`))
      yield* telco.createPackage(order(`${key}:1`))
      yield* telco.cancelPackage({ packageId: `${key}:1`, iccid })
      yield* Suite.equals("the other package", yield* telco.createPackage(order(`${key}:0`)), first)
      yield* observed("packages", 1, ({ packages }) => packages([`${key}:0`, `${key}:1`]))
    })
  },
  {
    name: "the packages of a SIM, where the telco lists them, are those that were made and not cancelled",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      if (telco.listPackages === undefined) return
      const key = yield* freshKey
      const ids = (Subject.isShared(can) ? [0, 1, 2] : [0]).map((occurrence) => `${key}:${occurrence}`)
      yield* Effect.forEach(ids, (id) => telco.createPackage(order(id)), { discard: true })
      if (can.suspension === "package") yield* telco.suspendPackage({ packageId: `${key}:1`, iccid })
      // What a SIM was bought with can be taken away wherever anything can.
      const taken = can.cancellation === "load" || ids.length === 1 ? `${key}:0` : `${key}:2`
      yield* telco.cancelPackage({ packageId: taken, iccid })
      const listed = yield* telco.listPackages({ iccid })
      if (listed === null) return
      const own = ids.filter((id) => listed.includes(id))
      yield* Suite.equals(
        "the packages that are listed",
        own,
        ids.filter((id) => id !== taken)
      )
    })
  },
  {
    name: "the usage of a SIM's packages, where the telco can say it, is that of packages that are there, each once, and 0 where nothing was used",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      if (telco.readUsage === undefined) return
      const key = yield* freshKey
      const ids = (Subject.isShared(can) ? [0, 1] : [0]).map((occurrence) => `${key}:${occurrence}`)
      yield* Effect.forEach(ids, (id) => telco.createPackage(order(id)), { discard: true })
      const stopped = can.suspension === "package" ? ids.slice(1) : []
      for (const packageId of stopped) yield* telco.suspendPackage({ packageId, iccid })
      const found = yield* Subject.repeated("reading usage", telco.readUsage({ iccid, stopped }))
      if (found === null) return
      const own = found.filter(({ packageId }) => ids.includes(packageId)).map((one) => [one.packageId, one.usedBytes])
      yield* Suite.equals("what was used", own.toSorted(), own.length === 0 ? [] : ids.map((id) => [id, 0]))
      yield* Suite.equals("of how many packages", new Set(found.map(({ packageId }) => packageId)).size, found.length)
    })
  },
  {
    name: "a package that is not there can be suspended",
    effect: Effect.gen(function* () {
      if (can.suspension !== "package") return
      const telco = yield* Telco
      yield* telco.suspendPackage({ packageId: yield* freshPackageId, iccid })
    })
  },
  {
    name: "suspending again succeeds, and a suspended package can be cancelled",
    effect: Effect.gen(function* () {
      if (can.suspension !== "package") return
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.createPackage(order(packageId))
      yield* sameCall("suspending", () => telco.suspendPackage({ packageId, iccid }))
      yield* telco.cancelPackage({ packageId, iccid })
      yield* telco.suspendPackage({ packageId, iccid })
      yield* observed("packages", 0, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "a message with one id is sent once",
    effect: Effect.gen(function* () {
      if (can.sms === null) return
      const messageId = yield* freshKey
      const sms = { messageId, iccid, from: can.sms.senders?.[0] ?? "Conformance", text: `Héllo ✓ ${messageId}` }
      yield* sameCall("sending", (telco) => telco.sendSms(sms))
      yield* observed("messages", 1, ({ messages }) => messages(iccid, sms.text))
    })
  },
  {
    name: "a profile can be released, also again; one that the telco does not know is released or refused, and that is final",
    effect: Effect.gen(function* () {
      const key = yield* freshKey
      yield* sameCall("releasing", (telco) => telco.releaseProfile({ key, iccid }))
      const telco = yield* Telco
      const unknown = telco.releaseProfile({ key: `${key}-unknown`, iccid: "8900000000000000000" }).pipe(
        Effect.as("released"),
        Effect.catchTag("Telco.Refused", () => Effect.succeed("refused"))
      )
      yield* Suite.equals("the second answer", yield* unknown, yield* unknown)
    })
  },
  {
    name: "the mobile plan is what the last change says, and a change that comes again undoes no later one",
    effect: Effect.gen(function* () {
      if (!can.mobilePlans) return
      const telco = yield* Telco
      const key = yield* freshKey
      const apply = telco.setMobilePlan({ key: `${key}-1`, iccid, applied: true })
      yield* apply
      yield* observed("applied", true, ({ mobilePlan }) => mobilePlan(iccid))
      yield* telco.setMobilePlan({ key: `${key}-2`, iccid, applied: false })
      yield* apply
      yield* observed("applied", false, ({ mobilePlan }) => mobilePlan(iccid))
    })
  },
  {
    name: "the service of a SIM, where the telco can stop it, is what the last change says, and one that comes again undoes no later one",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      if (telco.setService === undefined) return
      const key = yield* freshKey
      const stop = telco.setService({ key: `${key}-1`, iccid, active: false })
      yield* stop
      yield* observed("in service", false, ({ service }) => service?.(iccid) ?? false)
      yield* telco.setService({ key: `${key}-2`, iccid, active: true })
      yield* stop
      yield* observed("in service", true, ({ service }) => service?.(iccid) ?? true)
    })
  }
]

/** What the suite cannot observe, in words; empty if it observes all. */
const blindSpots = <R>({ faults = {}, observe }: Options<R>): string => {
  const spots = [...(observe === undefined ? ["what is behind the port"] : []), ...Subject.missing(faults)]
  return spots.length === 0 ? "" : ` (not observed: ${spots.join(", ")})`
}

/**
 * A telco of plain functions: what `telcoLayer` of `simplan/promise` makes, which names no type of
 * Effect.
 */
export interface PlainTelco {
  readonly "~simplan/Telco": true
}

const isLayer = <R, E>(telco: Layer.Layer<Telco | R, E> | PlainTelco): telco is Layer.Layer<Telco | R, E> =>
  Layer.isLayer(telco)

const layerOf = <R, E>(telco: Layer.Layer<Telco | R, E> | PlainTelco): Layer.Layer<Telco | R, E> => {
  if (isLayer(telco)) return telco
  throw new TypeError("The telco is neither a layer nor made by telcoLayer of simplan/promise")
}

/** Defines the suite's cases with the runner. */
export const run = <R, E>(
  name: string,
  telco: Layer.Layer<Telco | R, E> | PlainTelco,
  runner: Suite.Runner,
  options: Options<R> = {}
): void => Suite.run(`${name} is a telco${blindSpots(options)}`, layerOf(telco), cases(options), runner, options)
