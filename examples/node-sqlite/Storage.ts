/**
 * A storage on `node:sqlite`: simplan's ports `Storage`, `Jobs` and `Outbox` in a file.
 *
 *     createSimplan({ database: { storage: layer({ file: "./simplan.db" }) }, alone: true, telco })
 *
 * What a call has answered is on the disk: it survives a killed process and a power cut. One process at a time has the
 * file. Signing keys of webhooks are in it as they are, so keep it as you keep a secret.
 */
import { Effect } from "effect"
import { Storage } from "simplan/ports"
import { type Row, RowStorage, type RowStore, Rows } from "simplan/rows"
import { Database, type Fields } from "./Database.ts"
import * as Work from "./Work.ts"

const COLUMNS = [
  ...["kind", "id", "organization_id", "position", "value", "list", "list_position", "list_id"],
  ...["queue", "due_at", "due_id", "partition_id", "subject", "token", "until"]
]
const PUT = `replace into row (${COLUMNS.join(", ")}) values (${COLUMNS.map((name) => `:${name}`).join(", ")})`

const FOUND = "kind = :kind and id = :id and organization_id = coalesce(:organization_id, organization_id)"

// The value was written by `put`.
const decoded = <K extends Rows.Kind>({ token, until, value }: Fields): Row<K> => ({
  value: JSON.parse(String(value)),
  lease: token === null ? null : { token: String(token), until: Number(until) }
})

function* decodedAll<K extends Rows.Kind>(rows: Iterable<Fields>): Iterable<Row<K>> {
  for (const fields of rows) yield decoded(fields)
}

const store = (database: Database): RowStore => ({
  transaction: (body) => database.transaction(body),
  find: (kind, id, organizationId) => {
    const values = { kind, id, organization_id: organizationId ?? null }
    for (const fields of database.rows(`select * from row where ${FOUND}`, values)) return decoded(fields)
    return null
  },
  put: (kind, value, lease) => {
    const { also, id, organizationId, position, work } = Rows.placeOf[kind](value)
    database.run(PUT, {
      ...{ kind, id, organization_id: organizationId, position, value: JSON.stringify(value) },
      ...{ list: also?.list ?? null, list_position: also?.position ?? null, list_id: also?.id ?? null },
      ...{ queue: work?.queue ?? null, due_at: work?.dueAt ?? null, due_id: work?.dueId ?? null },
      ...{ partition_id: work?.partitionId ?? null, subject: work?.subject ?? null },
      ...{ token: lease?.token ?? null, until: lease?.until ?? null }
    })
  },
  remove: (kind, value) => {
    const { id, organizationId } = Rows.placeOf[kind](value)
    database.run(`delete from row where ${FOUND}`, { kind, id, organization_id: organizationId })
  },
  list: (kind, organizationId, from, direction) => {
    const [is, order, end] = direction === "ascending" ? [">", "asc", -Infinity] : ["<", "desc", Infinity]
    const sql = `select * from row where kind = :kind and organization_id = :organizationId
      and (position, id) ${is} (:position, :id) order by position ${order}, id ${order}`
    const place = { position: from?.createdAt ?? end, id: from?.id ?? "" }
    return decodedAll(database.rows(sql, { kind, organizationId, ...place }))
  },
  also: (_, list, after) => {
    const sql = `select * from row where list = :list and (list_position, list_id) > (:position, :id)
      order by list_position, list_id`
    return decodedAll(database.rows(sql, { list, position: after?.createdAt ?? -Infinity, id: after?.id ?? "" }))
  },
  purge: (kind, before, limit) => {
    const old = "select rowid from row where kind = :kind and position < :before order by position limit :limit"
    return database.run(`delete from row where rowid in (${old})`, { kind, before, limit })
  },
  waiting: (_, queue) =>
    decodedAll(database.rows("select * from row where queue = :queue order by due_at, due_id", { queue })),
  claim: (_, queue, claim) => Work.claim(database, queue, claim).map((fields) => decoded<typeof _>(fields).value),
  pending: (_, queue, at) => Work.pending(database, queue, at),
  partitions: (_, queue, query) => Work.partitions(database, queue, query),
  backlog: (_, queue, at) => Work.backlog(database, queue, at),
  lease: (kind, leases, until) => {
    const sql = `update row set token = iif(:until is null, null, token), until = :until where ${FOUND} and token = :token`
    for (const { id, organizationId = null, token } of leases)
      database.run(sql, { kind, id, organization_id: organizationId, token, until })
  },
  release: (kind, now) => {
    const sql = "update row set token = null, until = null where kind = :kind and token is not null and due_at <= :now"
    database.run(sql, { kind, now })
  }
})

const BUSY = 5

const cannotOpen = (file: string) => (cause: unknown) => {
  const isBusy = cause instanceof Error && "errcode" in cause && cause.errcode === BUSY
  const reason = isBusy
    ? "is open in another process"
    : `cannot be opened: ${cause instanceof Error ? cause.message : cause}`
  return new Storage.StorageError({ message: `The database ${file} ${reason}`, cause })
}

/** The ports on a file, which is made where it is missing. Fails with one sentence where it cannot be opened. */
export const layer = ({ file }: { readonly file: string }) =>
  RowStorage.layer(
    Effect.map(
      Effect.acquireRelease(Effect.try({ try: () => new Database(file), catch: cannotOpen(file) }), (database) =>
        Effect.sync(() => database.close())
      ),
      store
    )
  )
