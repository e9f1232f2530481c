/** The port over the fake of Airalo, on a journal that outlives it, by a clock that steps. */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { Plan, Telco as Port } from "simplan/ports"
import { Telco } from "simplan/ports"
import { Airalo } from "../../adapters/telco-airalo/index.ts"
import { Account, Journal, Polls } from "../../adapters/telco-calls/index.ts"
import * as SteppedClock from "../setup/SteppedClock.ts"
import * as FakeAiralo from "./FakeAiralo.ts"
import type { Options } from "./FakeBooks.ts"

export const LATE = 300_000

export const LOAD = "kallur-digital-7days-1gb"
export const TOP_UP = "kallur-digital-7days-1gb-topup"

export const terms: Plan.PlanTerms = {
  name: "1 GB - 7 Days",
  coverageId: "coverage",
  regionCode: "FO",
  label: "Green",
  dataMegaBytes: 1_024,
  periodDays: 7,
  throttling: [],
  recurrence: null
}

export const purchase = (purchaseId: string, more: Partial<Port.SimPurchase> = {}): Port.SimPurchase => ({
  purchaseId,
  organizationId: "shop",
  label: "Green",
  load: LOAD,
  limit: null,
  ...more
})

export const packageOrder = (
  packageId: string,
  iccid: string,
  more: Partial<Port.PackageOrder> = {}
): Port.PackageOrder => ({ packageId, iccid, window: null, terms, load: LOAD, ...more })

type Service = Omit<Telco.Telco["Service"], "capabilities">

export interface Shop {
  readonly fake: FakeAiralo.FakeAiralo
  readonly journal: Journal.Journal["Service"]
  /** Goes on with another process. */
  readonly restart: () => Promise<void>
  readonly run: <A, E>(use: (telco: Required<Service>) => Effect.Effect<A, E>) => Promise<A>
  readonly fails: <A, E>(use: (telco: Required<Service>) => Effect.Effect<A, E>) => Promise<E>
  readonly account: <A, E>(use: (account: Account.Account["Service"]) => Effect.Effect<A, E>) => Promise<A>
  readonly polls: <A, E>(use: (polls: Polls.Polls["Service"]) => Effect.Effect<A, E>) => Promise<A>
  readonly step: (millis: number) => void
  /** What was asked for of a route since the last time. */
  readonly asked: (route: string) => number
  readonly close: () => Promise<void>
}

const required = (telco: Service): Required<Service> => {
  const none = () => Effect.die("the port has it not")
  return {
    setService: none,
    listPackages: none,
    readUsage: none,
    compareUsage: none,
    buySim: none,
    returnSim: none,
    ...telco
  }
}

export const open = async (options: Options = {}): Promise<Shop> => {
  const journal = await Effect.runPromise(Journal.makeMemory)
  const { clock, step } = SteppedClock.of(await Effect.runPromise(Clock.clockWith(Effect.succeed)))
  const fake = await FakeAiralo.start({ usedAt: () => clock.currentTimeMillisUnsafe(), ...options })
  const start = () =>
    Effect.runPromise(
      Effect.scoped(
        Layer.build(
          Airalo.layer({
            url: fake.url,
            clientId: fake.clientId,
            clientSecret: Redacted.make(fake.clientSecret),
            timeout: "5 seconds",
            callsPerSecond: 10_000,
            failures: 1_000_000,
            lateMillis: LATE
          }).pipe(Layer.fresh, Layer.provide(Layer.succeed(Journal.Journal, journal)))
        )
      )
    )
  let process = await start()
  const run = <A, E>(call: Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(Effect.provideService(call, Clock.Clock, clock))
  const port = () => required(Context.get(process, Telco.Telco))
  return {
    fake,
    journal,
    restart: async () => {
      process = await start()
    },
    run: (use) => run(use(port())),
    fails: (use) => run(Effect.flip(use(port()))),
    account: (use) => run(use(Context.get(process, Account.Account))),
    polls: (use) => run(use(Context.get(process, Polls.Polls))),
    step,
    asked: (route) => {
      const all = fake.asked.filter((one) => FakeAiralo.routeOf(one) === route).length
      fake.asked.length = 0
      return all
    },
    close: fake.close
  }
}
