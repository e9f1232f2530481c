/**
 * The serving side, asked without the client, and its document.
 */
import { Deferred, Effect, Layer } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { OpenApi } from "effect/http-api"
import { Telco } from "simplan/ports"
import { Contract } from "simplan/telco-http"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Socket from "./Socket.ts"

const iccid = "8988303000000000017"
const good = {
  authorization: "bearer telco-key",
  "idempotency-key": "a:0:cancel",
  "content-type": "application/json"
}
const cancellation = JSON.stringify({ package_id: "a:0", iccid })

const ask = async (url: string, headers: Record<string, string>, body: string, path = "/packages/cancel") => {
  const response = await fetch(url + path, { method: "POST", headers, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
}

const serving = <A>(telco: Layer.Layer<Telco.Telco>, use: (url: string) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* Socket.serve(yield* Layer.build(telco))
        return yield* Effect.promise(() => use(url))
      })
    )
  )

describe("the server", () => {
  it("lets in who has the token, and says what is wrong with a call", () =>
    serving(TelcoSimulator.layerMemory(), async (url) => {
      expect(await ask(url, good, cancellation)).toMatchObject({ status: 204, body: null })
      const { authorization: _, ...without } = good
      for (const headers of [without, { ...good, authorization: "Bearer telco-key2" }]) {
        expect(await ask(url, headers, cancellation)).toMatchObject({ status: 401, body: { code: "unauthorized" } })
      }
      const { "idempotency-key": __, ...keyless } = good
      expect(await ask(url, keyless, cancellation)).toMatchObject({
        status: 400,
        body: { code: "malformed", message: expect.stringContaining("idempotency-key") }
      })
      expect(await ask(url, good, `{"package_id":"a:0"}`)).toMatchObject({
        status: 400,
        body: { code: "malformed", message: expect.stringContaining("iccid") }
      })
      expect(await ask(url, good, "{")).toMatchObject({ status: 400, body: { code: "malformed" } })
    }))

  it("answers the calls that have arrived on kept connections when it stops, and closes them", async () => {
    const clients = await serving(TelcoSimulator.layerMemory(), async (url) => {
      const lines = Object.entries({ host: "x", "content-length": cancellation.length, ...good })
      const call = `POST /packages/cancel HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n${cancellation}`
      const all = Array.from({ length: 20 }, () => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("latin1")
        const received: Array<string> = []
        socket.on("data", (text: string) => void received.push(text)).write(call)
        return { socket, received, ended: once(socket, "close") }
      })
      await expect.poll(() => all.filter(({ received }) => received.length > 0).length).toBe(20)
      for (const { received, socket } of all) {
        received.length = 0
        socket.write(call)
      }
      return all
    })
    await Promise.all(clients.map(({ ended }) => ended))
    const answered = clients.map(({ received }) => received.join(""))
    expect(answered.map((text) => text.slice(9, 12))).toEqual(clients.map(() => "204"))
    expect(answered.filter((text) => !/^connection: close\r$/im.test(text))).toEqual([])
  })

  it("lists packages and their usage, and says where the telco cannot", async () => {
    const of = (telco: Partial<Telco.Telco["Service"]>) => {
      const never = () => Effect.die("not asked for")
      const others = { createPackage: never, suspendPackage: never, cancelPackage: never, sendSms: never }
      return Layer.succeed(Telco.Telco, { ...others, releaseProfile: never, setMobilePlan: never, ...telco })
    }
    const listed = (telco: Layer.Layer<Telco.Telco>) =>
      serving(telco, (url) => ask(url, good, JSON.stringify({ iccid }), "/packages/list"))
    expect(await listed(of({ listPackages: () => Effect.succeed(["a:0"]) }))).toMatchObject({
      status: 200,
      body: { package_ids: ["a:0"] }
    })
    expect(await listed(of({}))).toMatchObject({ status: 200, body: { package_ids: null } })
    const read = (telco: Layer.Layer<Telco.Telco>) =>
      serving(telco, (url) => ask(url, good, JSON.stringify({ iccid, stopped: ["a:0"] }), "/packages/usage"))
    const readUsage: Telco.Telco["Service"]["readUsage"] = ({ stopped }) =>
      Effect.succeed(stopped.map((packageId) => ({ packageId, usedBytes: 7 })))
    expect(await read(of({ readUsage }))).toMatchObject({
      status: 200,
      body: { packages: [{ package_id: "a:0", total_bytes: 7, activation_at: null }] }
    })
    expect(await read(of({}))).toMatchObject({ status: 200, body: { packages: null } })
  })

  it("refuses with 422, and says when to ask an unavailable telco again", () => {
    const cancelling = (answer: Effect.Effect<void, Telco.Refused | Telco.Unavailable>) =>
      Layer.mock(Telco.Telco)({ cancelPackage: () => answer })
    const answered = (answer: Effect.Effect<void, Telco.Refused | Telco.Unavailable>) =>
      serving(cancelling(answer), (url) => ask(url, good, cancellation))
    return Promise.all([
      expect(answered(Effect.fail(new Telco.Refused({ message: "No" })))).resolves.toMatchObject({
        status: 422,
        body: { code: "refused", message: "No" }
      }),
      answered(Effect.fail(new Telco.Unavailable({ message: "Away", retryAfterSeconds: 9 }))).then((answer) => {
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable", message: "Away" } })
        expect(answer.headers.get("retry-after")).toBe("9")
      }),
      answered(Effect.fail(new Telco.Unavailable({ message: "Away" }))).then((answer) => {
        expect(answer.status).toBe(503)
        expect(answer.headers.get("retry-after")).toBeNull()
      }),
      expect(answered(Effect.die("a defect")).then(({ status }) => status)).resolves.toBe(500)
    ])
  })

  it("hands the telco why a package is cancelled, and says what occupies a SIM", async () => {
    const asked: Array<Telco.PackageRef> = []
    const telco = Layer.effect(
      Telco.Telco,
      Telco.Telco.useSync((simulated) => ({
        ...simulated,
        cancelPackage: (of) => Effect.sync(() => void asked.push(of)),
        createPackage: ({ onlyAttachments = [] }) =>
          Effect.fail(new Telco.Refused({ message: "occupied", occupiedBy: onlyAttachments }))
      }))
    ).pipe(Layer.provide(TelcoSimulator.layerMemory()))
    await serving(telco, async (url) => {
      for (const more of [{ confirmed: true }, { undone: true }, { confirmed: false }])
        await ask(url, good, JSON.stringify({ package_id: "a:0", iccid, ...more }))
      const of = { packageId: "a:0", iccid, key: "a:0:cancel" }
      expect(asked).toEqual([{ ...of, isConfirmed: true }, { ...of, isUndone: true }, of])
      const terms = {
        name: "W",
        coverage_id: "c",
        region_code: "FR",
        label: "Green",
        data_mega_bytes: 1,
        period_days: 1
      }
      const order = { window: null, terms: { ...terms, throttling: [], recurrence: null }, only_attachments: ["x"] }
      const body = JSON.stringify({ package_id: "a:0", iccid, ...order })
      expect(await ask(url, good, body, "/packages")).toMatchObject({ status: 422, body: { occupied_by: ["x"] } })
    })
  })

  it("finishes a call whose caller has gone", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const [begun, go, finished] = yield* Effect.all([
            Deferred.make<void>(),
            Deferred.make<void>(),
            Deferred.make<void>()
          ])
          const slow = Layer.mock(Telco.Telco)({
            cancelPackage: () =>
              Deferred.succeed(begun, undefined).pipe(
                Effect.andThen(Deferred.await(go)),
                Effect.andThen(Deferred.succeed(finished, undefined)),
                Effect.asVoid
              )
          })
          const url = yield* Socket.serve(yield* Layer.build(slow))
          const caller = new AbortController()
          const call = fetch(`${url}/packages/cancel`, {
            method: "POST",
            headers: good,
            body: cancellation,
            signal: caller.signal
          })
          const given = call.catch(() => "given up")
          yield* Deferred.await(begun)
          caller.abort()
          expect(yield* Effect.promise(() => given)).toBe("given up")
          // Answered on the same server after the other connection is closed, so that it knows.
          expect(yield* Effect.promise(() => ask(url, {}, ""))).toMatchObject({ status: 401 })
          yield* Deferred.succeed(go, undefined)
          yield* Deferred.await(finished)
        })
      )
    ))

  it("serves its document, which is kept beside the code", () =>
    serving(TelcoSimulator.layerMemory(), async (url) => {
      const document: unknown = await (await fetch(`${url}/openapi.json`)).json()
      expect(document).toEqual(JSON.parse(JSON.stringify(OpenApi.fromApi(Contract.Contract))))
      await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
        "../../adapters/telco-http/openapi.json"
      )
    }))
})
