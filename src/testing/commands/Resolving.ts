/**
 * From a command to the request that it comes to, given what there is now. Reads only.
 */
import { Effect } from "effect"
import type { WithPackages } from "../../domain/Attachment.ts"
import * as SimAggregate from "../../domain/SimAggregate.ts"
import { packageId } from "../../domain/Package.ts"
import { allowanceBytes } from "../../domain/Plan.ts"
import * as Recurrence from "../../domain/Recurrence.ts"
import type * as TelcoReport from "../../domain/TelcoReport.ts"
import { DAY, END_OF_TIME, type Instant } from "../../domain/Time.ts"
import type { StorageError } from "../../ports/Storage.ts"
import type { Asked, Period, Request } from "./Asked.ts"
import type * as Command from "./Command.ts"
import * as Session from "./Session.ts"

type Resolved = Effect.Effect<Asked, StorageError>

const nothing: Asked = { _tag: "Nothing" }

/** How long an idempotency key is good for (rule W2). */
const KEY_LIFE = DAY

/** The SIMs in service, or all where none is. */
const linesOf = (session: Session.Session, side: Command.Side) =>
  Effect.gen(function* () {
    const organizationId = Session.organizationOf(session, side)
    const all = session.simulated.iccids(organizationId)
    const found = yield* session.simulated.storage.subscriptions.page({
      organizationId,
      after: null,
      limit: all.length
    })
    return found.length === 0 ? all : found.map(({ sim }) => sim.iccid)
  })

const lineOf = (session: Session.Session, side: Command.Side, index: number) =>
  Effect.map(linesOf(session, side), (all) => Session.pick(all, index) ?? "")

const attachmentsOf = (session: Session.Session, side: Command.Side, iccid: string) => {
  const organizationId = Session.organizationOf(session, side)
  return Effect.map(session.simulated.storage.simAggregates.get({ organizationId, iccid }), (line) =>
    line === null ? [] : SimAggregate.confirmed(line)
  )
}

const planOf = (
  session: Session.Session,
  { by, foreign, plan }: { by: Command.Side; foreign: boolean; plan: number }
) => Session.pick(session.plans[foreign ? Session.other(by) : by], plan)?.planId

const periodAt = (now: Instant, period: Command.Period | null): Period | null => {
  const at = (distance: number | null) => (distance === null ? null : now + distance)
  return period === null ? null : { start: at(period.start), end: at(period.end) }
}

