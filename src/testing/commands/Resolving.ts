/**
 * From a command to the request that it comes to, given what there is now, and what was made and asked for earlier in the
 * run. Reads only.
 */
import * as Allowance from "../../domain/Allowance.ts"
import type { Plan } from "../../domain/Plan.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import { type Instant, DAY, END_OF_TIME } from "../../domain/Time.ts"
import type { PeriodFromNow } from "../Arbitraries.ts"
import type { Simulated } from "../Simulated.ts"
import type { Request, Side, Asked, Period } from "./Command.ts"
import { Effect } from "effect"
import type { WithPackages } from "../../domain/Attachment.ts"
import * as Sim from "../../domain/Sim.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { idOf } from "../../domain/Package.ts"
import * as Recurrence from "../../domain/Recurrence.ts"
import type * as TelcoReport from "../../domain/TelcoReport.ts"
import * as UsageBook from "../../domain/UsageBook.ts"
import type * as UsageReconciliation from "../../domain/UsageReconciliation.ts"
import type { StorageError } from "../../ports/Storage.ts"
import type * as Command from "./Command.ts"

/** One run's memory. Commands change it, so two runs must not share one. */
export interface Session {
  /** The service that the commands run against. */
  readonly simulated: Simulated
  /** Whether nothing else happens between two calls of the service. Then each request is previewed before it is made. */
  readonly isAlone: boolean
  /** All that were ever created, by organization. */
  readonly plans: readonly [Array<Plan>, Array<Plan>]
  /** All reports made so far, oldest first. A command that repeats a report takes it from here. */
  readonly reports: Array<Report>
  /** Requests with an idempotency key, oldest first, and when each was made. `Repeat` takes them from here. */
  readonly keyed: Array<{ readonly at: Instant; readonly request: Request }>
  /** Numbers the requests, so that each can be distinguished from all others by what it leaves. */
  nextRequest: number
  /** Numbers the reports: the next new one has the id `report-<nextReport>`. */
  nextReport: number
}

/** An empty session for a service that no command has run against yet. */
export const begin = (simulated: Simulated, isAlone = true): Session => ({
  simulated,
  isAlone,
  plans: [[], []],
  reports: [],
  keyed: [],
  nextRequest: 1,
  nextReport: 1
})

export const organizationOf = ({ simulated }: Session, side: Side): string => simulated.organizationIds[side]

export const other = (side: Side): Side => (side === 0 ? 1 : 0)

/** The element at `index`, modulo how many there are; undefined where there are none. */
export const pick = <A>(all: ReadonlyArray<A>, index: number): A | undefined =>
  all.length === 0 ? undefined : all[index % all.length]

/** Likewise, counted from the last. */
export const pickBack = <A>(all: ReadonlyArray<A>, back: number): A | undefined =>
  all.length === 0 ? undefined : all[all.length - 1 - (back % all.length)]

type Resolved = Effect.Effect<Asked, StorageError>

const nothing: Asked = { _tag: "Nothing" }

/** How long an idempotency key is good for (rule W2). */
const KEY_LIFE = DAY

/** The SIMs in service, or all where none is. */
const linesOf = (session: Session, side: Command.Side) =>
  Effect.gen(function* () {
    const organizationId = organizationOf(session, side)
    const all = session.simulated.iccids(organizationId)
    const found = yield* session.simulated.storage.subscriptions.page({
      organizationId,
      after: null,
      limit: all.length
    })
    return found.length === 0 ? all : found.map(({ sim }) => sim.iccid)
  })

const lineOf = (session: Session, side: Command.Side, index: number) =>
  Effect.map(linesOf(session, side), (all) => pick(all, index) ?? "")

