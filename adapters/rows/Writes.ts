/**
 * A commit as changes of rows: what each part of it relies on, and what it writes; and what is
 * deleted by its age.
 *
 * A part that meets something else than it relies on throws `Conflict`, and the transaction that it
 * runs in takes back what was written before.
 */
import type { Operator } from "simplan/ports"
import { Cost, Delivery, EventHandler, Job, Region, SimDifference, Storage, type Time, UsageBook } from "simplan/ports"
import type { RowStore } from "./RowStore.ts"
import * as Rows from "./Rows.ts"

/** What names a row. Without an organization: one whose id is unique in the whole service. */
interface Key {
  readonly organizationId?: string
  readonly id: string
}

/**
 * Changes one row. `next` gets its value, null if it is not there, and the token that it was
 * leased with last. Null removes the row, and the same value leaves it with its lease as it is;
 * another one has the lease that is given.
 */
const change = <K extends Rows.Kind>(
  store: RowStore,
  kind: K,
  { id, organizationId }: Key,
  next: (stored: Rows.Kinds[K] | null, token: string | null) => Rows.Kinds[K] | null,
  lease: Storage.Lease | null = null
): void => {
  const found = store.find(kind, id, organizationId)
  const value = next(found?.value ?? null, found?.lease?.token ?? null)
  if (value === null) {
    if (found !== null) store.remove(kind, found.value)
  } else if (value !== found?.value) store.put(kind, value, lease)
}

const check = (on: Storage.Conflict["on"], holds: boolean): void => {
  if (!holds) throw new Storage.Conflict({ on })
}

const checkLease = (held: string | null, token: string): void => check("lease", held === token)

type Versioned = "endpoint" | "operator" | "plan" | "session" | "stockLevel"

