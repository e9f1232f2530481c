/**
 * What the adapter is made of: octets of segments, addresses, statuses, the pace, receipts.
 */
import { Result } from "effect"
import smpp from "smpp"
import { describe, expect, it } from "vitest"
import * as Addresses from "../../adapters/telco-smpp/Addresses.ts"
import * as Messages from "../../adapters/telco-smpp/Messages.ts"
import * as Statuses from "../../adapters/telco-smpp/Statuses.ts"
import * as Pace from "../../adapters/telco-smpp/Pace.ts"

describe("The segments of a text", () => {
  it("are unpacked septets or UCS-2, without a header where there is one", () => {
    expect(Messages.of("@a€", 9)).toEqual([
      { dataCoding: 0, esmClass: 0, octets: Uint8Array.from([0x00, 0x61, 0x1b, 0x65]) }
    ])
    expect(Messages.of("ç😀", 9)).toEqual([
      { dataCoding: 8, esmClass: 0, octets: Uint8Array.from([0x00, 0xe7, 0xd8, 0x3d, 0xde, 0x00]) }
    ])
  })

  it("are octets of the alphabet that the SMSC takes data coding 0 for, else UCS-2", () => {
    const codings = (text: string) =>
      Messages.alphabets.map((alphabet) => {
        const [{ dataCoding, octets } = expect.fail()] = Messages.of(text, 9, alphabet)
        return [alphabet, dataCoding, Array.from(octets)]
      })
    expect(codings("@_[")).toEqual([
      ["gsm", 0, [0x00, 0x11, 0x1b, 0x3c]],
      ["latin1", 0, [0x40, 0x5f, 0x5b]],
      ["ascii", 0, [0x40, 0x5f, 0x5b]]
    ])
    expect(codings("é£")).toEqual([
      ["gsm", 0, [0x05, 0x01]],
      ["latin1", 0, [0xe9, 0xa3]],
      ["ascii", 8, [0x00, 0xe9, 0x00, 0xa3]]
    ])
    // Of ISO 8859-1 and not of the GSM alphabet, which is what a phone gets; and the other way
    // round.
    for (const [text, unit] of [
      ["ç", [0x00, 0xe7]],
      ["Δ", [0x03, 0x94]]
    ] as const) {
      expect(codings(text).slice(1)).toEqual([
        ["latin1", 8, unit],
        ["ascii", 8, unit]
      ])
    }
  })

  it("are as many as fit on the air, whatever the alphabet", () => {
    const count = (text: string) => Messages.alphabets.map((alphabet) => Messages.of(text, 9, alphabet).length)
    expect(count("a".repeat(160))).toEqual([1, 1, 1])
    expect(count("a".repeat(161))).toEqual([2, 2, 2])
    expect(count("[".repeat(81))).toEqual([2, 2, 2])
    expect(count("é".repeat(160))).toEqual([1, 1, 3])
  })

  it("begin with the header of the concatenation, and fit into 140 octets on the air", () => {
    const [first, second] = Messages.of("a".repeat(161), 200)
    expect(Array.from(first?.octets ?? []).slice(0, 7)).toEqual([5, 0, 3, 200, 2, 1, 0x61])
    expect(Array.from(second?.octets ?? [])).toEqual([5, 0, 3, 200, 2, 2, ...Array.from({ length: 8 }, () => 0x61)])
    expect(first?.octets.length).toBe(6 + 153)
    expect(Messages.of("ç".repeat(71), 1).map(({ esmClass, octets }) => [esmClass, octets.length])).toEqual([
      [0x40, 140],
      [0x40, 6 + 2 * 4]
    ])
  })
})

