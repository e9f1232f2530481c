/**
 * A journal in a PostgreSQL database (or PGlite), in tables of its own: it survives a restart, and several processes may
 * share it. Each operation is one statement; `together` is a transaction.
 *
 * Locks of several processes are compared by the database's clock, by the `LeaseOffset` of the storage (rule W13).
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Clocks } from "simplan/ports"
import { type Due, type Entry, Journal, JournalError } from "./Journal.ts"

// Columns have one-word names, and documents are read as text: a client that renames columns would rename the keys of
// a jsonb value too.
const Row = Schema.Struct({
  telco: Schema.String,
  kind: Schema.String,
  key: Schema.String,
  iccid: Schema.NullOr(Schema.String),
  external: Schema.NullOr(Schema.String),
  document: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)),
  due: Schema.NullOr(Schema.Finite),
  version: Schema.Finite
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

const entryOf = ({ due, external, ...row }: typeof Row.Type): Entry => ({ ...row, externalId: external, dueAt: due })

const failed = (cause: SqlError.SqlError | Schema.SchemaError): JournalError =>
  new JournalError({ message: "The journal of the telco's calls is out of reach", cause })

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

const entries = (rows: Rows): Effect.Effect<ReadonlyArray<Entry>, JournalError> =>
  rows.pipe(Effect.flatMap(decodeRows), Effect.mapBoth({ onSuccess: (all) => all.map(entryOf), onFailure: failed }))

const first = (rows: Rows): Effect.Effect<Entry | null, JournalError> =>
  Effect.map(entries(rows), (all) => all[0] ?? null)

const TABLE = "telco_journal"

const make = Effect.fnUntraced(function* (prefix: string) {
  const sql = yield* SqlClient.SqlClient
  const offset = yield* Clocks.LeaseOffset
  const journal = sql.literal(`${prefix}${TABLE}`)
  const locks = sql.literal(`${prefix}${TABLE}_lock`)
  const columns = sql.literal(
    "telco, kind, key, iccid, external, document::text as document, due::float8 as due, version::float8 as version"
  )

  // Two processes that start on an empty database at once may both find no table; the second try finds it.
  const created = (statement: Rows) => Effect.retry(statement, { times: 2 })

  yield* created(sql`
    create table if not exists ${journal} (
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
    )`)
  yield* created(sql`
    create index if not exists telco_journal_sim on ${journal} (telco, kind, iccid, position)
    where iccid is not null`)
  yield* created(sql`
    create index if not exists telco_journal_external on ${journal} (telco, kind, external, position)
    where external is not null`)
  yield* created(sql`
    create index if not exists telco_journal_due on ${journal} (telco, kind, due, position)
    where due is not null`)
  yield* created(sql`
    create index if not exists telco_journal_changed on ${journal} (telco, kind, changed)`)
  yield* created(sql`
    create table if not exists ${locks} (
      telco text not null,
      iccid text not null,
      token text not null,
      held_until bigint not null,
      primary key (telco, iccid)
    )`)

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
        update ${journal} set due = ${until}::bigint
        from jsonb_to_recordset(${JSON.stringify(claims.map(({ key, version }) => ({ key, version })))}::jsonb)
          as claim(key text, version bigint)
        where telco = ${telco} and kind = ${kind} and ${journal}.key = claim.key and ${journal}.version = claim.version`.pipe(
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

/** A journal in the table `telco_journal`, which is created where it is missing, as is that of its locks. */
export const layer: Layer.Layer<Journal, SqlError.SqlError, SqlClient.SqlClient> = Layer.effect(Journal, make(""))

/** A journal in a schema that is there, whose name needs no quoting beyond quotes around it. */
export const layerIn = (schema: string): Layer.Layer<Journal, SqlError.SqlError, SqlClient.SqlClient> =>
  Layer.effect(Journal, make(`"${schema}".`))
