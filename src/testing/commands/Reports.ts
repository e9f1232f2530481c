/**
 * What a telco says in random runs: reports of facts about packages, most of them in order, some
 * late, again or of unknown packages; ends of packages; and its own book of usage.
 */
import { Effect } from "effect"
import * as fc from "fast-check"
import { Reports } from "../../app/telco/Reports.ts"
import { UsageReconciliation } from "../../app/telco/UsageReconciliation.ts"
import * as Allowance from "../../domain/Allowance.ts"
import type { WithPackages } from "../../domain/Attachment.ts"
import { idOf } from "../../domain/Package.ts"
import { reasons } from "../../domain/PackageEnd.ts"
import { states } from "../../domain/SmdpHistory.ts"
import type * as TelcoReport from "../../domain/TelcoReport.ts"
import { DAY, MINUTE } from "../../domain/Time.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import type { Used } from "../../domain/UsageReconciliation.ts"
import type { Amount, Fact, PackageOf, ReportFromNow } from "./Command.ts"
import type * as Kind from "./Kind.ts"
import { by, place, rarely, request } from "./Kind.ts"
import { attachmentsOf, lineOf, organizationOf, pick, pickBack } from "./Session.ts"

const namedPackage: fc.Arbitrary<PackageOf> = fc.record({
  attachment: place,
  back: fc.nat(3),
  named: fc.oneof(
    { weight: 8, arbitrary: fc.constant("by our id" as const) },
    { weight: 4, arbitrary: fc.constant("by the telco's id" as const) },
    { weight: 1, arbitrary: fc.constant("wrongly" as const) }
  )
})

const packageOf: fc.Arbitrary<PackageOf | null> = fc.option(namedPackage, { freq: 2 })

/** A part of what a package has. */
const amount: fc.Arbitrary<Amount> = fc.record({
  percent: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 50, 80, 100) }, { weight: 1, arbitrary: fc.nat(150) }),
  beside: fc.constantFrom(0, -1, 1)
})

const fact: fc.Arbitrary<Fact> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("FirstUse" as const),
      package: packageOf
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constantFrom("Total" as const, "Delta" as const),
      package: packageOf,
      amount,
      countryAlpha2: fc.option(fc.constantFrom("FR", "DE", "JP"), { freq: 2 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("End" as const),
      package: namedPackage,
      reason: fc.constantFrom(...reasons)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("Location" as const),
      countryAlpha2: fc.constantFrom("FR", "DE", "JP"),
      rat: fc.constantFrom("4G", "5G")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("SmdpState" as const),
      state: fc.constantFrom(...states),
      modificationResult: fc.constantFrom("Success", "Failed")
    })
  }
)

/** A report, from the present moment. */
const drawnReport: fc.Arbitrary<ReportFromNow> = fc.record({
  after: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constantFrom(5 * MINUTE, 5 * MINUTE + 1, -35 * DAY, -35 * DAY - 1) },
    { weight: 2, arbitrary: fc.integer({ min: -3 * DAY, max: 0 }) },
    // Days and months end at midnight, and so do the days of the book of usage (rule U1).
    { weight: 1, arbitrary: fc.constantFrom(-DAY, -31 * DAY) }
  ),
  again: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
  fact
})

const named = (attachments: ReadonlyArray<WithPackages>, of: PackageOf | null): string | null => {
  if (of === null) return null
  if (of.named === "wrongly") return "no such package"
  const pack = pickBack(pick(attachments, of.attachment)?.packages ?? [], of.back)
  if (pack === undefined) return null
  const ours = idOf(pack)
  return of.named === "by our id" ? ours : (pack.telcoPackageId ?? ours)
}

const bytesOf = (of: WithPackages | undefined, { beside, percent }: Amount): number => {
  const allowance = of === undefined ? 0 : Allowance.bytesOf(of.attachment.terms)
  return Math.max(0, Math.floor((allowance * percent) / 100) + beside)
}

