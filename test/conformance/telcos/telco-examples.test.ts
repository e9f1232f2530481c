/**
 * The two worked examples of `adapters/first-telco.md`, a layer of the port and a bridge without a
 * library, pass the suite over a charging system that knows no keys, and keep their word when an
 * answer is lost.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { TelcoHttp } from "simplan/telco-http"
import { afterAll, describe, expect, it } from "vitest"
import { layer as overCharging } from "../../../examples/charging/telco.ts"
import * as TelcoSuite from "../../../src/testing/TelcoSuite.ts"
import * as Charging from "../../fakes/charging/Charging.ts"
import { iccid, order } from "./SimulatorBooks.ts"

class System extends Context.Service<System, Charging.Charging>()("test/Charging") {}

const system = Layer.effect(System, Charging.make)

const observe: TelcoSuite.Observe<System> = {
  packages: (ids) => System.useSync(({ bundles }) => ids.reduce((sum, id) => sum + bundles(id), 0)),
  messages: (to, text) => System.useSync(({ texts }) => texts(to, text)),
  mobilePlan: (of) => System.useSync(({ roaming }) => roaming(of))
}

const inProcess = Layer.unwrap(
  System.useSync(({ url }) => {
    const known = new Map<string, string>()
    const memory = {
      get: async (key: string) => known.get(key),
      set: async (key: string, value: string) => void known.set(key, value)
    }
    return overCharging({ memory, url })
  })
)

/** The bridge as a process, over the system; gives its port. */
const bridge = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = mkdtempSync(join(tmpdir(), "simplan-bridge-"))
        const path = fileURLToPath(new URL("../../../examples/charging/bridge.mjs", import.meta.url))
        const child = spawn(process.execPath, [path], {
          cwd: folder,
          env: { ...process.env, CHARGING_URL: url, BRIDGE_TOKEN: "token", BRIDGE_PORT: "0" },
          stdio: ["ignore", "pipe", "inherit"]
        })
        const [line] = await once(child.stdout, "data")
        return { child, folder, port: /\d+/.exec(String(line))?.[0] }
      }),
      ({ child, folder }) =>
        Effect.promise(async () => {
          const ended = once(child, "exit")
          child.kill()
          await ended
          rmSync(folder, { recursive: true, force: true })
        })
    ),
    ({ port }) => `http://127.0.0.1:${port}`
  )

const bridged = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* bridge((yield* System).url)
    return TelcoHttp.layer({ url, token: Redacted.make("token") })
  })
)

for (const [name, telco] of [
  ["The layer over a charging system", inProcess],
  ["The bridge to a charging system", bridged]
] as const) {
  const layer = Layer.provideMerge(telco, system)
  TelcoSuite.run(name, layer, { describe, it, afterAll }, { observe })

  describe(name, () => {
    it("makes one package and no second message where an answer is lost", () =>
      Effect.gen(function* () {
        const telco = yield* Telco.Telco
        const charging = yield* System
        charging.lose("/bundles")
        const first = yield* Effect.result(telco.createPackage(order("lost:0")))
        expect(first).toMatchObject({ _tag: "Failure", failure: { _tag: "Telco.Unavailable" } })
        expect(yield* telco.createPackage(order("lost:0"))).toMatchObject({ telcoPackageId: "b-1" })
        expect(charging.bundles("lost:0")).toBe(1)

        charging.lose("/texts")
        const sms = { messageId: "lost", iccid, from: "simplan", text: "once" }
        expect(yield* Effect.flip(telco.sendSms(sms))).toMatchObject({ _tag: "Telco.Unavailable" })
        expect(yield* Effect.flip(telco.sendSms(sms))).toMatchObject({ _tag: "Telco.Refused" })
        expect(charging.texts(iccid, "once")).toBe(1)
      }).pipe(Effect.provide(layer), Effect.runPromise))
  })
}
