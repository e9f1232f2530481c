/**
 * What the API is told of a notification that a telco's adapter does not take.
 */
import { Effect } from "effect"
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
