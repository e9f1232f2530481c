/**
 * The statements about commands (rule H1), and about idempotency records, which keep the outcome of a request for its key.
 */
import type { Command, Idempotency, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Secrets from "../encryption/Secrets.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

const columns = Columns.of<Command.Command>(
  {
    organizationId: "text",
    commandId: "text",
    request: "json",
    createdAt: "bigint",
    outcome: "json",
    settledAt: "bigint"
  },
  ["organizationId", "commandId"]
)

const value = Columns.json("command", columns)

const insert = Columns.insert(
  "command_put",
  "command",
  columns,
  "on conflict (organization_id, command_id) do nothing",
  "command"
)

type Encrypting = Pick<Database, "cipher">

/** Stores new commands. */
export const put = (sql: Sql, rows: ReadonlyArray<Command.Command>, { cipher }: Encrypting): Columns.Clause =>
  insert(sql, rows.map(Secrets.withOutcome(cipher.encrypt)))

const update = Columns.update<Command.Settlement>(
  "command_settled",
  "command",
  Columns.pick(columns, ["organizationId", "commandId", "outcome", "settledAt"]),
  "and command.settled_at is null"
)

/** Sets the outcome of commands that are pending. */
export const settle = (sql: Sql, rows: ReadonlyArray<Command.Settlement>, { cipher }: Encrypting): Columns.Clause =>
  update(sql, rows.map(Secrets.withOutcome(cipher.encrypt)))

export const byId = (database: Database) => (of: { readonly organizationId: string; readonly commandId: string }) =>
  Secrets.decoded(
    database.row(
      (sql) => sql<Row<Command.Command>>`
        select ${sql.literal(value)}::text as value
        from simplan.command
        where command.organization_id = ${of.organizationId} and command.command_id = ${of.commandId}`
    ),
    (found) => (found === null ? null : Secrets.withOutcome(database.cipher.decrypt)(found))
  )

// The text of the conditions is that of the indexes.
const states: Readonly<Record<Command.State, string>> = {
  pending: "and command.settled_at is null",
  done: "and command.outcome->>'_tag' = 'Succeeded'",
  refused: "and command.outcome->>'_tag' = 'Refused'"
}

/** An organization's commands, oldest first. */
export const page =
  (database: Database) =>
  ({
    after,
    limit,
    organizationId,
    state
  }: Storage.Page<Storage.CreatedCursor> & { readonly state: Command.State | null }) =>
    Secrets.decoded(
      database.rows(
        (sql) => sql<Row<Command.Command>>`
          select ${sql.literal(value)}::text as value
          from simplan.command
          where command.organization_id = ${organizationId} ${sql.literal(state === null ? "" : states[state])}
            and ${Pages.after(sql, "command.created_at, command.command_id", after)}
          order by command.created_at, command.command_id
          limit ${limit}::int`
      ),
      (found) => found.map(Secrets.withOutcome(database.cipher.decrypt))
    )

const recordColumns = Columns.of<Idempotency.IdempotencyRecord>(
  { organizationId: "text", key: "text", fingerprint: "text", createdAt: "bigint", outcome: "json" },
  ["organizationId", "key"]
)

const recordValue = Columns.json("idempotency", recordColumns)

const recordInsertion = Columns.insertion("idempotency as stored", recordColumns)

const recordReplacement = Columns.replacing(recordColumns)

type Records = NonNullable<Storage.Commit["idempotency"]>

const puttingColumns = Columns.of<
  Idempotency.IdempotencyRecord & { readonly replaces: number; readonly insteadOf: string | null }
>({ ...recordColumns.types, insteadOf: "text", replaces: "bigint" }, recordColumns.key)

/** Writes records, except over one that is too young to be replaced. */
export const putRecords = (sql: Sql, puts: NonNullable<Records["put"]>, { cipher }: Encrypting): Columns.Clause => {
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
        ${sql.literal(recordInsertion)}
        from idempotency_row r
        ${sql.literal(recordReplacement)}
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

type Settled = NonNullable<Records["settled"]>[number]

const updateRecords = Columns.update<Settled>(
  "idempotency_settled",
  "idempotency",
  Columns.pick(recordColumns, ["organizationId", "key", "outcome"])
)

/** Sets the outcome of records that are there. */
export const settleRecords = (sql: Sql, rows: ReadonlyArray<Settled>, { cipher }: Encrypting): Columns.Clause =>
  updateRecords(sql, rows.map(Secrets.withOutcome(cipher.encrypt)))

export const forgetRecords = Columns.remove(
  "idempotency_forgotten",
  "idempotency",
  Columns.pick(recordColumns, ["organizationId", "key"])
)

export const recordByKey = (database: Database) => (of: { readonly organizationId: string; readonly key: string }) =>
  Secrets.decoded(
    database.row(
      (sql) => sql<Row<Idempotency.IdempotencyRecord>>`
        select ${sql.literal(recordValue)}::text as value
        from simplan.idempotency
        where idempotency.organization_id = ${of.organizationId} and idempotency.key = ${of.key}`
    ),
    (found) => (found === null ? null : Secrets.withOutcome(database.cipher.decrypt)(found))
  )
