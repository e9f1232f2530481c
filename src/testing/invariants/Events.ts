/**
 * What must hold of events: each has exactly one cause, and each cause its event, in order. Those about the events of rule
 * E1 are apart from `Invariants.all`, because only an endpoint that takes them from the beginning receives them.
 */
import type { WithPackages } from "../../domain/Attachment.ts"
import type { PlanTerms } from "../../domain/Plan.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import { isOptIn, type WebhookEvent, type OptInType } from "../../domain/WebhookEvent.ts"
import { isIdle, type Step } from "../History.ts"
import { attachments, type Frame, first, type Invariant, make, periodOf, same, show, visible } from "./Invariant.ts"
import { Record } from "effect"
import { idOf, type Package } from "../../domain/Package.ts"
import { DAY, type Instant, toIso } from "../../domain/Time.ts"
import * as TimingModel from "../TimingModel.ts"
import { lowStockIsNotified, lowStockIsNotifiedOnce } from "./Stock.ts"
import { factsOf } from "./Timing.ts"

const thresholds = [50, 80, 100] as const

/** The thresholds of 50, 80 and 100 % that the usage of a plan has reached; none where it recurs (rule R2). */
const reached = ({ attachment, packages }: WithPackages): ReadonlyArray<number> => {
  const { dataMegaBytes, recurrence } = attachment.terms
  if (recurrence !== null) return []
  const used = BigInt(packages[0]?.usedBytes ?? 0) * 100n
  return thresholds.filter((threshold) => used >= BigInt(dataMegaBytes) * 1_048_576n * BigInt(threshold))
}

/** Rule R2: 50, 80 and 100 % of a non-recurring plan's allowance, as soon as the usage reaches them. */
export const thresholdsFireOnce: Invariant = make(
  "a threshold fires when it is reached, once and in order",
  "R2",
  () => {
    const fired = new Map<string, Array<number>>()
    return ({ after, step }) =>
      first(step.changes.events, ({ payload }) => {
        if (payload.type !== "attachment.allowanceConsumed") return null
        const { attachmentId, usagePercentage } = payload.data
        const before = fired.get(attachmentId) ?? []
        fired.set(attachmentId, [...before, usagePercentage])
        return usagePercentage > (before.at(-1) ?? 0)
          ? null
          : `${attachmentId} notified ${usagePercentage} % after ${show(before)}`
      }) ??
      first(attachments(after), (of) => {
        const { attachmentId } = of.attachment
        const notified = fired.get(attachmentId) ?? []
        return same(notified, reached(of))
          ? null
          : `${attachmentId} has notified ${show(notified)}, and reached ${show(reached(of))}`
      })
  }
)

/** The percentages of its plan that the usage of a package has reached (rule U2). */
const alerted = (
  { alertThresholds = thresholds, dataMegaBytes }: PlanTerms,
  usedBytes: number
): ReadonlyArray<number> =>
  alertThresholds.filter((one) => BigInt(usedBytes) * 100n >= BigInt(dataMegaBytes) * 1_048_576n * BigInt(one))

/** Rule U2: the percentages that its plan names, of each package there is, as soon as the usage reaches them. */
export const packageAlertsFireOnce: Invariant = make(
  "a percentage of a package that its plan names is notified when it is reached, once and in order",
  "U2",
  () => {
    const fired = new Map<string, ReadonlyArray<number>>()
    return ({ after, step }) => {
      for (const { payload } of step.changes.events) {
        if (payload.type !== "package.allowanceConsumed") continue
        const { packageId, usagePercentage } = payload.data
        // On whatever SIM: the id of a package has the number of its move behind its occurrence.
        const id = packageId.split(":", 2).join(":")
        fired.set(id, [...(fired.get(id) ?? []), usagePercentage])
      }
      return first(attachments(after), ({ attachment, packages }) =>
        first(packages, (pack) => {
          const id = periodOf(pack)
          const [notified, expected] = [fired.get(id) ?? [], alerted(attachment.terms, pack.usedBytes)]
          return same(notified, expected) ? null : `${id} has notified ${show(notified)}, and reached ${show(expected)}`
        })
      )
    }
  }
)

