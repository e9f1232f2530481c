/**
 * What must hold of events about usage and reports, and of all webhooks: each event has exactly one
 * cause, and each cause its event, in order. What holds of opt-in events stands in `Lifecycle`.
 */
import { Record, Schema } from "effect"
import type { WithPackages } from "../../domain/Attachment.ts"
import type { PlanTerms } from "../../domain/Plan.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Report } from "../../domain/TelcoReport.ts"
import { catalogue, iccid, isOptIn, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import { isIdle, type Step } from "../History.ts"
import { attachments, type Frame, first, type Invariant, make, periodOf, same, show } from "./Invariant.ts"

const thresholds = [50, 80, 100] as const

/**
 * The thresholds of 50, 80 and 100 % that the usage of a plan has reached; none if it recurs
 * (rule R2).
 */
const reached = ({ attachment, packages }: WithPackages): ReadonlyArray<number> => {
  const { dataMegaBytes, recurrence } = attachment.terms
  if (recurrence !== null) return []
  const used = BigInt(packages[0]?.usedBytes ?? 0) * 100n
  return thresholds.filter((threshold) => used >= BigInt(dataMegaBytes) * 1_048_576n * BigInt(threshold))
}

/**
 * Rule R2: 50, 80 and 100 % of a non-recurring plan's allowance, as soon as the usage reaches them.
 */
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

/**
 * Rule U2: the percentages that its plan names, of each package there is, as soon as the usage
 * reaches them.
 */
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

/**
 * Rule R3: the events that accepted reports about one SIM cause, in order of what happened, and
 * what is known then.
 */
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

/** All events that a step should publish. */
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
 * Rules R2 and R3. Works out the events that a step must cause and compares them; those of rule E1
 * are left to `Lifecycle`.
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

/** Whether each type of event says what its row in the catalogue has. */
const checks = Record.map(catalogue, ({ data }) => Schema.is(data))

const saysItsRow = ({ payload: { data, type } }: WebhookEvent): boolean =>
  checks[type](data) && same(Object.keys(data), Object.keys(catalogue[type].data.fields))

/**
 * Rules W5 and W7. Each body has the event's id, type and data, the fields of the catalogue in its
 * order, and goes to the event's organization. Repeated deliveries are allowed once a process was
 * killed.
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
        if (!saysItsRow(event)) return `${body} has not the fields of ${type}, in their order`
        const right = event.organizationId === organizationId && same(event.payload, { type, data })
        return right ? null : `${body} arrived at ${organizationId} for ${show(event)}`
      })
      if (complaint !== null || !isIdle(step)) return complaint
      return first(events.keys(), (id) => (arrived.has(id) ? null : `the event ${id} never arrived`))
    }
  }
)

/** The characters of an id that tell its millisecond (RFC 9562). */
const MILLISECOND = 13

/**
 * Rule W5. Ids of events about one SIM rise from step to step. Another process counts anew, so that
 * its ids may stand anywhere within the millisecond; a quiet time begins with one.
 */
export const idsOrderEvents: Invariant = make("the ids of events order them", "W5", () => {
  const last = new Map<string, { readonly eventId: string; readonly process: number }>()
  let process = 0
  return ({ step }) => {
    if (step.asked._tag === "Restart" || step.asked._tag === "Quiet") process += 1
    const events = step.changes.events.flatMap((event) => {
      const about = iccid(event.payload)
      return about === null ? [] : [{ ...event, about: `${event.organizationId} ${about}` }]
    })
    const complaint = first(events, ({ about, eventId }) => {
      const before = last.get(about)
      if (before === undefined) return null
      const length = before.process === process ? eventId.length : MILLISECOND
      return eventId.slice(0, length) >= before.eventId.slice(0, length)
        ? null
        : `the event ${eventId} came after ${before.eventId}`
    })
    for (const { about, eventId } of events.sort((one, other) => (one.eventId < other.eventId ? -1 : 1))) {
      last.set(about, { eventId, process })
    }
    // The killed process made the events of its step; the next one has done nothing yet.
    if (step.outcome._tag === "Killed") process += 1
    return complaint
  }
})
