/**
 * Whether all came right: what the service has against what its clients were answered, what the
 * telco has in its books, and what the receivers of webhooks got.
 */
import { text } from "./Asking.ts"
import { ALLOWANCE, MEGABYTE } from "./Clients.ts"
import type { Rows } from "./Database.ts"
import { causeOf, isSettled, type Ledger, movedTo } from "./Ledger.ts"
import type { Stuck } from "./Tenant.ts"
import type { Receiver } from "./Receiver.ts"
import type { Books } from "./Telco.ts"

/** What the telco refused for good, before an operator had it asked again (rule S6). */
export interface Refusals {
  readonly stuck: Stuck
  /** The ids of the problems that an operator was shown. */
  readonly listed: ReadonlyArray<string>
}

export interface Facts {
  readonly ledger: Ledger
  readonly refused: Refusals
  readonly books: Books
  readonly receivers: ReadonlyArray<Receiver>
  /** Where business time stands. */
  readonly now: number
  readonly sims: Rows
  readonly subscriptions: Rows
  readonly attachments: Rows
  readonly packages: Rows
  readonly deliveries: Rows
}

/** What to ask the database for the facts. */
export const queries = {
  sims: "select iccid, allocation, allocated_to, mobile_plan_applied, mobile_plan_target, paused_at::text as paused_at, service_change from simplan.sim where organization_id = $org",
  subscriptions:
    "select subscription_id, iccid, metadata from simplan.subscription where organization_id = $org and status = 'Live'",
  attachments: `select attachment_id, iccid, metadata, confirmed, subscription_id, suspended_at, replacements,
      anchor::text as anchor, (terms->'recurrence'->>'occurrences')::int as occurrences
    from simplan.attachment where organization_id = $org`,
  packages: `select attachment_id, iccid, occurrence, status, refusal, used_bytes::text as used_bytes,
      (replacement->>'number')::int as replacement, (replacement->>'usedBefore')::text as used_before,
      (replacement->>'isAwaited')::boolean as awaited
    from simplan.package where organization_id = $org`,
  deliveries: "select status, count(*)::int as count from simplan.delivery where organization_id = $org group by status"
} as const

const HALF_DAY = 12 * 3_600_000
const DAY = 2 * HALF_DAY

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const differences = (what: string, actual: Iterable<string>, expected: Iterable<string>): ReadonlyArray<string> => {
  const [have, want] = [new Set(actual), new Set(expected)]
  const only = (name: string, some: ReadonlyArray<string>) =>
    some.length === 0 ? [] : [`${what}: ${some.length} ${name}, such as ${some.slice(0, 3).join(", ")}`]
  return [
    ...only(
      "missing",
      [...want].filter((one) => !have.has(one))
    ),
    ...only(
      "that should not be",
      [...have].filter((one) => !want.has(one))
    )
  ]
}

const duplicates = (what: string, all: ReadonlyArray<string>): ReadonlyArray<string> => {
  const twice = all.filter((one, index) => all.indexOf(one) !== index)
  return twice.length === 0 ? [] : [`${what}: ${twice.length} twice, such as ${twice.slice(0, 3).join(", ")}`]
}

/** Where subscriptions were moved (rule S8): the next SIM of one that was left. */
const movesOf = (ledger: Ledger): ReadonlyMap<string, string> =>
  new Map(
    ledger.operations.flatMap((operation) => {
      const next = movedTo(operation)
      return next === null || operation.iccid === null ? [] : [[operation.iccid, next] as const]
    })
  )

/** The SIM, and those on which its subscription was after it. Nobody gets a SIM that was left. */
const trail = (moves: ReadonlyMap<string, string>, iccid: string): ReadonlyArray<string> => {
  const next = moves.get(iccid)
  return next === undefined ? [iccid] : [iccid, ...trail(moves, next)]
}

const goneOf = (ledger: Ledger): ReadonlySet<string> =>
  new Set(ledger.of("delete").flatMap(({ fate, iccid }) => (fate._tag === "Refused" || iccid === null ? [] : [iccid])))

/**
 * Every request that was acknowledged is there, once; what was refused is not; what was not
 * answered is once at most.
 */
