/** The adapter over HTTP to the fake, with a journal in memory and a clock that is set. */
import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect"
import type { Amount, Telco } from "simplan/ports"
import { type CallFailure, Journal } from "../../adapters/telco-calls/index.ts"
import { AccountApi, EsimGo, HttpApi } from "../../adapters/telco-esim-go/index.ts"
import * as Values from "../domain/Values.ts"
import * as SteppedClock from "../setup/SteppedClock.ts"
import * as Supplier from "./Supplier.ts"
import * as SupplierServer from "./SupplierServer.ts"

export const LATE = 300_000

export const LOAD = Supplier.week.name
export const OTHER = Supplier.month.name

export interface World {
  readonly server: SupplierServer.SupplierServer
  readonly supplier: Supplier.Supplier
  readonly telco: Telco.Telco["Service"]
  readonly purchases: EsimGo.EsimGo["purchases"]
  /** Lets time pass. */
  readonly pass: (millis: number) => Effect.Effect<void>
  /** Another process on the same journal. */
  readonly other: (options?: Partial<EsimGo.Options>) => Effect.Effect<EsimGo.EsimGo, never, Scope.Scope>
}

export interface Options extends Partial<Omit<Parameters<typeof SupplierServer.start>[0], "now">> {
  readonly refunds?: boolean
  readonly key?: string
}

/** Runs with a supplier of its own. */
export const run = <A, E>(options: Options, use: (world: World) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.gen(function* () {
    const { clock, step } = SteppedClock.of(yield* Clock.Clock)
    const { key = SupplierServer.KEY, refunds = false, ...fake } = options
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => SupplierServer.start({ now: () => clock.currentTimeMillisUnsafe(), ...fake })),
      (server) => Effect.promise(() => server.close())
    )
    const journal = yield* Journal.makeMemory
    const other: World["other"] = (changes = {}) =>
      Effect.map(
        Layer.build(
          HttpApi.layer({ url: server.url, key: Redacted.make(key), callsPerSecond: 1_000_000, failures: 1_000_000 })
        ),
        (context) =>
          EsimGo.make(Context.get(context, AccountApi.AccountApi), journal, {
            telco: "esim-go",
            refunds,
            lateMillis: LATE,
            ...changes
          })
      )
    const { purchases, telco } = yield* other()
    const pass = (millis: number) => Effect.sync(() => step(millis))
    return yield* use({ server, supplier: server.supplier, telco, purchases, pass, other }).pipe(
      Effect.provideService(Clock.Clock, clock)
    )
  }).pipe(Effect.scoped, Effect.runPromise)

export const purchase = (purchaseId: string, load: string = LOAD, limit: Amount.Amount | null = null) => ({
  purchaseId,
  organizationId: "shop",
  label: "Green" as const,
  load,
  limit
})

export const order = (
  iccid: string,
  packageId: string,
  load: string = LOAD,
  more: Partial<Telco.PackageOrder> = {}
): Telco.PackageOrder => ({ packageId, iccid, window: null, terms: Values.terms(), load, ...more })

/** The port's optional operations, which this telco has. */
export const buy = (telco: Telco.Telco["Service"], of: Telco.SimPurchase) =>
  telco.buySim?.(of) ?? Effect.die("it sells none")

export const giveBack = (telco: Telco.Telco["Service"], of: { readonly purchaseId: string; readonly iccid: string }) =>
  telco.returnSim?.(of) ?? Effect.die("it takes none back")

/** How a call ends. */
export const outcome = <A>(call: Effect.Effect<A, CallFailure.TelcoFailure>): Effect.Effect<string> =>
  Effect.match(call, {
    onSuccess: () => "done",
    onFailure: (failure) => (failure._tag === "Telco.Refused" ? `refused: ${failure.message}` : "unavailable")
  })

/** The calls that changed something at the supplier. */
export const changes = ({ asked }: SupplierServer.SupplierServer): ReadonlyArray<string> =>
  asked.map(({ operation }) => operation).filter((operation) => !operation.startsWith("GET"))
