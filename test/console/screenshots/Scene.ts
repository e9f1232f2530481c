/**
 * What the screenshots show: two organizations, some sales in all states, a telco that cancels
 * nothing for an hour, a failing endpoint, and a stock that is low.
 */
import { Effect, Layer } from "effect"
import { Processes } from "simplan"
import { Storage, WebhookSender } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import * as Inventory from "../../http/Inventory.ts"
import * as World from "../../http/World.ts"

const MEGABYTE = 1_048_576

const NAMES = ["Traveller Mobile", "Harbour Logistics"] as const

const failing = Layer.succeed(WebhookSender.WebhookSender, {
  send: () => Effect.succeed({ status: 500, body: "", durationMillis: 12 })
})

/** The service that the scene is played at. */
export const start = (console: string): Promise<World.World> =>
  World.start({
    console,
    sender: failing,
    telcos: undefined,
    isSimulated: true,
    around: Layer.succeed(Processes.Described, { version: "0.2.0+5f60ef137ab2", host: "esim-1" })
  })

export interface Scene {
  readonly organizationId: string
  /** A SIM that was used for days, one that waits for its first use, and a free one. */
  readonly iccid: string
  readonly fresh: string
  readonly free: string
}

export const play = async (world: World.World): Promise<Scene> => {
  const { plan, planId, tenant } = await Inventory.stock(world, 1, 12, NAMES[0])
  const { organizationId } = tenant
  await world.admin("POST", "/organizations", { name: NAMES[1] })
  const weekly = await plan({
    name: "France weekly 2 GB",
    data_MBs: 2_000,
    period_days: 7,
    recurring: true,
    nb_occurrence: 8,
    recurring_periodicity_type: "1",
    recurring_periodicity_frequency: 1
  })
  const slow = await plan({ name: "France slow lane", ...Inventory.throttled })
  const hook = { url: "https://hooks.traveller.example/esim", events: ["attachment.activated", "stock.low"] }
  await world.admin("POST", `/organizations/${organizationId}/webhook-endpoints`, hook)
  await tenant.call("PUT", "/v3/sims/stock/levels", { body: { levels: [{ label: "Green", level: 5 }] } })
  await tenant.call("PATCH", `/v3/sims/${World.iccid(1)}`, { body: { tags: ["reseller 7", "VIP"] } })
  const sell = (serial: number, of = planId) =>
    tenant.post("/v3/subscription", {
      plan_id: of,
      metadata: `order ${2_000 + serial}`,
      iccid: World.iccid(serial)
    })
  const advance = (by: string) => world.admin("POST", "/clock/advance", { by })
  let events = 0
  const at = (hours: number) => new Date(World.START + hours * 3_600_000).toISOString()
  const report = (type: string, serial: number, hours: number, fields: object = {}) => {
    events += 1
    return world.telco([{ type, id: `event-${events}`, iccid: World.iccid(serial), occurred_at: at(hours), ...fields }])
  }
  const use = (serial: number, hours: number, megabytes: number, country = "FR") =>
    report("usage", serial, hours, { total_bytes: megabytes * MEGABYTE, country_alpha_2: country })
  for (const [serial, of] of [
    [1, planId],
    [2, weekly],
    [3, slow],
    [4, planId],
    [5, planId],
    [6, planId],
    [7, planId],
    [8, planId]
  ] as const) {
    await sell(serial, of)
  }
  await advance("1 hour")
  for (const serial of [1, 2, 3, 6]) await report("first_use", serial, 0.5)
  await use(1, 0.8, 120)
  await use(3, 0.9, 1_100)
  await tenant.post(`/v3/subscriptions/${World.iccid(2)}/pause`)
  for (const [day, megabytes, country] of [
    [1, 210, "FR"],
    [2, 260, "ES"],
    [3, 430, "ES"],
    [4, 470, "PT"],
    [5, 640, "FR"]
  ] as const) {
    await advance("1 day")
    await use(1, day * 24 - 4, megabytes, country)
    // What is sent of it is pending at the end: the failing endpoint is not disabled yet.
    if (day === 4) await report("first_use", 5, 96.5)
  }
  await sell(1, weekly)
  const refusal = { fault: "refuse", on: "cancelPackage", message: "The package was used already" } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults([refusal])))
  await tenant.call("DELETE", `/v3/subscriptions/${World.iccid(7)}`)
  await advance("1 hour")
  const unavailable = { fault: "unavailable", on: "cancelPackage" } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((of) => of.setFaults([unavailable])))
  await tenant.call("DELETE", `/v3/subscriptions/${World.iccid(8)}`)
  await advance("1 hour")
  await world.run(another)
  return { organizationId, iccid: World.iccid(1), fresh: World.iccid(4), free: World.iccid(11) }
}

/** What another process of the service says of itself, which also does the work. */
const another = Effect.gen(function* () {
  const [itself] = yield* (yield* Processes.Processes).list
  if (itself === undefined) throw new Error("The process does not know itself")
  const process = {
    ...itself,
    processId: "c5b81f0e2f6d4d0cae4ad3a1d5a7b9e3",
    host: "esim-2",
    runs: ["worker"],
    heldJobs: 0
  }
  yield* (yield* Storage.Storage).keepProcess({ process, silentSince: 0 })
})
