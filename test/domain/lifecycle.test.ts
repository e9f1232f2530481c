/**
 * What happens to subscriptions, attachments and packages (rule E1): what a change causes at once,
 * and what falls due.
 */
import { describe, expect, it } from "vitest"
import type { WithPackages } from "../../src/domain/Attachment.ts"
import * as Lifecycle from "../../src/domain/Lifecycle.ts"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import * as WebhookEndpoint from "../../src/domain/WebhookEndpoint.ts"
import * as WebhookEvent from "../../src/domain/WebhookEvent.ts"
import { DAY_MS, HOUR_MS } from "./Calendar.ts"
import { attached, ICCID, aggregate, NOW, recurring, subscription } from "./Values.ts"
import * as Values from "./Values.ts"

const iso = (at: number) => new Date(at).toISOString()
const caused = (loaded: SimAggregate, next: SimAggregate, now = NOW, notifiedUntil?: ReadonlyMap<string, number>) => {
  const { causes, jobs } = Lifecycle.caused({ loaded, next }, now, notifiedUntil)
  return { payloads: Lifecycle.payloads(causes, next), jobs }
}
const typesOf = (loaded: SimAggregate, next: SimAggregate, now = NOW) =>
  caused(loaded, next, now).payloads.map(({ type }) => type)

const window = (start: number, end: number) => attached({}, [{ activationAt: start, expirationAt: end }])
const unconfirmed = (of: WithPackages): WithPackages => ({
  attachment: { ...of.attachment, confirmed: false },
  packages: []
})
const pending = (of: WithPackages) => ({
  ...aggregate([unconfirmed(of)]),
  subscription: subscription({ status: "Pending" })
})
const about = { esim: ICCID, subscriptionId: "subscription" }
const ofAttachment = { ...about, attachmentId: "attachment", planId: "plan" }
const job = (dueAt: number) => ({
  jobId: "notify:attachment",
  work: { _tag: "NotifyAttachment", iccid: ICCID, attachmentId: "attachment" },
  dueAt
})

describe("A creation", () => {
  it("notifies of the subscription, the attachment and its packages when it is confirmed, and not before", () => {
    const of = window(NOW + HOUR_MS, NOW + 3 * DAY_MS)
    const times = { activationAt: iso(NOW + HOUR_MS), expirationAt: iso(NOW + 3 * DAY_MS) }
    expect(caused({ ...aggregate([]), subscription: null }, pending(of))).toEqual({ payloads: [], jobs: [] })
    expect(caused(pending(of), aggregate([of]))).toEqual({
      payloads: [
        { type: "subscription.created", data: { ...about, metadata: "first" } },
        { type: "esim.ready", data: { ...about, metadata: "first", replacedEsim: null } },
        { type: "attachment.created", data: { ...ofAttachment, ...times } },
        { type: "package.created", data: { ...ofAttachment, ...times, packageId: "attachment:0" } }
      ],
      jobs: [job(NOW + HOUR_MS)]
    })
  })

  it("notifies nothing when it is undone", () => {
    const undone = { ...aggregate([]), subscription: null }
    expect(caused(pending(window(NOW, NOW + DAY_MS)), undone)).toEqual({ payloads: [], jobs: [] })
  })

  it("of another attachment notifies of that one alone", () => {
    const first = window(NOW, NOW + 9 * DAY_MS)
    const second = attached({ attachmentId: "second" }, [{ attachmentId: "second" }])
    expect(typesOf(aggregate([first]), aggregate([first, second]))).toEqual(["attachment.created", "package.created"])
  })

  it("notifies at once what is due already: the activation, and the notice of an end that is nearer than 24 h", () => {
    const created = ["attachment.created", "package.created"]
    const from = aggregate([])
    expect(typesOf(from, aggregate([window(NOW, NOW + DAY_MS + 1)]))).toEqual([...created, "attachment.activated"])
    const near = aggregate([window(NOW, NOW + DAY_MS)])
    expect(typesOf(from, near)).toEqual([...created, "attachment.activated", "attachment.expiring"])
    expect(caused(from, near).jobs).toEqual([job(NOW + DAY_MS)])
  })

  it("notifies nothing of the end before the activation, however near both are", () => {
    const soon = aggregate([window(NOW + 1, NOW + 2)])
    expect(typesOf(aggregate([]), soon)).toEqual(["attachment.created", "package.created"])
    expect(caused(aggregate([]), soon).jobs).toEqual([job(NOW + 1)])
    const { nextAt, payloads } = Lifecycle.notifications(soon, "attachment", NOW + 1, NOW + 1)
    expect(payloads.map(({ type }) => type)).toEqual(["attachment.activated", "attachment.expiring"])
    expect(nextAt).toBe(NOW + 2)
  })
})

