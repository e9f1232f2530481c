/** The adapter over HTTP, with a journal in memory, and what a caller does with it. */
import { type Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { Telco } from "simplan/ports"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { HttpApi, Ocs, Orders } from "../../adapters/telco-ocs/index.ts"
import * as Values from "../domain/Values.ts"

/** The watch time of orders, in milliseconds. */
const WATCH = 800

/** What the layer has beside the port. */
export type Services = Ocs.Services | Journal.Journal

/** The telco at an address of a system or of a network before it. */
export const layer = (origin: string, timeout: Duration.Input = "5 seconds") =>
  Ocs.layer({
    telco: "ocs",
    resellerId: 1,
    zones: { Green: { FR: 27 } },
    mobilePlanId: 10,
    watch: `${WATCH} millis`,
    listLag: 0
  }).pipe(
    Layer.provide(
      HttpApi.layer({
        url: `${origin}/ocs-custo/main/v1`,
        urlV2: `${origin}/ocs-custo/main/v2`,
        token: Redacted.make("ocs-token"),
        resellerId: 1,
        timeout,
        callsPerSecond: 1_000_000,
        failures: 1_000_000
      })
    ),
    Layer.provideMerge(Journal.layerMemory)
  )

export const terms = Values.terms({
  name: "Week",
  coverageId: "8a4a4f0e-3f8e-5a58-9a44-2d4d0c3f1f10",
  regionCode: "FR",
  periodDays: 7
})

export const order = (iccid: string, window: Telco.PackageOrder["window"] = null): Telco.PackageOrder => ({
  packageId: `of-${iccid}:0`,
  iccid,
  window,
  terms
})

/** Asks again until the telco says yes or no, as jobs do. */
const repeated = <A>(call: Effect.Effect<A, Telco.Refused | Telco.Unavailable>) =>
  Effect.retry(call, {
    while: ({ _tag }) => _tag === "Telco.Unavailable",
    times: 100,
    schedule: Schedule.spaced("20 millis")
  })

export const create = (iccid: string, window?: Telco.PackageOrder["window"]) =>
  Telco.Telco.use((telco) => repeated(telco.createPackage(order(iccid, window))))

export const cancel = (iccid: string) =>
  Telco.Telco.use((telco) => repeated(telco.cancelPackage({ iccid, packageId: order(iccid).packageId })))

/** Lets the watch time pass, and settles the orders that are due. */
export const settle = Effect.gen(function* () {
  yield* Effect.sleep(WATCH)
  const { settle } = yield* Orders.Orders
  while ((yield* settle({ limit: 1_000, report: () => Effect.void })).due > 0) yield* Effect.void
})
