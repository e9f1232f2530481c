/** eSIM Go over HTTP to its fake is a telco, by what it declares. */
import { Context, Effect, Layer, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { afterAll, describe, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { AccountApi, EsimGo, HttpApi } from "../../adapters/telco-esim-go/index.ts"
import * as TelcoSuite from "../../src/testing/TelcoSuite.ts"
import * as Supplier from "./Supplier.ts"
import * as SupplierServer from "./SupplierServer.ts"

const layer = Layer.effect(
  Telco.Telco,
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => SupplierServer.start({ now: Date.now })),
      (started) => Effect.promise(() => started.close())
    )
    const options = { url: server.url, key: Redacted.make(SupplierServer.KEY), callsPerSecond: 1_000_000 }
    const context = yield* Layer.build(HttpApi.layer(options))
    const journal = yield* Journal.makeMemory
    return EsimGo.make(Context.get(context, AccountApi.AccountApi), journal, { telco: "esim-go" }).telco
  })
)

TelcoSuite.run("eSIM Go", layer, { describe, it, afterAll }, { findsOthers: true, load: Supplier.week.name })