describe("A report of the first use", () => {
  it("notifies of the activation once, and leaves the job of the notice", () => {
    const waiting = attached({}, [{}])
    const used = window(NOW - HOUR_MS, NOW + 10 * DAY_MS)
    expect(typesOf(aggregate([waiting]), aggregate([used]))).toEqual(["attachment.activated"])
    expect(caused(aggregate([waiting]), aggregate([used])).jobs).toEqual([job(NOW + 9 * DAY_MS)])
    expect(caused(aggregate([used]), aggregate([{ ...used }]))).toEqual({ payloads: [], jobs: [] })
  })

  it("that comes after the end notifies all three, in order", () => {
    const types = typesOf(aggregate([attached({}, [{}])]), aggregate([window(NOW - 9 * DAY_MS, NOW)]))
    expect(types).toEqual(["attachment.activated", "attachment.expiring", "attachment.expired"])
  })

  it("notifies nothing of a suspended attachment", () => {
    const waiting = attached({ suspendedAt: NOW - 1 }, [{}])
    const used = attached({ suspendedAt: NOW - 1 }, [{ activationAt: NOW - 2, expirationAt: NOW + DAY_MS }])
    expect(caused(aggregate([waiting]), aggregate([used]))).toEqual({ payloads: [], jobs: [] })
  })
})

describe("A change", () => {
  const of = window(NOW, NOW + DAY_MS)

  it("notifies of a suspension with its instant, once", () => {
    const suspended = { ...of, attachment: { ...of.attachment, suspendedAt: NOW + 1 } }
    const times = { activationAt: iso(NOW), expirationAt: iso(NOW + DAY_MS) }
    expect(caused(aggregate([of]), aggregate([suspended]))).toEqual({
      payloads: [{ type: "attachment.suspended", data: { ...ofAttachment, ...times, suspendedAt: iso(NOW + 1) } }],
      jobs: []
    })
    expect(typesOf(aggregate([suspended]), aggregate([{ ...suspended }]))).toEqual([])
  })

  it("notifies of a deletion", () => {
    const deleted = { ...aggregate([of]), subscription: subscription({ status: "Deleted" }) }
    expect(caused(aggregate([of]), deleted)).toEqual({
      payloads: [{ type: "subscription.deleted", data: about }],
      jobs: []
    })
  })

  it("that ends an attachment notifies first what is due and not notified yet, from the instant of its job on", () => {
    const all = window(NOW - 3 * DAY_MS, NOW + HOUR_MS)
    const suspended = { ...all, attachment: { ...all.attachment, suspendedAt: NOW } }
    const types = (next: SimAggregate, notifiedUntil?: number) =>
      caused(
        aggregate([all]),
        next,
        NOW,
        new Map(notifiedUntil === undefined ? [] : [["attachment", notifiedUntil]])
      ).payloads.map(({ type }) => type)
    const late = ["attachment.activated", "attachment.expiring"]
    const deleted = { ...aggregate([all]), subscription: subscription({ status: "Deleted" }) }
    expect(types(aggregate([suspended]), NOW - 3 * DAY_MS)).toEqual([...late, "attachment.suspended"])
    expect(types(deleted, NOW - 3 * DAY_MS)).toEqual([...late, "subscription.deleted"])
    expect(types(deleted, NOW - DAY_MS)).toEqual(["attachment.expiring", "subscription.deleted"])
    expect(types(deleted, NOW + HOUR_MS)).toEqual(["subscription.deleted"])
    expect(types(deleted)).toEqual(["subscription.deleted"])
    expect(Lifecycle.ended({ loaded: aggregate([all]), next: deleted }, NOW)).toEqual([all.attachment])
    expect(Lifecycle.ended({ loaded: aggregate([suspended]), next: deleted }, NOW)).toEqual([])
    expect(Lifecycle.ended({ loaded: aggregate([all]), next: aggregate([{ ...all }]) }, NOW)).toEqual([])
  })

  it.each([
    ["Created", ["package.created"]],
    ["Refused", ["package.refused"]],
    ["Lapsed", []]
  ] as const)("notifies of an occurrence that is %s: %s", (status, types) => {
    const before = attached({ terms: recurring(), anchor: NOW - DAY_MS }, [{}])
    const after = attached({ terms: recurring(), anchor: NOW - DAY_MS }, [{}, { occurrence: 1, status }])
    expect(typesOf(aggregate([before]), aggregate([after]))).toEqual(types)
  })
})

