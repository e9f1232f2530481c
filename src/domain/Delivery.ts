/**
 * Webhook deliveries and the schedule of their retries (rule W7), which a handler may have its own
 * of (rule E2).
 */
import { Result } from "effect"
import * as EventHandler from "./EventHandler.ts"
import type { Instant } from "./Time.ts"
import { InvalidField } from "./Refusal.ts"
import { DAY, HOUR, MINUTE, SECOND } from "./Time.ts"
import * as WebhookEndpoint from "./WebhookEndpoint.ts"
import * as WebhookEvent from "./WebhookEvent.ts"

/** `Pending`: an attempt is to come. `Delivered`: a 2xx. `Failed`: given up (rule W7). */
export const statuses = ["Pending", "Delivered", "Failed"] as const

/** The outcome of a delivery so far; a retry that is waited for is `Pending`. */
export type Status = (typeof statuses)[number]

/** One event on its way to one endpoint or handler. */
export interface Delivery {
  /** The organization that owns it. */
  readonly organizationId: string
  /** `<event id>:<endpoint id>`: an event goes to an endpoint once. */
  readonly deliveryId: string
  /** What receivers recognize a second delivery by. */
  readonly eventId: string
  /** The endpoint's id, or what a handler's name makes one (rule E2). */
  readonly endpointId: string
  /** `Delivered` and `Failed` are final, unless it is sent again on request. */
  readonly status: Status
  /** How many attempts were made, replays included. */
  readonly attempts: number
  /** The step of the retry schedule: attempts since the delivery was written or last replayed. */
  readonly retryStep: number
  /** Status of the last response; null if the last attempt had none. */
  readonly responseStatus: number | null
  /** Why the last attempt failed, as text for a person; null if it succeeded. */
  readonly lastError: string | null
  /** Null before the first attempt. */
  readonly lastAttemptAt: Instant | null
  /** Null after the delivery succeeded or was given up. */
  readonly nextAttemptAt: Instant | null
  /** Business time. */
  readonly createdAt: Instant
}

/** The id of the event's delivery to the endpoint: `<event id>:<endpoint id>`. */
export const deliveryId = (eventId: string, endpointId: string): string => `${eventId}:${endpointId}`

/** The delivery of an event to an endpoint as it is first written: due at once. */
export const pending = (
  { createdAt, eventId, organizationId }: WebhookEvent.WebhookEvent,
  endpointId: string
): Delivery => ({
  organizationId,
  deliveryId: deliveryId(eventId, endpointId),
  eventId,
  endpointId,
  status: "Pending",
  attempts: 0,
  retryStep: 0,
  responseStatus: null,
  lastError: null,
  lastAttemptAt: null,
  nextAttemptAt: createdAt,
  createdAt
})

/** Why there was no attempt at an endpoint that is disabled. */
export const DISABLED = "the endpoint is disabled"

/**
 * The deliveries of an event as they are first written: one for each endpoint of its organization,
 * and for each handler, that receives it; and one given up for each endpoint that misses it, so
 * that it can be replayed (rule W7).
 */
export const fanOut = (
  event: WebhookEvent.WebhookEvent,
  endpoints: Iterable<WebhookEndpoint.WebhookEndpoint>,
  handlers: Iterable<EventHandler.EventHandler>
): ReadonlyArray<Delivery> => {
  const deliveries: Array<Delivery> = []
  for (const endpoint of endpoints) {
    if (WebhookEndpoint.receives(endpoint, event.payload)) deliveries.push(pending(event, endpoint.endpointId))
    else if (WebhookEndpoint.misses(endpoint, event.payload)) {
      deliveries.push(abandoned(pending(event, endpoint.endpointId), DISABLED))
    }
  }
  for (const handler of handlers) {
    if (EventHandler.receives(handler, event)) deliveries.push(pending(event, EventHandler.endpointId(handler.name)))
  }
  return deliveries
}

/** A delivery with what an attempt needs. */
export interface DueDelivery {
  /** As it was when it was claimed. */
  readonly delivery: Delivery
  /** What is to be sent. */
  readonly event: WebhookEvent.WebhookEvent
  /** As it is now: its URL and its signing keys. */
  readonly endpoint: WebhookEndpoint.WebhookEndpoint
}

/** A delivery and its event, as the delivery log shows it. */
export interface LoggedDelivery {
  /** As it stands. */
  readonly delivery: Delivery
  /** What is or was sent. */
  readonly event: WebhookEvent.WebhookEvent
}

