/** What the port of the journal promises, over each of its implementations. */
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, describe, expect, it } from "vitest"
import { Journal, SqlJournal } from "../../adapters/telco-calls/index.ts"
import * as Suite from "../../src/testing/Suite.ts"
import { embedded, server } from "../conformance/telcos/SimulatorBooks.ts"
import type * as Tests from "../setup/Tests.ts"

const entry = (key: string, part: Partial<Journal.NewEntry> = {}): Journal.NewEntry => ({
  telco: "ocs",
  kind: "package",
  key,
  iccid: null,
  externalId: null,
  document: {},
  dueAt: null,
  ...part
})

const place = (key: string, part: Partial<Journal.Place> = {}): Journal.Place => {
  const { kind, telco } = entry(key)
  return { telco, kind, key, ...part }
}

const keys = (entries: ReadonlyArray<Journal.Entry>): ReadonlyArray<string> => entries.map(({ key }) => key)

/** Runs at a time. */
const at = <A, E, R>(now: number, effect: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) =>
    Effect.provideService(effect, Clock.Clock, {
      currentTimeMillis: Effect.succeed(now),
      currentTimeMillisUnsafe: () => now,
      currentTimeNanos: clock.currentTimeNanos,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      sleep: (duration) => clock.sleep(duration)
    })
  )

const promise = (
  name: string,
  body: Tests.Body<Journal.Journal, [journal: Journal.Journal["Service"]]>
): Suite.Case<Journal.Journal> => ({
  name,
  effect: Effect.flatMap(Journal.Journal, (journal) => Effect.gen(() => body(journal)))
})

