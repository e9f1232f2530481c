/**
 * Finding SIMs and subscriptions by what somebody has typed (rule L1).
 */
import { describe, expect, it } from "vitest"
import * as SimSearch from "../../src/domain/SimSearch.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import type { ServiceStatus } from "../../src/domain/Subscription.ts"
import * as Values from "./Values.ts"

const iccid = "8946012345678900017"
const subscriptionId = "019bab1c-0b80-7000-8000-0000000000a1"
const sim = { ...Values.sim({ iccid }), imsi: "240080012345678", msisdn: "46701234567" }
const subscription = { ...Values.subscription({ iccid }), subscriptionId, metadata: "Order 4711" }
const topUp = { ...Values.attachment({ iccid }), metadata: "ORDER 5000 ÅÄÖ" }
const aggregate: SimAggregate = { sim, subscription, attachments: [{ attachment: topUp, packages: [] }] }

const finds = (text: string, of: SimAggregate = aggregate): boolean => {
  const search = SimSearch.of(text)
  return search === null || SimSearch.isFound(of, search)
}

describe("L1: a SIM is found by", () => {
  it.each([
    iccid,
    `${iccid}F`,
    `${iccid}f`,
    subscriptionId,
    subscriptionId.toUpperCase(),
    " 8946 0123 4567 8900 017 ",
    "8946",
    "0017",
    "7",
    "240080012345678",
    "46701234567",
    "+46701234567",
    "+46 (70) 123-45 67",
    "order 47",
    "ORDER 4711",
    "order 5000 åäö",
    "4711",
    "ÅÄÖ order",
    "070-123 45 67",
    "701234567",
    "0046 70 123 45 67",
    "+46 (0)70.123.45.67",
    "070/1234567"
  ])("%s", (text) => {
    expect(finds(text)).toBe(true)
  })

  it.each([
    "0123",
    "24008001234567",
    "+240080012345678",
    "4670123456",
    "019BAB1C",
    "order 4711 ",
    "rder",
    "471",
    "4711 5000"
  ])("not by %s", (text) => {
    expect(finds(text.endsWith(" ") ? `${text}x` : text)).toBe(false)
  })

  it("an ICCID of 18 digits with its pad", () => {
    const of = { ...aggregate, sim: { ...sim, iccid: "898520302104026905" } }
    for (const pad of ["", "F", "FF", "ff"]) expect(finds(`898520302104026905${pad}`, of)).toBe(true)
    expect(finds("8985 2030 2104 0269 05FF", of)).toBe(true)
  })

  it("nothing of a subscription that is not live, and of an attachment that is not confirmed", () => {
    expect(finds("order", { ...aggregate, subscription: { ...subscription, status: "Pending" } })).toBe(false)
    expect(finds(subscriptionId, { ...aggregate, subscription: null })).toBe(false)
    const unconfirmed = [{ attachment: { ...topUp, confirmed: false }, packages: [] }]
    expect(finds("order 5", { ...aggregate, attachments: unconfirmed })).toBe(false)
  })

  it("the first 64 characters of metadata", () => {
    const metadata = `${"😀".repeat(63)}ab`
    const of = { ...aggregate, subscription: { ...subscription, metadata } }
    expect(finds(`${"😀".repeat(63)}A`, of)).toBe(true)
    expect(finds(`${"😀".repeat(63)}Axyz`, of)).toBe(true)
    expect(finds(`${"😀".repeat(63)}b`, of)).toBe(false)
  })

  it.each([
    ["anna.mueller@example.com", true],
    ["ANNA mueller", true],
    ["com example", true],
    ["größe, «table»", true],
    ["anna.mueller@example.org", false],
    ["muell", false],
    ["<>", false],
    ["beyond", false]
  ])("all words of one metadata: %s", (text, isFound) => {
    const metadata = `Table 4; Größe <Anna.Mueller@example.com> ${"x".repeat(SimSearch.WORDS)} beyond`
    expect(finds(text, { ...aggregate, subscription: { ...subscription, metadata } })).toBe(isFound)
    const attachments = [{ attachment: { ...topUp, metadata }, packages: [] }]
    expect(finds(text, { ...aggregate, attachments })).toBe(isFound)
    expect(finds("table 4711", { ...aggregate, attachments })).toBe(false)
  })

  it("a phone number as it is dialled in its country, and by no part of it", () => {
    const of = (msisdn: string) => ({ ...aggregate, sim: { ...sim, msisdn } })
    const pairs = [
      ["33612345678", "06 12 34 56 78"],
      ["33612345678", "+33 (0)6 12 34 56 78"],
      ["33612345678", "0033612345678"],
      ["14155550100", "(415) 555-0100"],
      ["390612345678", "06 1234 5678"],
      ["79121234567", "8 912 123-45-67"],
      ["36201234567", "06 20 123 4567"],
      ["4791234567", "912 34 567"],
      ["883120012345", "120012345"]
    ] as const
    for (const [msisdn, text] of pairs) expect([text, finds(text, of(msisdn))]).toEqual([text, true])
    for (const text of ["0612", "12345678", "+612345678", "+33 06 12 34 56 78", "0034612345678", "1612345678"]) {
      expect([text, finds(text, of("33612345678"))]).toEqual([text, false])
    }
  })

  it("anything, where nothing is looked for", () => {
    expect(SimSearch.of(" \t ")).toBeNull()
  })
})

