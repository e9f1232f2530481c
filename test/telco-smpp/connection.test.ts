/**
 * The bound transceiver: its credentials, its keep-alive, its end and its return; and the requests
 * of the SMSC.
 */
import { Effect, Layer, Logger, Metric, Redacted, References } from "effect"
import { describe, expect, it } from "vitest"
import { Journal } from "../../adapters/telco-calls/index.ts"
import { Addresses, Smpp } from "../../adapters/telco-smpp/index.ts"
import * as Certificates from "../fakes/es2plus/Certificates.ts"
import * as FakeSmsc from "../fakes/smsc/FakeSmsc.ts"
import { play, played, playWith, sms, until } from "./Smsc.ts"

describe("The connection to an SMSC", () => {
  it("is one for the process, and ends with an unbind", async () => {
    const smsc = await played(({ smpp, smsc }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(["m-1", "m-2"], (id) => smpp.sendSms(sms(id, "text")))
        expect(smsc.binds).toHaveLength(1)
        return smsc
      })
    )
    expect(smsc.counts.unbinds).toBe(1)
  })

  playWith(
    Object.assign<Partial<Smpp.Options>, object>({}, { window: undefined, alphabet: undefined, source: undefined })
  )("has its default for an option that is undefined, as JavaScript may pass it", function* ({ smpp, smsc }) {
    yield* smpp.sendSms(sms("m-1", "text"))
    expect(smsc.shown()).toEqual(["text"])
  })

  play("says why it is not bound, and binds once the SMSC lets it", function* ({ smpp, smsc }) {
    yield* until(() => smsc.boundSessions() === 1)
    smsc.refuseBinds(0x0d)
    smsc.cut()
    yield* until(() => smsc.binds.length >= 2)
    expect(yield* Effect.flip(smpp.sendSms(sms("m-1", "text")))).toMatchObject({
      _tag: "Telco.Unavailable",
      message: "the SMSC cannot be sent to: the SMSC refuses to bind simplan (ESME_RBINDFAIL)",
      retryAfterSeconds: 1
    })
    expect(yield* Effect.flip(smpp.check)).toMatchObject({ outcome: "NotDone" })
    smsc.refuseBinds(0)
    yield* smpp.check
    yield* smpp.sendSms(sms("m-1", "text"))
    expect(smsc.shown()).toEqual(["text"])
  })

  playWith({ password: Redacted.make("wrong-one") })("is refused with a wrong password", function* ({ smpp }) {
    const { message } = yield* Effect.flip(smpp.check)
    expect(message).toContain("ESME_RINVPASWD")
    expect(message).not.toContain("wrong-one")
  })

  play("comes back after a cut and after the SMSC was away, and messages wait for it", function* ({ smpp, smsc }) {
    yield* smpp.sendSms(sms("m-1", "one"))
    smsc.cut()
    yield* until(() => smsc.binds.length >= 2)
    yield* smpp.sendSms(sms("m-2", "two"))
    yield* smsc.stop
    // Whatever came of the question, the adapter knows then that the connection is gone.
    yield* Effect.flip(smpp.check)
    expect(yield* Effect.flip(smpp.sendSms(sms("m-3", "three")))).toMatchObject({
      _tag: "Telco.Unavailable",
      message: expect.stringContaining("ECONNREFUSED")
    })
    yield* smsc.start
    yield* smpp.sendSms(sms("m-3", "three"))
    expect(smsc.shown()).toEqual(["one", "two", "three"])
  })

  play("lets what is under way be answered after an unbind of the SMSC, and binds again", function* ({ smpp, smsc }) {
    smsc.next("unbind")
    yield* smpp.sendSms(sms("m-1", "one"))
    yield* smpp.sendSms(sms("m-2", "two"))
    expect(smsc.shown()).toEqual(["one", "two"])
    expect(smsc.binds).toHaveLength(2)
  })

  playWith({ enquireLinkMillis: 20, answerMillis: 2_000 })(
    "is kept alive, and made anew when the SMSC no longer answers",
    function* ({ smpp, smsc }) {
      yield* until(() => smsc.counts.enquireLinks >= 3)
      expect(smsc.binds).toHaveLength(1)
      smsc.answerLinks(false)
      yield* until(() => smsc.binds.length >= 2)
      smsc.answerLinks(true)
      yield* smpp.check
    }
  )

  playWith({ answerMillis: 1_000 })(
    "is made anew after three messages without an answer, though the SMSC answers else",
    function* ({ smpp, smsc }) {
      smsc.next("drop", "drop", "drop")
      for (const id of ["m-1", "m-2", "m-3"]) yield* Effect.flip(smpp.sendSms(sms(id, "text")))
      yield* smpp.sendSms(sms("m-4", "text"))
      expect(smsc.binds).toHaveLength(2)
    }
  )

  playWith({ answerMillis: 50, waitMillis: 300, reconnectMillis: 200, longestReconnectMillis: 60_000 })(
    "waits longer each time, until the SMSC answers a message",
    function* ({ smpp, smsc }) {
      smsc.next(...Array.from({ length: 6 }, () => "drop" as const))
      const failures = yield* Effect.forEach(["1", "2", "3", "4", "5", "6"], (id) =>
        Effect.flip(smpp.sendSms(sms(id, "text")))
      )
      // Three end the connection, and each that tries the next one ends that: the others are not
      // submitted.
      expect(smsc.counts.submits).toBeLessThan(6)
      const notSubmitted = expect.objectContaining({ _tag: "Telco.Unavailable", retryAfterSeconds: 1 })
      expect(failures).toContainEqual(notSubmitted)
    }
  )

  it("answers the SMSC's questions, receipts and messages, and no text gets into the log", async () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push(message))
    await played(
      ({ smpp, smsc }) =>
        Effect.gen(function* () {
          yield* smpp.sendSms(sms("m-1", "text"))
          const secret =
            "id:9 sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:DELIVRD err:000 text:private"
          smsc.send("deliver_sm", { esm_class: 4, short_message: Buffer.from(secret) })
          smsc.send("deliver_sm", { esm_class: 4, receipted_message_id: "A7", message_state: 5 })
          smsc.send("deliver_sm", { short_message: Buffer.from("private, from a SIM") })
          smsc.send("enquire_link")
          yield* until(() => smsc.answers.length === 3)
          expect(smsc.answers.map(({ command_status: status }) => status)).toEqual([0, 0, 0])
          yield* until(() => logged.length >= 4)
          const text = JSON.stringify(logged)
          expect(text).toContain('"messageId":"9","state":"delivered","error":"000"')
          expect(text).toContain('"messageId":"A7","state":"undeliverable"')
          expect(text).not.toContain("private")
          expect(text).not.toContain(FakeSmsc.password)
          const counted = (yield* Metric.snapshot).filter(({ id }) => id === "simplan_smpp_receipts_total")
          expect(counted.map(({ attributes }) => attributes)).toContainEqual({ telco: "smsc", state: "delivered" })
        }),
      {},
      Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug"))
    )
  })

  it("goes over TLS, to a certificate that it trusts alone", () =>
    Effect.gen(function* () {
      const authority = Certificates.authority("root")
      const { certificate, key } = authority.issue({ name: "smsc", isServer: true })
      const smsc = yield* FakeSmsc.serve({ key, cert: certificate })
      const made = (ca: string) =>
        Smpp.make({
          telco: "smsc",
          url: smsc.url,
          password: Redacted.make(FakeSmsc.password),
          destinationOf: () => Effect.succeed(Addresses.msisdn("447700900123")),
          ca,
          waitMillis: 1_000
        })
      const trusting = yield* made(authority.certificate)
      yield* trusting.sendSms(sms("m-1", "over TLS"))
      expect(smsc.shown()).toEqual(["over TLS"])
      const distrusting = yield* made(Certificates.authority("other").certificate)
      expect(yield* Effect.flip(distrusting.check)).toMatchObject({
        outcome: "NotDone",
        message: expect.stringContaining("cannot be reached")
      })
      expect(smsc.binds).toHaveLength(1)
    }).pipe(Effect.scoped, Effect.provide(Journal.layerMemory), Effect.provide(Logger.layer([])), Effect.runPromise))

  play("is made anew after octets that are no SMPP", function* ({ smpp, smsc }) {
    yield* smpp.check
    smsc.write(Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"))
    yield* until(() => smsc.binds.length === 2)
    yield* smpp.sendSms(sms("m-1", "text"))
    expect(smsc.shown()).toEqual(["text"])
  })

  it("is not begun with an address that it cannot use", async () => {
    const made = (url: string) =>
      Effect.runPromise(
        Smpp.make({
          telco: "smsc",
          url,
          password: Redacted.make("p"),
          destinationOf: () => Effect.die("not asked")
        }).pipe(Effect.scoped, Effect.provide(Journal.layerMemory), Effect.flip)
      )
    const urls = ["http://simplan@127.0.0.1", "smpp://127.0.0.1", "smpp://simplan:hidden@127.0.0.1", "smpp://a@b/c"]
    for (const url of urls) expect((await made(url)).message).toBe(`url ${Smpp.URL_FORM}`)
  })
})