const subscribe = (
  session: Session.Session,
  command: Extract<Command.Command, { _tag: "Subscribe" | "TopUp" }>
): Resolved =>
  Effect.gen(function* () {
    const { by } = command
    const foreign = command._tag === "Subscribe" && command.foreign
    // A foreign request names the other's plan where no SIM is named, and the other's SIM where one is.
    const sim = command._tag === "TopUp" ? command.line : command.sim
    const planId = planOf(session, {
      by,
      foreign: foreign && sim === null,
      plan: command.plan
    })
    if (planId === undefined) return nothing
    const owner = foreign ? Session.other(by) : by
    const iccid =
      command._tag === "TopUp"
        ? yield* lineOf(session, by, command.line)
        : sim === null
          ? null
          : (Session.pick(session.simulated.iccids(Session.organizationOf(session, owner)), sim) ?? null)
    const number = session.nextRequest++
    return {
      _tag: "Subscribe",
      organizationId: Session.organizationOf(session, by),
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
  const pack = Session.pickBack(Session.pick(attachments, of.attachment)?.packages ?? [], of.back)
  if (pack === undefined) return null
  const ours = packageId(pack.attachmentId, pack.occurrence)
  return of.named === "by our id" ? ours : (pack.telcoPackageId ?? ours)
}

const factOf = (attachments: ReadonlyArray<WithPackages>, fact: Command.Fact): TelcoReport.Fact => {
  switch (fact._tag) {
    case "FirstUse":
      return { _tag: "FirstUse", packageId: named(attachments, fact.package) }
    case "Total":
    case "Delta": {
      const of = Session.pick(attachments, fact.package?.attachment ?? 0)
      const allowance = of === undefined ? 0 : allowanceBytes(of.attachment.terms)
      const bytes = Math.max(0, Math.floor((allowance * fact.amount.percent) / 100) + fact.amount.beside)
      return {
        _tag: "Usage",
        packageId: named(attachments, fact.package),
        usage: { _tag: fact._tag, bytes }
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

const report = (session: Session.Session, command: Extract<Command.Command, { _tag: "Report" }>): Resolved =>
  Effect.gen(function* () {
    const iccid = yield* lineOf(session, command.of, command.line)
    const attachments = yield* attachmentsOf(session, command.of, iccid)
    const now = yield* session.simulated.now
    const reports = command.reports.map(({ after, again, fact }): TelcoReport.Report => {
      const before = again === null ? undefined : Session.pickBack(session.reports, again)
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
    return { _tag: "Report", reports }
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

const advanceTo = (session: Session.Session, command: Extract<Command.Command, { _tag: "AdvanceTo" }>): Resolved =>
  Effect.gen(function* () {
    const iccid = yield* lineOf(session, command.of, command.line)
    const of = Session.pick(yield* attachmentsOf(session, command.of, iccid), command.attachment)
    const now = yield* session.simulated.now
    const at = of === undefined ? undefined : boundaryOf(of, command.boundary, now)
    return at === undefined ? nothing : { _tag: "Advance", to: Math.max(now, at + command.beside) }
  })

const repeat = (session: Session.Session, back: number): Resolved =>
  Effect.map(session.simulated.now, (now) => {
    const good = session.keyed.filter(({ at }) => now - at < KEY_LIFE)
    const found = Session.pickBack(good, back)
    return found === undefined ? nothing : { _tag: "Repeat", request: found.request }
  })

const sms = (
  session: Session.Session,
  command: Extract<Command.Command, { _tag: "SendSms" }>
): Effect.Effect<Request, StorageError> =>
  Effect.gen(function* () {
    const { by, foreign, keyed, line } = command
    const iccid = yield* lineOf(session, foreign ? Session.other(by) : by, line)
    const number = session.nextRequest++
    const organizationId = Session.organizationOf(session, by)
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
export const resolve = (session: Session.Session, command: Command.Command): Resolved => {
  const { simulated } = session
  switch (command._tag) {
    case "CreatePlan": {
      const coverageId = Session.pick(simulated.coverageIds(command.label), command.coverage) ?? ""
      return Effect.succeed({
        _tag: "CreatePlan",
        organizationId: Session.organizationOf(session, command.by),
        foreign: false,
        terms: { ...command.terms, coverageId },
        flaw: command.flaw
      })
    }
    case "ArchivePlan":
    case "UnarchivePlan":
    case "DeletePlan": {
      const planId = planOf(session, command)
      const organizationId = Session.organizationOf(session, command.by)
      return Effect.succeed(
        planId === undefined
          ? nothing
          : {
              _tag: command._tag,
              organizationId,
              foreign: command.foreign,
              planId
            }
      )
    }
    case "Subscribe":
    case "TopUp":
      return subscribe(session, command)
    case "Report":
      return report(session, command)
    case "Suspend":
      return Effect.gen(function* () {
        const owner = command.foreign ? Session.other(command.by) : command.by
        const iccid = yield* lineOf(session, owner, command.line)
        const of = Session.pick(yield* attachmentsOf(session, owner, iccid), command.attachment)
        const organizationId = Session.organizationOf(session, command.by)
        const attachmentId = of?.attachment.attachmentId
        return attachmentId === undefined
          ? nothing
          : {
              _tag: "Suspend",
              organizationId,
              foreign: command.foreign,
              iccid,
              attachmentId
            }
      })
    case "Delete":
      return Effect.map(
        lineOf(session, command.foreign ? Session.other(command.by) : command.by, command.line),
        (iccid) => ({
          _tag: "Delete",
          organizationId: Session.organizationOf(session, command.by),
          foreign: command.foreign,
          iccid
        })
      )
    case "SendSms":
      return sms(session, command)
    case "SetMobilePlan": {
      const { apply, by, label } = command
      const foreign = command.foreign && command.sim !== null
      const owner = Session.organizationOf(session, foreign ? Session.other(by) : by)
      const iccid = command.sim === null ? null : (Session.pick(simulated.iccids(owner), command.sim) ?? null)
      const organizationId = Session.organizationOf(session, by)
      return Effect.succeed({
        _tag: "SetMobilePlan",
        organizationId,
        foreign,
        iccid,
        label,
        apply
      })
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
