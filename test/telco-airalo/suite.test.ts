/** Airalo over HTTP to its fake is a telco, by what it declares. */
import { Effect, Layer, Redacted } from "effect"
import { afterAll, describe, it } from "vitest"
import { Airalo } from "../../adapters/telco-airalo/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import * as FakeAiralo from "./FakeAiralo.ts"
import * as Shop from "./Shop.ts"

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const fake = yield* Effect.acquireRelease(
      Effect.promise(() => FakeAiralo.start()),
      (started) => Effect.promise(() => started.close())
    )
    const { clientId, clientSecret, url } = fake
    return Airalo.layer({ url, clientId, clientSecret: Redacted.make(clientSecret), callsPerSecond: 10_000 }).pipe(
      Layer.fresh,
      Layer.provide(Journal.layerMemory)
    )
  })
)

TelcoSuite.run("Airalo", layer, { describe, it, afterAll }, { findsOthers: true, load: Shop.LOAD, terms: Shop.terms })
