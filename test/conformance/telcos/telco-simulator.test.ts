import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Telco } from "simplan/ports"
import { Books, SqlBooks, TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, describe, expect, it } from "vitest"
import * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import { client, database, faults, iccid, memory, observe, order, pglite, postgres, single } from "./SimulatorBooks.ts"

const simulator = TelcoSimulator.TelcoSimulator

for (const [name, books] of Object.entries({ memory, PGlite: pglite, PostgreSQL: postgres })) {
  const simulated = TelcoSimulator.layer({ findsOthers: true }).pipe(Layer.provide(books))
  const options = { observe, faults, findsOthers: true }
  TelcoSuite.run(`The simulator over books in ${name}`, simulated, { describe, it, afterAll }, options)
}

for (const [name, books] of Object.entries({ memory, PGlite: pglite, PostgreSQL: postgres })) {
  describe(`The simulator's books in ${name}`, () => {
    it("have a document or another one that excludes it, whoever asks at the same moment", () =>
      Effect.gen(function* () {
        const { add, addUnless, all } = yield* Books.Books
        yield* add("end", "spent", { by: 1 })
        const begin = (key: string, by: number) => addUnless("end", "beginning", key, { by })
        const together = Effect.all([begin("spent", 1), begin("new", 1), begin("new", 2), begin("newer", 1)], {
          concurrency: "unbounded"
        })
        const outcome = [
          { kind: "end", document: { by: 1 } },
          { kind: "beginning", document: { by: 1 } },
          { kind: "beginning", document: { by: 1 } },
          { kind: "beginning", document: { by: 1 } }
        ]
        expect(yield* together).toEqual(outcome)
        expect(yield* together).toEqual(outcome)
        expect(yield* add("beginning", "spent", { by: 2 })).toEqual({ by: 2 })
        expect(yield* begin("spent", 3)).toEqual({ kind: "end", document: { by: 1 } })
        expect((yield* all("beginning")).map(({ key }) => key).sort()).toEqual(["new", "newer", "spent"])
      }).pipe(Effect.provide(books), Effect.runPromise))
  })
}

describe("The simulator's books in PGlite", () => {
  it("survive a restart, refusals and spent keys included", async () => {
    const embedded = await database()
    const process = <A, E>(effect: Effect.Effect<A, E, Telco.Telco | TelcoSimulator.TelcoSimulator>) =>
      effect.pipe(
        Effect.provide(TelcoSimulator.layer().pipe(Layer.provide(SqlBooks.layer), Layer.provide(client(embedded)))),
        Effect.runPromise
      )
    const before = await process(
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        const behind = yield* simulator
        yield* telco.cancelPackage({ packageId: "spent:0", iccid })
        yield* behind.setFaults([{ fault: "refuse", times: 1 }])
        yield* Effect.flip(telco.createPackage(order("refused:0")))
        return yield* telco.createPackage(order("a:0"))
      })
    )
    await process(
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        const behind = yield* simulator
        expect(yield* telco.createPackage(order("a:0"))).toEqual(before)
        expect((yield* Effect.flip(telco.createPackage(order("spent:0"))))._tag).toBe("Telco.Refused")
        expect((yield* Effect.flip(telco.createPackage(order("refused:0"))))._tag).toBe("Telco.Refused")
        expect(yield* behind.packages).toHaveLength(1)
        expect(yield* behind.spentKeys).toEqual(["spent:0"])
      })
    )
    await embedded.close()
  })
})