/** What a report about a SIM leaves behind: its country, and the state of its profile. */
interface Snapshot {
  readonly country: { readonly is: string; readonly at: number } | null
  readonly state: { readonly is: string; readonly at: number } | null
}

const snapshot = (line: SimAggregate | undefined): Snapshot => {
  const { location, smdp } = line?.sim ?? {}
  return {
    country: location ? { is: location.countryAlpha2, at: location.at } : null,
    state: smdp ? { is: smdp.state, at: smdp.modifiedAt } : null
  }
}

const isLater = (known: { readonly at: number } | null, at: number): boolean => known === null || at >= known.at

/** Rule R3: the events that accepted reports about one SIM cause, in order of what happened, and what is known then. */
const consequences = (line: SimAggregate | undefined, reports: ReadonlyArray<Report>): ReadonlyArray<string> => {
  const events: Array<string> = []
  let { country, state } = snapshot(line)
  for (const { fact, occurredAt: at } of reports) {
    if (fact._tag === "Location" && isLater(country, at)) {
      if (country?.is !== fact.countryAlpha2) events.push(`country ${country?.is ?? null} ${fact.countryAlpha2}`)
      country = { is: fact.countryAlpha2, at }
    }
    if (fact._tag === "SmdpState" && fact.modificationResult === "Success" && isLater(state, at)) {
      if (state?.is !== fact.state) events.push(`state ${fact.state}`)
      state = { is: fact.state, at }
    }
  }
  return events
}

const nameOf = ({ payload }: WebhookEvent): string => {
  switch (payload.type) {
    case "attachment.allowanceConsumed":
      return `threshold ${payload.data.attachmentId} ${payload.data.usagePercentage}`
    case "subscription.esim.locationChanged":
      return `country ${payload.data.previousCountryIso2} ${payload.data.countryIso2}`
    case "esim.smdp.stateChanged":
      return `state ${payload.data.smdpStateChange.state}`
    default:
      return payload.type
  }
}

/** The reports of a step that were accepted, in order of what happened. */
const accepted = ({ asked, outcome }: Step): ReadonlyArray<Report> => {
  if (asked._tag !== "Report" || outcome._tag !== "Answered" || outcome.answer.kind !== "Verdicts") return []
  const { verdicts } = outcome.answer
  return asked.reports
    .filter((_, index) => verdicts[index]?._tag === "Accepted")
    .sort((left, right) => left.occurredAt - right.occurredAt)
}

/** All that should be notified of a step. */
const causes = ({ after, before, step }: Frame): ReadonlyArray<string> => {
  const crossed = attachments(after).flatMap((of) => {
    const { attachmentId } = of.attachment
    const known = attachments(before).find(({ attachment }) => attachment.attachmentId === attachmentId)
    const notified = known === undefined ? [] : reached(known)
    return reached(of)
      .filter((threshold) => !notified.includes(threshold))
      .map((threshold) => `threshold ${attachmentId} ${threshold}`)
  })
  const reports = accepted(step)
  const iccids = [...new Set(reports.map(({ iccid }) => iccid))]
  const seen = iccids.flatMap((iccid) =>
    consequences(
      before.get(iccid),
      reports.filter((report) => report.iccid === iccid)
    )
  )
  return [...crossed, ...seen]
}

/**
 * Rules R2 and R3. Works out the events that a step must cause and compares them; those of rule E1 are left to
 * `lifecycle`.
 */
export const eventsHaveOneCause: Invariant = make(
  "every event has exactly one cause, and every cause its event",
  "R2, R3",
  () => (frame) => {
    const { step } = frame
    // A report that was killed may have been taken or not, and which of several were is not known.
    if (step.asked._tag === "Report" && step.outcome._tag === "Killed") return null
    const events = step.changes.events
      .filter(({ payload }) => !isOptIn(payload.type))
      .map(nameOf)
      .sort()
    const expected = [...causes(frame)].sort()
    return same(events, expected) ? null : `${show(events)} was notified, and ${show(expected)} happened`
  }
)