/** Which deliveries a list has. An absent field filters nothing. */
export interface Filter {
  /** Absent: any. */
  readonly statuses?: ReadonlyArray<Status>
  /** Absent: any. */
  readonly type?: WebhookEvent.Type
  /** Absent: all of the organization's. */
  readonly endpointId?: string
  /** The SIM that the event is about. */
  readonly iccid?: string
  /** Created at this instant or later. */
  readonly from?: Instant
  /** Created before this instant. */
  readonly to?: Instant
}

/** Whether a list with this filter has the delivery. */
export const isAsked = (
  { delivery, event }: LoggedDelivery,
  { endpointId, from, iccid, statuses, to, type }: Filter
): boolean =>
  (statuses === undefined || statuses.includes(delivery.status)) &&
  (type === undefined || type === event.payload.type) &&
  (endpointId === undefined || endpointId === delivery.endpointId) &&
  (iccid === undefined || iccid === WebhookEvent.iccid(event.payload)) &&
  (from === undefined || from <= delivery.createdAt) &&
  (to === undefined || delivery.createdAt < to)

/**
 * Rule W7: how long to wait after each failed attempt; after the last one the delivery is given up.
 */
export const retrySchedule = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR
] as const

/** When failed attempts are made again. */
export interface Schedule {
  /**
   * Milliseconds after each failed attempt; the last one goes on. None: a failed attempt is not
   * made again.
   */
  readonly waits: ReadonlyArray<number>
  /** After how many attempts the delivery is given up. */
  readonly attempts: number
}

/** Rule W7: the schedule of endpoints, and of handlers without one of their own. */
export const standardSchedule: Schedule = { waits: retrySchedule, attempts: retrySchedule.length + 1 }

/** The schedule of what is given up at once. */
export const noRetry: Schedule = { waits: [], attempts: 1 }

/** The longest wait of a handler's own schedule. */
const LONGEST_WAIT = 30 * DAY

/** The most waits of a handler's own schedule. */
const WAITS = 100

/** The most attempts of a handler's own schedule. */
const ATTEMPTS = 1_000

/**
 * Rule E2: the schedule that a handler asks for. Without waits they are those of rule W7; without a
 * number of attempts there is one after each wait.
 */
export const schedule = ({
  maxAttempts,
  waits
}: {
  readonly waits?: ReadonlyArray<number> | undefined
  readonly maxAttempts?: number | undefined
}): Result.Result<Schedule, InvalidField> => {
  const isWait = (wait: number) => Number.isSafeInteger(wait) && wait >= 1 && wait <= LONGEST_WAIT
  if (waits !== undefined && !(waits.length <= WAITS && waits.every(isWait))) {
    const message = `must be up to ${WAITS} waits from 1 ms to 30 days`
    return Result.fail(new InvalidField({ field: "waits", message }))
  }
  const isNumber = (attempts: number) => Number.isInteger(attempts) && attempts >= 1 && attempts <= ATTEMPTS
  if (maxAttempts !== undefined && !isNumber(maxAttempts)) {
    return Result.fail(new InvalidField({ field: "maxAttempts", message: `must be an integer from 1 to ${ATTEMPTS}` }))
  }
  const own = waits ?? standardSchedule.waits
  return Result.succeed({ waits: own, attempts: own.length === 0 ? 1 : (maxAttempts ?? own.length + 1) })
}

/** Rule W7: the largest fraction by which a wait is lengthened. */
export const JITTER = 0.2

/** The outcome of one attempt: the response's status, or why there was no response. */
export type Attempt =
  | {
      readonly _tag: "Responded"
      readonly status: number
      /** Until the head of the response; absent if the sender does not measure it. */
      readonly durationMillis?: number
      /** In how many seconds the receiver asks to be called again; absent if it does not. */
      readonly retryAfterSeconds?: number
      /** The beginning of the response's body. */
      readonly body?: string
    }
  | { readonly _tag: "Unreachable"; readonly message: string }
  /** A host's handler succeeded (rule E2). */
  | { readonly _tag: "Handled" }
  /** A host's handler failed. */
  | { readonly _tag: "Threw"; readonly message: string }

/** An attempt as the log keeps it (rule W7). */
export interface LoggedAttempt {
  /** From 1 on, replays included. */
  readonly number: number
  /** When it began, in business time. */
  readonly at: Instant
  /** Null if it was not measured. */
  readonly durationMillis: number | null
  /** Null if there was no response. */
  readonly responseStatus: number | null
  /** Why the attempt failed, as text for a person; null if it succeeded. */
  readonly error: string | null
  /** The first 1,024 bytes of the response's body, without NUL; null if there was no response. */
  readonly responseBody: string | null
}

