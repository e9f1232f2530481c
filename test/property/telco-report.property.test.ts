/**
 * Random telco reports: which are rejected, and for which package usage counts that names none
 * (rules R1 and T3); what an accepted one leaves: a sign of a download (S2), an entry of the SM-DP+
 * history (I2), and a last operator for 7 days (R3). Late, repeated and unordered running totals,
 * locations and SM-DP+ states end in the same facts, and each event fires once.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Location from "../../src/domain/Location.ts"
import type { ForReports } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, MINUTE_MS } from "../domain/Calendar.ts"
import { attached, delta, firstUse, ICCID, aggregate, NOW, report, total, terms } from "../domain/Values.ts"
import { locations, smdpStates, amounts, totals } from "./Arbitraries.ts"
import type { WithPackages } from "../../src/domain/Attachment.ts"
import type { Payload } from "../../src/domain/WebhookEvent.ts"

const active = attached({ createdAt: NOW - 50 * DAY_MS }, [
  { activationAt: NOW - 40 * DAY_MS, expirationAt: NOW + DAY_MS }
])

const beside = fc.integer({ min: -1, max: 1 })

/** Distances from now, near those at which reports are rejected. */
const distances = fc.oneof(
  fc.constantFrom(5 * MINUTE_MS, 0, -35 * DAY_MS).chain((limit) => beside.map((ms) => limit + ms)),
  fc.integer({ min: -39 * DAY_MS, max: DAY_MS / 2 })
)

const bytes = fc.constantFrom(0, 1, 1_000, 2 ** 53 - 1, -1, 2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY)

const facts = fc.oneof(
  bytes.map((amount) => total(amount)),
  bytes.map((amount) => delta(amount)),
  fc.constant(firstUse()),
  locations,
  smdpStates
)

const ids = fc.constantFrom(1, 254, 255, 256).map((length) => "r".repeat(length))

describe("A report (R1)", () => {
  it("is accepted unless it is too far ahead, too old a delta, no whole number of bytes, or an SM-DP+ state of a card", () => {
    fc.assert(
      fc.property(facts, distances, fc.boolean(), ids, (fact, distance, isEsim, id) => {
        const applied = TelcoReport.apply(aggregate([active], { isEsim }), report(fact, NOW + distance, id), NOW)
        const usage = fact._tag === "Usage" ? fact.usage : null
        const refused =
          id.length > 255 ||
          distance > 5 * MINUTE_MS ||
          (usage !== null && !(Number.isSafeInteger(usage.bytes) && usage.bytes >= 0)) ||
          (usage?._tag === "Delta" && distance < -35 * DAY_MS) ||
          (fact._tag === "SmdpState" && !isEsim)
        expect(Result.isFailure(applied)).toBe(refused)
      }),
      { numRuns: 3_000 }
    )
  })

  it("of use, location or a successful state is a sign of a download; every state is stored", () => {
    fc.assert(
      fc.property(facts, fc.boolean(), (fact, downloaded) => {
        const applied = TelcoReport.apply(aggregate([active], { downloaded }), report(fact), NOW)
        fc.pre(Result.isSuccess(applied))
        const { aggregate: after, smdpEntries } = Result.getOrThrow(applied)
        const isState = fact._tag === "SmdpState"
        const fails = isState && fact.modificationResult === "Failed"
        expect(after.sim.downloaded).toBe(downloaded || !fails)
        expect(after.sim.lastActivityAt).toBe(isState ? null : NOW)
        const { _tag, ...fields } = fact
        const entry = { organizationId: "organization", iccid: ICCID, reportId: "report", modifiedAt: NOW, ...fields }
        expect(smdpEntries).toEqual(isState ? [entry] : [])
      })
    )
  })
})

describe("Two sightings of the same instant (R3)", () => {
  it("end with the second one", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(locations, smdpStates), { minLength: 1, maxLength: 4 }), (all) => {
        const { sim } = all.reduce<ForReports>(
          (before, fact) => Result.getOrThrow(TelcoReport.apply(before, report(fact), NOW)).aggregate,
          aggregate()
        )
        const location = all.findLast(({ _tag }) => _tag === "Location")
        if (location !== undefined) expect(location).toMatchObject({ countryAlpha2: sim.location?.countryAlpha2 })
        const isSuccess = (fact: TelcoReport.Fact) => fact._tag === "SmdpState" && fact.modificationResult === "Success"
        const state = all.findLast(isSuccess)
        if (state !== undefined) expect(state).toMatchObject({ state: sim.smdp?.state })
      })
    )
  })
})

