/**
 * Handing out the rows of a queue: jobs, deliveries to endpoints, and those to a handler.
 *
 * A row is open when it is not held, or when its lease ended at or before the asker's machine time.
 */
import type { Jobs } from "simplan/ports"
import type { Database, Fields } from "./Database.ts"

// Of the rows about one subject the others wait for the first.
const WAITS = `queue = :queue and not exists (select 1 from row as earlier where earlier.queue = row.queue
  and earlier.subject = row.subject and (earlier.position, earlier.id) < (row.position, row.id))`
const OPEN = "(until is null or until <= :machineNow)"
const FROM = "(due_at, due_id) >= (:dueAt, :dueId)"

interface At {
  readonly now: number
  readonly machineNow: number
}

interface Share {
  readonly from?: Jobs.Place
  readonly limit: number
  readonly partitionId?: string
}

const start = (from: Jobs.Place | undefined) => ({ dueAt: from?.dueAt ?? -Infinity, dueId: from?.id ?? "" })

const byDue = (one: Fields, other: Fields): number =>
  Number(one["due_at"]) - Number(other["due_at"]) || (String(one["due_id"]) < String(other["due_id"]) ? -1 : 1)

/** Takes open rows in due order: from a place on, or a share of each of some partitions. */
export const claim = (database: Database, queue: string, claim: Jobs.Claim): ReadonlyArray<Fields> => {
  const { machineNow, now, token, until } = claim
  const open = ({ from, limit, partitionId }: Share) => {
    const [index, only] = partitionId === undefined ? ["due", ""] : ["partition", "and partition_id = :partitionId"]
    const sql = `select rowid, * from row indexed by by_${index} where ${WAITS} and due_at <= :now and ${OPEN} and ${FROM}
      ${only} order by due_at, due_id limit :limit`
    const partition = partitionId === undefined ? {} : { partitionId }
    return [...database.rows(sql, { queue, now, machineNow, limit, ...start(from), ...partition })]
  }
  const claimed = claim.shares?.flatMap(open).sort(byDue) ?? open(claim)
  for (const { rowid = null } of claimed)
    database.run("update row set token = :token, until = :until where rowid = :rowid", { token, until, rowid })
  return claimed
}

export const backlog = (database: Database, queue: string, { machineNow, now }: At): Jobs.Backlog => {
  const open = `filter (where ${OPEN})`
  const sql = `select count(*) ${open} as due, count(*) as total, min(due_at) ${open} as oldest
    from row where ${WAITS} and due_at <= :now`
  const [counted] = database.rows(sql, { queue, machineNow, now })
  const { due = 0, oldest = null, total = 0 } = counted ?? {}
  const oldestDueAt = oldest === null ? null : Number(oldest)
  return { due: Number(due), held: Number(total) - Number(due), oldestDueAt }
}

export const pending = (database: Database, queue: string, { from, ...at }: Jobs.PendingQuery): Jobs.Pending => {
  const sql = `select due_at from row where ${WAITS} and ${OPEN} and ${FROM} order by due_at, due_id limit 1`
  const [first] = database.rows(sql, { queue, machineNow: at.machineNow, ...start(from) })
  return { dueAt: first === undefined ? null : Number(first["due_at"]), held: backlog(database, queue, at).held }
}

/** The partitions that have open rows, each with its first one. */
export const partitions = (database: Database, queue: string, query: Jobs.PartitionQuery): Jobs.Partitions => {
  const { limit, ...of } = query
  const open = `${WAITS} and due_at <= :now and ${OPEN} and partition_id > :after`
  const numbered = `select *, row_number() over (partition by partition_id order by due_at, due_id) as number from row`
  const sql = `select * from (${numbered} where ${open}) where number = 1 order by partition_id limit :limit`
  const found = [...database.rows(sql, { queue, ...of, limit: limit + 1 })].map((fields) => ({
    partitionId: String(fields["partition_id"]),
    organizationId: String(fields["organization_id"]),
    first: { dueAt: Number(fields["due_at"]), id: String(fields["due_id"]) }
  }))
  const partitions = found.slice(0, limit)
  return { partitions, next: found.length > limit ? (partitions.at(-1)?.partitionId ?? null) : null }
}