const requests = ({ attachments, ledger, subscriptions }: Facts): ReadonlyArray<string> => {
  const moves = movesOf(ledger)
  const live = new Set(subscriptions.map((one) => textOf(one["subscription_id"])))
  const shown = attachments.filter((one) => one["confirmed"] === true && live.has(textOf(one["subscription_id"])))
  const gone = goneOf(ledger)
  const byName = new Map(shown.map((one) => [textOf(one["metadata"]), one]))
  const problems: Array<string> = [
    ...duplicates(
      "attachments by request",
      shown.map((one) => textOf(one["metadata"]))
    )
  ]
  for (const { fate, isAdrift, iccid, isKeyed, kind, name } of ledger.operations) {
    if (kind === "named" && fate._tag === "Done")
      problems.push(`${name} was taken on ${iccid}, which its subscription had left`)
    if (kind !== "subscribe" && kind !== "topUp") continue
    const attachment = byName.get(name)
    byName.delete(name)
    if (fate._tag === "Done") {
      const answered = (fate.body as { readonly esimdata: { readonly iccid: string } }).esimdata.iccid
      const on = trail(moves, answered)
      if (attachment === undefined && !on.some((one) => gone.has(one)))
        problems.push(`${name} was acknowledged and is not there`)
      if (attachment !== undefined && attachment["iccid"] !== on.at(-1))
        problems.push(`${name} was answered another SIM`)
      if (iccid !== null && answered !== iccid) problems.push(`${name} was put on another SIM`)
    } else if (fate._tag === "Refused" && attachment !== undefined && (isKeyed || !isAdrift)) {
      problems.push(`${name} was refused with ${fate.code} and is there`)
    }
  }
  for (const name of byName.keys()) problems.push(`${name} is there and nobody asked for it`)
  const open = ledger.operations.filter((one) => (one.isKeyed || one.kind === "delete") && !isSettled(one))
  const [one] = open
  if (one !== undefined) {
    const last = one.last === null ? "none in time" : JSON.stringify(one.last)
    problems.push(`${open.length} requests never got an answer, such as ${one.name}, whose last was ${last}`)
  }
  for (const { fate, iccid, name } of ledger.of("delete")) {
    if (fate._tag === "Refused") problems.push(`${name} of ${iccid} was refused with ${fate.code}`)
  }
  return problems
}

/**
 * A SIM serves one subscription or is free, or was left by its subscription; none is lost on the
 * way.
 */
const sims = ({ ledger, sims: all, subscriptions }: Facts): ReadonlyArray<string> => [
  ...duplicates(
    "SIMs with two subscriptions",
    subscriptions.map((one) => textOf(one["iccid"]))
  ),
  ...differences(
    "SIMs in service",
    all.filter(({ allocation }) => allocation === "InService").map(({ iccid }) => textOf(iccid)),
    subscriptions.map(({ iccid }) => textOf(iccid))
  ),
  ...differences(
    "SIMs that were replaced",
    all
      .filter((one) => one["allocation"] === "Withdrawn" && one["allocated_to"] === "replaced")
      .map(({ iccid }) => textOf(iccid)),
    movesOf(ledger).keys()
  ),
  ...all.flatMap(({ allocation, iccid }) =>
    ["InService", "Free", "Withdrawn"].includes(textOf(allocation))
      ? []
      : [`${textOf(iccid)} is lost: ${textOf(allocation)}`]
  )
]

/** A subscription that was moved is on the SIM that was answered last, and nowhere else. */
const replacements = ({ ledger, subscriptions }: Facts): ReadonlyArray<string> => {
  const moves = movesOf(ledger)
  const gone = goneOf(ledger)
  return ledger.of("replace").flatMap((operation) => {
    const next = movedTo(operation)
    if (operation.fate._tag !== "Done" || next === null) return []
    const on = trail(moves, next)
    const id = text(operation.fate.body, "data", "subscription_id")
    const live = subscriptions.filter((one) => one["subscription_id"] === id).map(({ iccid }) => textOf(iccid))
    const isGone = live.length === 0 && on.some((one) => gone.has(one))
    return isGone || (live.length === 1 && live[0] === on.at(-1))
      ? []
      : [`${operation.name} moved ${id} to ${on.join(" and ")}, and it is on ${live.join(" and ") || "no SIM"}`]
  })
}

