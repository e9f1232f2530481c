/** A service whose settings file sends profiles to an SM-DP+, and packages elsewhere. */
import { Effect, Stream } from "effect"
import { Problems, Sims, Subscriptions, Time, Worker } from "simplan"
import { Clocks } from "simplan/ports"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { Routes } from "../../adapters/telco-routes/index.ts"
import type * as Certificates from "../fakes/es2plus/Certificates.ts"
import * as SmdpServer from "../fakes/es2plus/SmdpServer.ts"
import * as World from "../telco-routes/World.ts"

/** The business clock stands here until a test moves it. */
const NOON = Date.UTC(2026, 0, 31, 12)

let server: SmdpServer.SmdpServer
let client: Certificates.Identity
let world: World.World

beforeEach(async () => {
  server = await SmdpServer.start()
  onTestFinished(() => server.close())
  client = server.authority.issue({ name: "operator" })
  const smdp = {
    kind: "es2plus",
    url: server.url,
    key: { env: "KEY" },
    certificate: { env: "CERTIFICATE" },
    ca: { env: "CA" },
    states: { "101": "Enable" },
    notifications: { secret: { env: "SECRET" } }
  }
  const env = {
    KEY: client.key,
    CERTIFICATE: client.certificate,
    CA: server.authority.certificate,
    SECRET: "a-secret-of-the-notifications"
  }
  const telcos = { sandbox: { kind: "simulator" }, smdp }
  const settings = World.settings(telcos, [{ packages: "sandbox", profiles: "smdp" }], env)
  world = await World.start(settings, { clock: Clocks.virtual(NOON) })
})

const iccid = World.iccid()

/** An eSIM with an activation code, in service. */
const subscribed = Effect.gen(function* () {
  const { organizationId } = yield* World.organization
  const { planId } = yield* World.plan(organizationId, "Green")
  const row = { iccid, label: "Green", isEsim: true, lpa: "LPA:1$smdp.example$CODE-1" } as const
  yield* Sims.Sims.use((of) => of.importRows({ organizationId, rows: Stream.make(row) }))
  const request = { organizationId, planId, metadata: "", iccid: null, activePeriod: null }
  yield* Subscriptions.Subscriptions.use((of) => of.create(request))
  return { organizationId, request }
})

describe("A service with an SM-DP+", () => {
  it("releases the profile of a deleted subscription, whose activation code stays valid for the next one", async () => {
    server.smdp.add(iccid, "Released", "CODE-1")
    const next = await world.run(
      Effect.gen(function* () {
        const { organizationId, request } = yield* subscribed
        yield* Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid }))
        yield* Worker.Worker.use((of) => of.drain)
        return yield* Subscriptions.Subscriptions.use((of) => of.create(request))
      })
    )
    expect(server.smdp.calls.map(({ name }) => name)).toEqual(["cancelOrder", "downloadOrder", "confirmOrder"])
    expect(server.smdp.profiles.get(iccid)).toEqual({ state: "Released", matchingId: "CODE-1" })
    expect(next.sim.iccid).toBe(iccid)
    expect(world.logs.join("\n")).not.toContain(client.key.split("\n")[1])
  })

  it("lists a profile that the SM-DP+ does not know among the problems, and does not sell its SIM again (rule S6)", async () => {
    const { again, problems } = await world.run(
      Effect.gen(function* () {
        const { organizationId, request } = yield* subscribed
        yield* Subscriptions.Subscriptions.use((of) => of.remove({ organizationId, iccid }))
        const clock = yield* Clocks.BusinessClock
        for (let day = 0; day < 3; day++) {
          yield* Worker.Worker.use((of) => of.drain)
          yield* clock.set?.(NOON + (day + 1) * Time.DAY) ?? Effect.void
        }
        const { items } = yield* Problems.Problems.use((of) => of.page({ after: null, limit: 10 }))
        const again = yield* Effect.flip(Subscriptions.Subscriptions.use((of) => of.create(request)))
        return { problems: items, again }
      })
    )
    expect(problems.map(({ refused, work }) => [work._tag, refused?.times])).toEqual([["CancelPackages", 3]])
    expect(problems[0]?.refused?.message).toMatch(/^The SM-DP\+ does not know the profile: /)
    expect(again._tag).toMatch(/^(NoFreeSim|TelcoUnavailable)$/)
    expect(server.smdp.calls.map(({ name }) => name)).toEqual(["cancelOrder", "cancelOrder", "cancelOrder"])
  })

  it("shows what the SM-DP+ notifies of a download", async () => {
    const info = await world.run(
      Effect.gen(function* () {
        const { organizationId } = yield* subscribed
        const { telcos } = yield* Routes.Routes
        const notification = {
          header: { functionRequesterIdentifier: "smdp", functionCallIdentifier: "1" },
          iccid: `${iccid}F`,
          profileType: "consumer",
          timestamp: Time.toIso(NOON),
          notificationPointId: 101,
          notificationPointStatus: { status: "Executed-Success" }
        }
        const take = telcos.get("smdp")?.notifications?.take
        const answer = take === undefined ? null : yield* take(notification)
        expect(answer).toEqual({ status: 204, body: null })
        return yield* Sims.Sims.use((of) => of.smdpInfo({ organizationId, iccid }))
      })
    )
    expect(info.current?.state).toBe("Enable")
  })

  it("says whether the SM-DP+ answers, and takes the certificate", async () => {
    const found = await world.run(
      Effect.flatMap(Routes.Routes, ({ telcos }) => telcos.get("smdp")?.check ?? Effect.succeed([]))
    )
    expect(found).toEqual([{ what: "profiles", works: true, message: "answers, and takes the certificate" }])
    expect(server.asked).toEqual([])
  })
})
