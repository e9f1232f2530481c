/**
 * A journal in a PostgreSQL database (or PGlite), in tables of its own: it survives a restart, and
 * several processes may share it. Each operation is one statement; `together` is a transaction.
 *
 * Locks of several processes are compared by the database's clock, by the `LeaseOffset` of the
 * storage (rule W13).
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Clocks, type Storage } from "simplan/ports"
import { type Due, type Entry, Journal, JournalError } from "./Journal.ts"
import * as SqlTables from "./SqlTables.ts"

// Columns have one-word names, and documents are read as text: a client that renames columns would
// rename the keys of a jsonb value too. Numbers are read as text too: how many digits a
// floating-point number has is a setting of the database.
const Row = Schema.Struct({
  telco: Schema.String,
  kind: Schema.String,
  key: Schema.String,
  iccid: Schema.NullOr(Schema.String),
  external: Schema.NullOr(Schema.String),
  document: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)),
  due: Schema.NullOr(Schema.FiniteFromString),
  version: Schema.FiniteFromString
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const entryOf = ({ due, external, ...row }: typeof Row.Type): Entry => ({ ...row, externalId: external, dueAt: due })

const failed = (cause: SqlError.SqlError | Schema.SchemaError): JournalError =>
  new JournalError({ message: `The journal of the telco's calls is out of reach: ${SqlTables.reasonOf(cause)}`, cause })

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

const entries = (rows: Rows): Effect.Effect<ReadonlyArray<Entry>, JournalError> =>
  rows.pipe(Effect.flatMap(decodeRows), Effect.mapBoth({ onSuccess: (all) => all.map(entryOf), onFailure: failed }))

const first = (rows: Rows): Effect.Effect<Entry | null, JournalError> =>
  Effect.map(entries(rows), (all) => all[0] ?? null)

/** Of two entries of one key the one stays that has the telco's answer, or is the later one. */
const JOURNAL: SqlTables.Table = {
  name: "telco_journal",
  columns: `
    telco text not null,
    kind text not null,
    key text not null,
    iccid text,
    external text,
    document jsonb not null,
    due bigint,
    version bigint not null,
    changed bigint not null,
    position bigint generated always as identity,
    primary key (telco, kind, key)
  `,
  indexes: {
    telco_journal_sim: "(telco, kind, iccid, position) where iccid is not null",
    telco_journal_external: "(telco, kind, external, position) where external is not null",
    telco_journal_due: "(telco, kind, due, position) where due is not null",
    telco_journal_changed: "(telco, kind, changed)"
  },
  moved: {
    columns: "telco, kind, key, iccid, external, document, due, version, changed",
    order: "position",
    conflict: `(telco, kind, key) do update set
      iccid = excluded.iccid, external = excluded.external, document = excluded.document, due = excluded.due,
      version = greatest(own.version, excluded.version) + 1, changed = excluded.changed
      where (excluded.external is not null, excluded.changed) > (own.external is not null, own.changed)`
  }
}

const LOCKS: SqlTables.Table = {
  name: "telco_journal_lock",
  columns: `
    telco text not null,
    iccid text not null,
    token text not null,
    held_until bigint not null,
    primary key (telco, iccid)
  `,
  indexes: {},
  moved: {
    columns: "telco, iccid, token, held_until",
    order: "telco, iccid",
    conflict: `(telco, iccid) do update set token = excluded.token, held_until = excluded.held_until
      where excluded.held_until > own.held_until`
  }
}

const TABLES = [JOURNAL, LOCKS]

/** What makes the journal's tables, for a migration tool of the host's own. */
export const migration = (schema: string = SqlTables.DEFAULT): string => SqlTables.text(schema, TABLES)