/** Writes all that the commit has. Throws `Conflict`. */
export const write = (store: RowStore, commit: Storage.Commit): void => {
  const { commands = {}, eventHandlers = {}, idempotency = {}, reports = {} } = commit
  const put = <K extends Rows.Kind>(kind: K, value: Rows.Kinds[K]) => store.put(kind, value, null)
  const values = <K extends Rows.Kind>(kind: K, organizationId: string) =>
    Array.from(store.list(kind, organizationId, null, "ascending"), ({ value }) => value)
  const putVersion = <K extends Versioned>(kind: K, value: Rows.Kinds[K]) =>
    change(store, kind, Rows.placeOf[kind](value), (stored) => {
      check("version", (stored?.version ?? 0) === value.version)
      return { ...value, version: value.version + 1 }
    })
  for (const organization of commit.organizations ?? []) put("organization", organization)
  for (const operator of commit.operators ?? []) putVersion("operator", operator)
  for (const session of commit.sessions ?? []) putVersion("session", session)
  for (const { deletedAt, hash, name } of commit.operators ?? []) {
    check("operator token", [...store.also("operator", Rows.operatorsWith(hash), null)].length === 1)
    const isNamesake = (other: Operator.Operator) => other.name === name && other.deletedAt === null
    check("operator name", deletedAt !== null || values("operator", "").filter(isNamesake).length === 1)
  }
  for (const key of commit.apiKeys ?? []) putKey(store, key)
  for (const { hash } of commit.apiKeys ?? [])
    check("api key", [...store.also("apiKey", Rows.keysWith(hash), null)].length === 1)
  for (const endpoint of commit.webhookEndpoints ?? []) putVersion("endpoint", endpoint)
  for (const plan of commit.plans ?? []) putVersion("plan", plan)
  for (const level of commit.stockLevels ?? []) putVersion("stockLevel", level)
  for (const { organizationId, planId, version } of commit.unchangedPlans ?? []) {
    change(store, "plan", { organizationId, id: planId }, (stored) => {
      check("version", stored?.version === version)
      return stored
    })
  }
  for (const region of commit.regions ?? []) {
    const others = values("region", region.organizationId)
    const isUnique = (of: (region: Region.Region) => string) => others.every((other) => of(other) !== of(region))
    check(
      "region name",
      isUnique(({ regionName }) => regionName)
    )
    check(
      "region countries",
      isUnique(({ iso2List }) => Region.countriesKey(iso2List))
    )
    put("region", region)
  }
  for (const of of commit.sims ?? []) {
    const { iccid, organizationId, version } = of.loaded.sim
    change(store, "sim", { organizationId, id: iccid }, (stored) => {
      if (stored?.sim.version !== version) throw new Storage.Conflict({ on: "version" })
      return SimDifference.applied(stored, SimDifference.difference(of))
    })
  }
  for (const entry of reports.smdpEntries ?? []) {
    const { iccid, organizationId } = entry
    change(store, "smdpHistory", { organizationId, id: iccid }, (stored) => ({
      organizationId,
      iccid,
      entries: [...(stored?.entries ?? []), entry]
    }))
  }
  for (const seen of reports.seen ?? []) {
    change(store, "report", { ...seen, id: seen.reportId }, (stored) =>
      stored !== null && stored.receivedAt >= seen.receivedAt ? stored : seen
    )
  }
  for (const entry of reports.usage ?? []) {
    change(store, "usage", Rows.placeOf.usage(entry), (stored) => {
      const bytes = UsageBook.plus(stored?.bytes ?? 0, entry.bytes)
      return bytes === 0 ? null : { ...(stored ?? entry), bytes }
    })
  }
  for (const entry of commit.ledger?.put ?? []) {
    change(store, "cost", Rows.placeOf.cost(entry), (stored) => stored ?? entry)
  }
  for (const allotment of commit.ledger?.allotted ?? []) {
    const { costId: id, organizationId } = allotment
    change(store, "cost", { organizationId, id }, (stored) => stored && Cost.allot(stored, allotment))
  }
  for (const { insteadOf, record, replaces } of idempotency.put ?? []) {
    change(store, "idempotencyRecord", { ...record, id: record.key }, (stored) => {
      const isInterrupted = stored?.outcome._tag === "Interrupted" && stored.outcome.attemptId === insteadOf
      check("idempotency key", stored === null || stored.createdAt <= replaces || isInterrupted)
      return record
    })
  }
  for (const { key, organizationId, outcome } of idempotency.settled ?? []) {
    change(store, "idempotencyRecord", { organizationId, id: key }, (stored) => stored && { ...stored, outcome })
  }
  for (const { key, organizationId } of idempotency.forgotten ?? []) {
    change(store, "idempotencyRecord", { organizationId, id: key }, () => null)
  }
  for (const command of commands.put ?? []) {
    change(store, "command", { ...command, id: command.commandId }, (stored) => {
      check("command", stored === null)
      return command
    })
  }
  for (const { commandId, organizationId, outcome, settledAt } of commands.settled ?? []) {
    change(store, "command", { organizationId, id: commandId }, (stored) =>
      stored?.settledAt === null ? { ...stored, outcome, settledAt } : stored
    )
  }
  for (const event of commit.events ?? []) {
    for (const delivery of Delivery.fanOut(event, values("endpoint", event.organizationId), values("handler", "")))
      put("delivery", { delivery, event, attempts: [] })
  }
  for (const handler of eventHandlers.put ?? []) {
    change(store, "handler", Rows.placeOf.handler(handler), (stored) => ({
      ...handler,
      createdAt: stored?.createdAt ?? handler.createdAt
    }))
  }
  for (const name of eventHandlers.removed ?? []) {
    change(store, "handler", { organizationId: "", id: name }, () => null)
    for (const { value } of [...store.waiting("delivery", Rows.dueToHandler(name))])
      put("delivery", { ...value, delivery: Delivery.abandoned(value.delivery, EventHandler.REMOVED) })
  }
  writeJobs(store, commit.jobs ?? {})
  writeDeliveries(store, commit.deliveries ?? {})
  for (const entry of commit.auditEntries ?? []) put("auditEntry", entry)
  const { catalogue, catalogueVersion, clock } = commit
  if (catalogue !== undefined) {
    const version = values("catalogue", "")[0]?.version ?? 0
    check("version", catalogueVersion === undefined || catalogueVersion === version)
    put("catalogue", { version: version + 1, catalogue })
  }
  if (clock !== undefined) put("clock", { at: clock })
}

const putKey = (store: RowStore, key: Rows.Kinds["apiKey"]): void => {
  const { apiKeyId, organizationId, previousHash } = key
  change(store, "apiKey", { organizationId, id: apiKeyId }, (stored) => {
    check("version", (stored?.version ?? 0) === key.version)
    const former = stored?.previousHash ?? null
    if (former !== null) store.remove("formerKey", { organizationId, apiKeyId, hash: former })
    return { ...key, version: key.version + 1 }
  })
  if (previousHash !== null) store.put("formerKey", { organizationId, apiKeyId, hash: previousHash }, null)
}

