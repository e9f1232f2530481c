/**
 * A subscription that moves from SIM to SIM while its data is used, reported, reported late, in
 * another order and twice, and used without any report (rule S8). Where the telco can be asked,
 * what the customer gets on all SIMs together is the plan, in whole MB rounded up. Whatever is
 * reported late counts, once, on the SIM on which it was used (rules R1 and U1).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Decision } from "../../src/domain/Decision.ts"
import * as Package from "../../src/domain/Package.ts"
import * as Replacement from "../../src/domain/Replacement.ts"
import * as SimAggregate from "../../src/domain/SimAggregate.ts"
import * as SimDifference from "../../src/domain/SimDifference.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import type * as UsageBook from "../../src/domain/UsageBook.ts"
import { DAY_MS, MINUTE_MS } from "../domain/Calendar.ts"
import { aggregate, attached, free, NOW, terms } from "../domain/Values.ts"

const MB = 1_048_576
const ICCIDS = [0, 1, 2, 3].map((place) => `894450010219830482${place}`)

/** A package at the telco. */
interface Granted {
  readonly packageId: string
  readonly telcoPackageId: string
  readonly iccid: string
  readonly bytes: number
  used: number
  firstUse: number | null
  isStopped: boolean
  isLost: boolean
  /** Up to where its deltas were reported. */
  reported: number
}

type Step =
  | { readonly _tag: "Use"; readonly of: number; readonly bytes: number }
  | { readonly _tag: "Report"; readonly of: number; readonly named: "ours" | "telco's" | "not" }
  | { readonly _tag: "Deliver"; readonly of: number; readonly isRepeated: boolean }
  /** The telco has a package no longer. */
  | { readonly _tag: "Lose"; readonly of: number }
  | { readonly _tag: "Move" | "Order" }

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Use" as const),
      of: fc.nat(3),
      bytes: fc.oneof(fc.nat(3 * MB), fc.constantFrom(1, MB, MB + 1, 9 * MB))
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Report" as const),
      of: fc.nat(3),
      named: fc.constantFrom("ours", "telco's", "not")
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ _tag: fc.constant("Deliver" as const), of: fc.nat(5), isRepeated: fc.boolean() })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constantFrom("Move" as const, "Order" as const) }) },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Lose" as const), of: fc.nat(3) }) }
)

interface Kind {
  readonly megaBytes: number
  readonly isFirstUse: boolean
  readonly canBeAsked: boolean
  readonly isOfDeltas: boolean
}

const kinds: fc.Arbitrary<Kind> = fc.record({
  megaBytes: fc.integer({ min: 1, max: 20 }),
  isFirstUse: fc.boolean(),
  canBeAsked: fc.boolean(),
  isOfDeltas: fc.boolean()
})

const given: Replacement.Given = {
  pause: { changeId: "resume", isRefused: false },
  changeId: "pause",
  notifiedUntil: new Map()
}

