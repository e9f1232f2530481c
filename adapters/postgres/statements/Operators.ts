/**
 * The statements about operators of the service and the sessions of their browsers. They belong to
 * no organization, though some operators see only one.
 */
import { Effect } from "effect"
import type { Operator, Session, Storage } from "simplan/ports"
import type { Database, Row } from "../database/Database.ts"
import * as Columns from "../sql/Columns.ts"
import * as Pages from "../sql/Pages.ts"

const columns = Columns.of<Operator.Operator>(
  {
    operatorId: "text",
    name: "text",
    role: "text",
    organizationId: "text",
    hash: "text",
    hint: "text",
    previousHash: "text",
    previousUntil: "bigint",
    createdAt: "bigint",
    expiresAt: "bigint",
    deletedAt: "bigint",
    version: "bigint"
  },
  ["operatorId"]
)

const value = Columns.json("operator", columns)

/** Writes operators, each guarded by its version. */
export const put = Columns.putVersions("operator_put", "operator", columns)

export const operators = (database: Database): Storage.Reads["operators"] => ({
  byHash: (hash) =>
    database.row(
      (sql) => sql<Row<Operator.Operator>>`
        select (${sql.literal(value)})::text as value
        from simplan.operator
        where operator.hash = ${hash} or operator.previous_hash = ${hash}
        limit 1`
    ),
  get: (operatorId) =>
    database.row(
      (sql) => sql<Row<Operator.Operator>>`
        select (${sql.literal(value)})::text as value
        from simplan.operator
        where operator.operator_id = ${operatorId}`
    ),
  named: (name) =>
    database.row(
      (sql) => sql<Row<Operator.Operator>>`
        select (${sql.literal(value)})::text as value
        from simplan.operator
        where operator.name = ${name} and operator.deleted_at is null`
    ),
  page: ({ after, limit }) =>
    database.rows(
      (sql) => sql<Row<Operator.Operator>>`
        select (${sql.literal(value)})::text as value
        from simplan.operator
        where ${Pages.after(sql, "operator.created_at, operator.operator_id", after)}
        order by operator.created_at, operator.operator_id
        limit ${limit}::int`
    )
})

const sessionColumns = Columns.of<Session.Session>(
  {
    sessionId: "text",
    endsAt: "bigint",
    endedAt: "bigint",
    renewals: "integer",
    renewedAt: "bigint",
    cookie: "text",
    askedAt: "bigint",
    version: "bigint"
  },
  ["sessionId"]
)

/** Writes sessions, each guarded by its version. */
export const putSessions = Columns.putVersions("session_put", "session", sessionColumns)

export const sessions = (database: Database): Storage.Reads["sessions"] => ({
  get: (sessionId) =>
    database.row(
      (sql) => sql<Row<Session.Session>>`
        select (${sql.literal(Columns.json("session", sessionColumns))})::text as value
        from simplan.session
        where session.session_id = ${sessionId}`
    )
})

/** Keeps the candidate if no key is kept. */
export const sessionKey =
  (database: Database) =>
  (candidate: string): Effect.Effect<string, Storage.StorageError> =>
    Effect.map(
      database.write(
        (sql) => sql<Row<string>>`
          insert into simplan.session_key as stored (value) values (${candidate})
          on conflict (singleton) do update set value = stored.value
          returning to_json(stored.value)::text as value`
      ),
      ([kept]) => kept ?? candidate
    )
