/**
 * The statements about commands (rule H1).
 */
import type { Command, Storage } from "simplan/ports"
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

// The text of the conditions is that of the indexes.
const states: Readonly<Record<Command.State, string>> = {
  pending: "and command.settled_at is null",
  done: "and command.outcome->>'_tag' = 'Succeeded'",
  refused: "and command.outcome->>'_tag' = 'Refused'"
}

export const commands = (database: Database): Storage.Reads["commands"] => ({
  get: (of) =>
    Secrets.decoded(
      database.row(
        (sql) => sql<Row<Command.Command>>`
          select ${sql.literal(value)}::text as value
          from simplan.command
          where command.organization_id = ${of.organizationId} and command.command_id = ${of.commandId}`
      ),
      (found) => (found === null ? null : Secrets.withOutcome(database.cipher.decrypt)(found))
    ),
  /** An organization's commands, oldest first. */
  page: ({ after, limit, organizationId, state }) =>
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
})
