/**
 * A subscription that moves from SIM to SIM (rule S8) over some days, from a seed: used, paused,
 * topped up, and replaced while the telco loses, delays and doubles calls and processes die. Most
 * moves come before a poll has found what was used, the SIM that was left is used until its
 * packages are stopped, and some of that is charged later. Of some SIMs that were left the system
 * answers no call for a while, and the subscription moves on before they are counted. SIMs that
 * were left are put back into stock; then the subscription comes back to them, or another customer
 * gets them (rule I9).
 *
 * In the end one SIM has the subscription, with exactly one package for what is left of each, in
 * whole MB rounded up; the SIMs that it has left are withdrawn, in stock or another customer's, are
 * resumed, and have no package of it. All packages that the system has ever made for an attachment
 * grant no more than its plan, taken together. The days of each package sum to what it has used,
 * and both books of usage are equal to the byte, by SIM, day and country (rule U1).
 */
import { Context, Effect, Exit, Layer, Result, Stream } from "effect"
import { Attachments, Pauses, Problems, Replacements, SimCorrections, Sims, Time, Usage, Worker } from "simplan"
import { Package, Sim, UsageBook } from "simplan/ports"
import * as Machine from "../../../adapters/simulation/Machine.ts"
import { CallFailure, Journal } from "../../../adapters/telco-calls/index.ts"
import { Api } from "../../../adapters/telco-ocs/api/Api.ts"
import * as Ocs from "../../../adapters/telco-ocs/Ocs.ts"
import { Orders } from "../../../adapters/telco-ocs/orders/Orders.ts"
import * as Polling from "../../../adapters/telco-ocs/Polling.ts"
import * as Reporting from "../../../adapters/telco-ocs/Reporting.ts"
import * as Model from "../Model.ts"
import * as Service from "../Service.ts"
import { networks, runner, type Written } from "./UsageSimulation.ts"

const { DAY, HOUR, MINUTE, SECOND } = Time

const TELCO = "ocs"
const MEGABYTE = 1_048_576
const ICCIDS = [0, 1, 2, 3, 4, 5].map((index) => `89910000000000000${index}7`)
const [FIRST = "", ...OTHERS] = ICCIDS

/** What is left of a package when its subscription moves. */
const leftOf = (megaBytes: number, usedBytes: number): number => Math.ceil(megaBytes - usedBytes / MEGABYTE)

/** What a package of a template of ours grants, in MB. */
const grantedBy = (templateName: string | null): number => Number(/ (\d+)MB /.exec(templateName ?? "")?.[1])

