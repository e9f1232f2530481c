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

const puttingColumns = Columns.of<
  Idempotency.IdempotencyRecord & { readonly replaces: number; readonly insteadOf: string | null }
>({ ...columns.types, insteadOf: "text", replaces: "bigint" }, columns.key)

/** Writes records, except over one that is too young to be replaced. */
export const put = (sql: Sql, puts: NonNullable<Writes["put"]>, { cipher }: Encrypting): Columns.Clause => {
  const encrypted = Secrets.ofOutcome(cipher.encrypt)
  const rows = puts.map(({ insteadOf = null, record, replaces }) => ({
    ...record,
    outcome: encrypted(record.outcome),
    replaces,
    insteadOf
  }))
  return {
    ctes: [
      sql`idempotency_row as (
        select * from ${Columns.rows(sql, rows, puttingColumns)}
      )`,
      sql`idempotency_put as (
        ${sql.literal(insertion)}
        from idempotency_row r
        ${sql.literal(replacement)}
        where exists (
          select from idempotency_row r
          where r."organizationId" = excluded.organization_id and r.key = excluded.key
            and (
              stored.created_at <= r.replaces
              or stored.outcome->>'_tag' = 'Interrupted' and stored.outcome->>'attemptId' = r."insteadOf"
            )
        )
        returning 1
      )`
    ],
    outcome: sql`simplan.ensure((select count(*) from idempotency_put) = ${rows.length}::int, 'idempotency key')`
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