/** A customer, the telco and the service. */
const makeWorld = ({ canBeAsked, isFirstUse, isOfDeltas, megaBytes }: Kind) => {
  let now = NOW
  const times = isFirstUse ? {} : { activationAt: NOW - MINUTE_MS, expirationAt: NOW + 9 * DAY_MS }
  const [first = ""] = ICCIDS
  const of = aggregate(
    [
      attached({ iccid: first, terms: terms({ dataMegaBytes: megaBytes }), createdAt: NOW - MINUTE_MS }, [
        { ...times, iccid: first }
      ])
    ],
    { iccid: first }
  )
  const stored = new Map<string, SimAggregate.SimAggregate>([
    [first, of],
    ...ICCIDS.slice(1).map((iccid) => [iccid, free({ iccid, simId: iccid })] as const)
  ])
  const at = (iccid: string) => stored.get(iccid) ?? free()
  const granted: Array<Granted> = []
  const pending: Array<TelcoReport.Report> = []
  const usage: Array<UsageBook.Entry> = []
  let on = 0
  let reports = 0
  /** Whether a package was lost before the telco was asked for it. */
  let isAssumed = false

  const grant = (packageId: string, dataMegaBytes: number) => {
    const iccid = ICCIDS[on] ?? ""
    const bytes = dataMegaBytes * MB
    const telcoPackageId = `telco-${granted.length}`
    granted.push({
      packageId,
      telcoPackageId,
      iccid,
      bytes,
      used: 0,
      firstUse: null,
      isStopped: false,
      isLost: false,
      reported: 0
    })
    return telcoPackageId
  }
  grant("attachment:0", megaBytes)

  /** Stores what a decision changes, as a storage does. */
  const write = (changes: ReadonlyArray<SimDifference.SimChange>) => {
    const { arriving, leaving } = SimDifference.moves(changes)
    for (const change of changes) {
      const { iccid } = change.next.sim
      const difference = SimDifference.difference(change)
      const isMoving = arriving.has(change) || leaving.has(change)
      const next = SimDifference.applied(isMoving ? { ...at(iccid), attachments: [] } : at(iccid), difference)
      stored.set(iccid, next)
    }
  }
  const decided = ({ movedFrom, sim: change }: Decision) =>
    write([...(movedFrom === undefined ? [] : [movedFrom]), ...(change === undefined ? [] : [change])])
  const pack = (): Package.Package => {
    const [found] = at(ICCIDS[on] ?? "").attachments[0]?.packages ?? []
    return found ?? expect.fail("the package is gone")
  }

  const take = (report: TelcoReport.Report) => {
    const view = (iccid: string) => SimAggregate.forReports(at(iccid), { since: 0, packageIds: [] })
    const [own, present] = [view(report.iccid), view(ICCIDS[on] ?? "")]
    const before = pack().usedBytes
    if (report.iccid === present.sim.iccid) {
      const applied = Result.getOrThrow(TelcoReport.apply(own, report, now))
      usage.push(...applied.usage)
      write([{ loaded: own, next: applied.aggregate }])
    } else {
      const { applied, left } = Result.getOrThrow(TelcoReport.applyLate(own, present, report, now))
      usage.push(...applied.usage)
      write([
        { loaded: own, next: left },
        { loaded: present, next: applied.aggregate }
      ])
    }
    expect(pack().usedBytes).toBeGreaterThanOrEqual(before)
  }

  const report = (one: Granted, named: "ours" | "telco's" | "not") => {
    const isUsed = isOfDeltas ? one.used > one.reported : one.used > 0
    if (!isUsed) return
    const ids = { ours: one.packageId, "telco's": one.telcoPackageId, not: null }
    // What is dated before the first use that is known is about no package, unless it names one.
    const packageId = isFirstUse && named === "not" ? one.packageId : ids[named]
    const bytes = isOfDeltas ? one.used - one.reported : one.used
    one.reported = one.used
    const usage = { _tag: isOfDeltas ? "Delta" : "Total", bytes } as const
    const id = () => ({ reportId: `r${reports++}`, iccid: one.iccid })
    const first = { _tag: "FirstUse", packageId: one.packageId } as const
    if (isFirstUse) pending.push({ ...id(), occurredAt: one.firstUse ?? now, fact: first })
    pending.push({ ...id(), occurredAt: now, fact: { _tag: "Usage", packageId, usage } })
  }
  const deliver = (place: number, isRepeated: boolean) => {
    const index = pending.length === 0 ? -1 : place % pending.length
    const one = pending[index]
    if (one === undefined) return
    take(one)
    // The service knows a delta by its id when it comes twice.
    if (!isRepeated || isOfDeltas) pending.splice(index, 1)
  }

  const count = (iccid: string) => {
    const present = at(ICCIDS[on] ?? "")
    const ids = Replacement.uncounted(present, iccid)
    for (const one of granted) if (ids.includes(one.packageId)) one.isStopped = true
    const lost = granted.filter(({ isLost, packageId }) => isLost && ids.includes(packageId))
    isAssumed ||= lost.length > 0
    const found = granted
      .filter((one) => one.iccid === iccid && !one.isLost)
      .map((one) => ({ packageId: one.packageId, usedBytes: one.used, activationAt: one.firstUse }))
    const recorded = Replacement.counted(at(iccid).sim, present, canBeAsked ? found : null, now)
    usage.push(...recorded.usage)
    write([recorded.left])
    decided(recorded.decision)
  }
  const order = () => {
    const iccid = ICCIDS[on] ?? ""
    const work = { _tag: "ReplacePackage", iccid, attachmentId: "attachment", occurrence: 0, replacement: on } as const
    const view = () => SimAggregate.forOccurrence(at(iccid), work)
    let step = Replacement.step(view(), work, now)
    if (step._tag === "Count") {
      for (const left of step.iccids) count(left)
      expect(Replacement.step(view(), work, now)._tag).not.toBe("Count")
      step = Replacement.step(view(), work, now, true)
    }
    if (step._tag !== "Order") return
    const telcoPackageId = grant(Package.packageId("attachment", 0, on), step.terms.dataMegaBytes)
    decided(Replacement.record(view(), work, { _tag: "Created", telcoPackageId }, now))
  }

  return {
    usage,
    granted,
    pack,
    isAssumed: () => isAssumed,
    /** What the customer has had or may have on all SIMs. */
    had: () => granted.reduce((sum, { bytes, isStopped, used }) => sum + (isStopped ? used : bytes), 0),
    step: (step: Step) => {
      now += 1_000
      const pick = (place: number) => granted[place % granted.length] ?? expect.fail()
      switch (step._tag) {
        case "Use": {
          const one = pick(step.of)
          const bytes = one.isStopped ? 0 : Math.min(step.bytes, one.bytes - one.used)
          if (bytes > 0) one.firstUse ??= now
          one.used += bytes
          return
        }
        case "Report":
          return report(pick(step.of), step.named)
        case "Deliver":
          return deliver(step.of, step.isRepeated)
        case "Lose": {
          const one = pick(step.of)
          one.isLost = true
          one.isStopped = true
          return
        }
        case "Move": {
          const next = at(ICCIDS[on + 1] ?? "")
          if (on + 1 >= ICCIDS.length) return
          decided(Result.getOrThrow(Replacement.replace(at(ICCIDS[on] ?? ""), next.sim, given, now)).decision)
          on += 1
          return
        }
        case "Order":
          return order()
      }
    },
    /** All is done and reported. */
    end: () => {
      now += 1_000
      if (on > 0) order()
      now += 1_000
      for (const one of granted) report(one, "ours")
      while (pending.length > 0) deliver(0, false)
    }
  }
}

