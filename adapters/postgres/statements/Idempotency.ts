/**
 * The statements about idempotency records.
 */
import type { Idempotency, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Secrets from "../encryption/Secrets.ts"
import * as CommitClause from "../sql/CommitClause.ts"

type Writes = NonNullable<Storage.Commit["idempotency"]>

type Put = Idempotency.IdempotencyRecord & { readonly replaces: number; readonly insteadOf: string | null }

const columns = CommitClause.columns<Put>(
  {
    text: ["organizationId", "key", "fingerprint", "insteadOf"],
    bigint: ["createdAt", "replaces"],
    json: ["outcome"]
  },
  ["organizationId", "key"]
)

/** Writes records, except over one that is too young to be replaced. */
export const put = (
  sql: Sql,
  puts: NonNullable<Writes["put"]>,
  { cipher }: Pick<Database, "cipher">
): CommitClause.CommitClause => {
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
        select * from ${CommitClause.rows(sql, rows, columns)}
      )`,
      sql`idempotency_put as (
        insert into simplan.idempotency as stored (organization_id, key, fingerprint, created_at, outcome)
        select r."organizationId", r.key, r.fingerprint, r."createdAt", r.outcome
        from idempotency_row r
        on conflict (organization_id, key) do update set
          fingerprint = excluded.fingerprint, created_at = excluded.created_at, outcome = excluded.outcome
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

const settledColumns = CommitClause.columns<Settled>({ text: ["organizationId", "key"], json: ["outcome"] })

/** Sets the outcome of records that are there. */
export const settle = (
  sql: Sql,
  rows: NonNullable<Writes["settled"]>,
  { cipher }: Pick<Database, "cipher">
): CommitClause.CommitClause => ({
  ctes: [
    sql`idempotency_settled as (
      update simplan.idempotency set outcome = r.outcome
      from ${CommitClause.rows(sql, rows.map(Secrets.withOutcome(cipher.encrypt)), settledColumns)}
      where idempotency.organization_id = r."organizationId" and idempotency.key = r.key
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from idempotency_settled)`
})

type Forgotten = NonNullable<Writes["forgotten"]>[number]

const forgottenColumns = CommitClause.columns<Forgotten>({ text: ["organizationId", "key"] })

export const forget = (sql: Sql, rows: NonNullable<Writes["forgotten"]>): CommitClause.CommitClause => ({
  ctes: [
    sql`idempotency_forgotten as (
      delete from simplan.idempotency
      using ${CommitClause.rows(sql, rows, forgottenColumns)}
      where idempotency.organization_id = r."organizationId" and idempotency.key = r.key
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from idempotency_forgotten)`
})

export const byKey = (database: Database) => (of: { readonly organizationId: string; readonly key: string }) =>
  Secrets.decoded(
    database.row(
      (sql) => sql<Row<Idempotency.IdempotencyRecord>>`
        select json_build_object(
          'organizationId', idempotency.organization_id, 'key', idempotency.key,
          'fingerprint', idempotency.fingerprint, 'createdAt', idempotency.created_at, 'outcome', idempotency.outcome
        )::text as value
        from simplan.idempotency
        where idempotency.organization_id = ${of.organizationId} and idempotency.key = ${of.key}`
    ),
    (found) => (found === null ? null : Secrets.withOutcome(database.cipher.decrypt)(found))
  )
