/**
 * Storage, jobs and outbox in memory: for tests, simulations and trying things out. Nothing
 * outlives the process.
 *
 * It is a `RowStore` of plain maps and sorted lists, which says in the fewest words what one has to
 * do.
 */
import { Effect } from "effect"
import { RowStorage, type Row, type RowStore, type Rows } from "../rows/index.ts"
import { backlog, claim, partitions, pending, Table } from "./Table.ts"

type Tables = { readonly [K in Rows.Kind]: Table<K> }

const makeTables = (): Tables => ({
  organization: new Table("organization"),
  operator: new Table("operator"),
  apiKey: new Table("apiKey"),
  formerKey: new Table("formerKey"),
  apiKeyUse: new Table("apiKeyUse"),
  endpoint: new Table("endpoint"),
  handler: new Table("handler"),
  plan: new Table("plan"),
  region: new Table("region"),
  catalogue: new Table("catalogue"),
  clock: new Table("clock"),
  probe: new Table("probe"),
  process: new Table("process"),
  sim: new Table("sim"),
  smdpHistory: new Table("smdpHistory"),
  report: new Table("report"),
  usage: new Table("usage"),
  cost: new Table("cost"),
  session: new Table("session"),
  sessionKey: new Table("sessionKey"),
  stockLevel: new Table("stockLevel"),
  idempotencyRecord: new Table("idempotencyRecord"),
  command: new Table("command"),
  job: new Table("job"),
  awaitedPurchase: new Table("awaitedPurchase"),
  delivery: new Table("delivery"),
  auditEntry: new Table("auditEntry")
})

function* rowsOf<K extends Rows.Kind>(listed: Iterable<{ readonly row: Row<K> }>): Iterable<Row<K>> {
  for (const { row } of listed) yield row
}

const makeStore = (): RowStore => {
  const tables = makeTables()
  const table = <K extends Rows.Kind>(kind: K): Table<K> => tables[kind]
  // What takes back the changes of the transaction under way.
  let undo: Array<() => void> = []
  const queue = <K extends Rows.Kind>(kind: K, name: string) => table(kind).queues.get(name)
  const setLease = (row: { lease: Row<Rows.Kind>["lease"] }, lease: Row<Rows.Kind>["lease"]) => {
    const before = row.lease
    row.lease = lease
    undo.push(() => {
      row.lease = before
    })
  }
  const remove = <K extends Rows.Kind>(of: Table<K>, value: Rows.Kinds[K]) => {
    const known = of.delete(of.stored(value, null).place)
    if (known !== undefined) undo.push(() => of.put(known))
  }
  return {
    transaction: (body) => {
      undo = []
      try {
        return body()
      } catch (error) {
        for (const one of undo.toReversed()) one()
        throw error
      }
    },
    find: (kind, id, organizationId) => table(kind).find(id, organizationId) ?? null,
    put: (kind, value, lease) => {
      const rows = table(kind)
      const row = rows.stored(value, lease)
      const known = rows.put(row)
      undo.push(() => (known === undefined ? rows.delete(row.place) : rows.put(known)))
    },
    remove: (kind, value) => remove(table(kind), value),
    list: (kind, organizationId, from, direction) => {
      const list = table(kind).lists.get(organizationId)
      return rowsOf(direction === "ascending" ? list.after(from) : list.before(from))
    },
    also: (kind, list, after) => rowsOf(table(kind).also.get(list).after(after)),
    purge: (kind, before, limit) => {
      const rows = table(kind)
      let gone = 0
      for (const list of [...rows.lists.all()]) {
        const old: Array<Row<typeof kind>> = []
        for (const { createdAt, row } of list.after(null)) {
          if (gone + old.length >= limit || createdAt >= before) break
          old.push(row)
        }
        for (const { value } of old) remove(rows, value)
        gone += old.length
      }
      return gone
    },
    waiting: (kind, name) => rowsOf(queue(kind, name).after(null)),
    claim: (kind, name, of) => {
      const claimed = claim(queue(kind, name), of)
      for (const { row } of claimed) setLease(row, { token: of.token, until: of.until })
      return claimed.map(({ row }) => row.value)
    },
    pending: (kind, name, at) => pending(queue(kind, name), at),
    partitions: (kind, name, query) => partitions(queue(kind, name), query),
    backlog: (kind, name, at) => backlog(queue(kind, name), at),
    lease: (kind, leases, until) => {
      for (const { id, organizationId, token } of leases) {
        const row = table(kind).find(id, organizationId)
        if (row?.lease?.token === token) setLease(row, until === null ? null : { token, until })
      }
    },
    release: (kind, now) => {
      for (const list of table(kind).queues.all()) {
        for (const { row, work } of list.after(null)) if (work.dueAt <= now && row.lease !== null) setLease(row, null)
      }
    }
  }
}

/** An empty store of its own wherever the layer is built. */
export const layer = RowStorage.layer(Effect.sync(makeStore))