describe("A last operator (R3)", () => {
  it("is shown until exactly 7 days after the last activity", () => {
    const last = { countryAlpha2: "SE", operator: "Telia", rat: "5G", imei: "356938035643809", at: NOW }
    const ages = fc.oneof(
      beside.map((ms) => 7 * DAY_MS + ms),
      fc.nat(20 * DAY_MS)
    )
    fc.assert(
      fc.property(ages, fc.boolean(), (age, known) => {
        const location = known ? last : null
        expect(Location.visible(location, NOW, NOW + age)).toBe(age > 7 * DAY_MS ? null : location)
        expect(Location.visible(location, null, NOW + age)).toBeNull()
      })
    )
  })
})

/** Few instants, so that boundaries often coincide. */
const near = fc.integer({ min: NOW - 4, max: NOW })

const attachments: fc.Arbitrary<ReadonlyArray<WithPackages>> = fc
  .array(
    fc.record({
      times: fc.option(fc.record({ start: near, lasting: fc.integer({ min: 1, max: 4 }) })),
      suspendedAt: fc.option(near, { freq: 4 }),
      // A first use may lie up to 5 minutes before its attachment.
      createdAt: fc.oneof(
        fc.constant(NOW - 4),
        near.map((at) => at + 5 * MINUTE_MS)
      ),
      confirmed: fc.constantFrom(true, true, true, false),
      status: fc.constantFrom("Created", "Created", "Created", "Refused", "Lapsed")
    }),
    { maxLength: 5 }
  )
  .map((all) =>
    all.map(({ confirmed, createdAt, status, suspendedAt, times }, index) => {
      const activationAt = times?.start ?? null
      const expirationAt = times === null ? null : times.start + times.lasting
      return attached({ attachmentId: `a${index}`, confirmed, createdAt, suspendedAt }, [
        { status, activationAt, expirationAt }
      ])
    })
  )

interface Candidate {
  readonly id: string
  readonly createdAt: number
  readonly start: number | null
  readonly end: number
}

const candidates = (all: ReadonlyArray<WithPackages>, at: number): ReadonlyArray<Candidate> =>
  all.flatMap(({ attachment, packages: [pack] }) => {
    const suspended = attachment.suspendedAt !== null && attachment.suspendedAt <= at
    if (pack === undefined || !attachment.confirmed || suspended || pack.status !== "Created") return []
    return [
      {
        id: attachment.attachmentId,
        createdAt: attachment.createdAt,
        start: pack.activationAt,
        end: pack.expirationAt ?? 0
      }
    ]
  })

/** The rule once more, by sorting. */
const countedFor = (all: ReadonlyArray<WithPackages>, at: number, isFirstUse: boolean): string | undefined => {
  const waiting = candidates(all, at).filter(
    ({ createdAt, start }) => start === null && createdAt - at <= 5 * MINUTE_MS
  )
  const active = candidates(all, at)
    .filter(({ end, start }) => start !== null && start <= at && at < end)
    .toSorted((left, right) => left.end - right.end)
  return (isFirstUse ? [...waiting, ...active] : [...active, ...waiting])[0]?.id
}

describe("A report that names no package", () => {
  it.each([
    ["R1: counts for the active one that expires first, else the oldest that waits", false, total(5)],
    ["T3: of a first use, for the oldest that waits, else the active one", true, firstUse()]
  ])("%s", (_, isFirstUse, fact) => {
    fc.assert(
      fc.property(attachments, near, (all, at) => {
        const applied = TelcoReport.apply(aggregate(all), report(fact, at), NOW + 10 * MINUTE_MS)
        const id = countedFor(all, at, isFirstUse)
        expect(Result.isSuccess(applied)).toBe(id !== undefined)
        if (Result.isFailure(applied)) return
        for (const [index, { attachment, packages }] of applied.success.aggregate.attachments.entries()) {
          const before = all[index]?.packages[0]
          if (attachment.attachmentId !== id) expect(packages[0]).toEqual(before)
          else {
            expect(packages[0]?.usedBytes).toBe(isFirstUse ? 0 : 5)
            expect(packages[0]?.activationAt).toBe(before?.activationAt ?? at)
          }
        }
      }),
      { numRuns: 1_000 }
    )
  })
})