describe("The address of a sender", () => {
  it.each([
    ["simplan", { ton: 5, npi: 0, address: "simplan" }],
    ["+447700900123", { ton: 1, npi: 1, address: "447700900123" }],
    ["447700900123", { ton: 1, npi: 1, address: "447700900123" }],
    ["07700900123", { ton: 0, npi: 1, address: "07700900123" }],
    ["1", { ton: 3, npi: 0, address: "1" }],
    ["380001", { ton: 3, npi: 0, address: "380001" }],
    ["3800012", { ton: 1, npi: 1, address: "3800012" }],
    ["Ünüsual 1", { ton: 5, npi: 0, address: "Ünüsual 1" }]
  ])("%s is by its form", (from, expected) => {
    expect(Addresses.sender(from)).toEqual(Result.succeed(expected))
  })

  it("is by the settings where they say so", () => {
    expect(Addresses.sender("38000", { ton: 6 })).toEqual(Result.succeed({ ton: 6, npi: 0, address: "38000" }))
    expect(Addresses.imsi("001010123456789")).toEqual({ ton: 0, npi: 6, address: "001010123456789" })
  })
})

describe("A command status", () => {
  it("has the name and number of the specification", () => {
    for (const [name, status] of Object.entries(smpp.errors)) {
      const own = Statuses.nameOf(status)
      expect([name, `status 0x${status.toString(16)}`]).toContain(own)
    }
    expect(Statuses.nameOf(0x400)).toBe("status 0x400")
  })

  it("is a refusal unless the table says otherwise", () => {
    const temporary = Object.values(smpp.errors).filter((status) => Statuses.meaningOf(status) === "NotDone")
    expect(temporary).toEqual([0x04, 0x05, 0x08, 0x0d, 0x0e, 0x0f, 0x53, 0x64, 0xff, 0x102])
    const throttled = Object.values(smpp.errors).filter((status) => Statuses.meaningOf(status) === "Throttled")
    expect(throttled).toEqual([0x14, 0x58])
    expect(Statuses.meaningOf(0)).toBe("Accepted")
    expect(Statuses.meaningOf(0x4ff)).toBe("Refused")
  })
})

describe("The pace", () => {
  const waits = (pace: Pace.Pace, now: number) => {
    const at = pace.at(now)
    pace.start(at, at)
    return at - now
  }

  it("keeps an interval between messages", () => {
    const pace = Pace.make({ messagesPerSecond: 10, pauseMillis: 1, longestPauseMillis: 1 })
    expect([waits(pace, 0), waits(pace, 0), waits(pace, 150), waits(pace, 1_000)]).toEqual([0, 100, 50, 0])
  })

  it("pauses twice as long each time, up to a limit, until a message is taken", () => {
    const pace = Pace.make({ pauseMillis: 100, longestPauseMillis: 300 })
    let now = 0
    const pauses = [1, 2, 3, 4].map(() => {
      pace.slowDown(now)
      // The others that were under way are told so too.
      pace.slowDown(now)
      const waitMillis = waits(pace, now)
      now += waitMillis
      return waitMillis
    })
    expect(pauses).toEqual([100, 200, 300, 300])
    pace.recover()
    pace.slowDown(now)
    expect(waits(pace, now)).toBe(100)
  })
})

describe("A delivery receipt", () => {
  const of = (fields: Readonly<Record<string, unknown>>) => Statuses.receiptOf(new smpp.PDU("deliver_sm", fields))

  it("is told by its text or by its parameters, and never by the text of the message", () => {
    const text =
      "id:0A-1 sub:001 dlvrd:000 submit date:2611221200 done date:2611221201 stat:EXPIRED err:010 text:stat:DELIVRD"
    expect(of({ esm_class: 4, short_message: { message: text } })).toEqual({
      messageId: "0A-1",
      state: "expired",
      error: "010"
    })
    expect(of({ receipted_message_id: "17\0", message_state: 2 })).toEqual({
      messageId: "17",
      state: "delivered",
      error: null
    })
    expect(of({ esm_class: 4, short_message: { message: "text:id:5 stat:DELIVRD" } })).toEqual({
      messageId: null,
      state: "unknown",
      error: null
    })
    expect(of({ esm_class: 0, short_message: { message: "id:1 stat:DELIVRD" } })).toBeUndefined()
  })
})
