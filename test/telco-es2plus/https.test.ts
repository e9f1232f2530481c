/** The adapter against the fake SM-DP+ on a TLS socket. */
import { createServer as createHttpServer } from "node:http"
import { request as httpsRequest } from "node:https"
import { createServer, type Server } from "node:net"
import { Effect, Exit, Layer, Logger, Redacted, Result, Schedule } from "effect"
import { Telco } from "simplan/ports"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Api, Es2plus } from "../../adapters/telco-es2plus/index.ts"
import type * as Certificates from "../fakes/es2plus/Certificates.ts"
import * as SmdpServer from "../fakes/es2plus/SmdpServer.ts"

const iccid = "8988303000000000017"
const long = "89883030000000000174"
const MATCHING = "AAAA-BBBB"

let server: SmdpServer.SmdpServer
let client: Certificates.Identity

beforeEach(async () => {
  server = await SmdpServer.start({ withoutOrder: "8.2.1/3.5" })
  client = server.authority.issue({ name: "operator" })
  server.smdp.add(iccid, "Released", MATCHING)
  server.smdp.add(long, "Available")
})

afterEach(() => server.close())

const options = (changes: Partial<Es2plus.Options> = {}): Es2plus.Options => ({
  telco: "smdp",
  url: server.url,
  key: Redacted.make(client.key),
  certificate: client.certificate,
  ca: server.authority.certificate,
  matchingId: (of) => Effect.succeed(of === iccid ? MATCHING : null),
  timeout: "1 second",
  quiet: 0,
  ...changes
})

const run = <A, E>(effect: Effect.Effect<A, E, Es2plus.Profiles | Api.Api>, changes: Partial<Es2plus.Options> = {}) =>
  effect.pipe(
    Effect.provide(Es2plus.layer(options(changes)).pipe(Layer.provide(Journal.layerMemory))),
    Effect.runPromiseExit
  )

const release = (key: string, of = iccid) =>
  Effect.flatMap(Es2plus.Profiles, ({ releaseProfile }) => releaseProfile({ key, iccid: of }))

/** Repeats a release as the core does, until it has an outcome. */
const released = (key: string, of = iccid) =>
  Effect.retry(release(key, of), {
    times: 200,
    schedule: Schedule.spaced("10 millis"),
    while: (error) => error._tag === "Telco.Unavailable"
  })

