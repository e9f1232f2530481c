/**
 * The books that the simulator is tested over, each layer with a database of its own; orders, and
 * what is observed behind it.
 */
import { Duplex } from "node:stream"
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import type { Telco } from "simplan/ports"
import { type Faults, Books, SqlBooks, TelcoSimulator } from "simplan/telco-simulator"
import * as Opening from "../../../adapters/pglite/Opening.ts"
import type * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Values from "../../domain/Values.ts"

/** A client of an open PGlite. */
export const client = (database: PGlite) =>
  PgClient.layer({
    username: "postgres",
    database: "postgres",
    password: Redacted.make("unused"),
    maxConnections: 1,
    stream: () => {
      const stream: Duplex = new Duplex({
        read() {},
        write(chunk: Buffer, _encoding, done) {
          database.execProtocolRaw(new Uint8Array(chunk)).then((reply) => {
            if (reply.length > 0) stream.push(Buffer.from(reply))
            done()
          }, done)
        }
      })
      return stream
    }
  })

/** An embedded database that is copied from the run's template. */
export const database = async (): Promise<PGlite> => {
  const template = await Opening.template()
  return PGlite.create(template === undefined ? {} : { loadDataDir: template })
}

/** A client of an embedded database of its own. */
export const embedded = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(Effect.promise(database), (database) => Effect.promise(() => database.close())),
    client
  )
)

/** A client of a database of its own on the server. */
export const server = (maxConnections: number) =>
  Layer.unwrap(Effect.map(Databases.scoped(), ({ url }) => PgClient.layer({ url: Redacted.make(url), maxConnections })))

/** A client with one connection, to a database of its own. */
export const single = server(1)

export const memory = Books.layerMemory
export const pglite = Layer.orDie(Layer.provide(SqlBooks.layer, embedded))
export const postgres = Layer.orDie(Layer.provide(SqlBooks.layer, server(4)))

export const iccid = "8988303000000000017"

const terms = Values.terms({
  name: "Week",
  coverageId: "8a4a4f0e-3f8e-5a58-9a44-2d4d0c3f1f10",
  regionCode: "FR",
  periodDays: 7
})

export const window = { start: Date.UTC(2030, 0, 1), end: Date.UTC(2030, 0, 8) }
export const order = (packageId: string): Telco.PackageOrder => ({ packageId, iccid, window, terms })

const simulator = TelcoSimulator.TelcoSimulator

/** What the suite may see of a simulator. */
export const observe: TelcoSuite.Observe<TelcoSimulator.TelcoSimulator> = {
  packages: (ids) =>
    Effect.flatMap(simulator, ({ packages }) =>
      Effect.map(
        packages,
        (all) => all.filter((one) => ids.includes(one.packageId) && one.status !== "cancelled").length
      )
    ),
  messages: (to, text) =>
    Effect.flatMap(simulator, ({ messages }) =>
      Effect.map(messages, (all) => all.filter((one) => one.iccid === to && one.text === text).length)
    ),
  mobilePlan: (of) =>
    Effect.flatMap(simulator, ({ mobilePlans }) => Effect.map(mobilePlans, (all) => all.get(of) ?? false)),
  service: (of) => Effect.flatMap(simulator, ({ services }) => Effect.map(services, (all) => all.get(of) ?? true))
}

/** How the suite makes calls of a simulator go wrong. */
export const faults: TelcoSuite.Faults<TelcoSimulator.TelcoSimulator> = {
  loseRequest: (on) => next({ fault: "unavailable", on, times: 1 }),
  loseAnswer: (on) => next({ fault: "answer lost", on, times: 1 }),
  doLate: (on) => Effect.as(next({ fault: "slow", on, delay: "100 millis", times: 1 }), Effect.sleep("300 millis")),
  refuse: (on) => next({ fault: "refuse", on, times: 1 }),
  use: (packageId, bytes) => Effect.flatMap(simulator, ({ use }) => use({ packageId, bytes }))
}

const next = (fault: Faults.Fault) => Effect.flatMap(simulator, ({ setFaults }) => setFaults([fault]))
