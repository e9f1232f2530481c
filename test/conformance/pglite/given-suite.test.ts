/**
 * The storage suite on a PGlite that the host has opened, and uses meanwhile: its transactions and
 * those of the ports take turns.
 */
import { Effect, Layer } from "effect"
import * as Memory from "simplan/memory"
import * as Pglite from "simplan/pglite"
import { afterAll, describe, expect, it } from "vitest"
import * as Opening from "../../../adapters/pglite/Opening.ts"
import * as StorageSuite from "../../../src/testing/StorageSuite.ts"

let transactions = 0

/** A PGlite with a host that has one transaction after the other. */
const busy = Effect.gen(function* () {
  const database = yield* Effect.acquireRelease(
    Effect.promise(() => Opening.inMemory()),
    (opened) => Effect.promise(() => opened.close())
  )
  yield* Effect.promise(() => database.exec("create table turns (number int not null); insert into turns values (0)"))
  const turn = Effect.promise(() =>
    database.transaction(async (tx) => {
      const { rows } = await tx.query<{ number: number }>("select number from turns")
      await new Promise((resolve) => setImmediate(resolve))
      await tx.query("update turns set number = $1", [(rows[0]?.number ?? 0) + 1])
      transactions += 1
    })
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(turn, Effect.sleep("20 millis"))))
  return Pglite.layer({ database })
})

StorageSuite.run(
  "a PGlite of the host",
  Layer.unwrap(busy),
  { describe, it, afterAll },
  {
    reference: Memory.layer,
    runs: 1
  }
)

it("had transactions of the host all the time", () => {
  expect(transactions).toBeGreaterThan(100)
})
