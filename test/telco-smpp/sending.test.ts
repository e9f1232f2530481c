/**
 * Sending messages over a real socket to an SMSC that loses, delays, doubles, refuses, throttles,
 * unbinds and cuts.
 */
import { Effect, Fiber, Result } from "effect"
import { SmsSegments } from "simplan/ports"
import { describe, expect } from "vitest"
import { CallFailure } from "../../adapters/telco-calls/index.ts"
import { iccid, numberOf, play, playWith, sms, until } from "./Smsc.ts"

const long = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26))).join("")

describe("A message over SMPP", () => {
  play(
    "is sent in the GSM alphabet or in UCS-2, with the sender's and the SIM's addresses",
    function* ({ smpp, smsc }) {
      yield* smpp.sendSms(sms("m-1", "Hello [€]"))
      yield* smpp.sendSms(sms("m-2", "Привет ☕ 😀", { from: "+33123456789" }))
      yield* smpp.sendSms(sms("m-3", "code", { from: "38000" }))
      expect(smsc.taken.map(({ id, concatenation, ...rest }) => rest)).toEqual([
        {
          source: "5/0/simplan",
          destination: `1/1/${numberOf(iccid)}`,
          dataCoding: 0,
          esmClass: 0,
          registeredDelivery: 1,
          text: "Hello [€]"
        },
        {
          source: "1/1/33123456789",
          destination: `1/1/${numberOf(iccid)}`,
          dataCoding: 8,
          esmClass: 0,
          registeredDelivery: 1,
          text: "Привет ☕ 😀"
        },
        {
          source: "3/0/38000",
          destination: `1/1/${numberOf(iccid)}`,
          dataCoding: 0,
          esmClass: 0,
          registeredDelivery: 1,
          text: "code"
        }
      ])
      expect(smsc.binds).toEqual([{ systemId: "simplan", systemType: "", version: 0x34 }])
    }
  )

  playWith({ alphabet: "ascii" })(
    "goes in the alphabet of the SMSC, and is reported in as many segments as were submitted",
    function* ({ smpp, smsc }) {
      const texts = ["user_1@home", "é".repeat(160)]
      const answers = yield* Effect.forEach(texts, (text, index) =>
        Effect.all([smpp.sendSms(sms(`m-${index}`, text)), smpp.sendSms(sms(`m-${index}`, text))])
      )
      expect(answers).toEqual([1, 3].map((segments) => [{ segments }, { segments }]))
      expect(smsc.taken.map(({ dataCoding }) => dataCoding)).toEqual([0, 8, 8, 8])
      // The fake reads septets: these are the octets of ASCII.
      expect(SmsSegments.unpacked(smsc.taken[0]?.text ?? "")).toEqual([...Buffer.from("user_1@home", "ascii")])
      const refused = yield* Effect.flip(smpp.sendSms(sms("m-3", "é".repeat(671))))
      expect(refused).toMatchObject({
        _tag: "Telco.Refused",
        message: expect.stringContaining("takes 11 segments")
      })
      expect(smsc.taken).toHaveLength(4)
    }
  )

  play(
    "goes in segments that the phone puts together, each message with a reference of its own",
    function* ({ smpp, smsc }) {
      const texts = [long(400), `${long(152)}€${long(151)}`, "😀".repeat(70)]
      yield* Effect.forEach(texts, (text, index) => smpp.sendSms(sms(`m-${index}`, text)))
      expect(smsc.shown()).toEqual(texts)
      expect(smsc.taken.map(({ concatenation }) => concatenation?.slice(1))).toEqual([
        [3, 1],
        [3, 2],
        [3, 3],
        [2, 1],
        [2, 2],
        [3, 1],
        [3, 2],
        [3, 3]
      ])
      expect(new Set(smsc.taken.map(({ concatenation }) => concatenation?.[0])).size).toBe(3)
      expect(new Set(smsc.taken.map(({ esmClass }) => esmClass))).toEqual(new Set([0x40]))
    }
  )

  play(
    "is sent once under one id, also by another process, and when the SMSC answers twice or late",
    function* ({ another, smpp, smsc }) {
      smsc.next("double", { late: 100 })
      const message = sms("m-1", long(200))
      yield* smpp.sendSms(message)
      yield* smpp.sendSms(message)
      yield* (yield* another()).sendSms(message)
      yield* smpp.sendSms(sms("m-2", "next"))
      expect(smsc.shown()).toEqual([message.text, "next"])
    }
  )

  play("is sent once by many calls at once", function* ({ another, smpp, smsc }) {
    const others = [smpp, smpp, yield* another(), yield* another()]
    smsc.next({ late: 50 })
    const answers = yield* Effect.forEach(others, (one) => Effect.result(one.sendSms(sms("m-1", "once"))), {
      concurrency: "unbounded"
    })
    expect(smsc.shown()).toEqual(["once"])
    expect(answers.some(Result.isSuccess)).toBe(true)
  })

  for (const behaviour of ["lose", "drop", "cut"] as const) {
    play(`whose answer is lost (${behaviour}) is not sent again`, function* ({ another, smpp, smsc }) {
      smsc.next(behaviour)
      const message = sms("m-1", "once or never")
      const first = yield* Effect.flip(smpp.sendSms(message))
      expect(first).toMatchObject({
        _tag: "Telco.Unavailable",
        message: expect.stringContaining("may have been sent")
      })
      for (const one of [smpp, smpp, yield* another()]) {
        expect(yield* Effect.flip(one.sendSms(message))).toMatchObject({
          _tag: "Telco.Refused",
          message: "The answer was lost: the message may have been sent, and is not sent again"
        })
      }
      yield* smpp.sendSms(sms("m-2", "another"))
      expect(smsc.counts.submits).toBe(2)
    })
  }

  play("whose second segment has no answer may have been sent in part, and ends there", function* ({ smpp, smsc }) {
    smsc.next("accept", "drop")
    const message = sms("m-1", long(400))
    yield* Effect.flip(smpp.sendSms(message))
    expect(yield* Effect.flip(smpp.sendSms(message))).toMatchObject({
      _tag: "Telco.Refused",
      message:
        "The answer was lost: the message may have been sent in part or as a whole, and is not sent again " +
        "(1 of 3 segments were sent before)"
    })
    expect(smsc.counts.submits).toBe(2)
  })

  play("that was being submitted by a process that is gone is not sent again", function* ({ journal, smpp, smsc }) {
    smsc.next({ late: 200 })
    const sending = yield* Effect.forkChild(smpp.sendSms(sms("m-1", "half a process")))
    yield* until(() => smsc.counts.submits === 1)
    yield* Fiber.interrupt(sending)
    expect(yield* Effect.flip(smpp.sendSms(sms("m-1", "half a process")))).toMatchObject({ _tag: "Telco.Refused" })

    // Killed between the intent and the outcome.
    const document = { state: "Sending", reference: 7, segments: 1, parts: 1, sent: [], refusal: null }
    const place = { telco: "smsc", kind: "sms", key: "m-2" }
    yield* journal.add({ ...place, iccid, externalId: null, document, dueAt: null })
    expect(yield* Effect.flip(smpp.sendSms(sms("m-2", "killed")))).toMatchObject({ _tag: "Telco.Refused" })
    expect(smsc.counts.submits).toBe(1)
  })

  play("is refused for good by the SMSC, and answers so from then on", function* ({ smpp, smsc }) {
    smsc.next(0x0b, "accept", 0x0a, 0x451)
    for (const _ of [1, 2]) {
      expect(yield* Effect.flip(smpp.sendSms(sms("m-1", "to nobody")))).toMatchObject({
        _tag: "Telco.Refused",
        message: "the SMSC refuses the message: ESME_RINVDSTADR"
      })
    }
    expect(yield* Effect.flip(smpp.sendSms(sms("m-2", long(400))))).toMatchObject({
      _tag: "Telco.Refused",
      message: "the SMSC refuses the message: ESME_RINVSRCADR (1 of 3 segments were sent before)"
    })
    expect(yield* Effect.flip(smpp.sendSms(sms("m-3", "vendor")))).toMatchObject({
      message: "the SMSC refuses the message: status 0x451"
    })
    smsc.next("nack")
    expect(yield* Effect.flip(smpp.sendSms(sms("m-4", "malformed")))).toMatchObject({
      message: "the SMSC refuses the message: ESME_RINVCMDLEN"
    })
  })

  play(
    "that the SMSC cannot take now is sent by the next call, from the segment on that is missing",
    function* ({ another, smpp, smsc }) {
      smsc.next("accept", 0x08)
      const message = sms("m-1", long(400))
      expect(yield* Effect.flip(smpp.sendSms(message))).toMatchObject({
        _tag: "Telco.Unavailable",
        message: "the SMSC does not take the message: ESME_RSYSERR"
      })
      yield* (yield* another()).sendSms(message)
      expect(smsc.shown()).toEqual([message.text])
      expect(smsc.taken).toHaveLength(3)
    }
  )

  play("waits while the SMSC has too many, a bounded number of times", function* ({ smpp, smsc }) {
    smsc.next(0x58, 0x14, "accept", 0x58)
    const message = sms("m-1", long(200))
    yield* smpp.sendSms(message)
    expect(smsc.shown()).toEqual([message.text])
    expect(smsc.counts.submits).toBe(5)
    smsc.next(0x58, 0x58, 0x58, 0x58)
    const late = sms("m-2", "late")
    expect(yield* Effect.flip(smpp.sendSms(late))).toMatchObject({
      _tag: "Telco.Unavailable",
      retryAfterSeconds: expect.any(Number)
    })
    expect(smsc.counts.submits).toBe(9)
    yield* smpp.sendSms(late)
    expect(smsc.shown()).toEqual([message.text, "late"])
  })

  playWith({ pauseMillis: 2_000 })(
    "is answered when to come again if the pause is longer than it may wait",
    function* ({ smpp, smsc }) {
      smsc.next(0x58)
      expect(yield* Effect.flip(smpp.sendSms(sms("m-1", "later")))).toMatchObject({
        _tag: "Telco.Unavailable",
        retryAfterSeconds: 2
      })
      expect(smsc.counts.submits).toBe(1)
    }
  )

  playWith({ window: 3, messagesPerSecond: 100, waitMillis: 5_000 })(
    "keeps to the window and to the messages per second",
    function* ({ smpp, smsc }) {
      smsc.next(...Array.from({ length: 12 }, () => ({ late: 20 })))
      const begun = performance.now()
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, index) => index),
        (index) => smpp.sendSms(sms(`m-${index}`, "text", { iccid: `${8_988_303_000_000_000_000n + BigInt(index)}` })),
        { concurrency: "unbounded" }
      )
      expect(smsc.counts.mostOutstanding).toBeLessThanOrEqual(3)
      // Eleven intervals of 10 ms; a timer may be early by a part of a millisecond.
      expect(performance.now() - begun).toBeGreaterThan(105)
      expect(smsc.taken).toHaveLength(12)
    }
  )

  playWith({
    destinationOf: () => Effect.fail(new CallFailure.CallFailure({ outcome: "NotFound", message: "no number" }))
  })(
    "waits for no destination that cannot be known, and sends no sender that SMPP has no octets for",
    function* ({ smpp, smsc }) {
      expect(yield* Effect.flip(smpp.sendSms(sms("m-1", "text")))).toMatchObject({
        _tag: "Telco.Refused",
        message: "no number"
      })
      expect(yield* Effect.flip(smpp.sendSms(sms("m-2", "text", { from: "Δ" })))).toMatchObject({
        _tag: "Telco.Refused",
        message: 'SMPP has no way to send the character "Δ" of the sender'
      })
      expect(smsc.counts.submits).toBe(0)
    }
  )
})