const small = terms({ dataMegaBytes: 1 })
const lasting = (telcoPackageId: string) => ({
  telcoPackageId,
  activationAt: NOW - 40 * DAY_MS,
  expirationAt: NOW + DAY_MS
})
const activeOnes = aggregate([
  attached({ attachmentId: "a", terms: small }, [lasting("t-a")]),
  attached({ attachmentId: "b", terms: small }, [lasting("t-b")])
])
const waiting = aggregate([attached({ terms: small }, [{}])])

interface Outcome {
  readonly aggregate: ForReports
  readonly payloads: ReadonlyArray<Payload>
}

/** The result of applying the reports one by one. Rejected ones change nothing. */
const taken = (of: ForReports, reports: ReadonlyArray<TelcoReport.Report>): Outcome =>
  reports.reduce<Outcome>(
    (before, one) =>
      Result.match(TelcoReport.apply(before.aggregate, one, NOW), {
        onFailure: () => before,
        onSuccess: ({ aggregate, payloads }) => ({ aggregate, payloads: [...before.payloads, ...payloads] })
      }),
    { aggregate: of, payloads: [] }
  )

const past = fc.integer({ min: NOW - 30 * DAY_MS, max: NOW })

/**
 * Reports of one kind at different instants, and the same reports in another order, some of them
 * repeated.
 */
const shuffled = (fact: fc.Arbitrary<TelcoReport.Fact>) =>
  fc
    .uniqueArray(fc.record({ fact, at: past }), { selector: ({ at }) => at, minLength: 1, maxLength: 8 })
    .map((all) => all.map((one, index) => report(one.fact, one.at, `r-${index}`)))
    .chain((reports) =>
      fc
        .tuple(
          fc.shuffledSubarray(reports, { minLength: reports.length }),
          fc.array(fc.constantFrom(...reports), { maxLength: 4 })
        )
        .map(([once, more]) => ({ reports, mixed: [...once, ...more] }))
    )

const usage = (of: ForReports) => of.attachments.map(({ packages }) => packages.map(({ usedBytes }) => usedBytes))
const thresholdsOf = (payloads: ReadonlyArray<Payload>, attachmentId: string): ReadonlyArray<number> =>
  payloads.flatMap((one) =>
    one.type === "attachment.allowanceConsumed" && one.data.attachmentId === attachmentId
      ? [one.data.usagePercentage]
      : []
  )

const latest = (reports: ReadonlyArray<TelcoReport.Report>) =>
  reports.reduce<TelcoReport.Report | undefined>(
    (best, one) => (best === undefined || one.occurredAt > best.occurredAt ? one : best),
    undefined
  )