const portOf = (listening: Server): number => {
  const address = listening.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const names = () => server.asked.map(({ path }) => path.replace("/gsma/rsp2/es2plus/", ""))

const profile = () => server.smdp.profiles.get(iccid)

/** The failure of an effect. */
const failureOf = async <A, E>(outcome: Promise<Exit.Exit<A, E>>) => {
  const exit = await outcome
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" ? error.value : exit
}

describe("A release", () => {
  it("cancels the order, orders anew and confirms with the activation code's matching id, once for each key", async () => {
    await run(Effect.andThen(release("a"), release("a")))
    expect(names()).toEqual(["cancelOrder", "downloadOrder", "confirmOrder"])
    expect(profile()).toEqual({ state: "Released", matchingId: MATCHING })
  })

  it("writes the requests as SGP.22 says, under the client's certificate", async () => {
    await run(release("a"), { requester: "1.2.3", version: "2.4.0" })
    const [cancel, download, confirm] = server.asked
    const callId = expect.stringMatching(/^simplan-[0-9a-f]{32}$/)
    const header = { functionRequesterIdentifier: "1.2.3", functionCallIdentifier: callId }
    expect(cancel?.body).toEqual({
      header,
      iccid: `${iccid}F`,
      matchingId: MATCHING,
      finalProfileStatusIndicator: "Available"
    })
    expect(download?.body).toEqual({ header, iccid: `${iccid}F` })
    expect(confirm?.body).toEqual({ header, iccid: `${iccid}F`, matchingId: MATCHING, releaseFlag: true })
    expect(cancel?.headers).toMatchObject({
      "x-admin-protocol": "gsma/rsp/v2.4.0",
      "content-type": "application/json"
    })
    expect(server.asked.map((one) => one.client)).toEqual(["operator", "operator", "operator"])
  })

  it("orders a profile without an order, and leaves the matching id to the SM-DP+ where it has none", async () => {
    const messages: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => messages.push(message))])
    await run(Effect.provide(release("a", long), logger))
    expect(server.smdp.profiles.get(long)).toEqual({ state: "Released", matchingId: "CHOSEN-1" })
    expect(JSON.stringify(messages)).toContain("import the SIM's new code")
    expect(JSON.stringify(messages)).not.toContain("CHOSEN-1")
  })

  it("calls releaseProfile where the confirmation is not to release", async () => {
    await run(release("a"), { confirmReleases: false })
    expect(names()).toEqual(["cancelOrder", "downloadOrder", "confirmOrder", "releaseProfile"])
    expect(profile()?.state).toBe("Released")
  })

  it("of a profile that the SM-DP+ does not know is refused for good, with the SM-DP+'s reason (rule S6)", async () => {
    const unknown = Effect.flip(release("a", "8900000000000000000"))
    const exit = await run(Effect.all([unknown, unknown]))
    expect(names()).toEqual(["cancelOrder"])
    const refused = new Telco.Refused({
      message:
        "The SM-DP+ does not know the profile: The SM-DP+ answers cancelOrder: Failed 8.2.1/3.9: the fake refuses"
    })
    expect(exit).toEqual(Exit.succeed([refused, refused]))
  })

  it("of a downloaded profile is refused for good, with the SM-DP+'s reason", async () => {
    server.smdp.add(iccid, "Installed")
    const both = Effect.all([Effect.flip(release("a")), Effect.flip(release("a"))])
    const exit = await run(both)
    const calls = server.asked.length
    expect(calls).toBeGreaterThan(0)
    const refused = new Telco.Refused({
      message: "The SM-DP+ answers downloadOrder: Failed 8.2.1/3.3: the fake refuses"
    })
    expect(exit).toEqual(Exit.succeed([refused, refused]))
  })

  it("of an ICCID with 18 digits names these digits (I1)", async () => {
    const short = "898520302104026905"
    server.smdp.add(short, "Released", MATCHING)
    expect(Exit.isSuccess(await run(release("a", short)))).toBe(true)
    expect(new Set(server.asked.map(({ body }) => body["iccid"]))).toEqual(new Set([short]))
    expect(server.smdp.profiles.get(short)?.state).toBe("Released")
  })

  for (const name of ["cancelOrder", "downloadOrder", "confirmOrder"] as const) {
    for (const fault of ["request lost", "answer lost", "twice", "garbled"] as const) {
      it(`is done once although ${name} meets: ${fault}`, async () => {
        server.faults.set(name, [{ fault }])
        expect(Exit.isSuccess(await run(released("a")))).toBe(true)
        expect(profile()).toEqual({ state: "Released", matchingId: MATCHING })
      })
    }

    it(`repeats ${name} under the same identifier after a time-out, also if it is done late`, async () => {
      server.faults.set(name, [{ fault: "late", millis: 450 }])
      expect(Exit.isSuccess(await run(released("a"), { timeout: "300 millis", quiet: "900 millis" }))).toBe(true)
      expect(profile()).toEqual({ state: "Released", matchingId: MATCHING })
      const first = names().indexOf(name)
      expect(names()[first + 1]).toBe(name)
      expect(server.asked[first + 1]?.body["header"]).toEqual(server.asked[first]?.body["header"])
    })
  }

  it("does not order before a late cancellation could have its effect", async () => {
    server.faults.set("cancelOrder", [{ fault: "answer lost" }])
    const twice = Effect.andThen(Effect.flip(release("a")), Effect.flip(release("a")))
    expect(await run(twice, { quiet: "30 seconds" })).toEqual(
      Exit.succeed(expect.objectContaining({ _tag: "Telco.Unavailable", retryAfterSeconds: 30 }))
    )
    expect(names()).toEqual(["cancelOrder", "cancelOrder"])
  })

  it("holds up another call about the same SIM, so that each ends before the next begins", async () => {
    const both = Effect.all([release("a"), release("b")], { concurrency: "unbounded" })
    expect(Exit.isSuccess(await run(both))).toBe(true)
    expect(names()).toEqual([
      "cancelOrder",
      "downloadOrder",
      "confirmOrder",
      "cancelOrder",
      "downloadOrder",
      "confirmOrder"
    ])
    expect(profile()?.state).toBe("Released")
  })
})

const cancel = Effect.flatMap(Api.Api, ({ cancelOrder }) =>
  cancelOrder({ callId: "1", iccid, matchingId: null, finalStatus: "Available" })
)

describe("A failed call", () => {
  const outcomes = [
    ["8.2.1", "3.9", "NotFound"],
    ["8.2.1", "3.3", "WrongState"],
    ["8.2.1", "3.5", "WrongState"],
    ["8.2.6", "3.3", "WrongState"],
    ["8.2.6", "3.10", "WrongState"],
    ["8.2.6", "3.1", "Refused"],
    ["8.2.1", "1.2", "Refused"],
    ["8.2.5", "3.7", "Refused"],
    ["1.1", "1.1", "NotDone"],
    ["1.3.2", "3.1", "NotDone"],
    ["1.2", "4.4", "NotDone"],
    ["1.2", "4.2", "Unknown"],
    ["8.9", "5.1", "Unknown"]
  ] as const
  for (const [subject, reason, outcome] of outcomes) {
    it(`with ${subject}/${reason} is ${outcome}`, async () => {
      server.faults.set("cancelOrder", [{ fault: "refused", subject, reason }])
      expect(await failureOf(run(cancel))).toMatchObject({ outcome, message: expect.stringContaining(reason) })
    })
  }

  it("that has expired leaves the outcome unknown", async () => {
    server.faults.set("cancelOrder", [{ fault: "refused", status: "Expired", subject: "1.6", reason: "5.3" }])
    expect(await failureOf(run(cancel))).toMatchObject({ outcome: "Unknown" })
  })

  it("by HTTP says whether it was done, and when to ask again", async () => {
    const outcomeOf = async (status: number, headers = {}) => {
      server.faults.set("cancelOrder", [{ fault: "http", status, headers }])
      return failureOf(run(cancel))
    }
    expect(await outcomeOf(403)).toMatchObject({ outcome: "NotDone" })
    expect(await outcomeOf(302, { location: "https://elsewhere.example/" })).toMatchObject({ outcome: "NotDone" })
    expect(await outcomeOf(429, { "retry-after": "7" })).toMatchObject({ outcome: "NotDone", retryAfterSeconds: 7 })
    const later = { "retry-after": "Fri, 01 Jan 2100 12:00:00 GMT" }
    expect(await outcomeOf(503, later)).toMatchObject({ retryAfterSeconds: 3_600 })
    expect(await outcomeOf(500)).toMatchObject({ outcome: "Unknown" })
  })
})

