/**
 * What has happened to a SIM, from all books in one order (rule L3): what support reads if a
 * customer has no data.
 */
import type * as Attachment from "./Attachment.ts"
import * as AuditEntries from "./AuditEntry.ts"
import type { Delivery, DeliveryAttempts, LoggedDelivery, ShortAttempt } from "./Delivery.ts"
import * as EventHandler from "./EventHandler.ts"
import { isWaiting, type Job, type WaitingJob } from "./Job.ts"
import type { LastOperator } from "./Location.ts"
import { idOf, isTaken } from "./Package.ts"
import type { Entry as ProfileReport } from "./SmdpHistory.ts"
import { type Instant, toIso } from "./Time.ts"
import * as UsageBook from "./UsageBook.ts"
import { MEGABYTE } from "./Allowance.ts"
import type { SimEntry as Usage } from "./UsageBook.ts"
import * as WebhookEndpoint from "./WebhookEndpoint.ts"
import * as WebhookEvent from "./WebhookEvent.ts"

/** An event on its way to one endpoint. */
export interface Sent {
  /** As it stands. */
  readonly delivery: Delivery
  /** Its last attempts, newest first, which are read with the page that has it. */
  readonly attempts: ReadonlyArray<ShortAttempt>
}

/** What happened. */
export type Fact =
  /** Somebody changed something (rule W11). */
  | { readonly _tag: "Change"; readonly entry: AuditEntries.AuditEntry }
  /**
   * An event was sent to endpoints, or is to be (rule W7). `names` has those of the endpoints that
   * are there, by their ids, and is read with the page that has it.
   */
  | {
      readonly _tag: "Event"
      readonly event: WebhookEvent.WebhookEvent
      readonly sent: ReadonlyArray<Sent>
      readonly names: ReadonlyMap<string, string>
    }
  /** The SM-DP+ reported the profile's state (rule I2). */
  | { readonly _tag: "ProfileState"; readonly report: ProfileReport }
  /**
   * The telco reported a country that the SIM came to, or the network that it was seen in last
   * (rule R3).
   */
  | {
      readonly _tag: "Network"
      readonly countryAlpha2: string
      /** Null: only the country is kept. */
      readonly network: Pick<LastOperator, "operator" | "rat"> | null
    }
  /**
   * What was used of an attachment in one country on one day, at whose beginning it stands
   * (rule U1).
   */
  | { readonly _tag: "Usage"; readonly used: Usage }
  /** A package of the telco became active, or ended. */
  | { readonly _tag: "Package"; readonly packageId: string; readonly became: "active" | "over" }
  /** A job was tried and waits for its next try, since its first try gave it back. */
  | { readonly _tag: "Job"; readonly job: WaitingJob }
  /**
   * A job ended in refusals, or a comparison found a difference, and an operator has to see to it
   * (rule S6).
   */
  | { readonly _tag: "Problem"; readonly job: Job }

/** A position in a history, which is ordered by the instant and the id, newest first. */
export interface Position {
  /** When it happened, in business time. */
  readonly createdAt: Instant
  /** Orders what happened at one instant: its kind, and an id within that. */
  readonly id: string
}

/** What happened, and when. */
export interface Entry {
  /** What happened. */
  readonly fact: Fact
  /** When it happened, and its place in the order. */
  readonly position: Position
}

/** Of what happened at one instant, the last one comes first. */
const ranks = {
  Usage: 0,
  Change: 1,
  Package: 2,
  ProfileState: 3,
  Network: 4,
  Event: 5,
  Job: 6,
  Problem: 7
} as const satisfies Readonly<Record<Fact["_tag"], number>>

/** An event on its way to endpoints. */
export type Sending = Extract<Fact, { readonly _tag: "Event" }>

/** The kinds of facts. */
export type Kind = Fact["_tag"]

const position = (kind: Kind, createdAt: Instant, id: string): Position => ({ createdAt, id: `${ranks[kind]}:${id}` })

const isBefore = (one: Position, other: Position): boolean =>
  one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id < other.id)

