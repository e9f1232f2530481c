/**
 * The cases of the telco suite about what a telco declares that it can do: that works, and
 * everything else is refused and leaves nothing (rule P4).
 */
import { Effect } from "effect"
import type { PlanTerms } from "../../domain/Plan.ts"
import { type Call, type PackageOrder, Telco } from "../../ports/Telco.ts"
import * as Suite from "../Suite.ts"
import { freshKey, freshPackageId, isShared, type Subject } from "./Subject.ts"

type Case<R> = Suite.Case<Telco | R>

const WINDOW = { start: Date.UTC(2031, 0, 1), end: Date.UTC(2031, 0, 8) }

const throttling: PlanTerms["throttling"] = [
  { percentage: 50, limit: "1024" },
  { percentage: 80, limit: "512" },
  { percentage: 100, limit: "128" }
]

/** Does it, or refuses it and leaves nothing of it. */
const order = <R>({ iccid, observed }: Subject<R>, isDone: boolean, what: string, of: PackageOrder) =>
  Effect.gen(function* () {
    const telco = yield* Telco
    const { packageId } = of
    if (isDone) yield* telco.createPackage(of)
    else {
      yield* Suite.failsWith(what, "Telco.Refused", telco.createPackage(of))
      yield* Suite.failsWith(`${what} again`, "Telco.Refused", telco.createPackage(of))
    }
    yield* observed("packages", isDone ? 1 : 0, ({ packages }) => packages([packageId]))
    const listed = (yield* telco.listPackages?.({ iccid }) ?? Effect.succeed(null)) ?? null
    if (listed !== null) yield* Suite.equals(`whether ${what} is listed`, listed.includes(packageId), isDone)
  })

const refusedIf = (isRefused: boolean, what: string, call: Call<unknown>) =>
  isRefused ? Suite.failsWith(what, "Telco.Refused", call) : Effect.void

/** The cases. */
export const cases = <R>(subject: Subject<R>): ReadonlyArray<Case<R>> => {
  const { can, iccid, order: orderOf } = subject
  return [
    {
      name: "a package with a window is made, unless the telco declares that it has none: then it is refused",
      effect: Effect.gen(function* () {
        yield* order(subject, can.windows, "a window", orderOf(yield* freshPackageId, WINDOW))
      })
    },
    {
      name: "a throttled package is made, unless the telco declares that it does not throttle: then it is refused",
      effect: Effect.gen(function* () {
        const plain = orderOf(yield* freshPackageId)
        yield* order(subject, can.throttling, "throttling", { ...plain, terms: { ...plain.terms, throttling } })
      })
    },
    {
      name: "a package of no bundle is refused by a telco that declares that it sells bundles only",
      effect: Effect.gen(function* () {
        const { load: _, ...unsold } = orderOf(yield* freshPackageId)
        if (!can.volumes) yield* order(subject, false, "a package of no bundle", unsold)
      })
    },
    {
      name: "a package that recurs is refused by a telco that declares no windows, or puts no packages beside each other",
      effect: Effect.gen(function* () {
        const plain = orderOf(yield* freshPackageId)
        const recurrence = { periodicity: "Monthly", frequency: 1, occurrences: 2 } as const
        if (can.windows && isShared(can)) return
        yield* order(subject, false, "a recurrence", { ...plain, terms: { ...plain.terms, recurrence } })
      })
    },
    {
      name: "a second package on a SIM is made, unless the telco declares that it would be merged: then it is refused",
      effect: Effect.gen(function* () {
        const telco = yield* Telco
        const key = yield* freshKey
        const made = yield* telco.createPackage(orderOf(`${key}:0`))
        yield* order(subject, isShared(can), "a second package", orderOf(`${key}:1`))
        yield* Suite.equals("the first one", yield* telco.createPackage(orderOf(`${key}:0`)), made)
      })
    },
    {
      name: "a top-up that the telco declares it cannot take away stays, and what the SIM was bought with can be taken",
      effect: Effect.gen(function* () {
        if (can.cancellation !== "load" || !isShared(can)) return
        const telco = yield* Telco
        const key = yield* freshKey
        const ids = [0, 1].map((occurrence) => `${key}:${occurrence}`)
        const [load = "", topUp = ""] = ids
        for (const id of ids) yield* telco.createPackage(orderOf(id))
        yield* Suite.failsWith("cancelling it", "Telco.Refused", telco.cancelPackage({ packageId: topUp, iccid }))
        yield* telco.cancelPackage({ packageId: load, iccid })
        const listed = (yield* telco.listPackages?.({ iccid }) ?? Effect.succeed(null)) ?? [topUp]
        yield* Suite.equals("what is left", listed, [topUp])
      })
    },
    {
      name: "what the telco declares that it cannot do to a SIM is refused",
      effect: Effect.gen(function* () {
        const telco = yield* Telco
        const key = yield* freshKey
        const packageId = `${key}:0`
        yield* telco.createPackage(orderOf(packageId))
        const suspend = telco.suspendPackage({ packageId, iccid })
        yield* refusedIf(can.suspension !== "package", "suspending a package", suspend)
        const apply = telco.setMobilePlan({ key, iccid, applied: true })
        yield* refusedIf(!can.mobilePlans, "a mobile plan", apply)
        if (!can.mobilePlans) yield* telco.setMobilePlan({ key: `${key}-2`, iccid, applied: false })
        yield* Suite.equals("whether it has the operation that pauses", telco.setService !== undefined, can.pause)
      })
    },
    {
      name: "a message that the telco declares it does not take is refused, and not sent",
      effect: Effect.gen(function* () {
        const telco = yield* Telco
        const { longest = null, senders = null } = can.sms ?? {}
        const from = senders?.[0] ?? "Conformance"
        const send = (text: string, sender = from) =>
          Effect.gen(function* () {
            const sms = { messageId: yield* freshKey, iccid, from: sender, text }
            yield* Suite.failsWith(`a message from ${sender}`, "Telco.Refused", telco.sendSms(sms))
            yield* subject.observed("messages", 0, ({ messages }) => messages(iccid, text))
          })
        if (can.sms === null) yield* send(`None ${yield* freshKey}`)
        if (longest !== null) yield* send(`${yield* freshKey} `.padEnd(longest + 1, "x"))
        if (senders !== null) yield* send(`From ${yield* freshKey}`, `${from.slice(0, 9)}?!`)
      })
    }
  ]
}