const cases = [
  promise("an entry is what was added, and a place has one", function* (journal) {
    const document = { aB: { c_d: [1, null, "é😊\\u0041'"] }, big: 2 ** 53 - 1 }
    const added = entry("one", { iccid: "8901", externalId: "17", document, dueAt: Date.UTC(2030, 0, 1) })
    expect(yield* journal.get(place("one"))).toBe(null)
    expect(yield* journal.add(added)).toEqual({ ...added, version: 1 })
    expect(yield* journal.add({ ...added, document: {} })).toBe(null)
    expect(yield* journal.get(place("one"))).toEqual({ ...added, version: 1 })
    expect(yield* journal.get(place("one", { kind: "sms" }))).toBe(null)
    expect(yield* journal.get(place("one", { telco: "other" }))).toBe(null)
    expect(yield* journal.add({ ...added, telco: "other" })).toEqual({ ...added, telco: "other", version: 1 })
  }),
  promise("only who has read the latest version replaces an entry", function* (journal) {
    yield* journal.add(entry("guarded", { iccid: "8902", externalId: "1", dueAt: 5 }))
    const next = { ...entry("guarded", { document: { state: "done" } }), version: 1 }
    expect(yield* journal.replace(next)).toEqual({ ...next, version: 2 })
    expect(yield* journal.replace({ ...next, document: { state: "late" } })).toBe(null)
    expect(yield* journal.get(place("guarded"))).toEqual({ ...next, version: 2 })
    expect(yield* journal.replace({ ...entry("missing"), version: 1 })).toBe(null)
    const together = Effect.all(
      [1, 2, 3, 4].map((by) => journal.replace({ ...next, version: 2, document: { by } })),
      { concurrency: "unbounded" }
    )
    expect((yield* together).filter((one) => one !== null)).toHaveLength(1)
    expect((yield* journal.get(place("guarded")))?.version).toBe(3)
  }),
  promise("a write makes another entry due with it, or neither is written", function* (journal) {
    const sim = { telco: "ocs", kind: "polled", key: "8910" }
    const also = (dueAt: number) => ({ ...sim, iccid: "8910", dueAt })
    yield* journal.add(entry("order"), also(70))
    const added = yield* journal.get(sim)
    expect(added).toEqual({ ...sim, iccid: "8910", externalId: null, document: {}, dueAt: 70, version: 1 })
    expect(yield* journal.add(entry("order"), also(60))).toBe(null)
    expect(yield* journal.replace({ ...entry("order"), version: 7 }, also(60))).toBe(null)
    expect(yield* journal.get(sim)).toEqual(added)
    const document = { state: "polled before" }
    yield* journal.replace({ ...entry("8910", { ...sim, iccid: "8910", document }), version: 1 })
    expect(yield* journal.replace({ ...entry("order"), version: 1 }, also(60))).toMatchObject({
      key: "order",
      version: 2
    })
    expect(yield* journal.get(sim)).toMatchObject({ dueAt: 60, version: 3, document })
    yield* journal.replace({ ...entry("order"), version: 2 }, also(80))
    expect(yield* journal.get(sim)).toMatchObject({ dueAt: 60, version: 4, document })
  }),
  promise("SIMs are found that have an entry of a kind, and none of another kind that is due", function* (journal) {
    const of = { telco: "ocs", kind: "bought", other: "watched", after: null, limit: 10 }
    const bought = (iccid: string, key = iccid) => journal.add(entry(key, { kind: "bought", iccid }))
    for (const iccid of ["8925", "8921", "8923", "8922", "8924"]) yield* bought(iccid)
    yield* bought("8921", "twice")
    yield* journal.add(entry("8922", { kind: "watched", dueAt: 5 }))
    yield* journal.add(entry("8923", { kind: "watched" }))
    yield* journal.add(entry("8924", { kind: "watched", telco: "other", dueAt: 5 }))
    expect(yield* journal.withoutDue(of)).toEqual(["8921", "8923", "8924", "8925"])
    expect(yield* journal.withoutDue({ ...of, after: "8921", limit: 2 })).toEqual(["8923", "8924"])
    expect(yield* journal.withoutDue({ ...of, telco: "other" })).toEqual([])
  }),
  promise("of those that add at one place at once, one does", function* (journal) {
    const together = Effect.all(
      [1, 2, 3, 4].map((by) => journal.add(entry("contended", { document: { by } }))),
      { concurrency: "unbounded" }
    )
    const added = (yield* together).filter((one) => one !== null)
    expect(added).toHaveLength(1)
    expect(yield* journal.get(place("contended"))).toEqual(added[0])
  }),
  promise("the entries of a SIM come in the order in which they were added, also after changes", function* (journal) {
    const of = { telco: "ocs", kind: "package", iccid: "8903" }
    for (const key of ["z", "a", "m"]) yield* journal.add(entry(`sim-${key}`, { iccid: "8903" }))
    yield* journal.add(entry("sim-other", { iccid: "8904" }))
    yield* journal.add(entry("sim-sms", { iccid: "8903", kind: "sms" }))
    yield* journal.replace({ ...entry("sim-z", { iccid: "8903", document: { changed: true } }), version: 1 })
    expect(keys(yield* journal.ofSim(of))).toEqual(["sim-z", "sim-a", "sim-m"])
    expect(keys(yield* journal.ofSim({ ...of, kind: "sms" }))).toEqual(["sim-sms"])
    expect(keys(yield* journal.ofSim({ ...of, telco: "other" }))).toEqual([])
  }),
  promise("an entry is found by the telco's own id, the one added first before others", function* (journal) {
    const of = { telco: "ocs", kind: "package", externalId: "414" }
    expect(yield* journal.ofExternalId(of)).toBe(null)
    yield* journal.add(entry("external-late"))
    yield* journal.add(entry("external-first", { externalId: "414" }))
    yield* journal.replace({ ...entry("external-late", { externalId: "414" }), version: 1 })
    expect((yield* journal.ofExternalId(of))?.key).toBe("external-late")
    yield* journal.replace({ ...entry("external-late"), version: 2 })
    expect((yield* journal.ofExternalId(of))?.key).toBe("external-first")
    expect(yield* journal.ofExternalId({ ...of, kind: "sms" })).toBe(null)
  }),
  promise("due entries are claimed once, the one due first coming first", function* (journal) {
    const of = { telco: "ocs", kind: "due", now: 100, until: 200 }
    const due = { c: 100, a: 30, never: null, b: 30, late: 101 }
    for (const [key, dueAt] of Object.entries(due)) yield* journal.add(entry(`due-${key}`, { kind: "due", dueAt }))
    const first = yield* journal.claimDue({ ...of, limit: 2 })
    expect(keys(first)).toEqual(["due-a", "due-b"])
    expect(first.map(({ dueAt, version }) => ({ dueAt, version }))).toEqual([
      { dueAt: 200, version: 2 },
      { dueAt: 200, version: 2 }
    ])
    expect(keys(yield* journal.claimDue({ ...of, limit: 10 }))).toEqual(["due-c"])
    expect(keys(yield* journal.claimDue({ ...of, limit: 10 }))).toEqual([])
    const again = keys(yield* journal.claimDue({ ...of, now: 200, until: 300, limit: 10 }))
    expect(again[0]).toBe("due-late")
    expect([...again].sort()).toEqual(["due-a", "due-b", "due-c", "due-late"])
    // Whoever had claimed an entry before replaces it no longer.
    expect(yield* journal.replace({ ...entry("due-a", { kind: "due" }), version: 2 })).toBe(null)
  }),
  promise("a claim is renewed while nobody has changed its entry, which stays as it was claimed", function* (journal) {
    const of = { telco: "ocs", kind: "renewed" }
    for (const key of ["kept", "moved", "other"]) yield* journal.add(entry(key, { kind: "renewed", dueAt: 1 }))
    const claims = yield* journal.claimDue({ ...of, now: 1, until: 50, limit: 2 })
    expect(keys(claims)).toEqual(["kept", "moved"])
    yield* journal.replace({ ...entry("moved", { kind: "renewed", dueAt: 20 }), version: 2 })
    yield* journal.renew({ ...of, claims, until: 90 })
    const dues = yield* Effect.forEach(["kept", "moved", "other"], (key) => journal.get(place(key, of)))
    expect(dues.map((one) => [one?.dueAt, one?.version])).toEqual([
      [90, 2],
      [20, 3],
      [1, 1]
    ])
    yield* journal.renew({ ...of, claims: [], until: 100 })
    expect(keys(yield* journal.claimDue({ ...of, now: 89, until: 200, limit: 5 }))).toEqual(["other", "moved"])
  }),
  promise("claims at the same moment never take the same entry", function* (journal) {
    for (let one = 0; one < 20; one++) yield* journal.add(entry(`busy-${one}`, { kind: "busy", dueAt: one }))
    const claim = journal.claimDue({ telco: "ocs", kind: "busy", now: 50, until: 500, limit: 5 })
    const claimed = (yield* Effect.all([claim, claim, claim, claim], { concurrency: "unbounded" })).flatMap(keys)
    expect(new Set(claimed).size).toBe(claimed.length)
    const rest: Array<string> = []
    for (let more = keys(yield* claim); more.length > 0; more = keys(yield* claim)) rest.push(...more)
    expect(claimed.length + rest.length).toBe(20)
  }),
  promise(
    "entries of a kind that have not changed since a time are purged, at most as many as asked",
    function* (journal) {
      const purged = (part: Partial<Journal.Place & { before: number; limit: number }> = {}) =>
        journal.purge({ telco: "ocs", kind: "old", before: 100, limit: 10, ...part })
      const old = (key: string, part: Partial<Journal.NewEntry> = {}) =>
        entry(key, { kind: "old", iccid: "8907", ...part })
      for (const key of ["old-1", "old-2", "old-3"]) yield* at(99, journal.add(old(key)))
      yield* at(100, journal.add(old("new")))
      yield* at(1, journal.add(old("replaced")))
      yield* at(100, journal.replace({ ...old("replaced"), version: 1 }))
      yield* at(1, journal.add(old("claimed", { dueAt: 1 })))
      yield* journal.claimDue({ telco: "ocs", kind: "old", now: 100, until: 200, limit: 1 })
      yield* at(1, journal.add(old("other-kind", { kind: "older" })))
      yield* at(1, journal.add(old("other-telco", { telco: "other" })))
      expect([yield* purged({ before: 99 }), yield* purged({ limit: 2 }), yield* purged()]).toEqual([0, 2, 1])
      const left = (part: Partial<Journal.Place>) =>
        Effect.map(journal.ofSim({ telco: "ocs", kind: "old", iccid: "8907", ...part }), keys)
      expect([yield* left({}), yield* left({ kind: "older" }), yield* left({ telco: "other" })]).toEqual([
        ["new", "replaced", "claimed"],
        ["other-kind"],
        ["other-telco"]
      ])
      expect((yield* journal.add(old("old-1")))?.version).toBe(1)
    }
  ),
  promise("what is written together is written, and failed together fails", function* (journal) {
    const both = Effect.all([journal.add(entry("left")), journal.add(entry("right"))])
    expect((yield* journal.together(both)).map((one) => one?.version)).toEqual([1, 1])
    expect(yield* journal.get(place("right"))).toMatchObject({ version: 1 })
    const failing = journal.together(Effect.fail(new Journal.JournalError({ message: "not today" })))
    expect(yield* Effect.flip(failing)).toMatchObject({ _tag: "JournalError", message: "not today" })
  }),
  promise("a lock is held by one token until it is given back or ends", function* (journal) {
    const lock = (token: string, now: number, part: Partial<Journal.Lock> = {}) =>
      journal.lock({ telco: "ocs", iccid: "8905", token, now, until: now + 10, ...part })
    const unlock = (token: string) => journal.unlock({ telco: "ocs", iccid: "8905", token })
    expect(yield* lock("mine", 0)).toBe(true)
    expect(yield* lock("yours", 9)).toBe(false)
    expect(yield* lock("yours", 9, { iccid: "8906" })).toBe(true)
    expect(yield* lock("yours", 9, { telco: "other" })).toBe(true)
    expect(yield* lock("mine", 9)).toBe(true)
    expect(yield* lock("yours", 18)).toBe(false)
    expect(yield* lock("yours", 19)).toBe(true)
    yield* unlock("mine")
    expect(yield* lock("mine", 20)).toBe(false)
    yield* unlock("yours")
    expect(yield* lock("mine", 20)).toBe(true)
    yield* unlock("mine")
    const together = Effect.all(
      ["a", "b", "c"].map((token) => lock(token, 30)),
      { concurrency: "unbounded" }
    )
    expect((yield* together).filter((held) => held)).toHaveLength(1)
  })
]