/**
 * Where to go on in the list of one kind, which is ordered by instant and id, newest first; null:
 * at its beginning.
 */
export const after = (kind: Kind, cursor: Position | null): Position | null => {
  if (cursor === null) return null
  const [rank, { createdAt, id }] = [ranks[kind], cursor]
  const reached = Number(id.slice(0, 1))
  if (rank === reached) return { createdAt, id: id.slice(2) }
  // Of a kind that comes later at this instant nothing was given; of one that comes earlier
  // everything.
  return rank < reached ? { createdAt: createdAt + 1, id: "" } : { createdAt, id: "" }
}

/** Entries of one kind, newest first, as far as they were read. */
export interface Read {
  /** After the cursor. */
  readonly entries: ReadonlyArray<Entry>
  /** Where reading has stopped; null: there are no more. */
  readonly until: Position | null
}

/**
 * Entries of a list that was read from `after`: `next` is the position in that list to go on from.
 */
export const read = (
  kind: Kind,
  facts: ReadonlyArray<readonly [at: Instant, id: string, fact: Fact]>,
  next: Position | null
): Read => ({
  entries: facts.map(([at, id, fact]) => ({ fact, position: position(kind, at, id) })),
  until: next === null ? null : position(kind, next.createdAt, next.id)
})

/** Entries that are all known. */
const known = (
  kind: Kind,
  facts: ReadonlyArray<readonly [at: Instant, id: string, fact: Fact]>,
  cursor: Position | null
): Read => ({
  entries: read(kind, facts, null)
    .entries.filter((entry) => cursor === null || isBefore(entry.position, cursor))
    .toSorted((one, other) => (isBefore(one.position, other.position) ? 1 : -1)),
  until: null
})

const NO_NAMES: ReadonlyMap<string, string> = new Map()

/**
 * Deliveries by their events, newest first: an event is one entry, however many endpoints it goes
 * to. It has the place of the last of its deliveries, behind which a list of them goes on.
 */
export const ofEvents = (logged: ReadonlyArray<LoggedDelivery>, next: Position | null): Read => {
  const events = new Map<string, ReadonlyArray<LoggedDelivery>>()
  for (const one of logged) events.set(one.event.eventId, [...(events.get(one.event.eventId) ?? []), one])
  const facts = [...events.values()].flatMap((deliveries) => {
    const last = deliveries.at(-1)
    if (last === undefined) return []
    const sent = deliveries.map(({ delivery }) => ({ delivery, attempts: [] }))
    const fact: Fact = { _tag: "Event", event: last.event, sent, names: NO_NAMES }
    return [[last.delivery.createdAt, last.delivery.deliveryId, fact] as const]
  })
  return read("Event", facts, next)
}

/** Whether deliveries of the last event may follow the place where a list of them has stopped. */
export const isCut = (logged: ReadonlyArray<LoggedDelivery>, next: Position | null): boolean => {
  const last = logged.at(-1)
  return last !== undefined && next?.id.startsWith(`${last.event.eventId}:`) === true
}

/** What became of packages by `now`. */
export const ofPackages = (
  attachments: ReadonlyArray<Attachment.WithPackages>,
  cursor: Position | null,
  now: Instant
): Read =>
  known(
    "Package",
    attachments.flatMap(({ packages }) =>
      packages.flatMap((pack) => {
        if (!isTaken(pack)) return []
        const id = idOf(pack)
        const at = (became: "active" | "over", instant: Instant | null) =>
          instant === null || instant > now
            ? []
            : [[instant, `${id}:${became}`, { _tag: "Package", packageId: id, became }] as const]
        return [...at("active", pack.activationAt), ...at("over", pack.expirationAt)]
      })
    ),
    cursor
  )

/**
 * The states of the profile. Those of one instant are numbered as they were stored: a later report
 * gets a later number.
 */