const make = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* SqlClient.SqlClient
  const offset = yield* Clocks.LeaseOffset
  yield* SqlTables.ensure(schema, TABLES)
  const journal = sql.literal(`"${schema}".${JOURNAL.name}`)
  const locks = sql.literal(`"${schema}".${LOCKS.name}`)
  const columns = sql.literal(
    "telco, kind, key, iccid, external, document::text as document, due::text as due, version::text as version"
  )

  /** A statement that returns the entry which it writes, and makes another one due with it. */
  const withDue = (
    written: Rows & Statement.Fragment,
    { dueAt, iccid, key, kind, telco }: Due,
    now: number
  ): Rows => sql`
    with written as (${written}), made_due as (
      insert into ${journal} as other (telco, kind, key, iccid, external, document, due, version, changed)
      select
        ${telco}::text, ${kind}::text, ${key}::text, ${iccid}::text, null, '{}'::jsonb, ${dueAt}::bigint, 1, ${now}::bigint
      from written
      on conflict (telco, kind, key) do update set
        due = least(other.due, excluded.due), version = other.version + 1, changed = excluded.changed
    )
    select * from written`

  return Journal.of({
    get: ({ key, kind, telco }) =>
      first(sql`
        select ${columns} from ${journal}
        where telco = ${telco} and kind = ${kind} and key = ${key}`),
    ofSim: ({ iccid, kind, telco }) =>
      entries(sql`
        select ${columns} from ${journal}
        where telco = ${telco} and kind = ${kind} and iccid = ${iccid}
        order by position`),
    withoutDue: ({ after, kind, limit, other, telco }) =>
      sql<{ readonly iccid: string }>`
        select distinct iccid from ${journal} as found
        where telco = ${telco} and kind = ${kind} and iccid > ${after ?? ""}
        and not exists (
          select from ${journal} as due
          where due.telco = ${telco} and due.kind = ${other} and due.key = found.iccid and due.due is not null
        )
        order by iccid limit ${limit}::bigint`.pipe(
        Effect.mapBoth({ onSuccess: (rows) => rows.map(({ iccid }) => iccid), onFailure: failed })
      ),
    ofExternalId: ({ externalId, kind, telco }) =>
      first(sql`
        select ${columns} from ${journal}
        where telco = ${telco} and kind = ${kind} and external = ${externalId}
        order by position limit 1`),
    add: ({ document, dueAt, externalId, iccid, key, kind, telco }, also) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const added = sql`
          insert into ${journal} (telco, kind, key, iccid, external, document, due, version, changed)
          values (
            ${telco}, ${kind}, ${key}, ${iccid}, ${externalId}, ${JSON.stringify(document)}::jsonb,
            ${dueAt}::bigint, 1, ${now}::bigint
          )
          on conflict (telco, kind, key) do nothing
          returning ${columns}`
        return first(also === undefined ? added : withDue(added, also, now))
      }),
    replace: ({ document, dueAt, externalId, iccid, key, kind, telco, version }, also) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const replaced = sql`
          update ${journal} set
            iccid = ${iccid},
            external = ${externalId},
            document = ${JSON.stringify(document)}::jsonb,
            due = ${dueAt}::bigint,
            version = version + 1,
            changed = ${now}::bigint
          where telco = ${telco} and kind = ${kind} and key = ${key} and version = ${version}::bigint
          returning ${columns}`
        return first(also === undefined ? replaced : withDue(replaced, also, now))
      }),
    claimDue: ({ kind, limit, now, telco, until }) =>
      entries(sql`
        with found as materialized (
          select key as found_key, due as found_due, position as found_position from ${journal}
          where telco = ${telco} and kind = ${kind} and due <= ${now}::bigint
          order by due, position
          limit ${limit}::bigint
          for update skip locked
        ), claimed as (
          update ${journal} set due = ${until}::bigint, version = version + 1, changed = ${now}::bigint
          from found
          where telco = ${telco} and kind = ${kind} and key = found_key
          returning ${columns}, found_due, found_position
        )
        select telco, kind, key, iccid, external, document, due, version from claimed
        order by found_due, found_position`),
    renew: ({ claims, kind, telco, until }) =>
      sql`
        update ${journal} as own set due = ${until}::bigint
        from jsonb_to_recordset(${JSON.stringify(claims.map(({ key, version }) => ({ key, version })))}::jsonb)
          as claim(key text, version bigint)
        where telco = ${telco} and kind = ${kind} and own.key = claim.key and own.version = claim.version`.pipe(
        Effect.mapBoth({ onSuccess: () => undefined, onFailure: failed })
      ),
    purge: ({ before, kind, limit, telco }) =>
      sql`
        with found as materialized (
          select key as found_key from ${journal}
          where telco = ${telco} and kind = ${kind} and changed < ${before}::bigint
          order by changed
          limit ${limit}::bigint
          for update skip locked
        )
        delete from ${journal} using found
        where telco = ${telco} and kind = ${kind} and key = found_key
        returning true`.pipe(Effect.mapBoth({ onSuccess: (rows) => rows.length, onFailure: failed })),
    lock: ({ iccid, now, telco, token, until }) =>
      Effect.suspend(
        () => sql`
        insert into ${locks} as held (telco, iccid, token, held_until)
        values (${telco}, ${iccid}, ${token}, ${until + offset.ofLeases}::bigint)
        on conflict (telco, iccid) do update set token = excluded.token, held_until = excluded.held_until
        where held.token = excluded.token or held.held_until <= ${now + offset.ofClaims}::bigint
        returning true`
      ).pipe(Effect.mapBoth({ onSuccess: (rows) => rows.length === 1, onFailure: failed })),
    unlock: ({ iccid, telco, token }) =>
      sql`
        delete from ${locks} where telco = ${telco} and iccid = ${iccid} and token = ${token}`.pipe(
        Effect.mapBoth({ onSuccess: () => undefined, onFailure: failed })
      ),
    together: (effect) =>
      Effect.catchTag(sql.withTransaction(effect), "SqlError", (error) => Effect.fail(failed(error)))
  })
})

/**
 * A journal in the tables `telco_journal` and `telco_journal_lock` of a schema, whose name needs no
 * quoting beyond quotes around it. They are made if they are missing, and so is the schema.
 */
export const layerIn = (schema: string): Layer.Layer<Journal, Storage.StorageError, SqlClient.SqlClient> =>
  Layer.effect(Journal, make(schema))

/** A journal in the schema `simplan`. */
export const layer: Layer.Layer<Journal, Storage.StorageError, SqlClient.SqlClient> = layerIn(SqlTables.DEFAULT)