/** The withdrawn SIM that is named, those that a subscription has left last before others; null where there is none. */
const leftOf = (session: Session, side: Command.Side, left: number | null = null) => {
  const organizationId = organizationOf(session, side)
  const limit = session.simulated.iccids(organizationId).length
  return left === null
    ? Effect.succeed(null)
    : Effect.map(
        session.simulated.storage.sims.page({ organizationId, isEsim: null, label: null, after: null, limit }),
        (sims) => {
          const since = ({ recycledAt }: Sim.Sim): Instant => recycledAt ?? Number.NEGATIVE_INFINITY
          const withdrawn = sims.filter((sim) => Sim.withdrawnReason(sim) !== null)
          return (
            pick(
              withdrawn.toSorted((one, next) => since(next) - since(one)),
              left
            )?.iccid ?? null
          )
        }
      )
}

const attachmentsOf = (session: Session, side: Command.Side, iccid: string) => {
  const organizationId = organizationOf(session, side)
  return Effect.map(session.simulated.storage.simAggregates.get({ organizationId, iccid }), (line) =>
    line === null ? [] : SimAggregate.confirmed(line)
  )
}

const planOf = (session: Session, { by, foreign, plan }: { by: Command.Side; foreign: boolean; plan: number }) =>
  pick(session.plans[foreign ? other(by) : by], plan)?.planId

const periodAt = (now: Instant, period: PeriodFromNow | null): Period | null => {
  const at = (distance: number | null) => (distance === null ? null : now + distance)
  return period === null ? null : { start: at(period.start), end: at(period.end) }
}

const subscribe = (session: Session, command: Extract<Command.Command, { _tag: "Subscribe" | "TopUp" }>): Resolved =>
  Effect.gen(function* () {
    const { by } = command
    const foreign = command._tag === "Subscribe" && command.foreign
    // A foreign request names the other's plan where no SIM is named, and the other's SIM where one is.
    const sim = command._tag === "TopUp" ? command.line : command.sim
    const planId = planOf(session, { by, foreign: foreign && sim === null, plan: command.plan })
    if (planId === undefined) return nothing
    const owner = foreign ? other(by) : by
    const left = command._tag === "TopUp" ? null : yield* leftOf(session, owner, command.left)
    const iccid =
      command._tag === "TopUp"
        ? yield* lineOf(session, by, command.line)
        : sim === null
          ? left
          : (left ?? pick(session.simulated.iccids(organizationOf(session, owner)), sim) ?? null)
    const number = session.nextRequest++
    return {
      _tag: "Subscribe",
      organizationId: organizationOf(session, by),
      foreign,
      planId,
      iccid,
      period: periodAt(yield* session.simulated.now, command.period),
      metadata: `request ${number}`,
      key: command.keyed ? `key-${number}` : null
    }
  })

const named = (attachments: ReadonlyArray<WithPackages>, of: Command.PackageOf | null): string | null => {
  if (of === null) return null
  if (of.named === "wrongly") return "no such package"
  const pack = pickBack(pick(attachments, of.attachment)?.packages ?? [], of.back)
  if (pack === undefined) return null
  const ours = idOf(pack)
  return of.named === "by our id" ? ours : (pack.telcoPackageId ?? ours)
}

