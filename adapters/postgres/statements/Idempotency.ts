/**
 * The statements about idempotency records, which keep the outcome of a request for its key.
 */
import type { Idempotency, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Secrets from "../encryption/Secrets.ts"
import * as Columns from "../sql/Columns.ts"

const columns = Columns.of<Idempotency.IdempotencyRecord>(
  { organizationId: "text", key: "text", fingerprint: "text", createdAt: "bigint", outcome: "json" },
  ["organizationId", "key"]
)

const value = Columns.json("idempotency", columns)

const insertion = Columns.insertion("idempotency as stored", columns)

const replacement = Columns.replacing(columns)

type Encrypting = Pick<Database, "cipher">

type Writes = NonNullable<Storage.Commit["idempotency"]>

/** Records for which the same is too young to be replaced. */
interface Alike {
  /** By how much a record that is replaced is older than the one in its place. */
  readonly age: number
  readonly insteadOf: string | null
  readonly records: Array<Idempotency.IdempotencyRecord>
}

const alike = (puts: NonNullable<Writes["put"]>): ReadonlyArray<Alike> => {
  const found = new Map<string, Alike>()
  for (const { insteadOf = null, record, replaces } of puts) {
    const age = record.createdAt - replaces
    const key = JSON.stringify([age, insteadOf])
    const known = found.get(key) ?? { age, insteadOf, records: [] }
    known.records.push(record)
    found.set(key, known)
  }
  return [...found.values()]
}

/**
 * Writes records, except over one that is too young to be replaced. What decides that are
 * parameters, which an engine that is distributed takes there, and rows it does not.
 */
export const put = (sql: Sql, puts: NonNullable<Writes["put"]>, { cipher }: Encrypting): Columns.Clause => {
  const encrypted = Secrets.withOutcome(cipher.encrypt)
  const groups = alike(puts)
  const nameOf = (index: number): string => (index === 0 ? "idempotency_put" : `idempotency_put_${index + 1}`)
  const written = groups.map((_, index) => `(select count(*) from ${nameOf(index)})`).join(" + ")
  return {
    ctes: groups.map(
      ({ age, insteadOf, records }, index) => sql`${sql.literal(nameOf(index))} as (
        ${sql.literal(insertion)}
        from ${Columns.rows(
          sql,
          records.map((record) => encrypted(record)),
          columns
        )}
        ${sql.literal(replacement)}
        where stored.created_at <= excluded.created_at - ${age}::bigint
          or stored.outcome->>'_tag' = 'Interrupted' and stored.outcome->>'attemptId' = ${insteadOf}::text
        returning 1
      )`
    ),
    outcome: sql`simplan.ensure(${sql.literal(written)} = ${puts.length}::int, 'idempotency key')`
  }
}

type Settled = NonNullable<Writes["settled"]>[number]

const update = Columns.update<Settled>(
  "idempotency_settled",
  "idempotency",
  Columns.pick(columns, ["organizationId", "key", "outcome"])
)

/** Sets the outcome of records that are there. */
export const settle = (sql: Sql, rows: ReadonlyArray<Settled>, { cipher }: Encrypting): Columns.Clause =>
  update(sql, rows.map(Secrets.withOutcome(cipher.encrypt)))

export const forget = Columns.remove(
  "idempotency_forgotten",
  "idempotency",
  Columns.pick(columns, ["organizationId", "key"])
)

export const byKey = (database: Database) => (of: { readonly organizationId: string; readonly key: string }) =>
  Secrets.decoded(
    database.row(
      (sql) => sql<Row<Idempotency.IdempotencyRecord>>`
        select ${sql.literal(value)}::text as value
        from simplan.idempotency
        where idempotency.organization_id = ${of.organizationId} and idempotency.key = ${of.key}`
    ),
    (found) => (found === null ? null : Secrets.withOutcome(database.cipher.decrypt)(found))
  )