const simulate = (seed: number, machine: Machine.MachineTime, start: number) =>
  Effect.gen(function* () {
    const next = Machine.generator(seed)
    const random = (bound: number): number => next() % bound
    const oneIn = (number: number): boolean => random(number) === 0
    const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)] as A
    const struck = new Map<string, number>()
    const count = (what: string) => void struck.set(what, (struck.get(what) ?? 0) + 1)
    const now = () => machine.clock.currentTimeMillisUnsafe()
    const found: Array<string> = []

    // --- the system ---
    const skew = pick([0, 0, -1, 1]) * random(10 * MINUTE)
    const lag = pick([0, 5 * SECOND])
    const isFaulty = !oneIn(5)
    const calmFrom = start + (1 + random(3)) * DAY
    const records: Array<Written> = []
    let network = pick(networks)
    /** Nothing befalls a call: a creation would be refused. */
    let isSafe = true
    /** After how many calls the process dies that makes them; 0: after none. */
    let dieIn = 0
    /** The SIM of which the system answers no call, and until when. */
    let mute = { iccid: "", until: 0 }
    const isMute = (iccid: string | undefined) => mute.iccid === iccid && now() < Math.min(mute.until, calmFrom)
    const changes = ["affectPackage", "deletePackage", "setSubscriberStatus", "setPackageStatus"] as const
    const fault = (name: string): Model.Fault | null => {
      const isChange = changes.some((one) => one === name)
      if (isSafe || !isFaulty || now() >= calmFrom || !oneIn(isChange ? 2 : 15)) return null
      if (!isChange) return { kind: pick(["answer lost", "answer cut"] as const) }
      const kind = pick(["request lost", "answer lost", "answer cut", "not reached", "late", "twice"] as const)
      // A status that was set and answered is not set once more later, and of an order that was
      // answered and is done once more, an operator decides.
      if (kind === "late" || (kind === "twice" && name === "deletePackage"))
        return { kind, after: random(oneIn(3) ? 10 * MINUTE : 40 * SECOND) }
      return { kind: kind === "twice" ? "answer lost" : kind }
    }
    const model = Model.make({ fault, skew, lag: () => random(lag + 1), period: 30 * DAY })
    /** Here the process may die. */
    const point = Effect.suspend(() => {
      if (dieIn === 0 || --dieIn > 0) return Effect.void
      count("process dies while it replaces")
      return Effect.die("the process dies")
    })
    const call = <A, E>(answer: Effect.Effect<A, E>) => Effect.andThen(point, Effect.tap(answer, point))
    /** A call about a SIM. */
    const about = <A>(iccid: string | undefined, answer: Effect.Effect<A, CallFailure.CallFailure>) =>
      call(
        Effect.suspend(() => {
          if (!isMute(iccid)) return answer
          count("no answer about a SIM that was left")
          return Effect.fail(new CallFailure.CallFailure({ outcome: "NotDone", message: "the SIM is locked" }))
        })
      )
    const simOf = (id: number) => model.packages.get(id)?.iccid
    const { api: ocs } = model
    const api = Api.of({
      ...ocs,
      affectPackage: (order) => about(order.iccid, ocs.affectPackage(order)),
      deletePackage: (id) => about(simOf(id), ocs.deletePackage(id)),
      setSubscriberStatus: (of) => about(of.iccid, ocs.setSubscriberStatus(of)),
      setPackageStatus: (id, isActive) => about(simOf(id), ocs.setPackageStatus(id, isActive)),
      packages: (iccid) =>
        about(
          iccid,
          Effect.map(ocs.packages(iccid), (all) =>
            all.map((one) => ({ ...one, allowanceBytes: grantedBy(one.templateName) * MEGABYTE }))
          )
        ),
      subscriber: (iccid) =>
        Effect.map(ocs.subscriber(iccid), (one) => ({
          ...one,
          network: { at: now() + skew, mcc: network.mcc, mnc: network.mnc, rat: "4G", imei: "490154203237518" }
        })),
      usage: ({ from, iccid, to }) =>
        Effect.sync(() => {
          const [first, last] = [UsageBook.dayOf(from), UsageBook.dayOf(to)]
          return records.filter(
            (one) =>
              one.iccid === iccid &&
              one.writtenAt <= now() &&
              UsageBook.dayOf(one.at) >= first &&
              UsageBook.dayOf(one.at) <= last
          )
        })
    })

    // --- the service ---
    const journal = yield* Journal.makeMemory
    const apis = Layer.succeed(Api, api)
    const journals = Layer.succeed(Journal.Journal, journal)
    const settings = { telco: TELCO, resellerId: 1, zones: { Green: { EUROPE: 28 } }, mobilePlanId: null, listLag: lag }
    const telco = yield* Layer.build(Ocs.layer(settings).pipe(Layer.provide([apis, journals])))
    const service = yield* Service.make(telco, FIRST, OTHERS)
    const { organizationId, services } = service
    const worker = Context.get(services, Worker.Worker)
    const attachments = Context.get(services, Attachments.Attachments)
    const orders = Context.get(telco, Orders)
    const polling = yield* Polling.make({
      telco: TELCO,
      fastest: pick([10 * MINUTE, HOUR]),
      slowest: 6 * HOUR,
      notified: [50, 80],
      meter: Reporting.makeMeter(20)
    }).pipe(Effect.provide(Layer.mergeAll(apis, journals, Layer.succeedContext(services), Layer.succeedContext(telco))))

    const ordersOf = (iccid: string) => journal.ofSim({ telco: TELCO, kind: "package", iccid })
    const simEntry = (iccid: string) => journal.get({ telco: TELCO, kind: "sim", key: iccid })
    const dues = Effect.gen(function* () {
      const settled = (yield* Effect.forEach(ICCIDS, ordersOf)).flat()
      const polled = yield* Effect.forEach(ICCIDS, simEntry)
      return {
        jobs: yield* worker.nextDue,
        polls: polled.flatMap((entry) => entry?.dueAt ?? []),
        orders: settled.flatMap(({ dueAt }) => dueAt ?? [])
      }
    })
    /** Does whatever falls due until then. */
    const until = Effect.fnUntraced(function* (target: number) {
      for (;;) {
        const { jobs, orders: settling, polls } = yield* dues
        const at = Math.min(jobs ?? Number.POSITIVE_INFINITY, ...settling, ...polls)
        if (at > target) break
        yield* Effect.sleep(Math.max(0, at - now()))
        if (jobs !== null && jobs <= now()) yield* worker.drain
        if (polls.some((due) => due <= now())) yield* Effect.exit(polling.due)
        if (settling.some((due) => due <= now())) yield* Effect.exit(orders.settle({ limit: 10, report: noDuplicate }))
      }
      yield* Effect.sleep(Math.max(0, target - now()))
    })
    const noDuplicate = (used: ReadonlyArray<unknown>) =>
      Effect.sync(() => void found.push(...used.map(() => "a duplicate was used")))

    // --- the customer ---
    let on = FIRST
    let isPaused = false
    /** What was granted of each attachment by its plan, in MB. */
    const plans = new Map<string, number>()
    /** What was charged to packages that were stopped. */
    let lateBytes = 0
    /** The SIMs that were left, and not put back into stock since. */
    const leftSims = new Set<string>()
    /** Other customers, of SIMs that were put back into stock: their attachments. */
    const others = new Map<string, string>()
    const simOfIccid = (iccid: string) => Effect.orDie(Context.get(services, Sims.Sims).get({ organizationId, iccid }))
    const sell = Effect.fnUntraced(function* (iccid: string) {
      isSafe = true
      dieIn = 0
      const megaBytes = pick([1, 60, 100_000])
      const made = yield* Effect.exit(service.subscribe({ megaBytes, on: iccid }))
      isSafe = false
      // A process that is dead may still have the SIM's lock.
      if (made._tag === "Failure") {
        count("not subscribed")
        return null
      }
      const { attachmentId } = made.value
      plans.set(attachmentId, megaBytes)
      return attachmentId
    })
    const subscribe = Effect.suspend(() => sell(on))
    /** What can be used on the SIM, or is charged late on one that was left. */
    const useOn = Effect.fnUntraced(function* (iccid: string) {
      if (model.suspended.has(iccid)) return
      const orders = yield* ordersOf(iccid)
      const idsOf = (some: typeof orders) => new Set(some.flatMap(({ externalId }) => externalId ?? []))
      // What is charged after the last list before the deletion is in none.
      const listed = lag > 0 ? [] : orders.filter(({ document }) => document["_tag"] === "Created")
      const [served, charged] = [idsOf(orders), idsOf(listed)]
      const usable = [...model.packages.values()].flatMap((one) => {
        const left = grantedBy(one.templateName) * MEGABYTE - one.usedBytes
        const isCharged = one.isActive ? served.has(String(one.id)) : charged.has(String(one.id)) && one.usedBytes > 0
        return one.iccid === iccid && isCharged && left > 0 ? [{ id: one.id, left }] : []
      })
      if (usable.length === 0) return
      const { id, left } = pick(usable)
      const isLate = model.packages.get(id)?.isActive === false
      const bytes = Math.min(left, 1 + random(oneIn(3) && !isLate ? 50_000_000 : 1_000_000))
      if (leftSims.has(iccid)) count(isLate ? "charged late" : "used after it was left")
      if (isLate) lateBytes += bytes
      model.use(id, bytes, now(), isLate)
      const at = Math.floor((now() + skew) / SECOND) * SECOND
      const late = isFaulty && oneIn(4) ? random(2 * HOUR) : 0
      records.push({ iccid, at, countryAlpha2: network.countryAlpha2, bytes, writtenAt: now() + late })
    })
    const use = Effect.suspend(() => useOn(oneIn(3) ? pick([on, ...leftSims, ...others.keys()]) : on))
    const pause = Effect.gen(function* () {
      const pauses = Context.get(services, Pauses.Pauses)
      isPaused = !isPaused
      count(isPaused ? "subscription paused" : "subscription resumed")
      yield* (isPaused ? pauses.pause : pauses.resume)({ organizationId, iccid: on })
    })
    const bytesOn = (iccid: string) => records.reduce((sum, one) => (one.iccid === iccid ? sum + one.bytes : sum), 0)
    const booked = (iccid: string) =>
      Context.get(services, Usage.Usage)
        .ofSim({ organizationId, iccid, by: ["day", "country", "attachment"], ...range() })
        .pipe(Stream.runCollect)
    const range = () => ({ from: UsageBook.dateOf(start - DAY), to: UsageBook.dateOf(now()) })
    /** The attachments of which the system had no package any more when it was asked. */
    const lostOf = new Set<string>()
    /** Somebody deletes a package at the system, of which all use is reported. */
    const lose = Effect.gen(function* () {
      isSafe = true
      dieIn = 0
      const entry = yield* simEntry(on)
      const polled = entry === null ? null : yield* Effect.exit(polling.poll(entry))
      const usable = (yield* ordersOf(on)).filter(
        ({ document, externalId }) => document["_tag"] === "Created" && model.packages.has(Number(externalId))
      )
      if (polled?._tag !== "Success" || usable.length === 0) return false
      const { externalId, key } = pick(usable)
      const attachmentId = Package.attachmentIdOf(key)
      const { usedBytes = 0 } = model.packages.get(Number(externalId)) ?? {}
      const listed = yield* attachments.list({ organizationId, iccid: on })
      const known = listed.find(({ attachment }) => attachment.attachmentId === attachmentId)?.packages[0]
      const isReported = known !== undefined && known.usedBytes - Package.usedOnFormer(known) === usedBytes
      if (!isReported || known.replacement?.isAwaited === true) return false
      yield* Effect.orDie(ocs.deletePackage(Number(externalId)))
      yield* Effect.sleep(lag + SECOND)
      lostOf.add(attachmentId)
      count("package lost before it is replaced")
      return true
    })
    const replace = Effect.gen(function* () {
      const old = on
      const entry = yield* simEntry(old)
      // Most moves come before a poll has found what was used.
      if (entry !== null && oneIn(4)) {
        yield* Effect.sleep(10 * SECOND)
        yield* Effect.exit(polling.poll(entry))
      }
      if (!oneIn(4)) yield* use
      if (isFaulty && now() < calmFrom && oneIn(3)) dieIn = 1 + random(6)
      if (dieIn === 0 && oneIn(3)) yield* lose
      const before = yield* attachments.list({ organizationId, iccid: old })
      const reported = (yield* booked(old)).reduce((sum, { bytes }) => sum + bytes, 0)
      // The process dies before the commit, where it lists what the new SIM has, or in a job of its
      // own.
      const replacing = Context.get(services, Replacements.Replacements).replace({ organizationId, iccid: old })
      const ended = yield* Effect.exit(Effect.result(replacing))
      isSafe = false
      if (Exit.isFailure(ended)) return count("process dies before it has replaced")
      const answer = ended.value
      if (Result.isFailure(answer)) {
        count(`not replaced: ${answer.failure._tag}`)
        return
      }
      on = answer.success.sim.iccid
      count(isPaused ? "replaced while paused" : "replaced")
      const used = before.flatMap(({ packages }) => packages).reduce((sum, { usedBytes }) => sum + usedBytes, 0)
      if (used > 0) count("replaced after use")
      if (bytesOn(old) > reported) count("replaced before a report of use")
      if (returned.has(on)) count("moved to a SIM that was left before")
      leftSims.add(old)
      if (isFaulty && oneIn(2)) mute = { iccid: old, until: now() + (3 + random(12)) * MINUTE }
      while (oneIn(2)) yield* useOn(old)
    })
    /** The SIMs that were put back into stock after the subscription had left them. */
    const returned = new Set<string>()
    /** A SIM that was left is made available again once it is confirmed that nothing is on it. */
    const putBack = Effect.gen(function* () {
      const iccid = pick([...leftSims])
      const { correct } = Context.get(services, SimCorrections.SimCorrections)
      const isEnded = Sim.isOut(yield* simOfIccid(iccid))
      const answer = yield* Effect.result(correct({ organizationId, iccid, status: "available" }))
      if (isEnded !== Result.isSuccess(answer)) found.push(`${iccid} is ${isEnded ? "not " : ""}put back`)
      if (Result.isFailure(answer)) return
      leftSims.delete(iccid)
      returned.add(iccid)
      count(isMute(mute.iccid) ? "SIM put back while the one before is not counted" : "SIM put back")
      if (!oneIn(3)) return
      const made = yield* sell(iccid)
      if (made !== null) others.set(iccid, made)
      if (made !== null) count("SIM that was left is sold to another customer")
    })

    /** The packages that the system has ever made for an attachment. */
    const packagesOf = Effect.fnUntraced(function* (attachmentId: string) {
      const all = (yield* Effect.forEach(ICCIDS, ordersOf)).flat()
      return new Set(
        all.flatMap(({ externalId, key }) => (Package.attachmentIdOf(key) === attachmentId ? (externalId ?? []) : []))
      )
    })

    /** A move has an eSIM to go to. */
    const isInStock = Effect.map(Effect.forEach(ICCIDS, simOfIccid), (all) => all.some(Sim.isFree))

    yield* subscribe
    while (now() < calmFrom) {
      // What follows while the SIM that was left is not counted.
      const isUncounted = isMute(mute.iccid)
      const gap = isUncounted ? 3 * MINUTE : oneIn(3) ? 6 * HOUR : oneIn(2) ? HOUR : 3 * MINUTE
      yield* until(now() + random(gap))
      if (oneIn(4)) network = pick(networks)
      const what = isUncounted && oneIn(2) ? 19 : random(20)
      if (what < 14) yield* use
      else if (what < 15 && plans.size - others.size < 4) yield* subscribe
      else if (what < 17) yield* pause
      else if (leftSims.size > 0 && oneIn(3)) yield* putBack
      else if (yield* isInStock) yield* replace
    }
    // On until everything that was put off is done and has been compared.
    dieIn = 0
    yield* until(UsageBook.dayOf(now()) + 5 * DAY)

    // --- SIMs ---
    const served = new Set([on, ...others.keys()])
    for (const { allocation, iccid } of yield* Effect.forEach(ICCIDS, simOfIccid)) {
      const expected = served.has(iccid) ? "InService" : leftSims.has(iccid) ? "Withdrawn" : "Free"
      if (allocation._tag !== expected) found.push(`${iccid} is ${allocation._tag}, and not ${expected}`)
      const suspended = model.suspended.has(iccid)
      if (suspended !== (iccid === on && isPaused)) found.push(`${iccid} is ${suspended ? "" : "not "}paused`)
    }

    // --- packages ---
    const listed = (yield* Effect.forEach([...served], (iccid) => attachments.list({ organizationId, iccid }))).flat()
    const there = new Map<string, { readonly iccid: string; readonly left: number }>()
    for (const { attachment, packages } of listed) {
      const { iccid } = attachment
      if (others.has(iccid) && others.get(iccid) !== attachment.attachmentId)
        found.push(`${attachment.attachmentId} is on ${iccid}, which is another customer's`)
      const megaBytes = plans.get(attachment.attachmentId) ?? 0
      const [pack, ...more] = packages
      if (pack === undefined || more.length > 0) found.push(`${attachment.attachmentId} has not one package`)
      else if (pack.telcoPackageId !== null)
        there.set(pack.telcoPackageId, { iccid, left: leftOf(megaBytes, pack.replacement?.usedBefore ?? 0) })
      else if (leftOf(megaBytes, pack.replacement?.usedBefore ?? 0) > 0)
        found.push(`${attachment.attachmentId} was not ordered again`)
    }
    if (listed.length !== plans.size) found.push(`${plans.size - listed.length} attachments are lost`)
    for (const { iccid, id, templateName } of model.packages.values()) {
      const expected = there.get(String(id))
      there.delete(String(id))
      if (expected === undefined) found.push(`package ${id} on ${iccid} is no attachment's`)
      else if (iccid !== expected.iccid) found.push(`package ${id} is on ${iccid}, and not on ${expected.iccid}`)
      else if (grantedBy(templateName) !== expected.left)
        found.push(`package ${id} is ${templateName}, and ${expected.left} MB were left`)
    }
    for (const id of there.keys()) found.push(`package ${id} is gone`)

    // --- what the customer was given ---
    for (const { attachment, packages } of listed) {
      const { attachmentId } = attachment
      const ids = yield* packagesOf(attachmentId)
      const made = [...model.packages.values(), ...model.deleted.values()].filter(({ id }) => ids.has(String(id)))
      // A package that is gone has given what was used of it.
      const given = made.reduce((sum, { id, templateName, usedBytes }) => {
        const isThere = packages.some(({ telcoPackageId }) => telcoPackageId === String(id))
        return sum + (isThere ? grantedBy(templateName) * MEGABYTE : usedBytes)
      }, 0)
      const isAssumed = packages.some((one) => Package.assumedUsedBytes(one) !== null)
      if (isAssumed !== lostOf.has(attachmentId)) found.push(`${attachmentId} is ${isAssumed ? "" : "not "}assumed`)
      // What is charged after the telco was asked was not to be had.
      const most = ((plans.get(attachmentId) ?? 0) + 1) * MEGABYTE + lateBytes
      if (given >= most) found.push(`${attachmentId} was given ${given} bytes, and its plan has ${most - MEGABYTE}`)
    }

    // --- both books ---
    const { items } = yield* Context.get(services, Problems.Problems).page({ after: null, limit: 100 })
    for (const { work } of items) {
      found.push(`there is a problem ${JSON.stringify(work)}`)
    }
    const daysOf = new Map<string, number>()
    for (const iccid of ICCIDS) {
      const ours = new Map<string, number>()
      for (const { attachmentId = "", bytes, countryAlpha2, day } of yield* booked(iccid)) {
        const key = `${UsageBook.dateOf(day ?? 0)} ${countryAlpha2}`
        ours.set(key, (ours.get(key) ?? 0) + bytes)
        daysOf.set(attachmentId, (daysOf.get(attachmentId) ?? 0) + bytes)
      }
      const theirs = new Map<string, number>()
      for (const { at, bytes, countryAlpha2, iccid: of } of records) {
        const key = `${UsageBook.dateOf(UsageBook.dayOf(at))} ${countryAlpha2}`
        if (of === iccid) theirs.set(key, (theirs.get(key) ?? 0) + bytes)
      }
      const total = [...ours.values()].reduce((sum, bytes) => sum + bytes, 0)
      if (total !== bytesOn(iccid))
        found.push(`${iccid}: ${total} bytes by simplan's book, and ${bytesOn(iccid)} were charged`)
      for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
        const [left = 0, right = 0] = [ours.get(key), theirs.get(key)]
        if (left !== right) found.push(`${iccid} ${key}: ${left} bytes by simplan's book, ${right} by the system's`)
      }
    }
    for (const { attachment, packages } of listed) {
      const used = packages.reduce((sum, { usedBytes }) => sum + usedBytes, 0)
      const days = daysOf.get(attachment.attachmentId) ?? 0
      if (used !== days) found.push(`${attachment.attachmentId} has used ${used} bytes, and its days sum to ${days}`)
    }
    for (const [what, times] of model.faults) struck.set(what, (struck.get(what) ?? 0) + times)
    return { problems: found, stats: { comparisons: 0, faults: struck } }
  })

/** Runs one seed. */
export const run = runner(0x2545f491, simulate)