export const ofProfile = (reports: ReadonlyArray<ProfileReport>, cursor: Position | null): Read => {
  const counts = new Map<Instant, number>()
  return known(
    "ProfileState",
    reports.map((report) => {
      const { modifiedAt } = report
      const count = (counts.get(modifiedAt) ?? 0) + 1
      counts.set(modifiedAt, count)
      return [modifiedAt, String(count).padStart(9, "0"), { _tag: "ProfileState", report }] as const
    }),
    cursor
  )
}

/** The network of the last report, and the countries before it as far as they are kept. */
export const ofNetworks = (last: LastOperator | null, cursor: Position | null): Read => {
  if (last === null) return known("Network", [], cursor)
  const { countryAlpha2, operator, rat, visits = [] } = last
  const came = visits.filter((visit) => visit.at !== last.at || visit.countryAlpha2 !== countryAlpha2)
  return known(
    "Network",
    [
      [last.at, "last", { _tag: "Network", countryAlpha2, network: { operator, rat } }],
      ...came.map(
        (visit) =>
          [
            visit.at,
            `came:${visit.countryAlpha2}`,
            { _tag: "Network", countryAlpha2: visit.countryAlpha2, network: null }
          ] as const
      )
    ],
    cursor
  )
}

/** Where to go on in a SIM's book of usage, which is read newest first; null: at its end. */
export const usageBefore = (cursor: Position | null): Omit<Usage, "bytes"> | null => {
  const from = after("Usage", cursor)
  if (from === null) return null
  const [country = "", attachmentId = ""] = from.id.split(":")
  return { day: from.createdAt, countryAlpha2: country === "" ? null : country, attachmentId }
}

/** Entries of the book of usage, newest first; `limit` were asked for. */
export const ofUsage = (entries: ReadonlyArray<Usage>, limit: number): Read => {
  const facts = entries.flatMap((used) => {
    const { attachmentId, countryAlpha2, day } = used
    return day === null ? [] : [[day, `${countryAlpha2 ?? ""}:${attachmentId}`, { _tag: "Usage", used }] as const]
  })
  const last = facts.at(-1)
  return read("Usage", facts, entries.length < limit || last === undefined ? null : { createdAt: last[0], id: last[1] })
}

/** How much of a job's id orders it: a token has no longer ids, and only printable characters. */
const JOB_ID = 150

const orderOf = ({ jobId }: Job): string => encodeURIComponent(jobId).slice(0, JOB_ID)

/** The jobs that wait for their next try. */
export const ofJobs = (jobs: ReadonlyArray<Job>, cursor: Position | null): Read =>
  known(
    "Job",
    jobs.filter(isWaiting).map((job) => [job.waiting.since, orderOf(job), { _tag: "Job", job }] as const),
    cursor
  )

/** The jobs that have ended. */
export const ofProblems = (jobs: ReadonlyArray<Job>, cursor: Position | null): Read =>
  known(
    "Problem",
    jobs.flatMap((job) =>
      job.endedAt === null ? [] : [[job.endedAt, orderOf(job), { _tag: "Problem", job }] as const]
    ),
    cursor
  )

/** The times of a SIM that a history is limited to. */
export interface Window {
  /** Null: from its beginning. */
  readonly since: Instant | null
  /** Null: to its end. */
  readonly until: Instant | null
}

/** Where the reading of a window begins; null: at the newest entry. */
export const startOf = ({ until }: Window): Position | null =>
  until === null ? null : { createdAt: until + 1, id: "" }

/** What was read, without what lies before the window. Usage counts by its day. */
export const within = ({ entries, until }: Read, { since }: Window): Read => {
  if (since === null) return { entries, until }
  const day = UsageBook.dayOf(since)
  return {
    entries: entries.filter(({ fact, position: { createdAt } }) => createdAt >= (fact._tag === "Usage" ? day : since)),
    until: until !== null && until.createdAt < day ? null : until
  }
}

/**
 * The packages that became active or ended while their subscription was on a SIM, from `since` on
 * and before `leftAt`: it has taken them along.
 */
export const during = (packages: Read, since: Instant | null, leftAt: Instant | null): Read => ({
  ...packages,
  entries: packages.entries.filter(
    ({ position: { createdAt } }) => (since === null || createdAt >= since) && (leftAt === null || createdAt < leftAt)
  )
})

