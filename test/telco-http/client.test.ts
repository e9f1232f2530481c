/**
 * The client against bridges of all kinds: what it asks, and what it makes of each answer.
 */
import { Effect, Exit, Redacted } from "effect"
import { Telco } from "simplan/ports"
import { TelcoHttp } from "simplan/telco-http"
import { afterEach, describe, expect, it } from "vitest"
import * as Bridge from "./Bridge.ts"

const SECRET = "a-secret-telco-key"

let bridge: Bridge.Bridge | undefined
afterEach(() => bridge?.close())

const iccid = "8988303000000000017"
const of = { packageId: "a:0", iccid }

const order: Telco.PackageOrder = {
  packageId: "a:0",
  iccid,
  window: { start: Date.UTC(2030, 0, 1), end: Date.UTC(2030, 0, 8) },
  terms: {
    name: "Wéek",
    coverageId: "8a4a4f0e-3f8e-5a58-9a44-2d4d0c3f1f10",
    regionCode: "FR",
    label: "Voilet",
    dataMegaBytes: 1024,
    periodDays: 7,
    throttling: [
      { percentage: 50, limit: "1024" },
      { percentage: 80, limit: "512" },
      { percentage: 100, limit: "128" }
    ],
    recurrence: { periodicity: "Monthly", frequency: 2, occurrences: 3 }
  }
}

type Failure = Telco.Refused | Telco.Unavailable

const port = async <A>(
  answers: Bridge.Answer,
  call: (telco: Telco.Telco["Service"]) => Effect.Effect<A, Failure>,
  timeout = 10_000
): Promise<Exit.Exit<A, Failure>> => {
  bridge = await Bridge.start(answers)
  return at(bridge.url, call, timeout)
}

const at = <A>(url: string, call: (telco: Telco.Telco["Service"]) => Effect.Effect<A, Failure>, timeout = 10_000) =>
  Effect.runPromiseExit(
    Telco.Telco.use(call).pipe(Effect.provide(TelcoHttp.layer({ url, token: Redacted.make(SECRET), timeout })))
  )

const failure = async (exit: Promise<Exit.Exit<unknown, Failure>>): Promise<Failure> => {
  const found = Exit.findErrorOption(await exit)
  if (found._tag === "None") throw new Error("It did not fail")
  expect(found.value.message).not.toContain(SECRET)
  return found.value
}

const taken = { telco_package_id: "T-1", activation_at: "2030-01-01T01:00:00+01:00", expiration_at: null }

