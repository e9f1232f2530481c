/**
 * The names of webhooks (rule W7), resolved by a name server of the test's own.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { stat } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, Fiber } from "effect"
import { WebhookSender } from "simplan/ports"
import { HttpSender } from "simplan/webhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Names from "../../adapters/webhooks-http/Names.ts"
import * as NameServer from "./NameServer.ts"

let dns: NameServer.NameServer
let receiver: Server
let port: number
let folder: string
let connections = 0

beforeAll(async () => {
  dns = await NameServer.start()
  receiver = createServer((_, response) => response.end("thanks"))
  receiver.on("connection", () => connections++)
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  port = (receiver.address() as AddressInfo).port
  folder = mkdtempSync(join(tmpdir(), "simplan-names-"))
})

afterAll(() => {
  dns.close()
  receiver.closeAllConnections()
  receiver.close()
  rmSync(folder, { recursive: true })
})

beforeEach(() => {
  dns.names.clear()
  dns.asked.length = 0
})

const names = (options: Names.Options = {}): Names.Options => ({
  servers: [dns.address],
  hostsFile: join(folder, "none"),
  ...options
})

const call = (url: string) =>
  WebhookSender.WebhookSender.use((sender) =>
    sender.send({ organizationId: "o1", url, eventId: "e1", body: "{}", at: 0, signingKeys: ["whsec_AA=="] })
  ).pipe(Effect.match({ onSuccess: ({ status }) => `${status}`, onFailure: ({ message }) => message }), Effect.timed)

const run = <A>(calls: Effect.Effect<A, never, WebhookSender.WebhookSender>, options: HttpSender.Options = {}) =>
  Effect.runPromise(Effect.provide(calls, HttpSender.layer({ names: names(), ...options })))

const open: HttpSender.Options = { allowPrivateAddresses: true }

const send = (url: string, options?: HttpSender.Options): Promise<string> =>
  run(
    Effect.map(call(url), ([, answer]) => answer),
    options
  )

const addressesOf = async (resolve: Names.Resolve, name: string): Promise<ReadonlyArray<string>> =>
  (await resolve(name, "o1")).map(({ address }) => address)

describe("The sender does not go where a name resolves to", () => {
  it.each([
    { name: "loopback", addresses: ["127.0.0.1"] },
    { name: "the metadata address", addresses: ["::ffff:169.254.169.254"] },
    { name: "the host of a virtual machine", addresses: ["168.63.129.16"] },
    { name: "a public and a private address", addresses: ["93.184.216.34", "10.0.0.1"] }
  ])("$name", async ({ addresses }) => {
    dns.names.set("innocent.example", { addresses })
    for (const scheme of ["http", "https"]) {
      expect(await send(`${scheme}://innocent.example/`)).toBe(
        "innocent.example resolves to a loopback, private or reserved address"
      )
    }
  })

  it("loopback, where it resolved to a public address before", async () => {
    // Each answer is outdated at once. The public one leads nowhere.
    const answers = [["2606:4700::6f"], ["127.0.0.1"]]
    dns.names.set("rebound.example", () => ({ addresses: answers.shift() ?? ["127.0.0.1"], ttlSeconds: 0 }))
    connections = 0
    const options: HttpSender.Options = { ports: [port], timeout: "200 millis" }
    const message = await send(`http://rebound.example:${port}/`, options)
    expect(message).not.toBe("200")
    expect(message).not.toContain("private")
    expect(connections).toBe(0)
    expect(dns.asked).toEqual(["rebound.example"])
  })
})

it("A silent name server does not delay others", async () => {
  dns.names.set("good.example", { addresses: ["127.0.0.1"] })
  const silent = Array.from({ length: 40 }, (_, index) => `silent${index}.example`)
  for (const name of silent) dns.names.set(name, "silent")
  const { answers, fileMillis, good, goodMillis } = await run(
    Effect.gen(function* () {
      const silently = yield* Effect.forkChild(
        Effect.forEach(silent, (name) => call(`http://${name}:${port}/`), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* Effect.sleep("50 millis")
      const began = performance.now()
      yield* Effect.promise(() => stat(folder))
      const fileMillis = performance.now() - began
      // It waits for the first 32 silent ones to grow old, and for no more than that.
      const [took, good] = yield* call(`http://good.example:${port}/`)
      const answers = yield* Fiber.join(silently)
      return { answers: answers.map(([, answer]) => answer), fileMillis, good, goodMillis: Duration.toMillis(took) }
    }),
    { ...open, names: names({ timeoutMillis: 1_500 }) }
  )
  expect(good).toBe("200")
  expect(fileMillis).toBeLessThan(1_400)
  expect(goodMillis).toBeLessThan(1_400)
  expect(answers).toEqual(silent.map((name) => `${name} does not resolve (ETIMEOUT)`))
})

it("W13: an organization's silent names hold up no name of another one", async () => {
  const silent = Array.from({ length: 400 }, (_, index) => `silent${index}.example`)
  for (const name of silent) dns.names.set(name, "silent")
  dns.names.set("quiet.example", { addresses: ["127.0.0.1"] })
  const resolve = Names.make(names({ timeoutMillis: 1_500 }))
  const ended = { silent: 0 }
  const all = silent.map((name) =>
    resolve(name, "loud").then(
      () => undefined,
      () => {
        ended.silent += 1
      }
    )
  )
  expect(await resolve("quiet.example", "quiet")).toEqual([{ address: "127.0.0.1", family: 4 }])
  // It was asked for in its turn, before the first silent ones made room for more.
  expect(ended.silent).toBe(0)
  expect(dns.asked.filter((name) => name.startsWith("silent")).length).toBeLessThan(64)
  await Promise.all(all)
})

describe("A name", () => {
  it("is asked for once by all who want it at the same time, and no more before its time to live is over", async () => {
    dns.names.set("a.example", { addresses: ["192.0.2.1", "2001:db8::1"], ttlSeconds: 1 })
    const resolve = Names.make(names())
    const all = await Promise.all(["a.example", "A.example.", "a.example"].map((one) => addressesOf(resolve, one)))
    expect(all).toEqual(Array(3).fill(["192.0.2.1", "2001:db8::1"]))
    expect(dns.asked).toEqual(["a.example"])
    dns.names.set("a.example", { addresses: ["192.0.2.2"], ttlSeconds: 300 })
    expect(await addressesOf(resolve, "a.example")).toEqual(["192.0.2.1", "2001:db8::1"])
    await expect.poll(() => addressesOf(resolve, "a.example"), { timeout: 20_000 }).toEqual(["192.0.2.2"])
    expect(dns.asked).toEqual(["a.example", "a.example"])
  })

  it("that does not exist is not asked for again at once", async () => {
    const resolve = Names.make(names())
    for (const _ of [1, 2]) {
      await expect(resolve("missing.example", "o1")).rejects.toThrow("missing.example does not resolve (ENOTFOUND)")
    }
    dns.names.set("empty.example", { addresses: [] })
    await expect(resolve("empty.example", "o1")).rejects.toThrow("empty.example does not resolve (ENODATA)")
    expect(dns.asked).toEqual(["missing.example", "empty.example"])
  })

  it("is taken from the hosts file, also after a change of that", async () => {
    const hostsFile = join(folder, "hosts")
    writeFileSync(
      hostsFile,
      "127.0.0.1 one.example Two.example # three.example\n::1 one.example\nnonsense four.example\n"
    )
    const resolve = Names.make(names({ hostsFile }))
    expect(await addressesOf(resolve, "one.example")).toEqual(["127.0.0.1", "::1"])
    expect(await addressesOf(resolve, "two.example")).toEqual(["127.0.0.1"])
    for (const name of ["three.example", "four.example"]) await expect(resolve(name, "o1")).rejects.toThrow("ENOTFOUND")
    writeFileSync(hostsFile, "10.0.0.1 one.example\n")
    await expect.poll(() => addressesOf(resolve, "one.example"), { timeout: 20_000 }).toEqual(["10.0.0.1"])
    expect(await send(`http://one.example/`, { names: names({ hostsFile }) })).toContain("private")
  })

  it("under localhost is loopback, and one under invalid does not exist, whatever a name server says", async () => {
    for (const name of ["localhost", "api.localhost", "host.invalid"]) dns.names.set(name, { addresses: ["192.0.2.1"] })
    const resolve = Names.make(names())
    for (const name of ["localhost", "api.localhost", "LOCALHOST."]) {
      expect(await addressesOf(resolve, name)).toEqual(["127.0.0.1", "::1"])
    }
    await expect(resolve("host.invalid", "o1")).rejects.toThrow("ENOTFOUND")
    expect(dns.asked).toEqual([])
  })
})