/** The telco has the packages that the service says, and those are the ones that are due. */
const packages = (facts: Facts): ReadonlyArray<string> => {
  const { attachments, books, now, subscriptions } = facts
  const live = new Set(subscriptions.map((one) => textOf(one["subscription_id"])))
  const shown = attachments.filter((one) => live.has(textOf(one["subscription_id"])))
  const idOf = (attachment: unknown, occurrence: unknown): string => `${textOf(attachment)}:${occurrence}`
  const moved = new Map(shown.map((one) => [textOf(one["attachment_id"]), Number(one["replacements"])]))
  const moveOf = (one: Rows[number]): number => Number(one["replacement"] ?? 0)
  /** After a move a package has another id at the telco. */
  const orderOf = (one: Rows[number]): string =>
    `${idOf(one["attachment_id"], one["occurrence"])}${moveOf(one) === 0 ? "" : `:${moveOf(one)}`}`
  const leftOf = (one: Rows[number]): number => Math.ceil(ALLOWANCE - Number(one["used_before"] ?? 0) / MEGABYTE)
  const suspended = new Set(
    shown.flatMap((one) => (one["suspended_at"] === null ? [] : [textOf(one["attachment_id"])]))
  )
  const ids = new Set(shown.map((one) => textOf(one["attachment_id"])))
  const there = facts.packages.filter((one) => ids.has(textOf(one["attachment_id"])))
  const created = there.filter(({ status }) => status === "Created")
  // What is suspended is not ordered again on another SIM, and what the telco has refused there is
  // not on it.
  const isOrdered = (one: Rows[number]): boolean =>
    moveOf(one) === moved.get(textOf(one["attachment_id"])) && one["awaited"] !== true
  const ordered = created.filter(isOrdered)
  const forgotten = created.filter(
    (one) => !isOrdered(one) && one["refusal"] === null && !suspended.has(textOf(one["attachment_id"]))
  )
  const due = shown.flatMap((one) => {
    const occurrences = one["occurrences"]
    if (typeof occurrences !== "number") return [idOf(one["attachment_id"], 0)]
    // What a suspension left out depends on when it came.
    if (suspended.has(textOf(one["attachment_id"]))) return []
    const anchor = Number(one["anchor"])
    return Array.from({ length: occurrences }, (_, index) => index)
      .filter((index) => anchor + index * DAY <= now + HALF_DAY)
      .map((index) => idOf(one["attachment_id"], index))
  })
  return [
    ...differences(
      "packages at the telco",
      books.packages.map(({ packageId, status }) => `${packageId} ${status}`),
      ordered.map((one) => {
        const isSuspended = suspended.has(textOf(one["attachment_id"]))
        return `${orderOf(one)} ${isSuspended ? "suspended" : "active"}`
      })
    ),
    ...forgotten.map((one) => `${orderOf(one)} has not moved along, and is not suspended`),
    ...differences(
      "packages that are due",
      there
        .map((one) => idOf(one["attachment_id"], one["occurrence"]))
        .filter((id) => !suspended.has(id.replace(/:\d+$/, "")) || due.includes(id)),
      due
    ),
    ...differences(
      "SIMs of packages",
      books.packages.map(({ dataMegaBytes, iccid, packageId }) => `${packageId} of ${dataMegaBytes} MB on ${iccid}`),
      ordered.map((one) => `${orderOf(one)} of ${leftOf(one)} MB on ${textOf(one["iccid"])}`)
    )
  ]
}

const messages = ({ books, ledger }: Facts): ReadonlyArray<string> => {
  const sent = books.messages.map(({ text }) => text)
  const known = ledger.of("sms")
  const acknowledged = known.flatMap(({ fate, name }) => (fate._tag === "Done" ? [name] : []))
  const refused = new Set(known.flatMap((one) => (one.fate._tag === "Refused" && isSettled(one) ? [one.name] : [])))
  const names = new Set(known.map(({ name }) => name))
  return [
    ...duplicates("messages", sent),
    ...differences(
      "acknowledged messages",
      sent.filter((name) => acknowledged.includes(name)),
      acknowledged
    ),
    ...differences(
      "refused messages",
      sent.filter((name) => books.hasKeys && refused.has(name)),
      []
    ),
    ...differences(
      "messages nobody sent",
      sent.filter((name) => !names.has(name)),
      []
    )
  ]
}

const mobilePlans = ({ books, sims: all }: Facts): ReadonlyArray<string> =>
  all.flatMap((one) => {
    const iccid = textOf(one["iccid"])
    if (one["mobile_plan_target"] !== null) return [`The mobile plan of ${iccid} is not settled`]
    return (books.mobilePlans.get(iccid) ?? false) === one["mobile_plan_applied"]
      ? []
      : [`The mobile plan of ${iccid} is another at the telco`]
  })

/**
 * Whether each SIM is paused that its clients have paused or resumed, by what they were answered
 * last.
 */