/**
 * Rules W5 and W7. Each body has the event's id, type and data, and goes to the event's organization. Repeated
 * deliveries are allowed once a process was killed.
 */
export const webhooksArrive: Invariant = make(
  "every event arrives, once unless a process was killed, at the organization that it is about",
  "W5, W7",
  () => {
    const events = new Map<string, WebhookEvent>()
    const arrived = new Set<string>()
    let killed = false
    return ({ step }) => {
      for (const event of step.changes.events) events.set(event.eventId, event)
      killed ||= step.outcome._tag === "Killed"
      const complaint = first(step.changes.webhooks, ({ body, organizationId }) => {
        const { data, id, type }: { readonly id: string; readonly type: string; readonly data: unknown } =
          JSON.parse(body)
        const event = events.get(id)
        if (event === undefined) return `${body} arrived, which no event is`
        if (arrived.has(id) && !killed) return `the event ${id} arrived twice`
        arrived.add(id)
        const right = event.organizationId === organizationId && same(event.payload, { type, data })
        return right ? null : `${body} arrived at ${organizationId} for ${show(event)}`
      })
      if (complaint !== null || !isIdle(step)) return complaint
      return first(events.keys(), (id) => (arrived.has(id) ? null : `the event ${id} never arrived`))
    }
  }
)

/** What an event is about: a subscription, an attachment or a package. Those of usage are left to `packageAlertsFireOnce`. */
const aboutOf = ({ payload: { data, type } }: WebhookEvent): string | null => {
  if (!isOptIn(type) || type === "package.allowanceConsumed") return null
  if ("packageId" in data) return data.packageId
  if ("attachmentId" in data) return data.attachmentId
  return "subscriptionId" in data ? data.subscriptionId : null
}

/** What may be notified of a subscription at any time. */
const always = ["subscription.deleted", "subscription.replaced"] as const

/** The types in which something may be notified next, after each type; `none` stands for the beginning. */
const following: { readonly [Type in OptInType | "none"]: ReadonlyArray<OptInType> } = {
  none: ["subscription.created", "attachment.created", "package.created", "package.refused"],
  "subscription.created": [...always, "subscription.paused"],
  "subscription.replaced": [...always, "subscription.paused", "subscription.resumed"],
  "subscription.paused": [...always, "subscription.resumed"],
  "subscription.resumed": [...always, "subscription.paused"],
  "subscription.deleted": [],
  "attachment.created": ["attachment.activated", "attachment.suspended"],
  "attachment.activated": ["attachment.expiring", "attachment.suspended"],
  "attachment.expiring": ["attachment.expired", "attachment.suspended"],
  "attachment.expired": [],
  "attachment.suspended": [],
  "package.created": [],
  "package.refused": [],
  "package.allowanceConsumed": [],
  "stock.low": [],
  "endpoint.disabled": [],
  "command.done": [],
  "command.refused": []
}

/** The types in the order in which they come in a life. */
const inALife: ReadonlyArray<OptInType | "none"> = Record.keys(following)

type Notified = Map<string, ReadonlyArray<OptInType>>

/** Keeps what was notified of each thing; the first event that comes twice or out of order is a complaint. */
const inOrder = (notified: Notified, { step }: Frame): string | null =>
  first(step.changes.events, (event) => {
    const about = aboutOf(event)
    const { type } = event.payload
    if (about === null || !isOptIn(type)) return null
    const before = notified.get(about) ?? []
    notified.set(about, [...before, type])
    const { data } = event.payload
    if ("subscriptionId" in data && notified.get(data.subscriptionId)?.includes("subscription.deleted") === true) {
      if (about !== data.subscriptionId) return `${about} notified ${type} after ${data.subscriptionId} was deleted`
    }
    return following[before.at(-1) ?? "none"].includes(type) ? null : `${about} notified ${type} after ${show(before)}`
  })

/**
 * Keeps what was notified of each thing, in whatever order: processes with clocks apart date their events differently.
 */
const keep = (notified: Notified, { step }: Frame): void => {
  for (const event of step.changes.events) {
    const about = aboutOf(event)
    const { type } = event.payload
    if (about === null || !isOptIn(type)) continue
    const all = [...(notified.get(about) ?? []), type]
    notified.set(
      about,
      all.sort((left, right) => inALife.indexOf(left) - inALife.indexOf(right))
    )
  }
}

