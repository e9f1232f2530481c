/**
 * The statements about commands (rule H1).
 */
import type { Command, Storage } from "simplan/ports"
import type { Database, Row, Sql } from "../database/Database.ts"
import * as Secrets from "../encryption/Secrets.ts"
import * as CommitClause from "../sql/CommitClause.ts"
import * as Pages from "../sql/Pages.ts"

type Writes = NonNullable<Storage.Commit["commands"]>

const columns = CommitClause.columns<Command.Command>(
  {
    text: ["organizationId", "commandId"],
    bigint: ["createdAt", "settledAt"],
    json: ["request", "outcome"]
  },
  ["organizationId", "commandId"]
)

/** Stores new commands. */
export const put = (
  sql: Sql,
  rows: NonNullable<Writes["put"]>,
  { cipher }: Pick<Database, "cipher">
): CommitClause.CommitClause => ({
  ctes: [
    sql`command_put as (
      insert into simplan.command (organization_id, command_id, request, created_at, outcome, settled_at)
      select r."organizationId", r."commandId", r.request, r."createdAt", r.outcome, r."settledAt"
      from ${CommitClause.rows(sql, rows.map(Secrets.withOutcome(cipher.encrypt)), columns)}
      on conflict (organization_id, command_id) do nothing
      returning 1
    )`
  ],
  outcome: sql`simplan.ensure((select count(*) from command_put) = ${rows.length}::int, 'command')`
})

const settledColumns = CommitClause.columns<Command.Settlement>(
  { text: ["organizationId", "commandId"], bigint: ["settledAt"], json: ["outcome"] },
  ["organizationId", "commandId"]
)

/** Sets the outcome of commands that are pending. */
export const settle = (
  sql: Sql,
  rows: NonNullable<Writes["settled"]>,
  { cipher }: Pick<Database, "cipher">
): CommitClause.CommitClause => ({
  ctes: [
    sql`command_settled as (
      update simplan.command set outcome = r.outcome, settled_at = r."settledAt"
      from ${CommitClause.rows(sql, rows.map(Secrets.withOutcome(cipher.encrypt)), settledColumns)}
      where command.organization_id = r."organizationId" and command.command_id = r."commandId"
        and command.settled_at is null
      returning 1
    )`
  ],
  outcome: sql`(select count(*) from command_settled)`
})

const value = `json_build_object(
  'organizationId', command.organization_id, 'commandId', command.command_id, 'request', command.request,
  'createdAt', command.created_at, 'outcome', command.outcome, 'settledAt', command.settled_at
)`

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