export const recordKeyUses = (store: RowStore, uses: ReadonlyArray<Rows.Kinds["apiKeyUse"]>): void => {
  for (const use of uses) {
    change(store, "apiKeyUse", Rows.placeOf.apiKeyUse(use), (stored) =>
      stored !== null && stored.at >= use.at ? stored : use
    )
  }
}

const writeJobs = (
  store: RowStore,
  {
    cancelled = [],
    finished = [],
    hastened = [],
    put = [],
    reopened = [],
    resolved = [],
    retried = []
  }: NonNullable<Storage.Commit["jobs"]>
): void => {
  for (const { jobId, organizationId, token } of finished) {
    change(store, "job", { id: jobId, organizationId }, (_, held) => {
      checkLease(held, token)
      return null
    })
  }
  for (const { attempts, dueAt, endedAt = null, refused, token, waiting = null, lease = null, ...of } of retried) {
    change(
      store,
      "job",
      { id: of.jobId, organizationId: of.organizationId },
      (stored, held) => {
        checkLease(held, token)
        return stored && { ...stored, attempts, dueAt, endedAt, waiting, ...(refused && { refused }) }
      },
      lease
    )
  }
  for (const { dueAt, jobId, organizationId } of hastened) {
    const found = store.find("job", jobId, organizationId)
    if (found === null || !Job.isWaiting(found.value) || found.value.dueAt <= dueAt) continue
    store.put("job", { ...found.value, dueAt }, found.lease)
  }
  for (const { attempts, dueAt, endedAt, jobId, organizationId, work } of reopened) {
    change(store, "job", { id: jobId, organizationId }, (stored) => {
      check("version", stored?.endedAt === endedAt)
      return stored && { ...stored, attempts, dueAt, endedAt: null, waiting: null, ...(work !== undefined && { work }) }
    })
  }
  for (const { endedAt, jobId, organizationId } of resolved) {
    change(store, "job", { id: jobId, organizationId }, (stored) => {
      check("version", stored?.endedAt === endedAt)
      return null
    })
  }
  for (const { jobId, organizationId } of cancelled) {
    change(store, "job", { id: jobId, organizationId }, (stored) => {
      check("version", stored?.attempts === 0)
      return null
    })
  }
  for (const { job, lease } of put) change(store, "job", { id: job.jobId }, (stored) => stored ?? job, lease)
}

const writeDeliveries = (
  store: RowStore,
  { replayed = [], settled = [] }: NonNullable<Storage.Commit["deliveries"]>
): void => {
  for (const { attempt, delivery, token } of settled) {
    change(store, "delivery", { ...delivery, id: delivery.deliveryId }, (stored, held) => {
      checkLease(held, token)
      if (stored === null || attempt === undefined) return stored && { ...stored, delivery }
      const others = stored.attempts.filter(({ number }) => number !== attempt.number)
      return { ...stored, delivery, attempts: [...others, attempt] }
    })
  }
  for (const delivery of replayed) {
    change(store, "delivery", { ...delivery, id: delivery.deliveryId }, (stored) => stored && { ...stored, delivery })
  }
}

const EVERYTHING = Number.MAX_SAFE_INTEGER

export const purge = (
  store: RowStore,
  { commandsBefore, idempotencyBefore, sessionsBefore }: Parameters<Storage.Service["purge"]>[0]
): number =>
  store.purge("idempotencyRecord", idempotencyBefore, EVERYTHING) +
  store.purge("command", commandsBefore, EVERYTHING) +
  store.purge("session", sessionsBefore, EVERYTHING)

/** Events are kept as their deliveries have them. One that nobody takes is not kept at all. */
export const purgeEvents = (
  store: RowStore,
  { before, limit }: { readonly before: Time.Instant; readonly limit: number }
): number => {
  let gone = 0
  const organizations = [...store.list("organization", "", null, "ascending")]
  for (const {
    value: { organizationId }
  } of organizations) {
    const events = new Map<string, Array<Rows.Kinds["delivery"]>>()
    for (const { value } of store.list("delivery", organizationId, null, "ascending")) {
      if (value.delivery.createdAt >= before) break
      const { eventId } = value.delivery
      events.set(eventId, [...(events.get(eventId) ?? []), value])
    }
    const settled = [...events.values()].filter((of) => of.every(({ delivery }) => !Delivery.isPending(delivery)))
    const purged = settled.slice(0, limit - gone)
    for (const value of purged.flat()) store.remove("delivery", value)
    gone += purged.length
  }
  return gone
}