/** When an attachment activates and expires. */
interface Times {
  readonly activationAt: Instant | null
  readonly expirationAt: Instant | null
}

/** When the events of an attachment with these times fall due by the clock. */
const dueAt = ({ activationAt, expirationAt }: Times): ReadonlyArray<readonly [type: OptInType, at: Instant]> => {
  if (activationAt === null || expirationAt === null) return []
  return [
    ["attachment.activated", activationAt],
    ["attachment.expiring", Math.max(activationAt, expirationAt - DAY)],
    ["attachment.expired", expirationAt]
  ]
}

/** When an attachment's events fall due by the clock, by the timing model. */
const dueOf = (of: WithPackages) => dueAt(TimingModel.times(factsOf(of)))

/** What the events of an attachment before its end have said of its times, and whose it is. */
interface Known extends Times {
  readonly subscriptionId: string
}

const instant = (text: string | null): Instant | null => (text === null ? null : Date.parse(text))

/** Keeps the times in events of attachments while they are followed. */
const keepTimes = (known: Map<string, Known>, { payload: { data, type } }: WebhookEvent): void => {
  if (!isOptIn(type) || !("activationAt" in data) || "packageId" in data || type === "attachment.suspended") return
  const { activationAt, attachmentId, expirationAt, subscriptionId } = data
  known.set(attachmentId, { subscriptionId, activationAt: instant(activationAt), expirationAt: instant(expirationAt) })
}

/** The attachments that an event ends: a suspended one, all that are left of a deleted subscription. */
const endedBy = ({ payload: { data, type } }: WebhookEvent, notified: Notified, known: ReadonlyMap<string, Known>) => {
  if (type === "attachment.suspended" && "attachmentId" in data) return [data.attachmentId]
  if (type !== "subscription.deleted" || !("subscriptionId" in data)) return []
  return [...known].flatMap(([attachmentId, of]) =>
    of.subscriptionId === data.subscriptionId && notified.get(attachmentId)?.includes("attachment.suspended") !== true
      ? [attachmentId]
      : []
  )
}

/** Rule E1. No event comes twice or out of order, and none follows the deletion of its subscription. */
export const lifecycleIsInOrder: Invariant = make(
  "what happens to an attachment is notified once each and in order",
  "E1",
  () => {
    const notified: Notified = new Map()
    return (frame) => inOrder(notified, frame)
  }
)

/** Rule E1. An event that is due by the clock is not created before it is due, and has the times of `TimingModel`. */
export const lifecycleIsTimely: Invariant = make(
  "what happens to an attachment is notified not before it happens, and with its times",
  "E1",
  () => (frame) =>
    first(visible(frame.after), (of) => {
      const { attachmentId } = of.attachment
      const due = new Map(dueOf(of))
      const { activationAt, expirationAt } = TimingModel.times(factsOf(of))
      return first(frame.step.changes.events, ({ createdAt, payload }) => {
        if (!isOptIn(payload.type) || !("activationAt" in payload.data) || "packageId" in payload.data) return null
        if (payload.data.attachmentId !== attachmentId || !due.has(payload.type)) return null
        if (createdAt < (due.get(payload.type) ?? 0)) {
          return `${attachmentId} notified ${payload.type} at ${toIso(createdAt)}, too early`
        }
        const times = [activationAt, expirationAt].map((at) => (at === null ? null : toIso(at)))
        const shown = [payload.data.activationAt, payload.data.expirationAt]
        return same(times, shown) ? null : `${attachmentId} notified ${show(shown)}, and has ${show(times)}`
      })
    })
)

/** What is to be notified of an attachment at `now`; what is due before a suspension is checked with its event. */
const isComplete = (of: WithPackages, notified: ReadonlyArray<OptInType>, now: Instant): boolean => {
  if (of.attachment.suspendedAt !== null) {
    const isOnceEach = new Set(notified).size === notified.length
    return isOnceEach && notified[0] === "attachment.created" && notified.at(-1) === "attachment.suspended"
  }
  const due = dueOf(of).flatMap(([type, at]) => (at <= now ? [type] : []))
  return same(notified, ["attachment.created", ...due])
}