const factOf = (attachments: ReadonlyArray<WithPackages>, fact: Command.Fact): TelcoReport.Fact => {
  switch (fact._tag) {
    case "FirstUse":
      return { _tag: "FirstUse", packageId: named(attachments, fact.package) }
    case "Total":
    case "Delta": {
      const of = pick(attachments, fact.package?.attachment ?? 0)
      const allowance = of === undefined ? 0 : Allowance.bytesOf(of.attachment.terms)
      const bytes = Math.max(0, Math.floor((allowance * fact.amount.percent) / 100) + fact.amount.beside)
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

const report = (session: Session, command: Extract<Command.Command, { _tag: "Report" }>): Resolved =>
  Effect.gen(function* () {
    const inventory = session.simulated.iccids(organizationOf(session, command.of))
    const named = (command.sim ?? null) === null ? undefined : pick(inventory, command.sim ?? 0)
    const iccid = named ?? (yield* lineOf(session, command.of, command.line))
    const attachments = yield* attachmentsOf(session, command.of, iccid)
    const now = yield* session.simulated.now
    const reports = command.reports.map(({ after, again, fact }): TelcoReport.Report => {
      const before = again === null ? undefined : pickBack(session.reports, again)
      if (before !== undefined) return before
      const reportId = `report-${session.nextReport++}`
      return {
        reportId,
        iccid,
        occurredAt: now + after,
        fact: factOf(attachments, fact)
      }
    })
    session.reports.push(...reports)
    return { _tag: "Report", reports, ...(command.spelled && { spelled: true }) }
  })

const reconcileUsage = (
  session: Session,
  { line, of, today, used }: Extract<Command.Command, { _tag: "ReconcileUsage" }>
): Resolved =>
  Effect.gen(function* () {
    const iccid = yield* lineOf(session, of, line)
    const [first] = yield* attachmentsOf(session, of, iccid)
    const allowance = first === undefined ? 0 : Allowance.bytesOf(first.attachment.terms)
    const bytesOf = ({ beside, percent }: Command.Amount) =>
      Math.max(0, Math.floor((allowance * percent) / 100) + beside)
    const until = UsageBook.dayOf(yield* session.simulated.now)
    const places = new Map<string, UsageReconciliation.Used>()
    for (const { countryAlpha2, daysAgo, ...amount } of used) {
      const day = until - daysAgo * DAY
      if (bytesOf(amount) > 0) places.set(`${day} ${countryAlpha2}`, { day, countryAlpha2, bytes: bytesOf(amount) })
    }
    const least = bytesOf(today.least)
    return {
      _tag: "ReconcileUsage",
      iccid,
      book: {
        from: until - 4 * DAY,
        until,
        used: [...places.values()],
        since: { least, most: least + bytesOf(today.more) }
      }
    }
  })

/** The first instant after now at which the attachment changes in that way. */
const boundaryOf = (
  { attachment, packages }: WithPackages,
  boundary: "due" | "activation" | "expiry",
  now: Instant
): Instant | undefined => {
  const { anchor, terms } = attachment
  const later = (instants: ReadonlyArray<Instant | null>) => instants.filter((at) => at !== null).find((at) => at > now)
  if (terms.recurrence !== null && anchor !== null && boundary !== "expiry") {
    const next = Recurrence.dueCount(terms.recurrence, anchor, now)
    if (next >= terms.recurrence.occurrences) return undefined
    const due = Recurrence.dueAt(terms.recurrence, anchor, next)
    return boundary === "due" ? due : due + Recurrence.PROVISIONING_LEAD
  }
  return later(packages.map((pack) => (boundary === "expiry" ? pack.expirationAt : pack.activationAt)))
}

const advanceTo = (session: Session, command: Extract<Command.Command, { _tag: "AdvanceTo" }>): Resolved =>
  Effect.gen(function* () {
    const iccid = yield* lineOf(session, command.of, command.line)
    const of = pick(yield* attachmentsOf(session, command.of, iccid), command.attachment)
    const now = yield* session.simulated.now
    const at = of === undefined ? undefined : boundaryOf(of, command.boundary, now)
    return at === undefined ? nothing : { _tag: "Advance", to: Math.max(now, at + command.beside) }
  })

const repeat = (session: Session, back: number): Resolved =>
  Effect.map(session.simulated.now, (now) => {
    const good = session.keyed.filter(({ at }) => now - at < KEY_LIFE)
    const found = pickBack(good, back)
    return found === undefined ? nothing : { _tag: "Repeat", request: found.request }
  })

const sms = (
  session: Session,
  command: Extract<Command.Command, { _tag: "SendSms" }>
): Effect.Effect<Request, StorageError> =>
  Effect.gen(function* () {
    const { by, foreign, keyed, line } = command
    const iccid = yield* lineOf(session, foreign ? other(by) : by, line)
    const number = session.nextRequest++
    const organizationId = organizationOf(session, by)
    return {
      _tag: "SendSms",
      organizationId,
      foreign,
      iccid,
      text: `message ${number}`,
      key: keyed ? `key-${number}` : null
    }
  })

/** The request that a command comes to now. */
export const resolve = (session: Session, command: Command.Command): Resolved => {
  const { simulated } = session
  switch (command._tag) {
    case "CreatePlan": {
      const coverageId = pick(simulated.coverageIds(command.label), command.coverage) ?? ""
      return Effect.succeed({
        _tag: "CreatePlan",
        organizationId: organizationOf(session, command.by),
        foreign: false,
        terms: { ...command.terms, coverageId },
        flaw: command.flaw
      })
    }
    case "ArchivePlan":
    case "UnarchivePlan":
    case "DeletePlan": {
      const planId = planOf(session, command)
      const organizationId = organizationOf(session, command.by)
      return Effect.succeed(
        planId === undefined ? nothing : { _tag: command._tag, organizationId, foreign: command.foreign, planId }
      )
    }
    case "Subscribe":
    case "TopUp":
      return subscribe(session, command)
    case "Report":
      return report(session, command)
    case "ReconcileUsage":
      return reconcileUsage(session, command)
    case "Suspend":
      return Effect.gen(function* () {
        const owner = command.foreign ? other(command.by) : command.by
        const iccid = yield* lineOf(session, owner, command.line)
        const of = pick(yield* attachmentsOf(session, owner, iccid), command.attachment)
        const organizationId = organizationOf(session, command.by)
        const attachmentId = of?.attachment.attachmentId
        return attachmentId === undefined
          ? nothing
          : { _tag: "Suspend", organizationId, foreign: command.foreign, iccid, attachmentId }
      })
    case "Delete":
    case "Replace":
    case "Pause":
      return Effect.map(lineOf(session, command.foreign ? other(command.by) : command.by, command.line), (iccid) => {
        const of = { organizationId: organizationOf(session, command.by), foreign: command.foreign, iccid }
        return command._tag === "Pause"
          ? { _tag: "Pause", ...of, paused: command.paused }
          : { _tag: command._tag, ...of }
      })
    case "SendSms":
      return sms(session, command)
    case "SetMobilePlan": {
      const { apply, by, label } = command
      const foreign = command.foreign && command.sim !== null
      const owner = organizationOf(session, foreign ? other(by) : by)
      const iccid = command.sim === null ? null : (pick(simulated.iccids(owner), command.sim) ?? null)
      const organizationId = organizationOf(session, by)
      return Effect.map(leftOf(session, foreign ? other(by) : by, command.left), (left) => ({
        _tag: "SetMobilePlan",
        organizationId,
        foreign,
        iccid: left ?? iccid,
        label,
        apply
      }))
    }
    case "CorrectSim": {
      const { by, correction, foreign, sim } = command
      const iccid = pick(simulated.iccids(organizationOf(session, foreign ? other(by) : by)), sim)
      return Effect.succeed(
        iccid === undefined
          ? nothing
          : { _tag: "CorrectSim", organizationId: organizationOf(session, by), foreign, iccid, correction }
      )
    }
    case "SetStockLevels": {
      const { by, levels } = command
      const organizationId = organizationOf(session, by)
      return Effect.succeed({ _tag: "SetStockLevels", organizationId, foreign: false, levels })
    }
    case "Repeat":
      return repeat(session, command.back)
    case "Advance":
      return Effect.map(simulated.now, (now) => ({
        _tag: "Advance",
        to: Math.min(now + command.millis, END_OF_TIME - 1)
      }))
    case "AdvanceTo":
      return advanceTo(session, command)
    case "Kill":
    case "Restart":
    case "Fault":
    case "Quiet":
      return Effect.succeed(command)
  }
}
