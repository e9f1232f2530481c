/**
 * The course of a plan on a SIM as a drawing shows it, made of what the API answers. What it does
 * not answer is left out: when a package was created, and what the state was before an activation
 * that is past.
 */
import { Plan as PlanRules } from "simplan/ports"
import type * as History from "../timeline/play/History.ts"

interface Used {
  readonly used_allowance: { readonly dataBytes: number }
}

interface Package extends Used {
  readonly package_id: string
  readonly activation_at: string | null
  readonly expiration_at: string | null
}

export interface Attachment {
  readonly plan_attachment_id: string
  readonly created_at: string
  readonly activation_at: string | null
  readonly expiration_at: string | null
  readonly state: string
  readonly reason: { readonly code: string; readonly at?: string } | null
  readonly plan: {
    readonly name: string
    readonly _id: string
    readonly throttling: boolean
    readonly data_mega_bytes: number
    readonly period_days: number
  }
  readonly packages: ReadonlyArray<Package>
}

/** What a SIM used for an attachment on a day; the days are in order. */
export interface Day {
  /** Null: before usage was kept by day. */
  readonly day: string | null
  readonly plan_attachment_id: string
  readonly used_bytes: number
}

/** A plan, as far as it says from where on its speed is limited. */
export type Plan = Readonly<
  Partial<
    Record<`throttling_threshold${1 | 2 | 3}_perc`, number> & Record<`throttling_threshold${1 | 2 | 3}_limit`, string>
  >
>

type Throttling = Course["terms"]["throttling"]

const isSpeed = (text: string): text is Throttling[number]["limit"] =>
  PlanRules.throttlingLimits.some((one) => one === text)

/** From where on the speed is limited. A limit that no plan has any more is left out. */
const throttlingOf = (plan: Plan): Throttling =>
  ([1, 2, 3] as const).flatMap((step) => {
    const [percentage, limit] = [plan[`throttling_threshold${step}_perc`], plan[`throttling_threshold${step}_limit`]]
    return percentage === undefined || limit === undefined || !isSpeed(limit) ? [] : [{ percentage, limit }]
  })

const instant = (at: string | null): number | null => (at === null ? null : Date.parse(at))

const DAY = 86_400_000

/** The longest name that is drawn. */
const NAME = 60

const shortened = (name: string): string => (name.length > NAME ? `${name.slice(0, NAME)}…` : name)

type Course = History.DrawnCourse
type State = Course["states"][number]["state"]

const isWaiting = (state: string): state is "CREATED" | "PENDING_FOR_FIRST_USE" =>
  state === "CREATED" || state === "PENDING_FOR_FIRST_USE"

const statesOf = (attachment: Attachment, suspendedAt: number | null): Course["states"] => {
  const { created_at, state } = attachment
  const [from, to] = [instant(attachment.activation_at), instant(attachment.expiration_at)]
  const all: ReadonlyArray<readonly [State, number | null]> = [
    [state === "PENDING_FOR_FIRST_USE" ? state : "CREATED", isWaiting(state) ? Date.parse(created_at) : null],
    ["ACTIVE", from],
    ["EXPIRED", to]
  ]
  return [
    ...all.flatMap(([of, at]) =>
      at === null || (suspendedAt !== null && at >= suspendedAt) ? [] : [{ state: of, from: at }]
    ),
    ...(suspendedAt === null ? [] : [{ state: "SUSPENDED" as const, from: suspendedAt }])
  ]
}

/** Takes days away until a package has used what it has. */
const rises = (
  { activation_at, expiration_at, used_allowance }: Package,
  days: Array<{ end: number; bytes: number }>,
  now: number
): Course["packages"][number]["used"] => {
  const from = instant(activation_at) ?? 0
  const to = Math.min(instant(expiration_at) ?? now, now)
  const used: Array<{ readonly at: number; readonly bytes: number }> = []
  let bytes = 0
  while (bytes < used_allowance.dataBytes) {
    const [first] = days
    const part = Math.min(first?.bytes ?? Number.POSITIVE_INFINITY, used_allowance.dataBytes - bytes)
    bytes += part
    used.push({ at: Math.max(from, Math.min(first?.end ?? to, to)), bytes })
    if (first === undefined) break
    first.bytes -= part
    if (first.bytes <= 0) days.shift()
  }
  return used
}

/** What is drawn beside the attachments. */
export interface Beside {
  /** What was used for each of them on each day, in order. */
  readonly days: ReadonlyArray<Day>
  /** The plans that limit the speed, by their ids, as far as they are there. */
  readonly plans: ReadonlyMap<string, Plan>
  /** By the business clock. */
  readonly now: number
}

export const of = (attachment: Attachment, { days, now, plans }: Beside): Course => {
  const { packages, plan, plan_attachment_id, reason, state } = attachment
  const suspendedAt = state === "SUSPENDED" ? instant(reason?.at ?? null) : null
  const mine = days
    .filter((one) => one.plan_attachment_id === plan_attachment_id)
    .map(({ day, used_bytes }) => ({ end: day === null ? 0 : Date.parse(day) + DAY, bytes: used_bytes }))
  const known = mine.reduce((sum, { bytes }) => sum + bytes, 0)
  const all = packages.reduce((sum, { used_allowance }) => sum + used_allowance.dataBytes, 0)
  // What was used before the days that were asked for.
  if (all > known) mine.unshift({ end: 0, bytes: all - known })
  return {
    attachmentId: plan_attachment_id,
    name: shortened(plan.name),
    terms: {
      dataMegaBytes: plan.data_mega_bytes,
      periodDays: plan.period_days,
      recurrence: null,
      throttling: throttlingOf(plans.get(plan._id) ?? {})
    },
    rules: [],
    createdAt: Date.parse(attachment.created_at),
    activationAt: instant(attachment.activation_at),
    expirationAt: instant(attachment.expiration_at),
    suspendedAt,
    removedAt: null,
    states: statesOf(attachment, suspendedAt),
    packages: packages.map((one, occurrence) => ({
      packageId: one.package_id,
      occurrence,
      status: "Created",
      createdAt: one.activation_at === null ? Date.parse(attachment.created_at) : null,
      activationAt: instant(one.activation_at),
      expirationAt: instant(one.expiration_at),
      waited: one.activation_at === null,
      used: rises(one, mine, now)
    }))
  }
}

/** What a drawing shows of a SIM, from the oldest of its plans on. */
export const drawn = (iccid: string, attachments: ReadonlyArray<Attachment>, beside: Beside): History.Drawn => ({
  title: `the plans of ${iccid}`,
  about: null,
  start: Math.min(...attachments.map(({ created_at }) => Date.parse(created_at)), beside.now),
  end: beside.now,
  now: beside.now,
  entries: [],
  attachments: attachments.map((one) => of(one, beside))
})
