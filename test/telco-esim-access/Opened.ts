/** The port over a fake of eSIM Access, as one process or several on one journal. */
import { Context, Effect, Layer, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { Account, type CallFailure, Journal, Polls } from "../../adapters/telco-calls/index.ts"
import { EsimAccess, HttpApi } from "../../adapters/telco-esim-access/index.ts"
import * as Values from "../domain/Values.ts"
import * as FakeEsimAccess from "./FakeEsimAccess.ts"

type Always = "buySim" | "returnSim" | "listPackages" | "readUsage" | "setService"

/** The port with what this supplier always has. */
export type Port = Telco.Telco["Service"] & Required<Pick<Telco.Telco["Service"], Always>>

/** A process over the account. */
export const process = (
  fake: FakeEsimAccess.Fake,
  journal: Journal.Journal["Service"],
  {
    accessCode = fake.accessCode,
    url = fake.url,
    ...options
  }: Partial<EsimAccess.Options & { accessCode: string; url: string }> = {}
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      EsimAccess.layer({ telco: "esim-access", ...options }).pipe(
        Layer.provide([
          Layer.succeed(Journal.Journal, journal),
          HttpApi.layer({
            url,
            accessCode: Redacted.make(accessCode),
            callsPerSecond: Number.POSITIVE_INFINITY,
            failures: 1_000
          })
        ])
      )
    )
    const telco = Context.get(context, Telco.Telco)
    const { buySim, listPackages, readUsage, returnSim, setService } = telco
    if (!buySim || !listPackages || !readUsage || !returnSim || !setService) throw new Error("an operation is missing")
    return {
      ...Context.get(context, Account.Account),
      polls: Context.get(context, Polls.Polls),
      telco: { ...telco, buySim, listPackages, readUsage, returnSim, setService }
    }
  })

/** A process over an account and a journal of their own. */
export const open = Effect.gen(function* () {
  const fake = yield* FakeEsimAccess.make
  const journal = yield* Journal.makeMemory
  return { fake, journal, ...(yield* process(fake, journal)) }
})

/** A purchase of a bundle. */
export const purchase = (purchaseId: string, part: Partial<Telco.SimPurchase> = {}): Telco.SimPurchase => ({
  purchaseId,
  organizationId: "shop",
  label: "Green",
  load: "AU_1_7",
  limit: null,
  ...part
})

/** An order of a package of a bundle. */
export const order = (iccid: string, part: Partial<Telco.PackageOrder> = {}): Telco.PackageOrder => ({
  packageId: "attachment:0",
  iccid,
  window: null,
  load: "AU_1_7",
  terms: Values.terms({ name: "Australia", dataMegaBytes: 1_024, periodDays: 7 }),
  ...part
})

/** What a call fails with. */
export const failed = <A>(call: Effect.Effect<A, CallFailure.TelcoFailure>) => Effect.flip(call)

/** Repeats a call until it has an outcome, as the service does. */
export const repeated = <A>(call: Effect.Effect<A, CallFailure.TelcoFailure>, times = 20) =>
  Effect.retry(call, { while: ({ _tag }) => _tag === "Telco.Unavailable", times })