const sum = (of: ReadonlyArray<{ readonly bytes: number }>) => of.reduce((all, { bytes }) => all + bytes, 0)

describe("A subscription that moves gives its data once (S8)", () => {
  it("on all SIMs together, and what is reported late counts once, where it was used", () => {
    const seen = { moved: 0, assumed: 0 }
    fc.assert(
      fc.property(kinds, fc.array(steps, { maxLength: 40 }), (kind, asked) => {
        const world = makeWorld(kind)
        for (const one of asked) world.step(one)
        world.end()
        const { granted, pack, usage } = world
        if (granted.length > 1) seen.moved += 1
        const isAssumed = Package.formerOf(pack()).length > 0 && (!kind.canBeAsked || world.isAssumed())
        if (kind.canBeAsked && !isAssumed) expect(world.had()).toBeLessThan((kind.megaBytes + 1) * MB)
        // What is not known is never taken in silence; what is known is said to be.
        if (Package.uncountedOn(pack()).length === 0) {
          expect(Package.assumedUsedBytes(pack()) !== null).toBe(isAssumed)
          if (isAssumed) seen.assumed += 1
        }
        const used = granted.reduce((all, one) => all + one.used, 0)
        expect(pack().usedBytes).toBe(used)
        expect(sum(usage)).toBe(used)
        for (const iccid of ICCIDS) {
          const there = granted.filter((one) => one.iccid === iccid).reduce((all, one) => all + one.used, 0)
          expect(sum(usage.filter((entry) => entry.iccid === iccid))).toBe(there)
        }
        const firstUse = Math.min(...granted.flatMap((one) => one.firstUse ?? []))
        if (kind.isFirstUse && !kind.isOfDeltas && used > 0)
          expect(pack().activationAt).toBeGreaterThanOrEqual(firstUse)
      }),
      { numRuns: 3_000 }
    )
    expect(seen.moved).toBeGreaterThan(300)
    expect(seen.assumed).toBeGreaterThan(100)
  })
})