describe("the client", () => {
  it("asks as the contract says, each call under a key of its own", async () => {
    const calls = (telco: Telco.Telco["Service"]) =>
      Effect.all([
        telco.createPackage(order),
        telco.suspendPackage(of),
        telco.cancelPackage(of),
        telco.sendSms({ messageId: "m1", iccid, from: "Acme", text: "Héllo ✓\n" }),
        telco.releaseProfile({ key: "k1", iccid }),
        telco.setMobilePlan({ key: "k2", iccid, applied: true })
      ])
    const answers: Bridge.Answer = (asked, ...rest) =>
      (asked.path === "/telco/packages" ? Bridge.answer(200, taken) : Bridge.answer(204))(asked, ...rest)
    bridge = await Bridge.start(answers)
    const exit = await at(`${bridge.url}/telco`, calls)
    expect(exit).toMatchObject({
      value: [
        { telcoPackageId: "T-1", activationAt: Date.UTC(2030, 0, 1), expirationAt: null },
        ...Array.from({ length: 5 })
      ]
    })
    const asked = bridge.asked.map(({ body, headers, method, path }) => {
      expect(headers.authorization).toBe(`Bearer ${SECRET}`)
      expect(headers["content-type"]).toBe("application/json")
      return [`${method} ${path}`, headers["idempotency-key"], body]
    })
    expect(asked).toEqual([
      [
        "POST /telco/packages",
        "a:0",
        {
          package_id: "a:0",
          iccid,
          window: { start: "2030-01-01T00:00:00.000Z", end: "2030-01-08T00:00:00.000Z" },
          terms: {
            name: "Wéek",
            coverage_id: order.terms.coverageId,
            region_code: "FR",
            label: "Voilet",
            data_mega_bytes: 1024,
            period_days: 7,
            throttling: order.terms.throttling,
            recurrence: { periodicity: "Monthly", frequency: 2, occurrences: 3 }
          }
        }
      ],
      ["POST /telco/packages/suspend", "a:0:suspend", { package_id: "a:0", iccid }],
      ["POST /telco/packages/cancel", "a:0:cancel", { package_id: "a:0", iccid }],
      ["POST /telco/messages", "m1", { message_id: "m1", iccid, from: "Acme", text: "Héllo ✓\n" }],
      ["POST /telco/profiles/release", "k1", { iccid }],
      ["POST /telco/mobile-plans", "k2", { iccid, applied: true }]
    ])
    expect(bridge.connections()).toBeLessThan(bridge.asked.length)
  })

  const lists = (telco: Telco.Telco["Service"]) => telco.listPackages?.({ iccid }) ?? Effect.die("no list")

  const more = (telco: Telco.Telco["Service"]) =>
    Effect.all([
      Effect.orDie(Effect.flip(telco.createPackage({ ...order, onlyAttachments: ["a"] }))),
      telco.cancelPackage({ ...of, isConfirmed: true }),
      telco.cancelPackage({ ...of, key: "k", isUndone: true })
    ])
  const occupied = { code: "refused", message: "the SIM is somebody's", occupied_by: ["b:0", "T-7"] }
  const sent = () =>
    bridge?.asked.map(({ body, headers }) => [
      headers["idempotency-key"],
      typeof body === "object" && body !== null ? Object.keys(body).slice(-1) : []
    ])

  it("says whose packages alone may be on a SIM, and why one is cancelled", async () => {
    const answers: Bridge.Answer = (asked, ...rest) =>
      (asked.path === "/packages" ? Bridge.answer(422, occupied) : Bridge.answer(204))(asked, ...rest)
    const exit = await port(answers, more)
    expect(exit).toMatchObject({ value: [{ _tag: "Telco.Refused", occupiedBy: ["b:0", "T-7"] }, undefined, undefined] })
    expect(bridge?.asked.map(({ body }) => body)).toMatchObject([
      { package_id: "a:0", only_attachments: ["a"] },
      { ...{ package_id: "a:0", iccid }, confirmed: true },
      { ...{ package_id: "a:0", iccid }, undone: true }
    ])
  })

  it("says it again without where a bridge answers 400, as one may that was written before", async () => {
    const known = ["package_id", "iccid", "window", "terms"]
    const answers: Bridge.Answer = (asked, ...rest) => {
      const isKnown = Object.keys(asked.body ?? {}).every((name) => known.includes(name))
      return Bridge.answer(isKnown ? 422 : 400, { code: "refused", message: "no" })(asked, ...rest)
    }
    expect(await failure(port(answers, (telco) => telco.createPackage({ ...order, onlyAttachments: ["a"] })))).toEqual(
      new Telco.Refused({ message: "no" })
    )
    expect(sent()).toEqual([
      ["a:0", ["only_attachments"]],
      ["a:0", ["terms"]]
    ])
    await bridge?.close()
    expect((await failure(port(Bridge.answer(400), (telco) => telco.cancelPackage(of))))._tag).toBe("Telco.Unavailable")
    expect(sent()).toEqual([["a:0:cancel", ["iccid"]]])
  })

  it("asks what packages a SIM has, without a key, as nothing changes", async () => {
    const listed = await port(Bridge.answer(200, { package_ids: ["a:0", "own/7"] }), lists)
    expect(listed).toEqual(Exit.succeed(["a:0", "own/7"]))
    expect(bridge?.asked).toMatchObject([{ method: "POST", path: "/packages/list", body: { iccid } }])
    expect(bridge?.asked[0]?.headers).not.toHaveProperty("idempotency-key")
  })

  const unlisted: ReadonlyArray<readonly [string, Bridge.Answer]> = [
    ["says that it cannot list them", Bridge.answer(200, { package_ids: null })],
    ["has no such call", Bridge.answer(404)],
    ["takes the call for a malformed one", Bridge.answer(400, { code: "malformed", message: "No such call" })],
    ["does not know the method there", Bridge.answer(405)],
    ["answers any call that it is done", Bridge.answer(204)]
  ]
  it.each(unlisted)("knows of no list where the bridge %s", async (_, answer) => {
    expect(await port(answer, lists)).toEqual(Exit.succeed(null))
  })

  const reads = (telco: Telco.Telco["Service"]) =>
    telco.readUsage?.({ iccid, stopped: ["a:0"] }) ?? Effect.die("no usage")

  it("asks what was used of packages, without a key, as nothing changes", async () => {
    const packages = [
      { package_id: "a:0", total_bytes: 7, activation_at: "2030-01-01T00:00:00Z" },
      { package_id: "a:1", total_bytes: 0 }
    ]
    expect(await port(Bridge.answer(200, { packages }), reads)).toEqual(
      Exit.succeed([
        { packageId: "a:0", usedBytes: 7, activationAt: Date.UTC(2030, 0, 1) },
        { packageId: "a:1", usedBytes: 0, activationAt: null }
      ])
    )
    expect(bridge?.asked).toMatchObject([
      { method: "POST", path: "/packages/usage", body: { iccid, stopped: ["a:0"] } }
    ])
    expect(bridge?.asked[0]?.headers).not.toHaveProperty("idempotency-key")
  })

  const unknown: ReadonlyArray<readonly [string, Bridge.Answer]> = [
    ["says that it cannot say it", Bridge.answer(200, { packages: null })],
    ["has no such call", Bridge.answer(404)],
    ["has not made the call", Bridge.answer(501)],
    ["takes the call for a malformed one", Bridge.answer(400, { code: "malformed", message: "No such call" })],
    ["answers any call that it is done", Bridge.answer(204)],
    ["answers with something else", Bridge.answer(200, { packages: [{ package_id: "a:0", total_bytes: -1 }] })]
  ]
  it.each(unknown)("knows of no usage where the bridge %s", async (_, answer) => {
    expect(await port(answer, reads)).toEqual(Exit.succeed(null))
  })

  it.each([401, 429, 500, 503])("waits for usage where the bridge answers %i", async (status) => {
    expect(await failure(port(Bridge.answer(status), reads))).toMatchObject({ _tag: "Telco.Unavailable" })
  })

  it.each([401, 403, 429, 500, 503])("does not take %i for a bridge without a list", async (status) => {
    expect(await failure(port(Bridge.answer(status), lists))).toMatchObject({ _tag: "Telco.Unavailable" })
  })

  it.each([200, 201, 202, 204])("takes %i for done", async (status) => {
    expect(await port(Bridge.answer(status), (telco) => telco.cancelPackage(of))).toEqual(Exit.void)
  })

  it("takes a refusal for one only in the contract's words", async () => {
    const refusal = Bridge.answer(422, { code: "refused", message: "No such SIM" })
    expect(await failure(port(refusal, (telco) => telco.createPackage(order)))).toEqual(
      new Telco.Refused({ message: "No such SIM" })
    )
    await bridge?.close()
    for (const body of ["<html>", { message: "No such SIM" }, undefined]) {
      const error = await failure(port(Bridge.answer(422, body), (telco) => telco.cancelPackage(of)))
      expect(error._tag).toBe("Telco.Unavailable")
      await bridge?.close()
    }
  })

  const answers: ReadonlyArray<readonly [string, Bridge.Answer, number | undefined]> = [
    ["a package without its id", Bridge.answer(200, { activation_at: null, expiration_at: null }), undefined],
    ["a package with a date that is none", Bridge.answer(200, { ...taken, expiration_at: "tomorrow" }), undefined],
    ["no JSON", Bridge.answer(200, "<html>"), undefined],
    ["nothing", Bridge.answer(204), undefined],
    ["a redirect", Bridge.answer(302, "", { location: "/packages" }), undefined],
    ["400", Bridge.answer(400, { code: "malformed", message: "no" }), undefined],
    ["401", Bridge.answer(401, { code: "unauthorized", message: "no" }), undefined],
    ["404", Bridge.answer(404, "not here"), undefined],
    ["429", Bridge.answer(429, "", { "retry-after": "7" }), 7],
    ["500", Bridge.answer(500), undefined],
    ["502 of a proxy", Bridge.answer(502, "<html>", { "content-type": "text/html" }), undefined],
    ["503", Bridge.answer(503, { code: "unavailable", message: "no" }), undefined],
    ["503 that says when", Bridge.answer(503, "", { "retry-after": "120" }), 120],
    ["503 that says nonsense", Bridge.answer(503, "", { "retry-after": "soon" }), undefined],
    ["a connection that is cut", (_, __, socket) => socket.destroy(), undefined],
    [
      "an answer that is cut",
      (_, response, socket) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("{", () => socket.destroy())
      },
      undefined
    ]
  ]
  it.each(answers)("takes %s for unavailable", async (_, answer, retryAfterSeconds) => {
    const error = await failure(port(answer, (telco) => telco.createPackage(order)))
    expect(error._tag).toBe("Telco.Unavailable")
    expect("retryAfterSeconds" in error ? error.retryAfterSeconds : undefined).toBe(retryAfterSeconds)
    // Each of them may have been done.
    expect("isDone" in error ? error.isDone : undefined).toBeUndefined()
  })

  it("follows no redirect, since a page that is found there would count as done", async () => {
    const answers: Bridge.Answer = (asked, ...rest) =>
      (asked.path === "/sign-in"
        ? Bridge.answer(200, "<html>")
        : Bridge.answer(302, undefined, { location: "/sign-in" }))(asked, ...rest)
    const error = await failure(port(answers, (telco) => telco.suspendPackage(of)))
    expect(error).toMatchObject({ _tag: "Telco.Unavailable", message: "The telco answers 302" })
    expect(bridge?.asked.map(({ path }) => path)).toEqual(["/packages/suspend"])
  })

  it("takes no answer in time for unavailable, of the head or of the rest", async () => {
    const silent: Bridge.Answer = () => {}
    const stuck: Bridge.Answer = (_, response) => {
      response.writeHead(200)
      response.write("{")
    }
    for (const answer of [silent, stuck]) {
      const error = await failure(port(answer, (telco) => telco.createPackage(order), 50))
      expect(error.message).toBe("The telco has not answered within 50ms")
      await bridge?.close()
    }
  })

  it("reads no more of an answer than a call about one SIM needs, whatever its status", async () => {
    const piece = Buffer.alloc(65_536, " ")
    const most = 512 * piece.length
    let sent = 0
    const gone: Array<Promise<void>> = []
    const long =
      (status: number): Bridge.Answer =>
      (_, response) => {
        sent = 0
        gone.push(new Promise((resolve) => response.once("close", () => resolve())))
        response.writeHead(status, { "content-type": "application/json" })
        const send = (): void => {
          while (sent < most) {
            sent += piece.length
            if (!response.write(piece)) return void response.once("drain", send)
          }
          response.end()
        }
        send()
      }
    type Call = (telco: Telco.Telco["Service"]) => Effect.Effect<unknown, Failure>
    const create: Call = (telco) => telco.createPackage(order)
    const list: Call = (telco) => Effect.suspend((): ReturnType<Call> => telco.listPackages?.({ iccid }) ?? Effect.void)
    const calls: ReadonlyArray<readonly [number, Call, string]> = [
      [200, create, "The telco's answer is longer than 1048576 bytes"],
      [422, create, "The telco's answer is longer than 1048576 bytes"],
      [200, list, "The telco's answer is longer than 1048576 bytes"],
      [404, list, "The telco's answer is longer than 1048576 bytes"],
      [500, create, "The telco answers 500"]
    ]
    for (const [status, call, ending] of calls) {
      expect(await failure(port(long(status), call))).toMatchObject({ _tag: "Telco.Unavailable", message: ending })
      await gone.at(-1)
      expect(sent).toBeLessThan(most)
      await bridge?.close()
    }
    expect(await port(long(200), (telco) => telco.suspendPackage(of))).toEqual(Exit.void)
    await gone.at(-1)
    expect(sent).toBeLessThan(most)
  })

  it("leaves no answer of a failure open, however slowly it comes", async () => {
    let closed = Promise.resolve()
    const drips: Bridge.Answer = (_, response) => {
      closed = new Promise((resolve) => response.once("close", () => resolve()))
      response.writeHead(503, { "retry-after": "7" })
      response.write(" ")
    }
    expect(await failure(port(drips, (telco) => telco.createPackage(order)))).toMatchObject({
      message: "The telco answers 503",
      retryAfterSeconds: 7
    })
    await closed
  })

  it("takes an address where nobody listens for unavailable", async () => {
    const gone = await Bridge.start(() => {})
    await gone.close()
    const error = await failure(at(gone.url, (telco) => telco.cancelPackage(of)))
    expect(error).toMatchObject({ _tag: "Telco.Unavailable", isDone: false })
    expect(error.message).toContain("ECONNREFUSED")
  })

  it("tries once more, under the same key, where the connection closes under a call", async () => {
    let closes = 1
    const closing: Bridge.Answer = (asked, response, socket) => {
      if (closes-- > 0) socket.destroy()
      else Bridge.answer(204)(asked, response, socket)
    }
    expect(await port(closing, (telco) => telco.releaseProfile({ key: "k", iccid }))).toEqual(Exit.void)
    expect(bridge?.asked.map(({ headers }) => headers["idempotency-key"])).toEqual(["k", "k"])
  })
})
