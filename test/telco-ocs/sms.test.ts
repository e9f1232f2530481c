/** Messages and mobile plans over a model of the charging system. */
import { Effect, Layer } from "effect"
import { SimIdentities, Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import { CallFailure, Journal } from "../../adapters/telco-calls/index.ts"
import { Api, Ocs } from "../../adapters/telco-ocs/index.ts"
import { pieces } from "../../adapters/telco-ocs/Sms.ts"
import * as Model from "./Model.ts"

const iccid = "8988303000000000017"

describe("The pieces of a message", () => {
  it("have 160 characters, or 70 where one is escaped", () => {
    expect(pieces("a".repeat(160))).toEqual(["a".repeat(160)])
    expect(pieces("a".repeat(161))).toEqual(["a".repeat(160), "a"])
    expect(pieces(`é${"a".repeat(69)}`)).toEqual([`\\u00e9${"a".repeat(69)}`])
    expect(pieces(`é${"a".repeat(70)}`)).toEqual([`\\u00e9${"a".repeat(69)}`, "a"])
    // Two places each in GSM 7 bit.
    expect(pieces("[".repeat(81))).toEqual(["[".repeat(80), "["])
    expect(pieces("")).toEqual([""])
  })

  it("escape what is not ASCII, and the backslash, by UTF-16 unit", () => {
    expect(pieces("Hello 😊")).toEqual(["Hello \\ud83d\\ude0a"])
    expect(pieces("a\\u0041")).toEqual(["a\\u005cu0041"])
    // Of ASCII, and not of the GSM alphabet.
    expect(pieces("`")).toEqual(["\\u0060"])
    expect(pieces("Тест")).toEqual(["\\u0422\\u0435\\u0441\\u0442"])
  })

  it("never cut a surrogate pair", () => {
    const text = `a${"😊".repeat(40)}`
    const all = pieces(text)
    expect(all[0]).toBe(`a${"\\ud83d\\ude0a".repeat(34)}`)
    expect(all.join("").replaceAll("\\ud83d\\ude0a", "😊")).toBe(text)
  })
})

const run = <A, E>(model: Model.Model, effect: Effect.Effect<A, E, Telco.Telco>, mobilePlanId: number | null = 10) =>
  effect.pipe(
    Effect.provide(
      Ocs.layer({ telco: "ocs", resellerId: 1, zones: {}, mobilePlanId }).pipe(
        Layer.provide([Journal.layerMemory, Layer.succeed(Api.Api, model.api)])
      )
    ),
    Effect.runPromise
  )

/** A model in which the nth call of a name fails. */
const failing = (name: keyof Api.Api["Service"], at: number, fault: Model.Fault): Model.Model => {
  let calls = 0
  return Model.make({ fault: (call) => (call === name && ++calls === at ? fault : null) })
}

const text = "a".repeat(400)
const send = Telco.Telco.use((telco) => telco.sendSms({ messageId: "m1", iccid, from: "Sender", text }))

describe("A message", () => {
  it("goes to the IMSI, in order, once", async () => {
    const model = Model.make()
    await run(model, Effect.andThen(send, send))
    expect(model.messages.map((one) => one.text.length)).toEqual([160, 160, 80])
    expect(model.messages[0]).toMatchObject({ imsi: "208010000000017", from: "Sender" })
  })

  it("is told in as many segments as were sent, also when it comes again", async () => {
    const sending = (of: string) =>
      Telco.Telco.use((telco) => telco.sendSms({ messageId: `m ${of}`, iccid, from: "Sender", text: of }))
    for (const of of ["a".repeat(310), "é".repeat(160), "[".repeat(81), "Тест", "😊".repeat(100)]) {
      const model = Model.make()
      const answers = await run(model, Effect.all([sending(of), sending(of)]))
      const segments = model.messages.length
      expect(answers).toEqual([{ segments }, { segments }])
      expect(model.messages.map((one) => one.text).join("")).toBe(of)
    }
  })

  it("is refused where it takes more than 10 segments here, and nothing of it is sent", async () => {
    const model = Model.make()
    const long = Telco.Telco.use((telco) =>
      telco.sendSms({ messageId: "m", iccid, from: "Sender", text: "é".repeat(701) })
    )
    expect(await run(model, Effect.flip(long))).toMatchObject({
      _tag: "Telco.Refused",
      message: expect.stringContaining("takes 11 segments")
    })
    expect(model.messages).toEqual([])
  })

  it("is not sent again where it is unknown whether a piece was sent", async () => {
    for (const kind of ["request cut", "answer cut"] as const) {
      const model = failing("sendSms", 2, { kind })
      await run(
        model,
        Effect.gen(function* () {
          expect(yield* Effect.flip(send)).toMatchObject({ _tag: "Telco.Unavailable" })
          const again = yield* Effect.flip(send)
          expect(again).toMatchObject({ _tag: "Telco.Refused" })
          expect(again.message).toContain("1 of 3 segments were sent before")
        })
      )
      expect(model.messages.length).toBe(kind === "answer cut" ? 2 : 1)
    }
  })

  it("goes on after a piece that was certainly not sent", async () => {
    const model = failing("sendSms", 2, { kind: "traffic control" })
    await run(
      model,
      Effect.gen(function* () {
        expect(yield* Effect.flip(send)).toMatchObject({ _tag: "Telco.Unavailable", retryAfterSeconds: 1 })
        yield* send
      })
    )
    expect(model.messages.map((one) => one.text.length)).toEqual([160, 160, 80])
  })

  it("that was refused stays so", async () => {
    const model = failing("sendSms", 1, { kind: "refused" })
    const refused = Effect.map(Effect.flip(send), ({ _tag }) => _tag)
    expect(await run(model, Effect.all([refused, refused]))).toEqual(["Telco.Refused", "Telco.Refused"])
    expect(model.messages).toEqual([])
  })
})

describe("A message to a SIM of which the inventory has the IMSI (I7)", () => {
  const listed = { imsi: "240010000000001", msisdn: null, subscriberId: null }
  const notFound = new CallFailure.CallFailure({ outcome: "NotFound", isAnswered: true, message: "6 DB_NOT_FOUND" })

  /** Sends over a system that knows none of these IMSIs; the calls of it, in order. */
  const sent = async (
    unknown: ReadonlyArray<string>,
    {
      identities = listed,
      subscriber
    }: {
      readonly identities?: SimIdentities.SimIdentities | null
      readonly subscriber?: Api.Api["Service"]["subscriber"]
    } = {}
  ) => {
    const model = Model.make()
    const calls: Array<string> = []
    const api = Api.Api.of({
      ...model.api,
      subscriber: (of) => {
        calls.push("subscriber")
        return (subscriber ?? model.api.subscriber)(of)
      },
      sendSms: (sms) => {
        calls.push(sms.imsi)
        return unknown.includes(sms.imsi) ? Effect.fail(notFound) : model.api.sendSms(sms)
      }
    })
    const settings = { telco: "ocs", resellerId: 1, zones: {}, mobilePlanId: null }
    const layer = Ocs.layer({ ...settings, identitiesOf: () => Effect.succeed(identities) })
    const outcome = await Effect.result(send).pipe(
      Effect.provide(Layer.provide(layer, [Journal.layerMemory, Layer.succeed(Api.Api, api)])),
      Effect.runPromise
    )
    return { outcome, calls }
  }

  it("goes there without a question", async () => {
    expect((await sent([])).calls).toEqual([listed.imsi, listed.imsi, listed.imsi])
    const [own, ...others] = (await sent([], { identities: SimIdentities.none })).calls
    expect([own, new Set(others)]).toEqual(["subscriber", new Set(["208010000000017"])])
  })

  it("goes to the IMSI that the system tells, where it does not know that of the inventory", async () => {
    const { calls, outcome } = await sent([listed.imsi])
    const right = "208010000000017"
    expect(calls).toEqual([listed.imsi, "subscriber", right, right, right])
    expect(outcome).toMatchObject({ _tag: "Success" })
  })

  it("is refused where the system knows no other one, and can be sent later where it cannot tell", async () => {
    const model = Model.make()
    const same = (of: string) => Effect.map(model.api.subscriber(of), (one) => ({ ...one, imsi: listed.imsi }))
    for (const subscriber of [same, () => Effect.fail(notFound)]) {
      const { calls, outcome } = await sent([listed.imsi], { subscriber })
      expect(calls).toEqual([listed.imsi, "subscriber"])
      expect(outcome).toMatchObject({ _tag: "Failure", failure: { _tag: "Telco.Refused" } })
    }
    const lost = new CallFailure.CallFailure({ outcome: "Unknown", message: "no answer" })
    const { outcome } = await sent([listed.imsi], { subscriber: () => Effect.fail(lost) })
    expect(outcome).toMatchObject({ _tag: "Failure", failure: { _tag: "Telco.Unavailable", message: "no answer" } })
  })

  it("is not taken for sent where the system could not tell the IMSI, and goes out when it can", async () => {
    const model = Model.make()
    let isLost = true
    const api = Api.Api.of({
      ...model.api,
      subscriber: (of) =>
        isLost
          ? Effect.fail(new CallFailure.CallFailure({ outcome: "Unknown", message: "no answer" }))
          : model.api.subscriber(of),
      sendSms: (sms) => (sms.imsi === listed.imsi ? Effect.fail(notFound) : model.api.sendSms(sms))
    })
    const settings = { telco: "ocs", resellerId: 1, zones: {}, mobilePlanId: null }
    const layer = Ocs.layer({ ...settings, identitiesOf: () => Effect.succeed(listed) })
    const again = Effect.andThen(
      Effect.sync(() => {
        isLost = false
      }),
      send
    )
    await Effect.andThen(Effect.flip(send), again).pipe(
      Effect.provide(Layer.provide(layer, [Journal.layerMemory, Layer.succeed(Api.Api, api)])),
      Effect.runPromise
    )
    expect(model.messages.map((one) => one.text.length)).toEqual([160, 160, 80])
  })
})

const plan = (key: string, applied: boolean) => Telco.Telco.use((telco) => telco.setMobilePlan({ key, iccid, applied }))

describe("A mobile plan", () => {
  it("is not changed by a call that comes again after a later one", async () => {
    const model = failing("setMobilePlan", 1, { kind: "request cut" })
    await run(
      model,
      Effect.gen(function* () {
        expect(yield* Effect.flip(plan("k1", true))).toMatchObject({ _tag: "Telco.Unavailable" })
        yield* plan("k2", false)
        yield* plan("k1", true)
      })
    )
    expect(model.mobilePlans.get(iccid)).toBe(null)
  })

  it("is asked for again where the outcome is unknown", async () => {
    const model = failing("setMobilePlan", 1, { kind: "request cut" })
    await run(model, Effect.andThen(Effect.flip(plan("k1", true)), plan("k1", true)))
    expect(model.mobilePlans.get(iccid)).toBe(10)
  })

  it("is refused where the settings name none", async () => {
    const refused = await run(Model.make(), Effect.flip(plan("k1", true)), null)
    expect(refused).toMatchObject({ _tag: "Telco.Refused", message: "No mobile plan of ocs is set" })
  })
})
