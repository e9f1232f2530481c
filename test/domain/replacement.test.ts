/**
 * Moving a subscription to another SIM (rule S8): what goes on, what is ordered on the new SIM, and
 * what ends on the old one.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { WithPackages } from "../../src/domain/Attachment.ts"
import type { NewJob } from "../../src/domain/Decision.ts"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as Lifecycle from "../../src/domain/Lifecycle.ts"
import * as Occurrence from "../../src/domain/Occurrence.ts"
import * as Preview from "../../src/domain/Preview.ts"
import * as Package from "../../src/domain/Package.ts"
import * as Replacement from "../../src/domain/Replacement.ts"
import type { Sim } from "../../src/domain/Sim.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import * as TelcoReport from "../../src/domain/TelcoReport.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { aggregate, attached, free, GIGABYTE, ICCID, NOW, recurring, sim, subscription, terms } from "./Values.ts"

const NEW = "8944500102198304834"
const next = sim({ iccid: NEW, simId: "new", version: 9 })
const given = (until: ReadonlyArray<readonly [string, number]> = []): Replacement.Given => ({
  pause: { changeId: "resume", isRefused: false },
  changeId: "pause",
  notifiedUntil: new Map(until)
})
const moved = (of: SimAggregate, until: ReadonlyArray<readonly [string, number]> = []) =>
  Result.getOrThrow(Replacement.replace(of, next, given(until), NOW))
const jobsOf = (of: SimAggregate, tag: NewJob["work"]["_tag"]) =>
  (moved(of).decision.jobs ?? []).filter(({ work }) => work._tag === tag)
const used = (usedBytes: number, changes: Partial<Package.Replacement> = {}) => ({
  activationAt: NOW - DAY_MS,
  expirationAt: NOW + DAY_MS,
  usedBytes,
  replacement: { number: 1, usedBefore: 0, isAwaited: true, ...changes }
})
const MB = 1_048_576
const former = (number: number, usedBytes: number): Package.Former => ({
  iccid: ICCID,
  number,
  telcoPackageId: null,
  usedBytes,
  count: "awaited",
  unreportedBytes: 0
})

it("The id of a package says whether its attachment has moved", () => {
  expect([0, 1, 12].map((number) => Package.isOfMove(Package.packageId("a", 3, number)))).toEqual([false, true, true])
})

it("S3: An eSIM that was left counts as downloaded, if its telco does not show that", () => {
  const leftBy = (downloads: boolean) =>
    Result.getOrThrow(Replacement.replace(aggregate([attached()]), next, { ...given(), shown: { downloads } }, NOW))
  expect(leftBy(true).decision.movedFrom?.next.sim.downloaded).toBe(false)
  expect(leftBy(false).decision.movedFrom?.next.sim.downloaded).toBe(true)
})

describe("A subscription moves (S8)", () => {
  const old = aggregate(
    [
      attached({ metadata: "first" }, [
        { activationAt: NOW - DAY_MS, expirationAt: NOW + DAY_MS, usedBytes: 1_000 * MB }
      ])
    ],
    { downloaded: true }
  )

  it("in one decision: the new SIM has what the old one had, which is withdrawn", () => {
    const { decision, replaced } = moved(old)
    const [attachment] = old.attachments
    const { createdAt: since } = subscription()
    const moves = [{ subscriptionId: "subscription", number: 1, from: ICCID, to: NEW, since, at: NOW, endedAt: null }]
    const there: Sim = { ...next, allocation: { _tag: "InService", subscriptionId: "subscription" }, moves }
    expect(decision.movedFrom).toEqual({
      loaded: old,
      next: {
        sim: {
          ...old.sim,
          allocation: { _tag: "Withdrawn", reason: "replaced", ending: "subscription" },
          recycledAt: NOW,
          movedTo: NEW,
          moves
        },
        subscription: null,
        attachments: []
      }
    })
    expect(decision.sim?.loaded).toEqual({ sim: next, subscription: null, attachments: [] })
    expect(decision.sim?.next).toEqual({
      sim: there,
      subscription: { ...subscription(), iccid: NEW },
      attachments: [
        {
          attachment: { ...attachment?.attachment, iccid: NEW, replacements: 1 },
          packages: [
            {
              ...attachment?.packages[0],
              iccid: NEW,
              telcoPackageId: null,
              replacement: {
                number: 1,
                usedBefore: 1_000 * MB,
                isAwaited: true,
                former: [{ ...former(0, 1_000 * MB), telcoPackageId: "telco-0" }]
              }
            }
          ]
        }
      ]
    })
    expect(replaced).toEqual({ subscription: subscription({ iccid: NEW }), sim: there, replacedIccid: ICCID })
    expect(decision.payloads).toEqual([
      {
        type: "subscription.replaced",
        data: {
          esim: NEW,
          subscriptionId: "subscription",
          replacedEsim: ICCID,
          replacedAt: new Date(NOW).toISOString()
        }
      },
      {
        type: "esim.ready",
        data: { esim: NEW, subscriptionId: "subscription", metadata: "first", replacedEsim: ICCID }
      }
    ])
  })

  it("and jobs cancel what is on the old SIM, and order what is left on the new one", () => {
    expect(moved(old).decision.jobs).toEqual([
      {
        jobId: `release:subscription:${ICCID}`,
        work: {
          _tag: "CancelPackages",
          iccid: ICCID,
          packageIds: ["attachment:0"],
          release: "Review",
          onlyAttachments: ["attachment"]
        },
        dueAt: NOW
      },
      {
        jobId: "attachment:0:1",
        work: { _tag: "ReplacePackage", iccid: NEW, attachmentId: "attachment", occurrence: 0, replacement: 1 },
        dueAt: NOW
      }
    ])
  })

  it("again, under new ids, with what was used on all SIMs before", () => {
    const again = aggregate([attached({ replacements: 1 }, [used(30 * MB, { usedBefore: 10 * MB, isAwaited: false })])])
    expect(moved(again).cancelled).toEqual(["attachment:0:1"])
    const [left] = moved(again).left
    // Nobody knows on which SIM was used what was counted before that was kept.
    expect(left?.pack.replacement).toEqual({
      number: 2,
      usedBefore: 30 * MB,
      isAwaited: true,
      former: [
        { ...former(0, 10 * MB), iccid: "", count: "assumed" },
        { ...former(1, 20 * MB), telcoPackageId: "telco-0" }
      ]
    })
    expect(left?.terms.dataMegaBytes).toBe(994)
  })

  it("with its pause, which ends on the old SIM and begins on the new one", () => {
    const { decision } = moved(aggregate([], { service: { _tag: "Settled", pausedAt: 5 } }))
    const [resume, pause] = decision.jobs ?? []
    expect([resume?.work, pause?.work]).toEqual([
      { _tag: "SetService", iccid: ICCID, changeId: "resume" },
      { _tag: "SetService", iccid: NEW, changeId: "pause" }
    ])
    expect([decision.movedFrom, decision.sim].map((change) => change?.next.sim.service)).toEqual([
      { _tag: "Changing", pausedAt: null, changeId: "resume", active: true },
      { _tag: "Changing", pausedAt: 5, changeId: "pause", active: false }
    ])
  })

  it("with the events that are still to come, from where they were", () => {
    expect(moved(old, [["attachment", NOW + 5]]).decision.jobs?.at(-1)).toEqual({
      jobId: "notify:attachment:1",
      work: { _tag: "NotifyAttachment", iccid: NEW, attachmentId: "attachment" },
      dueAt: NOW + 5
    })
  })

  it("unless there is none to be seen, or a plan is being attached", () => {
    const refused = (of: SimAggregate) => Result.getOrThrow(Result.flip(Replacement.replace(of, next, given(), NOW)))
    const missing = { _tag: "NotFound", resource: "subscription", id: ICCID }
    const pending = { ...aggregate(), subscription: subscription({ status: "Pending" }) }
    for (const of of [free(), pending]) expect(refused(of)).toMatchObject(missing)
    expect(refused(aggregate([attached(), attached({ confirmed: false })]))).toMatchObject({
      _tag: "SimBusy",
      iccid: ICCID
    })
  })
})

describe("What is ordered on the new SIM (S8)", () => {
  const left = (...attachments: ReadonlyArray<WithPackages>) =>
    moved(aggregate(attachments)).left.map(({ pack, terms: { dataMegaBytes } }) => [pack.occurrence, dataMegaBytes])
  const lasting = { activationAt: NOW - DAY_MS, expirationAt: NOW + 1 }

  it.each([
    [0, [[0, 1_024]]],
    [1, [[0, 1_024]]],
    [MB, [[0, 1_023]]],
    [MB + 1, [[0, 1_023]]],
    [GIGABYTE - 1, [[0, 1]]],
    [GIGABYTE, []],
    [2 * GIGABYTE, []]
  ])("is the data that is left after %d bytes, in whole MB", (usedBytes, expected) => {
    expect(left(attached({}, [{ ...lasting, usedBytes }]))).toEqual(expected)
  })

  it("is nothing of what is over, suspended or refused", () => {
    expect(
      left(
        attached({ attachmentId: "over" }, [{ ...lasting, expirationAt: NOW }]),
        attached({ attachmentId: "suspended", suspendedAt: NOW }, [lasting]),
        attached({ attachmentId: "refused" }, [{ ...lasting, status: "Refused" }])
      )
    ).toEqual([])
  })

  it("is throttled where the plan would be, and goes on at the lowest speed where nothing is left", () => {
    const throttling = [
      { percentage: 50, limit: "1024" },
      { percentage: 80, limit: "512" },
      { percentage: 100, limit: "128" }
    ] as const
    const of = (usedBytes: number) => Replacement.remainder(terms({ dataMegaBytes: 100, throttling }), usedBytes)
    expect(of(0)?.throttling).toEqual(throttling)
    expect(of(20 * MB)).toMatchObject({
      dataMegaBytes: 80,
      throttling: [
        { percentage: 38, limit: "1024" },
        { percentage: 75, limit: "512" },
        { percentage: 100, limit: "128" }
      ]
    })
    expect(of(90 * MB)).toMatchObject({
      dataMegaBytes: 10,
      throttling: [
        { percentage: 1, limit: "512" },
        { percentage: 100, limit: "128" }
      ]
    })
    expect(of(100 * MB)).toMatchObject({ dataMegaBytes: 1, throttling: [{ percentage: 1, limit: "128" }] })
  })

  it("is of a plan that recurs the packages that are there, those that are due and missing, and the next one", () => {
    const anchor = NOW - DAY_MS - HOUR_MS
    const day = { activationAt: anchor + DAY_MS, expirationAt: anchor + 2 * DAY_MS, usedBytes: MB }
    const of = aggregate([attached({ terms: recurring(), anchor }, [{ ...day, occurrence: 1 }])])
    expect(jobsOf(of, "ReplacePackage").map(({ jobId }) => jobId)).toEqual(["attachment:1:1"])
    const due = { _tag: "CreatePackage", iccid: NEW, attachmentId: "attachment", replacement: 1, isFirst: true }
    expect(jobsOf(of, "CreatePackage")).toEqual([
      {
        jobId: "attachment:0:1",
        work: { ...due, occurrence: 0 },
        dueAt: anchor - 12 * HOUR_MS
      },
      {
        jobId: "attachment:2:1",
        work: { ...due, occurrence: 2 },
        dueAt: anchor + 2 * DAY_MS - 12 * HOUR_MS
      }
    ])
  })
})

describe("The job that orders what is left (S8)", () => {
  const work = {
    _tag: "ReplacePackage",
    iccid: ICCID,
    attachmentId: "attachment",
    occurrence: 0,
    replacement: 1
  } as const
  const view = (of: WithPackages) => ({ sim: sim(), attachments: [of] as const })
  const waiting = view(attached({ replacements: 1 }, [used(10 * MB, { usedBefore: 10 * MB })]))
  const step = (of: ReturnType<typeof view> | null) => Replacement.step(of, work, NOW)

  it("asks for the rest of the data until the same end", () => {
    expect(step(waiting)).toMatchObject({
      _tag: "Order",
      terms: { dataMegaBytes: 1_014 },
      window: { start: NOW - DAY_MS, end: NOW + DAY_MS }
    })
    const unused = view(attached({ replacements: 1 }, [{ ...used(0), activationAt: null, expirationAt: null }]))
    expect(step(unused)).toMatchObject({ _tag: "Order", terms: { dataMegaBytes: 1_024 }, window: null })
  })

  it("does nothing for what is over or answered, and cancels what is suspended or gone", () => {
    const of = (changes: object, replacement: Partial<Package.Replacement> = {}) =>
      step(view(attached({ replacements: 1 }, [{ ...used(0, replacement), ...changes }])))._tag
    expect(of({ expirationAt: NOW })).toBe("Nothing")
    expect(of({ refusal: "no" })).toBe("Nothing")
    expect(of({}, { isAwaited: false })).toBe("Nothing")
    expect(of({}, { number: 2 })).toBe("Nothing")
    expect(step(view(attached({ replacements: 1, suspendedAt: NOW }, [used(0)])))._tag).toBe("Gone")
    expect(step(null)._tag).toBe("Gone")
  })

  it("is not of an attachment that has moved on", () => {
    expect(Occurrence.stillOf(work)(waiting)).toBe(waiting)
    expect(Occurrence.stillOf(work)(view(attached({ replacements: 2 }, [used(0)])))).toBeNull()
    expect(Occurrence.stillOf({ ...work, replacement: 0 })(view(attached()))).not.toBeNull()
    const { replacement: _, ...first } = work
    expect(Occurrence.stillOf(first)(view(attached()))).not.toBeNull()
  })

  const recorded = (of: ReturnType<typeof view> | null, outcome: Replacement.Outcome) =>
    Replacement.record(of, work, outcome, NOW)
  const taken = { _tag: "Created", telcoPackageId: "T-1" } as const

  it("records the telco's id of it, and keeps its times", () => {
    const [pack] = waiting.attachments[0].packages
    expect(recorded(waiting, taken).sim?.next.attachments?.[0]?.packages).toEqual([
      { ...pack, telcoPackageId: "T-1", replacement: { number: 1, usedBefore: 10 * MB, isAwaited: false } }
    ])
    expect(recorded(waiting, { _tag: "Refused", message: "no" }).sim?.next.attachments?.[0]?.packages).toEqual([
      { ...pack, refusal: "no" }
    ])
  })

  it("has what the telco has taken suspended or cancelled where that is wanted by then", () => {
    const suspended = view(attached({ replacements: 1, suspendedAt: NOW }, [used(0)]))
    expect(recorded(suspended, taken).jobs?.map(({ jobId }) => jobId)).toEqual(["suspend:attachment:0:1"])
    expect(recorded(suspended, { _tag: "Refused", message: "no" }).jobs).toEqual([])
    expect(recorded(null, taken).jobs?.map(({ jobId }) => jobId)).toEqual(["cancel:attachment:0:1"])
    expect(recorded(null, { _tag: "Refused", message: "no" })).toEqual({})
    const other = view(attached({ replacements: 1 }, [used(0, { number: 2 })]))
    expect(recorded(other, taken)).toEqual({})
  })
})

describe("The telco is asked how much is left (S8)", () => {
  const left = sim({ movedTo: NEW, version: 4 })
  const work = {
    _tag: "ReplacePackage",
    iccid: NEW,
    attachmentId: "attachment",
    occurrence: 0,
    replacement: 1
  } as const
  const of = (usedBytes: number, changes: Partial<Package.Package> = {}, formers = [former(0, usedBytes)]) =>
    aggregate(
      [
        attached({ iccid: NEW, replacements: 1, terms: terms({ dataMegaBytes: 1_000 }) }, [
          { ...used(usedBytes, { usedBefore: usedBytes, former: formers }), iccid: NEW, ...changes }
        ])
      ],
      { iccid: NEW }
    )
  const counted = (present: SimAggregate, usedBytes: number | null, activationAt: number | null = null) => {
    const found = usedBytes === null ? null : [{ packageId: "attachment:0", usedBytes, activationAt }]
    const recorded = Replacement.counted(left, present, found, NOW)
    const [next] = recorded.decision.sim?.next.attachments ?? []
    return { ...recorded, pack: next?.packages[0] ?? expect.fail() }
  }

  it("before anything is ordered, of each SIM that was left and not counted", () => {
    const view = (present: SimAggregate) => ({
      sim: present.sim,
      attachments: [present.attachments[0] ?? expect.fail()] as const
    })
    const asked = of(0, {}, [
      former(0, 0),
      { ...former(1, 0), iccid: "8", count: "counted" },
      { ...former(2, 0), iccid: "9" }
    ])
    expect(Replacement.step(view(asked), work, NOW)).toEqual({ _tag: "Count", iccids: [ICCID, "9"] })
    // Where there is nobody to ask any more, the last report is right.
    expect(Replacement.step(view(asked), work, NOW, true)._tag).toBe("Order")
    expect([ICCID, "8", "9", NEW].map((iccid) => Replacement.uncounted(asked, iccid))).toEqual([
      ["attachment:0"],
      [],
      ["attachment:0:2"],
      []
    ])
    expect([ICCID, "8"].map((iccid) => Replacement.isCounted(asked, iccid))).toEqual([false, true])
  })

  it("and the rest is what is left of the plan by its count, with its thresholds and its day in the book of usage", () => {
    const { decision, pack, usage } = counted(of(100 * MB), 990 * MB)
    expect(pack).toMatchObject({
      usedBytes: 990 * MB,
      replacement: {
        usedBefore: 990 * MB,
        isAwaited: true,
        former: [{ ...former(0, 990 * MB), count: "counted", unreportedBytes: 890 * MB }]
      }
    })
    expect(Replacement.termsOf(terms({ dataMegaBytes: 1_000 }), pack).dataMegaBytes).toBe(10)
    expect(usage).toMatchObject([{ iccid: ICCID, attachmentId: "attachment", bytes: 890 * MB }])
    expect(decision.payloads?.filter(({ type }) => type === "attachment.allowanceConsumed")).toMatchObject([
      { data: { usagePercentage: 50, esim: NEW } },
      { data: { usagePercentage: 80 } }
    ])
    expect(Lifecycle.caused(decision.sim ?? expect.fail(), NOW).causes).toEqual([])
  })

  it("and nothing is ordered where it has counted all", () => {
    const { pack } = counted(of(0), 1_000 * MB)
    expect(pack.replacement).toMatchObject({ isAwaited: false, usedBefore: 1_000 * MB })
  })

  it("and the last report is taken for right where it cannot say, and is never taken back", () => {
    expect(counted(of(30 * MB), null)).toMatchObject({
      usage: [],
      pack: { usedBytes: 30 * MB, replacement: { usedBefore: 30 * MB, former: [{ count: "assumed" }] } }
    })
    expect(Package.assumedUsedBytes(counted(of(30 * MB), null).pack)).toBe(30 * MB)
    expect(Package.assumedUsedBytes(counted(of(30 * MB), 20 * MB).pack)).toBeNull()
    const partly = of(30 * MB, {}, [{ ...former(0, 10 * MB), count: "assumed" }, former(1, 20 * MB)])
    expect(partly.attachments.flatMap(({ packages }) => packages.map(Package.assumedUsedBytes))).toEqual([null])
    expect(counted(of(30 * MB), 20 * MB).pack).toMatchObject({
      usedBytes: 30 * MB,
      replacement: { usedBefore: 30 * MB, former: [{ count: "counted", unreportedBytes: 0 }] }
    })
  })

  it("and a first use that nobody has reported begins the package when it was", () => {
    const waiting = of(0, { activationAt: null, expirationAt: null })
    expect(counted(waiting, 5 * MB, NOW - HOUR_MS).pack).toMatchObject({
      activationAt: NOW - HOUR_MS,
      expirationAt: NOW - HOUR_MS + 10 * DAY_MS
    })
    expect(counted(waiting, 0).pack).toMatchObject({ activationAt: null })
  })

  it("and what it counts later changes what was used, and not what was ordered", () => {
    const ordered = of(30 * MB, {}, [{ ...former(0, 30 * MB), count: "counted", unreportedBytes: 10 * MB }])
    expect(counted(ordered, 31 * MB).pack).toMatchObject({
      usedBytes: 31 * MB,
      replacement: { usedBefore: 30 * MB, former: [{ usedBytes: 31 * MB, unreportedBytes: 11 * MB }] }
    })
  })

  const reported = (present: SimAggregate, usage: TelcoReport.Usage, packageId: string | null, at = NOW) => {
    const report = { reportId: "r", iccid: ICCID, occurredAt: at, fact: { _tag: "Usage", packageId, usage } } as const
    return Result.map(TelcoReport.applyLate({ sim: left, attachments: [] }, present, report, NOW), (late) => [
      late.applied.aggregate.attachments[0]?.packages[0]?.usedBytes,
      late.applied.usage[0]?.bytes
    ])
  }
  const total = (bytes: number) => ({ _tag: "Total", bytes }) as const
  const delta = (bytes: number) => ({ _tag: "Delta", bytes }) as const
  const after = of(90 * MB, { usedBytes: 95 * MB, telcoPackageId: "T-2" }, [
    { ...former(0, 90 * MB), telcoPackageId: "T-1", count: "counted", unreportedBytes: 60 * MB }
  ])

  it.each([
    ["by its id there", total(91 * MB), "attachment:0", [96 * MB, MB]],
    ["by the telco's id there", total(92 * MB), "T-1", [97 * MB, 2 * MB]],
    ["by no id", total(93 * MB), null, [98 * MB, 3 * MB]],
    ["not again, where the telco has counted it", total(90 * MB), "T-1", [95 * MB, undefined]],
    ["not again, where deltas come late that the telco has counted", delta(60 * MB), "T-1", [95 * MB, undefined]],
    ["only by what the telco has not counted", delta(61 * MB), "T-1", [96 * MB, MB]]
  ])("what the old SIM reports later counts: %s", (_, usage, packageId, expected) => {
    expect(Result.getOrThrow(reported(after, usage, packageId))).toEqual(expected)
  })

  it("but not what is of another package, or of no time at which this one was active", () => {
    for (const id of ["attachment:0:1", "T-2", "other:0"]) {
      expect(Result.isFailure(reported(after, total(1), id))).toBe(true)
    }
    expect(Result.isFailure(reported(after, total(1), null, NOW - 2 * DAY_MS))).toBe(true)
    const other = of(0, {}, [{ ...former(0, 0), iccid: "8" }])
    for (const id of [null, "attachment:0:1"]) expect(Result.isFailure(reported(other, total(1), id))).toBe(true)
  })

  it("and what was over when it moved has its last total yet", () => {
    const over = { expirationAt: NOW - HOUR_MS, usedBytes: MB, replacement: null, telcoPackageId: "T-1" }
    expect(Result.getOrThrow(reported(of(0, over), total(3 * MB), "attachment:0"))).toEqual([3 * MB, 2 * MB])
    expect(Result.isFailure(reported(of(0, over), total(3 * MB), null))).toBe(true)
  })
})

describe("After a move (S8)", () => {
  it("the telco's totals count on from what was used before", () => {
    const of = aggregate([attached({ replacements: 1 }, [used(30 * MB, { usedBefore: 30 * MB, isAwaited: false })])])
    const total = (bytes: number) => {
      const fact = { _tag: "Usage", packageId: "attachment:0:1", usage: { _tag: "Total", bytes } } as const
      const report = { reportId: "r", iccid: ICCID, occurredAt: NOW, fact }
      const { aggregate: after, usage } = Result.getOrThrow(TelcoReport.apply(of, report, NOW))
      return [after.attachments[0]?.packages[0]?.usedBytes, usage[0]?.bytes]
    }
    expect([total(0), total(5 * MB)]).toEqual([
      [30 * MB, undefined],
      [35 * MB, 5 * MB]
    ])
  })

  it("a use counts for no package of which the telco has refused what is left, unless it is named", () => {
    const replacement = { number: 1, usedBefore: 0, isAwaited: true }
    const period = { activationAt: NOW, expirationAt: NOW + DAY_MS }
    const of = aggregate([
      attached({ replacements: 1 }, [{ ...period, refusal: "no", replacement }]),
      attached({ attachmentId: "other", replacements: 1 }, [
        { ...period, expirationAt: NOW + 2 * DAY_MS, replacement: { ...replacement, isAwaited: false } }
      ])
    ])
    const counted = (packageId: string | null) => {
      const fact = { _tag: "Usage", packageId, usage: { _tag: "Total", bytes: MB } } as const
      const report = { reportId: "r", iccid: ICCID, occurredAt: NOW, fact }
      return Result.map(TelcoReport.apply(of, report, NOW), ({ usage }) => usage.map((one) => one.attachmentId))
    }
    expect(counted(null)).toEqual(Result.succeed(["other"]))
    expect(counted("attachment:0:1")).toEqual(Result.succeed(["attachment"]))
  })

  it("the old SIM is withdrawn once the telco has confirmed its end", () => {
    const replaced = sim({ allocation: { _tag: "Withdrawn", reason: "replaced", ending: "subscription" } })
    expect(Deletion.releaseJobOf(replaced)).toBe(`release:subscription:${ICCID}`)
    expect(Deletion.released(replaced, false).sim?.next.sim.allocation).toEqual({
      _tag: "Withdrawn",
      reason: "replaced",
      ending: null
    })
    const paused = { ...replaced, service: { _tag: "Changing", pausedAt: null, changeId: "c", active: true } } as const
    expect(Deletion.released(paused, false).sim?.next.sim.allocation).toEqual(replaced.allocation)
  })
})

describe("A replacement is previewed (S9)", () => {
  it("with what it would order and cancel", () => {
    const end = NOW + DAY_MS
    const of = aggregate([attached({}, [{ activationAt: NOW, expirationAt: end, usedBytes: 24 * MB }])])
    const { cancelled, ordered, replaced } = Result.getOrThrow(Preview.replacement(of, next, NOW))
    expect(replaced.sim.iccid).toBe(NEW)
    expect(ordered).toEqual([
      { packageId: "attachment:0:1", activationAt: NOW, expirationAt: end, dataMegaBytes: 1_000 }
    ])
    expect(cancelled).toEqual([{ packageId: "attachment:0", activationAt: NOW, expirationAt: end }])
  })
})

describe("A subscription to a bundle of a supplier moves (S8, I15)", () => {
  const bundle = { ...terms(), load: "1 GB", topUpLoad: "top-up" }
  const at = (pack: Partial<Package.Package>) => ({ activationAt: null, expirationAt: null, usedBytes: 0, ...pack })
  const unused = attached({ terms: bundle }, [at({})])
  const of = (...all: ReadonlyArray<WithPackages>) => aggregate(all)
  const wanted = { load: "1 GB", planId: unused.attachment.planId }

  it("to an eSIM with the bundle of the oldest plan that is one and goes on", () => {
    const over = attached({ terms: { ...bundle, load: "over" } }, [at({ activationAt: NOW - 9, expirationAt: NOW })])
    const stopped = attached({ terms: { ...bundle, load: "stopped" }, suspendedAt: NOW }, [at({ usedBytes: 1 })])
    const later = attached({ terms: { ...bundle, load: "later" } }, [])
    const all = [of(), of(attached({}, [at({})])), of(over, stopped, unused, later), of(over, later)]
    expect(all.map((one) => Replacement.wanted(one, NOW))).toEqual(
      [null, null, wanted, { ...wanted, load: "later" }].map((one) => Result.succeed(one))
    )
  })

  it("only while nothing of it was used", () => {
    const refused = [{ usedBytes: 1 }, { activationAt: NOW, expirationAt: NOW + 1 }].map((pack) =>
      of(attached({ terms: bundle }, [at(pack)]))
    )
    for (const one of refused) {
      const failure = Result.merge(Result.flip(Replacement.wanted(one, NOW)))
      expect(failure).toMatchObject({ _tag: "NotSupported", message: expect.stringContaining(bundle.name) })
      expect(Replacement.replace(one, next, given(), NOW)).toMatchObject({ failure })
    }
    const begins = of(attached({ terms: bundle }, [at({ activationAt: NOW + 1, expirationAt: NOW + 2 })]))
    expect(Replacement.wanted(begins, NOW)).toEqual(Result.succeed(wanted))
  })

  it("as a whole: one package has the load of the new SIM", () => {
    const purchase = { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: 0 }
    const second = attached({ terms: bundle, attachmentId: "second" }, [at({ attachmentId: "second" })])
    const loadsOn = (to: Sim) => {
      const { decision } = Result.getOrThrow(Replacement.replace(of(unused, second), to, given(), NOW))
      return (decision.jobs ?? []).flatMap(({ work }) => (work._tag === "ReplacePackage" ? [work.isLoad] : []))
    }
    expect(loadsOn({ ...next, purchase })).toEqual([true, undefined])
    expect(loadsOn({ ...next, purchase: { ...purchase, load: "2 GB" } })).toEqual([undefined, undefined])
    expect(loadsOn(next)).toEqual([undefined, undefined])
    expect(Replacement.remainder(bundle, 5 * MB)).toEqual(bundle)
  })
})