const factOf = (attachments: ReadonlyArray<WithPackages>, fact: Fact): TelcoReport.Fact => {
  switch (fact._tag) {
    case "FirstUse":
      return { _tag: "FirstUse", packageId: named(attachments, fact.package) }
    case "End":
      return {
        _tag: "End",
        packageId: named(attachments, fact.package) ?? "no such package",
        reason: fact.reason
      }
    case "Total":
    case "Delta": {
      const bytes = bytesOf(pick(attachments, fact.package?.attachment ?? 0), fact.amount)
      return {
        _tag: "Usage",
        packageId: named(attachments, fact.package),
        usage: { _tag: fact._tag, bytes },
        countryAlpha2: fact.countryAlpha2 ?? null
      }
    }
    case "Location":
      return {
        ...fact,
        operator: `operator of ${fact.countryAlpha2}`,
        imei: "356938035643809"
      }
    case "SmdpState":
      return fact
  }
}

const OURS = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:/

/**
 * A report as telcos may write it (rules I1 and I13): with a padded ICCID, and our id of a package
 * in capitals.
 */
const spelled = (report: TelcoReport.Report): TelcoReport.Report => {
  const { fact } = report
  const isOurs = "packageId" in fact && fact.packageId !== null && OURS.test(fact.packageId)
  return {
    ...report,
    iccid: `${report.iccid}${report.iccid.length === 18 ? "FF" : "F"}`,
    fact: isOurs ? { ...fact, packageId: fact.packageId.toUpperCase() } : fact
  }
}

export const report: Kind.Kind<"Report"> = {
  weight: 10,
  fields: () =>
    fc.record({
      of: by,
      line: place,
      sim: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: place }),
      reports: fc.oneof(
        { weight: 4, arbitrary: fc.array(drawnReport, { minLength: 1, maxLength: 1 }) },
        { weight: 1, arbitrary: fc.array(drawnReport, { minLength: 1, maxLength: 4 }) }
      ),
      spelled: rarely(3)
    }),
  resolve: Effect.fnUntraced(function* (session, command) {
    const inventory = session.simulated.iccids(organizationOf(session, command.of))
    const named = (command.sim ?? null) === null ? undefined : pick(inventory, command.sim ?? 0)
    const iccid = named ?? (yield* lineOf(session, command.of, command.line))
    const attachments = yield* attachmentsOf(session, command.of, iccid)
    const now = yield* session.simulated.now
    const reports = command.reports.map(({ after, again, fact }): TelcoReport.Report => {
      const before = again === null ? undefined : pickBack(session.reports, again)
      if (before !== undefined) return before
      const reportId = `report-${session.nextReport++}`
      return { reportId, iccid, occurredAt: now + after, fact: factOf(attachments, fact) }
    })
    session.reports.push(...reports)
    return request(
      session,
      { _tag: "Report", reports, ...(command.spelled && { spelled: true }) },
      {
        make: Reports.use((of) => of.take({ reports: command.spelled ? reports.map(spelled) : reports })),
        answer: (verdicts) => ({ kind: "Verdicts", verdicts })
      }
    )
  })
}

export const reconcileUsage: Kind.Kind<"ReconcileUsage"> = {
  weight: 4,
  fields: () =>
    fc.record({
      of: by,
      line: place,
      used: fc.array(
        fc.record({
          daysAgo: fc.integer({ min: 1, max: 4 }),
          countryAlpha2: fc.constantFrom(null, "FR", "DE", "JP"),
          percent: fc.constantFrom(0, 10, 50, 100),
          beside: fc.constantFrom(0, 1)
        }),
        { maxLength: 4 }
      ),
      today: fc.record({ least: amount, more: amount })
    }),
  resolve: Effect.fnUntraced(function* (session, { line, of, today, used }) {
    const iccid = yield* lineOf(session, of, line)
    const [first] = yield* attachmentsOf(session, of, iccid)
    const until = UsageBook.dayOf(yield* session.simulated.now)
    const places = new Map<string, Used>()
    for (const { countryAlpha2, daysAgo, ...amount } of used) {
      const day = until - daysAgo * DAY
      const bytes = bytesOf(first, amount)
      if (bytes > 0) places.set(`${day} ${countryAlpha2}`, { day, countryAlpha2, bytes })
    }
    const least = bytesOf(first, today.least)
    const since = { least, most: least + bytesOf(first, today.more) }
    const book = { from: until - 4 * DAY, until, used: [...places.values()], since }
    const asked = { _tag: "ReconcileUsage", iccid, book } as const
    return request(session, asked, { make: UsageReconciliation.use((of) => of.reconcile(asked)) })
  })
}