const wishes = ({ operations }: Ledger): ReadonlyMap<string, boolean> => {
  const paused = new Map<string, boolean>()
  for (const operation of operations) {
    const { fate, iccid, kind } = operation
    if (iccid === null) continue
    if (kind === "delete") paused.delete(iccid)
    const next = movedTo(operation)
    if (next !== null) {
      const wished = paused.get(iccid)
      if (wished === undefined) paused.delete(next)
      else paused.set(next, wished)
      // A SIM that its subscription has left is resumed.
      paused.set(iccid, false)
    }
    if (kind !== "pause" && kind !== "resume") continue
    if (fate._tag === "Done") paused.set(iccid, kind === "pause")
    else paused.delete(iccid)
  }
  return paused
}

/** A SIM is paused if that was acknowledged last, here and at the telco. */
const pauses = ({ books, ledger, sims: all }: Facts): ReadonlyArray<string> => {
  const wished = wishes(ledger)
  return all.flatMap((one) => {
    const iccid = textOf(one["iccid"])
    const isPaused = one["paused_at"] !== null
    if (one["service_change"] !== null) return [`The service of ${iccid} is not settled`]
    if ((wished.get(iccid) ?? isPaused) !== isPaused)
      return [`${iccid} is ${isPaused ? "" : "not "}paused, and should be else`]
    return (books.services.get(iccid) ?? true) === isPaused ? [`The service of ${iccid} is another at the telco`] : []
  })
}

/** Every event reached every receiver at least once, under one id, and none was made up. */
const events = ({ deliveries, ledger, packages: all, receivers }: Facts): ReadonlyArray<string> => {
  const expected = ledger.reports.flatMap(({ causes }) => causes)
  const unused = ledger.reports.filter(({ attachmentId, isAcknowledged, usedBytes }) => {
    const used = all.find((one) => one["attachment_id"] === attachmentId && one["occurrence"] === 0)?.["used_bytes"]
    return isAcknowledged && Number(used) !== usedBytes
  })
  return [
    ...receivers.flatMap((receiver, index) => {
      const ids = new Map<string, string>()
      for (const { data, id, type } of receiver.events) ids.set(id, causeOf(type, data))
      const causes = [...ids.values()]
      return [
        ...differences(`events at receiver ${index}`, causes, expected),
        ...duplicates(`events with two ids at receiver ${index}`, causes),
        ...(receiver.strays() > 0 ? [`Receiver ${index}: a redirect was followed`] : [])
      ]
    }),
    ...deliveries.flatMap(({ count, status }) => (status === "Delivered" ? [] : [`${count} deliveries are ${status}`])),
    ...ledger.reports.flatMap(({ attachmentId, isAcknowledged }) =>
      isAcknowledged ? [] : [`The reports of ${attachmentId} were never taken`]
    ),
    ...unused.map(({ attachmentId, usedBytes }) => `${attachmentId} has not used ${usedBytes} bytes of ${ALLOWANCE} MB`)
  ]
}

/** A server that is stopped answers each request that has arrived. */
const stops = ({ ledger }: Facts): ReadonlyArray<string> =>
  ledger.stops.flatMap(({ answered, name, sent }) =>
    answered === sent ? [] : [`${name} was stopped and left ${sent - answered} of ${sent} requests without an answer`]
  )

/** After how many refusals a job ends. */
const REFUSALS = 3

/**
 * What ended in refusals is among the problems, nothing else is, and the SIMs that wait for it are
 * not free.
 */
const refusals = ({ refused: { listed, stuck } }: Facts): ReadonlyArray<string> => {
  // A SIM that is paused is free only when it is resumed, too.
  const waits = ({ iccid, kind, release }: Rows[number]): boolean =>
    release === true || (kind === "SetService" && stuck.releasing.includes(textOf(iccid)))
  const releasing = stuck.jobs.filter(waits).map(({ iccid }) => textOf(iccid))
  return [
    ...duplicates("problems", listed),
    ...differences(
      "problems",
      listed,
      stuck.jobs.map((job) => textOf(job["job_id"]))
    ),
    ...stuck.jobs.flatMap(({ job_id, times }) =>
      Number(times) > 0 && Number(times) % REFUSALS === 0 ? [] : [`${textOf(job_id)} ended after ${times} refusals`]
    ),
    ...differences("SIMs that wait for a refused release", stuck.releasing, releasing)
  ]
}

/** All that is wrong, in sentences. */
export const problems = (facts: Facts): ReadonlyArray<string> => [
  ...facts.ledger.problems,
  ...stops(facts),
  ...refusals(facts),
  ...requests(facts),
  ...sims(facts),
  ...replacements(facts),
  ...packages(facts),
  ...messages(facts),
  ...mobilePlans(facts),
  ...pauses(facts),
  ...events(facts)
]