/** An attempt without what the endpoint answered. */
export type ShortAttempt = Omit<LoggedAttempt, "responseBody">

/**
 * How many attempts of each delivery are read if several are read at once: one for each step of
 * rule W7.
 */
export const LAST_ATTEMPTS = 10

/** The last attempts of a delivery. */
export interface DeliveryAttempts {
  /** The delivery that they are of. */
  readonly deliveryId: string
  /** Up to `LAST_ATTEMPTS`, newest first. */
  readonly attempts: ReadonlyArray<ShortAttempt>
}

/**
 * Rule W7: when an attempt first failed after the last one that succeeded; null if none did. In any
 * order.
 */
export const failingSince = (attempts: Iterable<Pick<LoggedAttempt, "at" | "error">>): Instant | null => {
  const failed: Array<Instant> = []
  let succeeded = Number.NEGATIVE_INFINITY
  for (const { at, error } of attempts) {
    if (error === null) succeeded = Math.max(succeeded, at)
    else failed.push(at)
  }
  const since = failed.reduce((first, at) => (at > succeeded ? Math.min(first, at) : first), Number.POSITIVE_INFINITY)
  return since === Number.POSITIVE_INFINITY ? null : since
}

/** Whether the last attempt was the first one since the delivery was replayed. */
export const isReplay = ({ attempts, retryStep }: Delivery): boolean => retryStep === 1 && attempts > 1

/**
 * What an attempt met. `untried`: there was none. `none`: there was no answer, as when the
 * connection was refused or the time was over. The others are the class of the answer's status; a
 * status outside of 100 to 599 is in the nearest one.
 */
export const answers = ["untried", "none", "1xx", "2xx", "3xx", "4xx", "5xx"] as const

/** The class of what an attempt met, of which there are few. */
export type Answer = (typeof answers)[number]

const classes = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const satisfies ReadonlyArray<Answer>

/** The class of an answer by its status; null: there was no answer. */
export const answerClass = (status: number | null): Exclude<Answer, "untried"> =>
  status === null ? "none" : (classes[Math.min(Math.max(Math.trunc(status / 100), 1), 5) - 1] ?? "none")

/** What the delivery's last attempt met. */
export const answerOf = ({ lastAttemptAt, responseStatus }: Delivery): Answer =>
  lastAttemptAt === null ? "untried" : answerClass(responseStatus)

/** The pending deliveries whose last attempts met the same, taken together. */
export interface WaitingCount {
  /** What their last attempts met. */
  readonly answer: Answer
  /** How many there are. */
  readonly count: number
  /** When the first of them is or was due. */
  readonly nextAt: Instant
}

/**
 * The counts of these deliveries by what their last attempts met, in no order. Those that are not
 * pending do not count.
 */
export const waitingCounts = (deliveries: Iterable<Delivery>): ReadonlyArray<WaitingCount> => {
  const counts = new Map<Answer, WaitingCount>()
  for (const delivery of deliveries) {
    const { nextAttemptAt, status } = delivery
    if (status !== "Pending" || nextAttemptAt === null) continue
    const answer = answerOf(delivery)
    const { count, nextAt } = counts.get(answer) ?? { count: 0, nextAt: nextAttemptAt }
    counts.set(answer, { answer, count: count + 1, nextAt: Math.min(nextAt, nextAttemptAt) })
  }
  return [...counts.values()]
}

/** What the log says of an endpoint that has had these deliveries. */
export const healthOf = (
  endpointId: string,
  deliveries: Iterable<Pick<LoggedDelivery, "delivery"> & { readonly attempts: ReadonlyArray<LoggedAttempt> }>
): WebhookEndpoint.Health => {
  const all = [...deliveries]
  const succeeded = all.flatMap((one) => one.attempts).filter(({ error }) => error === null)
  return {
    endpointId,
    lastSuccessAt: succeeded.reduce<Instant | null>((last, { at }) => Math.max(last ?? at, at), null),
    pending: all.filter(({ delivery }) => delivery.status === "Pending").length
  }
}

/** The status by which a receiver says that it takes no more deliveries. */
const GONE = 410

/** Whether the attempt delivered: of responses only a 2xx does. */
export const isDone = (attempt: Attempt): boolean =>
  attempt._tag === "Handled" || (attempt._tag === "Responded" && attempt.status >= 200 && attempt.status < 300)