/** A page, and where the next one begins; null if there is none. */
export interface Page {
  /** Newest first. */
  readonly items: ReadonlyArray<Entry>
  /** The cursor of the next page. */
  readonly next: Position | null
}

/**
 * Rule L3: merges what was read of all kinds. Nothing is given that lies before the place where the
 * reading of any of them has stopped, so that nothing comes twice or out of order: such a page is
 * short, or empty, and has a next one.
 */
export const merged = (reads: ReadonlyArray<Read>, limit: number): Page => {
  const all = reads
    .flatMap(({ entries }) => entries)
    .sort((one, other) => (isBefore(one.position, other.position) ? 1 : -1))
  const stops = reads.flatMap(({ until }) => (until === null ? [] : [until]))
  const stop = stops.reduce<Position | null>((last, one) => (last === null || isBefore(last, one) ? one : last), null)
  const safe = stop === null ? all : all.filter((entry) => !isBefore(entry.position, stop))
  const items = safe.slice(0, limit)
  const last = items.at(-1)
  if (items.length < safe.length && last !== undefined) return { items, next: last.position }
  return { items, next: stop }
}

/** An entry with the ICCID of the SIM that it is about. */
export interface Located extends Entry {
  /** Its SIM. */
  readonly iccid: string
}

/**
 * A position in the history of a subscription: the number of the stay (`Moves.Stay`), and the
 * position in the history of its SIM; null: at its beginning.
 */
export interface AcrossPosition {
  /** Counted from 0. */
  readonly stay: number
  /** Null: nothing of the stay was given. */
  readonly position: Position | null
}

const ACROSS = /^(\d{1,9})\/(.*)$/

/** The position as a cursor. */
export const acrossCursor = ({ position, stay }: AcrossPosition): Position => ({
  createdAt: position?.createdAt ?? 0,
  id: `${stay}/${position?.id ?? ""}`
})

/** The position that a cursor stands for; null: it is none of a subscription. */
export const acrossPosition = ({ createdAt, id }: Position): AcrossPosition | null => {
  const [, stay, rest] = ACROSS.exec(id) ?? []
  if (stay === undefined || rest === undefined) return null
  return { stay: Number(stay), position: rest === "" ? null : { createdAt, id: rest } }
}

/** The deliveries of a page of which attempts are to be read. */
export const tried = ({ items }: Page): ReadonlyArray<string> =>
  items.flatMap(({ fact }) =>
    fact._tag === "Event"
      ? fact.sent.flatMap(({ delivery }) => (delivery.attempts > 0 ? [delivery.deliveryId] : []))
      : []
  )

/** Whether a page has events, so that it takes the names of endpoints. */
export const hasEvents = ({ items }: Page): boolean => items.some(({ fact }) => fact._tag === "Event")

/** A page with the attempts of its deliveries, and the names of the endpoints. */
export const withAttempts = (
  { items, next }: Page,
  found: ReadonlyArray<DeliveryAttempts>,
  endpoints: ReadonlyArray<WebhookEndpoint.WebhookEndpoint>
): Page => {
  const known = new Map(found.map(({ attempts, deliveryId }) => [deliveryId, attempts]))
  const names = new Map(endpoints.map(({ endpointId, url }) => [endpointId, WebhookEndpoint.shownUrl(url)]))
  const whole = items.map((entry): Entry => {
    const { fact } = entry
    if (fact._tag !== "Event") return entry
    const sent = fact.sent.map(({ delivery }) => ({ delivery, attempts: known.get(delivery.deliveryId) ?? [] }))
    return { ...entry, fact: { ...fact, sent, names } }
  })
  return { items: whole, next }
}

/** What an endpoint or a handler is called. */
export const nameOf = ({ names }: Pick<Sending, "names">, delivery: Pick<Delivery, "endpointId">): string => {
  const handler = EventHandler.nameOf(delivery)
  return handler === null ? (names.get(delivery.endpointId) ?? "a deleted endpoint") : `the handler ${handler}`
}

