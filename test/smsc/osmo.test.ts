/**
 * SMS over SMPP against osmo-msc. It has no phones here, so it keeps the messages that it takes, in
 * a database that the test looks into.
 */
import { Effect, Logger, Redacted, type Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Addresses, Smpp } from "../../adapters/telco-smpp/index.ts"
import * as Osmo from "./Osmo.ts"
import type * as Tests from "../setup/Tests.ts"

let port = 0
let osmo: Osmo.Osmo
beforeAll(async () => {
  port = await Osmo.freePort()
  osmo = await Osmo.start(port)
})
afterAll(() => osmo.stop())

const played = <A>(
  test: (smpp: Smpp.Smpp, logged: ReadonlyArray<string>) => Effect.Effect<A, unknown, Scope.Scope>,
  options: Partial<Smpp.Options> = {}
): Promise<A> => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(JSON.stringify(message)))
  return Effect.gen(function* () {
    const smpp = yield* Smpp.make({
      telco: "osmo",
      url: `smpp://${Osmo.systemId}@127.0.0.1:${port}`,
      password: Redacted.make(Osmo.password),
      destinationOf: () => Effect.succeed(Addresses.msisdn("447700900123")),
      reconnectMillis: 50,
      waitMillis: 5_000,
      ...options
    })
    return yield* test(smpp, logged)
  }).pipe(Effect.scoped, Effect.provide(Journal.layerMemory), Effect.provide(Logger.layer([logger])), Effect.runPromise)
}

/** A test over a connection with these options. */
const playWith =
  (options: Partial<Smpp.Options>) =>
  (name: string, body: Tests.Body<Scope.Scope, [smpp: Smpp.Smpp, logged: ReadonlyArray<string>]>): void =>
    it(name, () => played((...opened) => Effect.gen(() => body(...opened)), options))

const play = playWith({})

const sms = (messageId: string, text: string, from = "simplan") => ({
  messageId,
  iccid: "8988303000000000017",
  from,
  text
})

const ucs2 = (text: string) => Buffer.from(text, "utf16le").swap16()

/**
 * The septets of letters, spaces and digits as they go on the air: 8 in 7 octets, the lowest bits
 * first.
 */
const packed = (text: string): Buffer => {
  const bits = Array.from(text, (one) => one.charCodeAt(0).toString(2).padStart(7, "0"))
    .toReversed()
    .join("")
  const whole = bits.padStart(Math.ceil(bits.length / 8) * 8, "0")
  return Buffer.from(whole.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? []).reverse()
}

describe("SMPP with osmo-msc", () => {
  playWith({ enquireLinkMillis: 50 })("binds, is kept alive and unbinds", function* (smpp, logged) {
    yield* smpp.check
    yield* Effect.sleep(600)
    yield* smpp.check
    expect(logged).toEqual([expect.stringContaining("the SMSC can be sent to")])
  })

  it("is refused with a wrong password, and with an unknown system id", async () => {
    const refusal = (options: Partial<Smpp.Options>) =>
      played((smpp) => Effect.flip(smpp.check), { waitMillis: 500, ...options })
    expect(await refusal({ password: Redacted.make("wrong") })).toMatchObject({
      outcome: "NotDone",
      message: expect.stringContaining("the SMSC refuses to bind simplan (ESME_R")
    })
    expect(await refusal({ url: `smpp://nobody@127.0.0.1:${port}` })).toMatchObject({
      message: expect.stringContaining("the SMSC refuses to bind nobody (ESME_R")
    })
  })

  play("takes every form of a message as it was meant", function* (smpp, logged) {
    const messages = [
      sms("1", "Hello from simplan"),
      sms("2", "Привет ☕ 😀"),
      sms("3", "a".repeat(400)),
      sms("4", "ç".repeat(200)),
      sms("5", "short code", "38000"),
      sms("6", "international", "+447700900456")
    ]
    for (const message of [...messages, ...messages]) yield* smpp.sendSms(message)
    const isStored = (octets: Buffer | string) => osmo.stored().includes(octets)
    for (const part of ["simplan", "447700900123", "38000", "447700900456"]) expect(isStored(part), part).toBe(true)
    for (const part of ["Hello from simplan", "short code", "international"]) {
      expect(isStored(packed(part)), part).toBe(true)
    }
    expect(isStored(ucs2("Привет ☕ 😀"))).toBe(true)
    for (const [place, length] of [67, 67, 66].entries()) {
      const end = Buffer.concat([Buffer.from([3, place + 1]), ucs2("ç".repeat(length))])
      expect(isStored(end), `segment ${place + 1}`).toBe(true)
    }
    expect(logged).toHaveLength(1)
  })

  playWith({ waitMillis: 1_000, longestReconnectMillis: 100 })(
    "binds again after the SMSC was killed",
    function* (smpp) {
      yield* smpp.check
      yield* Effect.promise(() => osmo.stop())
      expect((yield* Effect.flip(smpp.check)).outcome).toMatch(/Unknown|NotDone/)
      osmo = yield* Effect.promise(() => Osmo.start(port))
      yield* smpp.check
    }
  )
})
