/**
 * What an SMSC of the settings file addresses a SIM by (rule I7): its phone number or its IMSI, of
 * the inventory or as the telco of its packages knows it.
 */
import { Effect, Exit, Layer, Logger } from "effect"
import { type SimIdentities, Storage, Telco } from "simplan/ports"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Routes } from "../../adapters/telco-routes/index.ts"
import { Books } from "../../adapters/telco-simulator/index.ts"
import * as Values from "../domain/Values.ts"
import * as FakeOcs from "../fakes/ocs/Fake.mjs"
import * as FakeSmsc from "../fakes/smsc/FakeSmsc.ts"
import * as World from "./World.ts"

let ocs: FakeOcs.Fake
beforeEach(async () => {
  ocs = await FakeOcs.start({ subscribers: 1, token: "a-secret-token" })
})
afterEach(() => ocs.close())

const env = { SMSC: FakeSmsc.password, OCS: "a-secret-token" }
const imsi = "240080000000018"
const msisdn = "46700000018"

type Address = "msisdn" | "imsi" | undefined

const kept = Layer.mergeAll(Memory.layer, Journal.layerMemory, Books.layerMemory)

/** Sends messages to one SIM by an SMSC; what the SMSC has got, and what came of each. */
const play = <A>(
  {
    address,
    packages = "sandbox",
    ...identities
  }: Partial<SimIdentities.SimIdentities> & {
    readonly address?: Address
    readonly packages?: "sandbox" | "ocs"
  },
  test: (world: {
    readonly send: Effect.Effect<string, unknown>
    readonly importAgain: (changes: Partial<SimIdentities.SimIdentities>) => Effect.Effect<unknown, unknown>
  }) => Effect.Effect<A, unknown>
): Promise<A> =>
  Effect.gen(function* () {
    const smsc = yield* FakeSmsc.make
    const { iccid = "" } = ocs.books().subscribers[0] ?? {}
    const telcos = {
      smsc: { kind: "smpp", url: smsc.url, password: { env: "SMSC" }, ...(address !== undefined && { address }) },
      ocs: { kind: "ocs", url: ocs.url, url_v2: ocs.urlV2, token: { env: "OCS" }, reseller_id: 1 },
      sandbox: { kind: "simulator" }
    }
    const layer = Routes.layer(World.settings(telcos, [{ packages, sms: "smsc" }], env))
    const context = yield* Layer.build(Layer.provideMerge(layer, kept))
    const importAgain = (changes: Partial<SimIdentities.SimIdentities>) =>
      Storage.Storage.use((storage) =>
        storage.sims.import([
          Values.newSim({ organizationId: "o", simId: "s", iccid, lpa: null, createdAt: 0, ...changes })
        ])
      ).pipe(Effect.provideContext(context))
    yield* importAgain(identities)
    let messages = 0
    const send = Telco.Telco.use((telco) =>
      telco.sendSms({ messageId: `m${++messages}`, iccid, from: "simplan", text: "Hello" })
    ).pipe(Effect.andThen(Effect.sync(() => smsc.taken.at(-1)?.destination ?? "")), Effect.provideContext(context))
    return yield* test({ send, importAgain })
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])), Effect.runPromise)

const destination = (of: Parameters<typeof play>[0]) => play(of, ({ send }) => send)
const refusal = (of: Parameters<typeof play>[0]) => play(of, ({ send }) => Effect.flip(send))

/** The type of number and the numbering plan: international and E.164; unknown and E.212. */
const BY_MSISDN = `1/1/${msisdn}`
const BY_IMSI = `0/6/${imsi}`

describe("an SMSC of the settings finds a SIM", () => {
  it("by its phone number if it has one, else by its IMSI", async () => {
    expect(await destination({ imsi, msisdn })).toBe(BY_MSISDN)
    expect(await destination({ imsi })).toBe(BY_IMSI)
  })

  it("by the one that the settings say", async () => {
    expect(await destination({ imsi, msisdn, address: "imsi" })).toBe(BY_IMSI)
    expect(await destination({ imsi, msisdn, address: "msisdn" })).toBe(BY_MSISDN)
  })

  it("by the IMSI that the telco of its packages knows, where the inventory has none", async () => {
    const { imsi: known = "" } = ocs.books().subscribers[0] ?? {}
    expect(await destination({ packages: "ocs" })).toBe(`0/6/${known}`)
    expect(await destination({ packages: "ocs", msisdn, address: "imsi" })).toBe(`0/6/${known}`)
    expect(await destination({ packages: "ocs", imsi })).toBe(BY_IMSI)
  })

  it("by what an import has changed, from the next message on", async () => {
    const seen = await play({ imsi }, ({ importAgain, send }) =>
      Effect.all([
        send,
        Effect.andThen(importAgain({ msisdn }), send),
        Effect.andThen(importAgain({ msisdn: "1" }), send)
      ])
    )
    expect(seen).toEqual([BY_IMSI, BY_MSISDN, "1/1/1"])
  })
})

describe("a message to a SIM without that address", () => {
  it.each<readonly [string, Parameters<typeof play>[0], RegExp]>([
    ["a phone number", { imsi, address: "msisdn" }, /no phone number \(msisdn\) of the SIM/],
    ["an IMSI", { msisdn, address: "imsi" }, /Neither the inventory nor the telco of the SIM's packages knows/],
    ["either", {}, /no phone number \(msisdn\) and no IMSI/]
  ])("is refused for want of %s", async (_, of, message) => {
    expect(await refusal(of)).toMatchObject({ _tag: "Telco.Refused", message: expect.stringMatching(message) })
  })

  it("goes out, under a new id, once an import has brought it", async () => {
    const outcomes = await play({ address: "msisdn" }, ({ importAgain, send }) =>
      Effect.all([Effect.exit(send), Effect.andThen(importAgain({ msisdn }), Effect.exit(send))])
    )
    expect(outcomes.map(Exit.isSuccess)).toEqual([false, true])
  })
})