/** The attempts at all endpoints, newest first. */
export const attemptsOf = ({ sent }: Pick<Sending, "sent">): ReadonlyArray<ShortAttempt> =>
  sent.length === 1
    ? (sent[0]?.attempts ?? [])
    : sent.flatMap(({ attempts }) => attempts).toSorted((one, other) => other.at - one.at)

/** The types of entries, as readers are given them. */
export const types = ["change", "event", "profile", "package", "network", "usage", "job", "problem"] as const

/** An entry in the words that all books share. */
export interface Summary {
  /** Which book it is from. */
  readonly type: (typeof types)[number]
  /**
   * The action, the type of the event, the state of the profile or the package, the country of a
   * network or of usage, or the work that waits or is a problem.
   */
  readonly what: string
  /**
   * What the change has made of fields and the reason of who made it, what of an event matters
   * most, and for each of its endpoints the status of the delivery and its last error, the SM-DP+'s
   * result, the network, how much was used, why the work waits and until when, or the telco's
   * words; null if there are none.
   */
  readonly detail: string | null
  /** Who made the change; null for what nobody made. */
  readonly by: string | null
  /**
   * The id of what was changed, of the event, of the package, of the attachment that was used,
   * of the job or of the problem; null for a state of the profile and a network.
   */
  readonly resourceId: string | null
}

/** The country of what is not known to be in one. */
const UNKNOWN = "unknown"

const amountOf = (bytes: number): string =>
  bytes < MEGABYTE / 10 ? `${bytes} bytes` : `${(bytes / MEGABYTE).toFixed(1)} MB`

/** Why a job waits, in words that depend on no telco, and until when. */
export const waitOf = ({ dueAt, waiting }: WaitingJob): string =>
  `${waiting.reason.replace("_", " ")}, next try at ${toIso(dueAt)}`

/** A fact in the words that all books share. */
export const summary = (fact: Fact): Summary => {
  switch (fact._tag) {
    case "Change": {
      const { action, actor, changed, reason, resourceId } = fact.entry
      const said = [
        ...(changed === null ? [] : [AuditEntries.allInWords(changed)]),
        ...(reason === null ? [] : [reason])
      ]
      const detail = said.length === 0 ? null : said.join("; ")
      return { type: "change", what: action, detail, by: actor, resourceId }
    }
    case "Event": {
      const { eventId, payload } = fact.event
      const word = WebhookEvent.word(payload)
      const sent = fact.sent.map(({ delivery }) => {
        const { lastError, status } = delivery
        return `${nameOf(fact, delivery)}: ${status.toLowerCase()}${lastError === null ? "" : `, ${lastError}`}`
      })
      const detail = [...(word === "" ? [] : [word]), ...sent].join("; ")
      return { type: "event", what: payload.type, detail, by: null, resourceId: eventId }
    }
    case "ProfileState": {
      const { modificationResult, state } = fact.report
      return { type: "profile", what: state, detail: modificationResult, by: null, resourceId: null }
    }
    case "Package":
      return { type: "package", what: fact.became, detail: null, by: null, resourceId: fact.packageId }
    case "Network": {
      const { countryAlpha2, network } = fact
      const detail = network === null ? null : `${network.operator}, ${network.rat}`
      return { type: "network", what: countryAlpha2, detail, by: null, resourceId: null }
    }
    case "Usage": {
      const { attachmentId, bytes, countryAlpha2 } = fact.used
      const what = countryAlpha2 ?? UNKNOWN
      return { type: "usage", what, detail: amountOf(bytes), by: null, resourceId: attachmentId }
    }
    case "Job": {
      const { jobId, waiting, work } = fact.job
      const detail = `${waitOf(fact.job)}: ${waiting.message}`
      return { type: "job", what: work._tag, detail, by: null, resourceId: jobId }
    }
    case "Problem": {
      const { jobId, refused, work } = fact.job
      return { type: "problem", what: work._tag, detail: refused?.message ?? null, by: null, resourceId: jobId }
    }
  }
}