describe("L1: a list of subscriptions", () => {
  it("has those that are paused, those that are not, or all", () => {
    const of = (pausedAt: number | null) => ({
      ...aggregate,
      sim: { ...sim, service: { _tag: "Settled" as const, pausedAt } }
    })
    const filter = { search: null, label: null, tag: null, createdAfter: null }
    const has = (status: ServiceStatus | null) =>
      [null, Values.NOW].map((pausedAt) => SimSearch.isSubscriptionAsked(of(pausedAt), { ...filter, status }))
    expect([has(null), has("active"), has("paused")]).toEqual([
      [true, true],
      [true, false],
      [false, true]
    ])
    const pending = { ...of(null), subscription: { ...subscription, status: "Pending" as const } }
    expect(SimSearch.isSubscriptionAsked(pending, { ...filter, status: "active" })).toBe(false)
  })
})

describe("L4: a search over organizations", () => {
  const placeOf = (text: string, of: SimAggregate = aggregate) => {
    const search = SimSearch.of(text)
    return search === null ? null : SimSearch.placeOf(of, search)
  }

  it("names by what it found a SIM, the first where that is more than one thing", () => {
    expect([subscriptionId, "240080012345678", "+46701234567", "0017", "order 4"].map((text) => placeOf(text))).toEqual(
      [...SimSearch.places]
    )
    expect(placeOf("nothing has this")).toBeUndefined()
    const all = "8946012345678"
    const ofAll = { ...aggregate, sim: { ...sim, imsi: all, msisdn: all } }
    const named = { ...ofAll, subscription: { ...subscription, subscriptionId: all, metadata: all } }
    expect([placeOf(all, named), placeOf(all, ofAll)]).toEqual(["subscriptionId", "imsi"])
    expect(placeOf(all, { ...ofAll, sim: { ...ofAll.sim, imsi: null } })).toBe("msisdn")
    expect(placeOf(all, { ...aggregate, subscription: { ...subscription, metadata: all } })).toBe("iccid")
  })

  it("shows where the SIM stands, the plan of the newest attachment, and the metadata that was found", () => {
    const older = {
      ...topUp,
      attachmentId: "a",
      createdAt: 1,
      metadata: "voucher 7",
      terms: { ...topUp.terms, name: "Old" }
    }
    const newer = { ...topUp, attachmentId: "b", createdAt: 2, metadata: "", terms: { ...topUp.terms, name: "New" } }
    const unseen = { ...topUp, attachmentId: "c", createdAt: 3, confirmed: false }
    const of = { ...aggregate, attachments: [older, newer, unseen].map((attachment) => ({ attachment, packages: [] })) }
    const hit = (text: string, found: SimAggregate = of) => {
      const search = SimSearch.of(text)
      return search === null ? null : SimSearch.hitOf(found, "Acme", search)
    }
    expect(hit("4711")).toMatchObject({ planName: "New", metadata: "Order 4711", organizationName: "Acme" })
    expect(hit("voucher")).toMatchObject({ planName: "New", metadata: "voucher 7", place: "metadata" })
    expect(hit(iccid)).toMatchObject({ metadata: "Order 4711", place: "iccid" })
    const long = { ...subscription, metadata: `order ${"😀".repeat(300)}` }
    expect([...(hit("order", { ...of, subscription: long })?.metadata ?? "")]).toHaveLength(SimSearch.WORDS)
    expect(hit(iccid, { ...of, subscription: null })).toMatchObject({ planName: null, metadata: null })
    expect(hit("nothing has this")).toBeNull()
  })

  it("has hits by that, then by organization and ICCID", () => {
    const hit = (place: SimSearch.Place, organizationId: string, of: string): SimSearch.Hit => ({
      ...{ organizationId, organizationName: "Acme", iccid: of, label: "Green", subscriptionId: null, place },
      ...{ status: "free", isPaused: false, planName: null, metadata: null }
    })
    const sorted = [
      hit("subscriptionId", "b", "9"),
      hit("iccid", "a", "2"),
      hit("iccid", "b", "1"),
      hit("metadata", "a", "1"),
      hit("metadata", "a", "2")
    ]
    expect(sorted.toReversed().toSorted(SimSearch.compareHits)).toEqual(sorted)
    expect(SimSearch.compareHits(hit("iccid", "a", "1"), hit("iccid", "a", "1"))).toBe(0)
  })
})
