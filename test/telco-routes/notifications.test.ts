/**
 * What the API is told of a notification that a telco's adapter does not take, and of whose SIMs each telco may notify.
 */
import { Effect } from "effect"
import { Sims } from "simplan"
import { expect, it } from "vitest"
import { Routes } from "../../adapters/telco-routes/index.ts"
import * as World from "./World.ts"

const smdp = { kind: "es2plus", url: "http://127.0.0.1:9/gsma", notifications: { secret: { env: "SECRET" } } }
const telcos = { smdp, sandbox: { kind: "simulator" } }
const settings = World.settings(telcos, [{ packages: "sandbox", profiles: "smdp" }], { SECRET: "secret-of-the-smdp" })

it("W1: a body that is no notification of an SM-DP+ is refused as a wrong field is", async () => {
  const { run } = await World.start(settings)
  const take = (body: unknown) =>
    run(
      Effect.gen(function* () {
        const { telcos } = yield* Routes.Routes
        const { notifications } = telcos.get("smdp") ?? expect.fail("there is an SM-DP+")
        return yield* Effect.result((notifications ?? expect.fail("it notifies")).take(body))
      })
    )
  const refused = { _tag: "Failure", failure: { _tag: "InvalidField", field: "body" } }
  expect(await take({})).toMatchObject(refused)
  expect(await take(null)).toMatchObject(refused)
  const done = {
    iccid: World.iccid(),
    timestamp: "2026-01-01T00:00:00Z",
    notificationPointId: 3,
    notificationPointStatus: { status: "Executed-Success" }
  }
  expect(await take(done)).toMatchObject({ _tag: "Success", success: { status: 204, body: null } })
})

/** Notifications that a profile is enabled, as each kind of telco sends them. */
const enabled = {
  es2plus: (iccid: string) => ({
    iccid: `${iccid}F`,
    timestamp: "2026-01-01T00:00:00Z",
    notificationPointId: 4,
    notificationPointStatus: { status: "Executed-Success" }
  }),
  ocs: (iccid: string) => ({ iccid, status: "Enable" })
}

it.each(["es2plus", "ocs"] as const)("%s: a telco notifies of no SIM that is routed to another one", async (kind) => {
  const ofKind = {
    es2plus: { kind, url: "http://127.0.0.1:9/gsma" },
    ocs: {
      kind,
      url: "http://127.0.0.1:9/api/v1",
      token: { env: "SECRET" },
      reseller_id: 1,
      zones: { Green: { EUROPE: 1 }, Red: { EUROPE: 1 } }
    }
  }[kind]
  const of = (secret: string) => ({ ...ofKind, notifications: { secret: { env: secret } } })
  const packages = (name: string) => (kind === "ocs" ? name : "sandbox")
  const world = await World.start(
    World.settings(
      { mine: of("SECRET"), theirs: of("OTHER"), sandbox: { kind: "simulator" } },
      [
        { label: "Green", packages: packages("mine"), profiles: kind === "ocs" ? "sandbox" : "mine" },
        { packages: packages("theirs"), profiles: kind === "ocs" ? "sandbox" : "theirs" }
      ],
      { SECRET: "secret-of-one-telco", OTHER: "secret-of-the-other" }
    )
  )
  const states = await world.run(
    Effect.gen(function* () {
      const { organizationId } = yield* World.organization
      const [green = ""] = yield* World.sims(organizationId, "Green", 1)
      const [red = ""] = yield* World.sims(organizationId, "Red", 1)
      const { telcos } = yield* Routes.Routes
      const take = (name: string, iccid: string) =>
        telcos.get(name)?.notifications?.take(enabled[kind](iccid)) ?? expect.fail(`${name} notifies`)
      const state = (iccid: string) =>
        Effect.map(
          Sims.Sims.use((of) => of.smdpInfo({ organizationId, iccid })),
          ({ current }) => current?.state ?? null
        )
      // The same answer as for a SIM that nobody has.
      const unknown = World.iccid()
      const about = (answer: { readonly body: unknown }, iccid: string) =>
        JSON.stringify(answer).replaceAll(iccid, "the SIM")
      const refused = about(yield* take("mine", unknown), unknown)
      expect(about(yield* take("mine", red), red)).toBe(refused)
      expect(about(yield* take("theirs", green), green)).toBe(refused)
      const foreign = yield* Effect.all([state(green), state(red)])
      yield* take("mine", green)
      yield* take("theirs", red)
      return [foreign, yield* Effect.all([state(green), state(red)])]
    })
  )
  const own = kind === "ocs" ? "Enable" : "BPP Installation"
  expect(states).toEqual([
    [null, null],
    [own, own]
  ])
})