describe("The simulator's books on PostgreSQL", () => {
  it("are moved into the schema where a server had them outside, and those of both are joined", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const open = Effect.provide(Books.Books, Layer.fresh(SqlBooks.layer))
      yield* (yield* open).add("package", "old", { by: "server" })
      yield* sql`alter table simplan.telco_simulator_book set schema public`
      expect(yield* (yield* open).get("package", "old")).toEqual({ by: "server" })
      yield* sql`create table public.telco_simulator_book (like simplan.telco_simulator_book including all)`
      yield* sql`
        insert into public.telco_simulator_book (kind, key, document) values
          ('package', 'old', '{"by":"other"}'), ('package', 'new', '{"by":"other"}')`
      const books = yield* open
      expect(yield* books.get("package", "old")).toEqual({ by: "server" })
      expect(yield* books.get("package", "new")).toEqual({ by: "other" })
      expect(
        yield* sql`select schemaname::text as name from pg_tables where tablename = 'telco_simulator_book'`
      ).toEqual([{ name: "simplan" }])
    }).pipe(Effect.provide(single), Effect.runPromise))

  it("are looked up by their keys, however many calls ask at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const books = yield* Books.Books
      yield* sql`
        insert into simplan.telco_simulator_book (kind, key, document)
        select 'package', 'known:' || i, '{}' from generate_series(1, 20000) i`
      const readAsAWhole = Effect.gen(function* () {
        yield* sql`select pg_stat_force_next_flush()`
        const [row] = yield* sql<{ readonly scans: number }>`
          select seq_scan::int as scans from pg_stat_user_tables where relname = 'telco_simulator_book'`
        return row?.scans
      })
      const before = yield* readAsAWhole
      expect(before).toBeTypeOf("number")
      const keys = Array.from({ length: 60 }, (_, index) => `known:${index * 100}`)
      const found = yield* Effect.forEach(keys, (key) => books.get("package", key), { concurrency: "unbounded" })
      expect(found.filter((document) => document !== null)).toHaveLength(59)
      yield* Effect.forEach(keys, (key) => books.add("package", `new ${key}`, { key }), { concurrency: "unbounded" })
      expect(yield* readAsAWhole).toBe(before)
    }).pipe(Effect.provide(SqlBooks.layer.pipe(Layer.provideMerge(single))), Effect.runPromise))
})

describe("The suite", () => {
  it("finds a telco that knows no keys", async () => {
    let created = 0
    const careless = Layer.succeed(Telco.Telco, {
      createPackage: () => Effect.sync(() => ({ telcoPackageId: String(created++), activationAt: 2, expirationAt: 1 })),
      suspendPackage: ({ packageId }) => Effect.fail(new Telco.Refused({ message: `${packageId} is unknown` })),
      cancelPackage: () => Effect.void,
      sendSms: () => Effect.void,
      releaseProfile: () => Effect.void,
      setMobilePlan: () => Effect.void
    })
    const failed = await Effect.runPromise(
      Effect.filter(TelcoSuite.cases(), ({ effect }) => Effect.map(Effect.exit(effect), Exit.isFailure)).pipe(
        Effect.provide(careless)
      )
    )
    expect(failed.map(({ name }) => name)).toEqual([
      "creating a package again gives the same package and no second one",
      "creating a package with one key many times at once gives one package",
      "the times of a package with a window, where reported, are in order and stay the same",
      "a package that waits for its first use has no times, or times in order",
      "a package that was never created can be cancelled, and its key is spent",
      "a cancelled package's key is spent",
      "cancelling one package leaves its neighbours",
      "a package that is not there can be suspended",
      "suspending again succeeds, and a suspended package can be cancelled",
      "a second package on a SIM is made, unless the telco declares that it would be merged: then it is refused",
      "the first order of a SIM on which others have a package is taken, or refused as that"
    ])
  })

  const layer = TelcoSimulator.layerMemory()
  const nothing = { describe: () => {}, it: () => {} }

  it("skips a case by its name", () => {
    const names: Array<string> = []
    const runner = {
      describe: (_: string, define: () => void) => define(),
      it: (name: string) => names.push(name)
    }
    TelcoSuite.run("one", layer, runner, { skip: { "cancelling again succeeds": "not there yet" } })
    expect(names).toHaveLength(TelcoSuite.cases().length - 1)
    expect(names).not.toContain("cancelling again succeeds")
  })

  it("has no case of another name to skip", () => {
    expect(() => TelcoSuite.run("one", layer, nothing, { skip: { typo: "" } })).toThrow("typo")
  })
})