describe("The job of an attachment", () => {
  const [start, end] = [NOW, NOW + 5 * DAY_MS]
  const stored = aggregate([window(start, end)])
  const notified = (from: number, now: number, of = stored) => {
    const { nextAt, payloads } = Lifecycle.notifications(of, "attachment", from, now)
    return { types: payloads.map(({ type }) => type), nextAt }
  }

  it("notifies what has fallen due since its instant, and when it is due again", () => {
    expect(notified(start, start)).toEqual({ types: ["attachment.activated"], nextAt: end - DAY_MS })
    expect(notified(end - DAY_MS, end - 1)).toEqual({ types: ["attachment.expiring"], nextAt: end })
    expect(notified(end, end)).toEqual({ types: ["attachment.expired"], nextAt: null })
  })

  it("notifies after a downtime everything that was missed, in order", () => {
    const all = ["attachment.activated", "attachment.expiring", "attachment.expired"]
    expect(notified(start, end + DAY_MS)).toEqual({ types: all, nextAt: null })
  })

  it("notifies nothing once the attachment is suspended, or gone with its subscription", () => {
    const suspended = aggregate([attached({ suspendedAt: NOW }, [{ activationAt: start, expirationAt: end }])])
    const nothing = { types: [], nextAt: null }
    expect(notified(start, end, suspended)).toEqual(nothing)
    expect(notified(start, end, aggregate([]))).toEqual(nothing)
    expect(notified(start, end, { ...stored, subscription: null })).toEqual(nothing)
  })

  it("is left for what is still to come of the attachments that there are, when an endpoint asks", () => {
    const jobs = (at: number, of = window(start, end)) => Lifecycle.jobsFrom([of], at).map(({ dueAt }) => dueAt)
    expect([jobs(start - 1), jobs(start), jobs(end - DAY_MS), jobs(end)]).toEqual([[start], [end - DAY_MS], [end], []])
    expect(jobs(start, attached({}, [{}]))).toEqual([])
    expect(jobs(start, unconfirmed(window(start, end)))).toEqual([])
  })
})

describe("An endpoint", () => {
  const endpoint = (events: ReadonlyArray<WebhookEvent.FilterType> | null): WebhookEndpoint.WebhookEndpoint =>
    Values.endpoint({
      organizationId: "organization",
      endpointId: "endpoint",
      url: "https://example.com/",
      events,
      version: 1
    })

  it("without a filter takes the interface's three types, and with one those that it names", () => {
    const taken = (of: WebhookEndpoint.WebhookEndpoint) =>
      WebhookEvent.types.filter((type) => WebhookEndpoint.takes(of, type))
    expect(taken(endpoint(null))).toEqual([
      "attachment.allowanceConsumed",
      "subscription.esim.locationChanged",
      "esim.smdp.stateChanged"
    ])
    expect(taken(endpoint(["attachment.expiring"]))).toEqual(["attachment.expiring"])
  })
})