/** Rule E1. When an attachment is suspended, or its subscription deleted, all that was due before has been notified. */
export const lifecycleIsNotifiedToTheEnd: Invariant = make(
  "what falls due of an attachment before its suspension, or its subscription's deletion, is notified by then",
  "E1",
  () => {
    const notified: Notified = new Map()
    const known = new Map<string, Known>()
    return (frame) => {
      keep(notified, frame)
      const { events } = frame.step.changes
      for (const event of events) keepTimes(known, event)
      return first(events, (event) =>
        first(endedBy(event, notified, known), (attachmentId) => {
          const times = known.get(attachmentId)
          const due = times === undefined ? [] : dueAt(times).filter(([, at]) => at <= event.createdAt)
          const missing = due.filter(([type]) => notified.get(attachmentId)?.includes(type) !== true)
          return missing.length === 0
            ? null
            : `${attachmentId} ended at ${toIso(event.createdAt)}, and has never notified ${show(missing)}`
        })
      )
    }
  }
)

/** What is notified of a package under its present id; where its subscription has moved, of what is left (rule S8). */
const notifiedOf = ({ refusal, replacement, status, telcoPackageId }: Package): ReadonlyArray<OptInType> => {
  if (status === "Created" && replacement !== null && telcoPackageId === null) {
    return refusal === null ? [] : ["package.refused"]
  }
  return status === "Lapsed" ? [] : [status === "Created" ? "package.created" : "package.refused"]
}

/** Rule E1. Checks whenever no work is due: exactly the events of all that has happened by then are there. */
export const lifecycleIsComplete: Invariant = make(
  "whenever no job is due, everything that has happened to subscriptions, attachments and packages is notified",
  "E1",
  () => {
    const notified: Notified = new Map()
    return (frame) => {
      keep(notified, frame)
      const { after, step } = frame
      if (!isIdle(step)) return null
      const live = new Set([...after.values()].flatMap(({ subscription }) => subscription?.subscriptionId ?? []))
      return (
        first(visible(after), (of) => {
          const { attachmentId, subscriptionId } = of.attachment
          const ofSubscription = notified.get(subscriptionId) ?? []
          const paused = ofSubscription.filter((type) => type === "subscription.paused").length
          const resumed = ofSubscription.filter((type) => type === "subscription.resumed").length
          const isPaused = after.get(of.attachment.iccid)?.sim.service.pausedAt !== null
          const moved = ofSubscription.filter((type) => type === "subscription.replaced").length
          const others = ofSubscription.length - paused - resumed - moved
          if (moved < of.attachment.replacements) return `${attachmentId} has moved, and that was not notified`
          if (ofSubscription[0] !== "subscription.created" || others > 1 || paused - resumed !== (isPaused ? 1 : 0)) {
            return `${subscriptionId} is there, and notified ${show(notified.get(subscriptionId))}`
          }
          const known = notified.get(attachmentId) ?? []
          if (!isComplete(of, known, step.ended)) {
            return `${attachmentId} has notified ${show(known)}, and due are ${show(dueOf(of))} at ${step.ended}`
          }
          return first(of.packages, (pack) => {
            const id = idOf(pack)
            return same(notified.get(id) ?? [], notifiedOf(pack))
              ? null
              : `${id} is ${show(pack)}, and notified ${show(notified.get(id))}`
          })
        }) ??
        first(notified, ([id, types]) =>
          types[0] === "subscription.created" && types.at(-1) !== "subscription.deleted" && !live.has(id)
            ? `${id} is gone, and that was not notified`
            : null
        )
      )
    }
  }
)

/** All of them. */
export const lifecycle: ReadonlyArray<Invariant> = [
  lifecycleIsInOrder,
  lifecycleIsTimely,
  lifecycleIsComplete,
  lifecycleIsNotifiedToTheEnd,
  packageAlertsFireOnce,
  lowStockIsNotified,
  lowStockIsNotifiedOnce
]