describe("The connection", () => {
  const check = Effect.flatMap(Api.Api, (api) => api.check)

  it("can be checked without a call", async () => {
    expect(Exit.isSuccess(await run(check))).toBe(true)
    expect(server.asked).toEqual([])
  })

  it("is refused to another root's client, to whom nothing is done", async () => {
    const stranger = (await SmdpServer.start()).authority.issue({ name: "stranger" })
    const changes = { key: Redacted.make(stranger.key), certificate: stranger.certificate }
    expect(await failureOf(run(check, changes))).toBeInstanceOf(Api.Failure)
    expect(await failureOf(run(release("a"), changes))).toBeInstanceOf(Telco.Unavailable)
    expect(server.asked).toEqual([])
  })

  it("refuses an SM-DP+ of another root, and sends it nothing", async () => {
    const other = await SmdpServer.start()
    const failure = await failureOf(run(cancel, { ca: other.authority.certificate }))
    expect(failure).toMatchObject({ outcome: "NotDone" })
    expect(server.asked).toEqual([])
    await other.close()
  })

  it("goes without a certificate where a proxy adds it", async () => {
    const { key, certificate, ...bare } = options()
    const proxy = createHttpServer((request, response) => {
      const tls = { key: client.key, cert: client.certificate, ca: server.authority.certificate }
      const { headers, method = "", url = "" } = request
      const further = httpsRequest(new URL(url, server.url), { ...tls, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      request.pipe(further)
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${portOf(proxy)}/gsma/rsp2/es2plus`
    const layer = Es2plus.layer({ ...bare, url }).pipe(Layer.provide(Journal.layerMemory))
    await Effect.runPromise(Effect.provide(release("a"), layer))
    expect(names()).toEqual(["cancelOrder", "downloadOrder", "confirmOrder"])
    expect([key, certificate]).not.toContain(undefined)
    proxy.closeAllConnections()
    proxy.close()
  })

  it("that nobody takes was certainly not used", async () => {
    await server.close()
    expect(await failureOf(run(cancel))).toMatchObject({ outcome: "NotDone" })
  })

  it("that goes silent leaves the outcome unknown", async () => {
    const silent: Server = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const failure = await failureOf(run(cancel, { url: `https://127.0.0.1:${portOf(silent)}`, timeout: "100 millis" }))
    expect(failure).toMatchObject({ outcome: "Unknown", message: "The SM-DP+ has not answered within 0.1 s" })
    silent.close()
  })
})

describe("The key", () => {
  const lines = (key: string) => key.split("\n").filter((line) => line.length > 30 && !line.startsWith("-"))

  it("is in no message, whatever fails", async () => {
    const secret = lines(client.key)
    expect(secret.length).toBeGreaterThan(0)
    const logged: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => logged.push(message))])
    const other = server.authority.issue({ name: "other" })
    for (const changes of [
      { certificate: other.certificate },
      { certificate: "not a certificate" },
      { key: Redacted.make(client.key.slice(0, -40)) },
      { ca: other.certificate },
      { url: "https://127.0.0.1:1" },
      { key: Redacted.make(other.key), certificate: client.certificate }
    ]) {
      const exit = await run(Effect.provide(release("a"), logger), changes)
      logged.push(Exit.isFailure(exit), String(exit), JSON.stringify(exit))
    }
    expect(logged.filter((one) => one === true)).toHaveLength(6)
    for (const line of [...secret, ...lines(other.key)]) expect(logged.join("\n")).not.toContain(line)
  })

  it("that does not belong to the certificate is reported when the layer is built", async () => {
    const other = server.authority.issue({ name: "other" })
    const built = Effect.result(Effect.scoped(Layer.build(Es2plus.layer(options({ certificate: other.certificate })))))
    const result = await Effect.runPromise(Effect.provide(built, Journal.layerMemory))
    expect(Result.isFailure(result) && result.failure._tag).toBe("Es2plus.InvalidCredentials")
  })
})