const Names = Schema.Array(Schema.Struct({ name: Schema.String }))

const inSchema = Layer.unwrap(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create schema "telco apart"`
    return SqlJournal.layerIn("telco apart")
  })
)

const journals = {
  memory: Journal.layerMemory,
  PGlite: Layer.provide(SqlJournal.layer, embedded),
  PostgreSQL: Layer.provide(SqlJournal.layer, server(4)),
  "a schema of PostgreSQL": Layer.provide(inSchema, server(4))
}

for (const [name, journal] of Object.entries(journals)) {
  Suite.run(`The journal in ${name}`, Layer.orDie(journal), cases, { describe, it, afterAll })
}

describe("The journal in PostgreSQL", () => {
  it("may be created by several processes at once, and a schema's is apart", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create schema mine`
      const open = (layer: typeof SqlJournal.layer) => Effect.provide(Journal.Journal, Layer.fresh(layer))
      const [one, two] = yield* Effect.all([open(SqlJournal.layer), open(SqlJournal.layer)], { concurrency: 2 })
      const apart = yield* open(SqlJournal.layerIn("mine"))
      yield* one.add(entry("shared"))
      expect(yield* two.get(place("shared"))).toEqual({ ...entry("shared"), version: 1 })
      expect(yield* apart.get(place("shared"))).toBe(null)
      const tables = yield* Schema.decodeUnknownEffect(Names)(
        yield* sql`select tablename as name from pg_tables where schemaname = 'mine' order by 1`
      )
      expect(tables.map(({ name }) => name)).toEqual(["telco_journal", "telco_journal_lock"])
    }).pipe(Effect.provide(server(4)), Effect.runPromise))

  /** As servers had it outside of the schema of the service. */
  const leaveOutside = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const name of ["telco_journal", "telco_journal_lock"]) {
      yield* sql`alter table simplan.${sql.literal(name)} set schema public`
    }
  })

  /** The schemas of the journal's tables and indexes. */
  const places = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly place: string; readonly names: number }>`
      select nspname::text as place, count(*)::int as names
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where relname like 'telco_journal%' group by 1 order by 1`
    return rows.map(({ names, place: of }) => [of, names])
  })

  const open = (layer: typeof SqlJournal.layer) => Effect.provide(Journal.Journal, Layer.fresh(layer))

  const onServer = (name: string, body: () => Generator<Effect.Effect<unknown, unknown, SqlClient.SqlClient>>) =>
    it(name, () => Effect.gen(body).pipe(Effect.provide(server(4)), Effect.runPromise))

  onServer("is moved into the schema by one of two processes that start at once, with all that it has", function* () {
    const before = yield* open(SqlJournal.layer)
    yield* before.add({ ...entry("old"), dueAt: 5 })
    const whole = yield* places
    expect(whole).toEqual([["simplan", 9]])
    yield* leaveOutside
    const both = [open(SqlJournal.layer), open(SqlJournal.layer)]
    for (const journal of yield* Effect.all(both, { concurrency: 2 })) {
      expect(yield* journal.get(place("old"))).toEqual({ ...entry("old"), dueAt: 5, version: 1 })
    }
    yield* (yield* open(SqlJournal.layer)).add(entry("new"))
    expect(yield* places).toEqual(whole)
  })

  onServer("is joined with the one that a host has had there: of two entries the answered one stays", function* () {
    const sql = yield* SqlClient.SqlClient
    const theirs = yield* open(SqlJournal.layer)
    yield* theirs.add({ ...entry("both"), externalId: "answered" })
    yield* theirs.add(entry("server's"))
    yield* theirs.add(entry("later"))
    yield* leaveOutside
    yield* sql`create schema apart`
    yield* sql`create table simplan.telco_journal (like public.telco_journal including all)`
    yield* sql`
      insert into simplan.telco_journal (telco, kind, key, document, version, changed)
      select telco, kind, key, '{"by":"host"}', 7, changed + 1 from public.telco_journal where key <> 'server''s'`
    yield* sql`insert into simplan.telco_journal (telco, kind, key, document, version, changed)
      select telco, kind, 'host''s', '{}', 1, 1 from public.telco_journal where key = 'both'`
    const journal = yield* open(SqlJournal.layer)
    expect(yield* journal.get(place("both"))).toMatchObject({ externalId: "answered", version: 8 })
    expect(yield* journal.get(place("later"))).toMatchObject({ document: { by: "host" }, version: 7 })
    expect(yield* journal.get(place("server's"))).toMatchObject({ version: 1 })
    expect(yield* journal.get(place("host's"))).not.toBe(null)
    expect((yield* places).map(([of]) => of)).toEqual(["simplan"])
  })

  onServer("is left where it is by a service in another schema, and where it is another's", function* () {
    const sql = yield* SqlClient.SqlClient
    yield* open(SqlJournal.layer)
    yield* leaveOutside
    yield* open(SqlJournal.layerIn("esim"))
    expect(yield* places).toEqual([
      ["esim", 9],
      ["public", 9]
    ])
    // Services may be in any schema, also in this one.
    yield* sql`create table public.migration (id int)`
    yield* sql`create table public.sim (id int)`
    yield* open(SqlJournal.layer)
    expect((yield* places).map(([of]) => of)).toEqual(["esim", "public", "simplan"])
    yield* sql`drop table public.migration`
    yield* sql`drop schema simplan cascade`
    // A table of the name alone.
    yield* sql`alter table public.telco_journal drop column external`
    yield* open(SqlJournal.layer)
    expect(
      yield* sql`select count(*)::int as n from pg_tables where schemaname = 'public' and tablename = 'telco_journal'`
    ).toEqual([{ n: 1 }])
  })

  onServer(
    "asks for no right to make tables where they are there, and says whom to ask where they are not",
    function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly name: string }>`select 'rows_' || current_database() as name`
      const role = sql.literal(row?.name ?? "")
      yield* open(SqlJournal.layer)
      yield* sql`create role ${role}`
      yield* sql`grant usage on schema simplan to ${role}`
      yield* sql`grant all on all tables in schema simplan to ${role}`
      const asRole = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        sql.withTransaction(Effect.andThen(sql`set local role ${role}`, effect))
      const journal = yield* asRole(open(SqlJournal.layer))
      yield* journal.add(entry("one"))
      yield* leaveOutside
      expect(yield* Effect.flip(asRole(open(SqlJournal.layer)))).toMatchObject({
        message:
          "The tables telco_journal and telco_journal_lock cannot be kept in the schema simplan: must be owner of table telco_journal; have `simplan migrate` run once by the user who owns the schema and such tables outside of it"
      })
      yield* sql`drop owned by ${role}`
      yield* sql`drop role ${role}`
    }
  )
})