describe("Running totals in any order, and repeated (R1)", () => {
  const named = totals(fc.constantFrom("a:0", "t-a", "b:0", "t-b"))

  it("end with the highest one of each package", () => {
    fc.assert(
      fc.property(shuffled(named), ({ mixed, reports }) => {
        const highest = (of: string) =>
          reports.reduce((most, { fact }) => {
            if (fact._tag !== "Usage" || fact.packageId === null || !fact.packageId.includes(of)) return most
            return Math.max(most, fact.usage.bytes)
          }, 0)
        expect(usage(taken(activeOnes, mixed).aggregate)).toEqual([[highest("a")], [highest("b")]])
      }),
      { numRuns: 500 }
    )
  })

  it("notify the same thresholds, each once and rising (R2)", () => {
    fc.assert(
      fc.property(shuffled(named), ({ mixed }) => {
        const after = taken(activeOnes, mixed)
        for (const [index, id] of ["a", "b"].entries()) {
          const used = usage(after.aggregate)[index]?.[0] ?? 0
          // In whole numbers: 100 × the usage, compared with the percentage × 1,048,576 bytes.
          const reached = [50, 80, 100].filter((percent) => BigInt(used) * 100n >= BigInt(percent) * 1_048_576n)
          expect(thresholdsOf(after.payloads, id)).toEqual(reached)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("end with the same if the only activeOnes package is not named", () => {
    const one = aggregate(activeOnes.attachments.slice(0, 1))
    fc.assert(
      fc.property(shuffled(totals(fc.constant(null))), ({ mixed, reports }) => {
        expect(usage(taken(one, mixed).aggregate)).toEqual(usage(taken(one, reports).aggregate))
      })
    )
  })
})

describe("Usage of either form", () => {
  const facts = fc.oneof(
    amounts.map((bytes) => total(bytes, "a:0")),
    amounts.map((bytes) => delta(bytes, "a:0"))
  )

  it("only rises, in whole bytes, and of no other package (R1)", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ fact: facts, at: past }), { maxLength: 10 }), (all) => {
        let before: ForReports = activeOnes
        let used = 0
        for (const { at, fact } of all) {
          before = taken(before, [report(fact, at)]).aggregate
          const [[now] = [], other] = usage(before)
          expect(now).toBeGreaterThanOrEqual(used)
          expect(Number.isSafeInteger(now)).toBe(true)
          expect(other).toEqual([0])
          used = now ?? 0
        }
      })
    )
  })

  it("is the sum of the deltas, in any order (R1)", () => {
    const deltas = fc.nat(1_000_000).map((bytes) => delta(bytes, "a:0"))
    fc.assert(
      fc.property(shuffled(deltas), ({ mixed, reports }) => {
        const once = mixed.slice(0, reports.length)
        const sum = once.reduce((all, { fact }) => all + (fact._tag === "Usage" ? fact.usage.bytes : 0), 0)
        expect(usage(taken(activeOnes, once).aggregate)).toEqual([[sum], [0]])
      })
    )
  })
})

describe("First use in any order, and repeated (T3)", () => {
  it("is the first one that was committed, for good", () => {
    const uses = fc.oneof(fc.constant(firstUse("attachment:0")), totals(fc.constant("attachment:0")))
    fc.assert(
      fc.property(shuffled(uses), ({ mixed }) => {
        const [pack] = taken(waiting, mixed).aggregate.attachments[0]?.packages ?? []
        const activationAt = mixed[0]?.occurredAt ?? 0
        expect(pack).toMatchObject({ activationAt, expirationAt: activationAt + 10 * DAY_MS })
      })
    )
  })
})

describe("Locations in any order, and repeated (R3)", () => {
  it("end with the latest one", () => {
    fc.assert(
      fc.property(shuffled(locations), ({ mixed, reports }) => {
        const { sim } = taken(aggregate(), mixed).aggregate
        const last = latest(reports)
        expect(sim.location).toMatchObject({ at: last?.occurredAt })
        expect(last?.fact).toMatchObject({
          countryAlpha2: sim.location?.countryAlpha2,
          operator: sim.location?.operator
        })
        expect(sim.lastActivityAt).toBe(last?.occurredAt)
      }),
      { numRuns: 500 }
    )
  })

  it("cause a chain of events: each names the country before, and the last one names the current country", () => {
    fc.assert(
      fc.property(shuffled(locations), ({ mixed }) => {
        const after = taken(aggregate(), mixed)
        let country: string | null = null
        for (const one of after.payloads) {
          expect(one).toMatchObject({
            type: "subscription.esim.locationChanged",
            data: { previousCountryIso2: country }
          })
          const next = one.type === "subscription.esim.locationChanged" ? one.data.countryIso2 : null
          expect(next).not.toBe(country)
          country = next
        }
        expect(country).toBe(after.aggregate.sim.location?.countryAlpha2)
      })
    )
  })
})

describe("SM-DP+ states in any order, and repeated (I2, R3)", () => {
  it("end with the latest successful one, and show a download if there is one", () => {
    fc.assert(
      fc.property(shuffled(smdpStates), ({ mixed, reports }) => {
        const { sim } = taken(aggregate(), mixed).aggregate
        const successful = reports.filter(
          ({ fact }) => fact._tag === "SmdpState" && fact.modificationResult === "Success"
        )
        const last = latest(successful)
        expect(sim.downloaded).toBe(last !== undefined)
        if (last === undefined) expect(sim.smdp).toBeNull()
        else {
          expect(sim.smdp?.modifiedAt).toBe(last.occurredAt)
          expect(last.fact).toMatchObject({ state: sim.smdp?.state })
        }
      }),
      { numRuns: 500 }
    )
  })
})
