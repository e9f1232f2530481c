/**
 * Observes the service while a scenario is played. Each observation records what has changed since the last one.
 */
import { Effect } from "effect"
import { Attachments, type Refusal, type Time } from "simplan"
import type { WebhookEvent } from "simplan/ports"
import type { Simulated } from "simplan/testing"
import * as Changes from "./Changes.ts"
import * as Courses from "./Courses.ts"
import type { Course, Entry } from "./History.ts"
import * as Rules from "./Rules.ts"

const webhookRules = {
  "attachment.allowanceConsumed": Rules.thresholds,
  "subscription.esim.locationChanged": Rules.changed,
  "esim.smdp.stateChanged": Rules.changed
} as const satisfies Record<(typeof WebhookEvent.standardTypes)[number], Rules.Rule>

type Payload = Extract<WebhookEvent.Payload, { readonly type: keyof typeof webhookRules }>

const webhookDetail = (event: Payload): string => {
  switch (event.type) {
    case "attachment.allowanceConsumed":
      return `${event.data.usagePercentage} %`
    case "subscription.esim.locationChanged":
      return `${event.data.previousCountryIso2 ?? "nowhere yet"} to ${event.data.countryIso2}`
    case "esim.smdp.stateChanged":
      return event.data.smdpStateChange.state
  }
}

const webhook = ({ at, body }: Simulated.ReceivedWebhook): Entry => {
  const event: Payload = JSON.parse(body)
  return {
    at,
    kind: "webhook",
    what: `webhook ${event.type}: ${webhookDetail(event)}`,
    rules: [webhookRules[event.type]],
    attachment: null
  }
}

const asked = {
  createPackage: "create a package",
  suspendPackage: "suspend a package",
  cancelPackage: "cancel a package",
  sendSms: "send an SMS",
  releaseProfile: "release the profile",
  setMobilePlan: "change the mobile plan"
} as const satisfies Record<Simulated.TelcoCall["kind"], string>

const answers = {
  done: "done",
  refused: "it refuses",
  unavailable: "it cannot be reached or its answer is lost",
  "no answer": "no answer in time"
} as const satisfies Record<Simulated.TelcoCall["outcome"], string>

// `Changes` has an entry for a created or refused package.
const isShown = ({ kind, outcome }: Simulated.TelcoCall): boolean =>
  kind !== "createPackage" || outcome === "unavailable" || outcome === "no answer"

const callRules = {
  createPackage: [Rules.retried],
  suspendPackage: [Rules.suspended],
  cancelPackage: [Rules.deleted],
  releaseProfile: [Rules.deleted],
  sendSms: [],
  setMobilePlan: []
} as const satisfies Record<Simulated.TelcoCall["kind"], ReadonlyArray<Rules.Rule>>

const telcoCall = (call: Simulated.TelcoCall): Entry => ({
  at: call.at,
  kind: call.outcome === "done" ? "telco" : "failure",
  what: `the telco is asked to ${asked[call.kind]}: ${answers[call.outcome]}`,
  rules: callRules[call.kind],
  attachment: null
})

/** Observes an organization. Each observation is of one SIM. */
export const make = (simulated: Simulated.Simulated, organizationId: string) => {
  const entries: Array<Entry> = []
  const courses = new Map<string, Course>()
  let [webhooksSeen, callsSeen] = [0, 0]
  let since: Time.Instant = simulated.start

  const views = (iccid: string) =>
    simulated.use(Attachments.Attachments.use((of) => of.list({ organizationId, iccid }))).pipe(
      Effect.catchIf(
        (error): error is Refusal.NotFound => error._tag === "NotFound",
        () => Effect.succeed([])
      ),
      Effect.orDie
    )

  const observe = Effect.fnUntraced(function* (iccid: string) {
    const now = yield* simulated.now
    const fresh = simulated.telcoCalls(callsSeen)
    callsSeen += fresh.length
    entries.push(...fresh.filter(isShown).map(telcoCall))
    const there = yield* views(iccid)
    for (const view of there) {
      const { attachmentId } = view.attachment
      const refused = fresh.flatMap(({ key, kind, outcome }) => {
        const [of, occurrence] = key.split(":")
        return kind === "createPackage" && outcome === "refused" && of === attachmentId ? [Number(occurrence)] : []
      })
      const before = courses.get(attachmentId)
      const after = Courses.seen(before, view, refused, now)
      courses.set(attachmentId, after)
      const attachment = [...courses.keys()].indexOf(attachmentId)
      entries.push(...Changes.between(before, after, since, now).map((change) => ({ ...change, at: now, attachment })))
    }
    for (const [id, course] of courses) {
      const gone = course.removedAt === null && !there.some(({ attachment }) => attachment.attachmentId === id)
      if (gone) courses.set(id, { ...course, removedAt: now })
    }
    const webhooks = simulated.received(webhooksSeen)
    entries.push(...webhooks.map(webhook))
    webhooksSeen += webhooks.length
    since = now
  })

  return {
    observe,
    add: (entry: Entry): void => void entries.push(entry),
    entries: (): ReadonlyArray<Entry> => entries,
    courses: (): ReadonlyArray<Course> => [...courses.values()]
  }
}

export type Watch = ReturnType<typeof make>