/** Why the attempt failed, as text for a person; null if it delivered. */
const errorOf = (attempt: Attempt): string | null => {
  if (attempt._tag === "Handled" || isDone(attempt)) return null
  return attempt._tag === "Responded" ? `status ${attempt.status}` : attempt.message
}

/** The statuses of a receiver that takes nothing now, and may say until when. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/**
 * Rule W7: the longest wait that a receiver may ask for, its jitter included, so that none holds up
 * its deliveries for ever.
 */
export const LONGEST_ASKED = DAY

/**
 * Rule W7: for how many milliseconds the receiver asks not to be called; 0 if it asks for
 * nothing.
 */
const askedWait = (attempt: Attempt): number =>
  attempt._tag === "Responded" && BUSY.has(attempt.status) ? Math.max(attempt.retryAfterSeconds ?? 0, 0) * SECOND : 0

/**
 * The delivery after an attempt at `now`. The next one comes after the wait of the schedule, or the
 * one that the receiver asks for if that is longer (rule W7). `random`, from 0 to below 1, sets
 * the jitter by which either is lengthened.
 */
export const attempted = (
  delivery: Delivery,
  attempt: Attempt,
  now: Instant,
  random: number,
  { attempts, waits }: Schedule = standardSchedule
): Delivery => {
  const delivered = isDone(attempt)
  const gone = attempt._tag === "Responded" && attempt.status === GONE
  const isLast = delivery.retryStep + 1 >= attempts
  const scheduled = delivered || gone || isLast ? undefined : (waits[delivery.retryStep] ?? waits.at(-1))
  const longer = 1 + JITTER * random
  const asked = Math.min(askedWait(attempt) * longer, LONGEST_ASKED)
  const wait = scheduled === undefined ? undefined : Math.max(scheduled * longer, asked)
  return {
    ...delivery,
    status: delivered ? "Delivered" : wait === undefined ? "Failed" : "Pending",
    attempts: delivery.attempts + 1,
    retryStep: delivery.retryStep + 1,
    responseStatus: attempt._tag === "Responded" ? attempt.status : null,
    lastError: errorOf(attempt),
    lastAttemptAt: now,
    nextAttemptAt: wait === undefined ? null : now + Math.round(wait)
  }
}

/**
 * What the log keeps of an attempt, and how long it took: `after` is the delivery that it led to,
 * at `now`.
 */
export const logged = (
  after: Delivery,
  attempt: Attempt,
  now: Instant,
  durationMillis: number | null
): LoggedAttempt => ({
  number: after.attempts,
  at: now,
  durationMillis,
  responseStatus: after.responseStatus,
  error: after.lastError,
  // No storage keeps NUL in a text.
  responseBody: attempt._tag === "Responded" ? (attempt.body ?? "").replaceAll("\0", "\uFFFD") : null
})

/** Rule W7: whether the last response disables the endpoint that gave it. */
export const isGone = (delivery: Delivery): boolean => delivery.responseStatus === GONE

/** The delivery given up without an attempt, because its endpoint is disabled or deleted. */
export const abandoned = (delivery: Delivery, reason: string): Delivery => ({
  ...delivery,
  status: "Failed",
  lastError: reason,
  nextAttemptAt: null
})

/** Whether it is still to be made: neither delivered nor given up. */
export const isPending = ({ status }: Pick<Delivery, "status">): boolean => status === "Pending"

/** Whether it was given up. */
export const isFailed = ({ status }: Pick<Delivery, "status">): boolean => status === "Failed"

/**
 * Whether the delivery is due or being sent: it is not done, and does not wait for its next
 * attempt.
 */
export const isUnderWay = ({ nextAttemptAt, status }: Delivery, now: Instant): boolean =>
  status === "Pending" && nextAttemptAt !== null && nextAttemptAt <= now

/** The delivery to be sent once more at `now`, with the whole retry schedule ahead. */
export const replayed = (delivery: Delivery, now: Instant): Delivery => ({
  ...delivery,
  status: "Pending",
  retryStep: 0,
  nextAttemptAt: now
})

/**
 * Rule S6: the delivery to be made again at once, with what is left of its schedule, after an
 * operator asks for it.
 */
export const dueAgain = (delivery: Delivery, now: Instant): Delivery => ({ ...delivery, nextAttemptAt: now })

/** Why an event is given up that an operator has seen to. */
export const RESOLVED = "an operator has resolved it"

/** Rule S6: the delivery given up, after an operator has seen to its event by hand. */
export const resolved = (delivery: Delivery): Delivery => abandoned(delivery, RESOLVED)
