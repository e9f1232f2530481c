/**
 * The verdict finds what it is there to find: a round in which all came right, and the same with
 * one thing wrong.
 */
import { describe, expect, it } from "vitest"
import { type Fate, type Kind, Ledger, type Operation } from "./Ledger.ts"
import { ALLOWANCE, MEGABYTE, USED } from "./Clients.ts"
import * as Verdict from "./Verdict.ts"

const first = "8999902000000000001"
const second = "8999902000000000002"
const free = "8999902000000000003"
const gone = "8999902000000000004"
const left = "8999902000000000005"
const third = "8999902000000000006"

const done = (iccid: string): Fate => ({ _tag: "Done", body: { subscription_id: `of ${iccid}`, esimdata: { iccid } } })

const operation = (ledger: Ledger, kind: Kind, fate: Fate, isKeyed = true, iccid: string | null = null): Operation => {
  const one = ledger.open(kind, isKeyed, { method: "POST", path: "/", iccid }, () => null)
  one.fate = fate
  return one
}

const attachment = (id: string, iccid: string, metadata: string, more = {}) => ({
  attachment_id: id,
  iccid,
  metadata,
  confirmed: true,
  subscription_id: `of ${iccid}`,
  suspended_at: null,
  anchor: null,
  occurrences: null,
  replacements: 0,
  ...more
})

const packageRow = (id: string, occurrence: number, iccid: string, used = 0) => ({
  attachment_id: id,
  iccid,
  occurrence,
  status: "Created",
  refusal: null as string | null,
  used_bytes: String(used),
  replacement: null as number | null,
  used_before: null as string | null,
  awaited: null as boolean | null
})

const event = (id: string, threshold: number) => ({
  id,
  type: "attachment.allowanceConsumed",
  data: { attachmentId: "a", usagePercentage: threshold }
})

/**
 * All came right: `a` was used, `b` recurs, `c` was used in part and moved, one request was
 * refused, one SMS was sent.
 */
const right = () => {
  const ledger = new Ledger()
  const used = operation(ledger, "subscribe", done(first))
  const daily = operation(ledger, "subscribe", done(second))
  const lost = operation(ledger, "subscribe", done(left))
  const refused = operation(ledger, "subscribe", { _tag: "Refused", code: "telco_refused" })
  const sms = operation(ledger, "sms", { _tag: "Done", body: {} })
  operation(ledger, "pause", { _tag: "Done", body: {} }, true, first)
  const resumed = operation(ledger, "resume", { _tag: "Done", body: {} }, true, first)
  operation(ledger, "pause", { _tag: "Done", body: {} }, true, second)
  operation(ledger, "pause", { _tag: "Done", body: {} }, true, left)
  const moved = { data: { subscription_id: `of ${left}`, esim: { iccid: third } } }
  const replaced = operation(ledger, "replace", { _tag: "Done", body: moved }, true, left)
  const reports = (attachmentId: string, usedBytes: number, causes: ReadonlyArray<string>) =>
    void ledger.reports.push({ events: [], causes, attachmentId, usedBytes, isAcknowledged: true })
  reports("a", USED, ["a used 50 %"])
  reports("c", 5, [])
  ledger.stops.push({ name: "server 0", sent: 16, answered: 16 })
  const events = [event("e", 50)]
  return {
    facts: {
      ledger,
      refused: {
        stuck: {
          jobs: [
            { job_id: "release:1", iccid: free, times: 3, release: true },
            { job_id: "suspend:1", iccid: first, times: 6, release: false },
            { job_id: "service:1", iccid: second, times: 3, release: false, kind: "SetService" },
            { job_id: "service:2", iccid: gone, times: 3, release: false, kind: "SetService" }
          ],
          releasing: [free, gone]
        },
        listed: ["release:1", "suspend:1", "service:1", "service:2"]
      },
      now: 0,
      sims: [first, second, free, left, third].map((iccid) => ({
        iccid,
        allocation: iccid === free ? "Free" : iccid === left ? "Withdrawn" : "InService",
        allocated_to: iccid === left ? "replaced" : null,
        mobile_plan_applied: iccid === first,
        mobile_plan_target: null as boolean | null,
        paused_at: iccid === second || iccid === third ? "1" : null,
        service_change: null
      })),
      subscriptions: [first, second, third].map((iccid) => ({
        subscription_id: `of ${iccid === third ? left : iccid}`,
        iccid,
        metadata: ""
      })),
      attachments: [
        attachment("a", first, used.name),
        attachment("b", second, daily.name, { anchor: "0", occurrences: 3 }),
        attachment("c", third, lost.name, { subscription_id: `of ${left}`, replacements: 1 })
      ],
      packages: [
        packageRow("a", 0, first, USED),
        packageRow("b", 0, second),
        { ...packageRow("c", 0, third, 5), replacement: 1, used_before: "5", awaited: false }
      ],
      deliveries: [{ status: "Delivered", count: 1 }],
      books: {
        packages: [
          { packageId: "a:0", iccid: first, status: "active", dataMegaBytes: ALLOWANCE },
          { packageId: "b:0", iccid: second, status: "active", dataMegaBytes: ALLOWANCE },
          { packageId: "c:0:1", iccid: third, status: "active", dataMegaBytes: ALLOWANCE }
        ],
        messages: [{ text: sms.name }],
        mobilePlans: new Map([[first, true]]),
        services: new Map([
          [first, true],
          [second, false],
          [third, false]
        ]),
        hasKeys: true
      },
      receivers: [{ url: "", events, strays: () => 0, become: () => {}, close: async () => {} }]
    },
    used,
    refused,
    sms,
    resumed,
    replaced,
    events
  }
}

type Round = ReturnType<typeof right>

const wrongs: ReadonlyArray<readonly [name: string, spoil: (round: Round) => void, expected: RegExp]> = [
  [
    "an acknowledged subscription that is gone",
    ({ facts }) => void facts.attachments.shift(),
    /acknowledged and is not there/
  ],
  [
    "a refused one that is there",
    ({ facts, refused }) => void facts.attachments.push(attachment("c", first, refused.name)),
    /was refused with telco_refused and is there/
  ],
  [
    "one that is there twice",
    ({ facts, used }) => void facts.attachments.push(attachment("c", first, used.name)),
    /attachments by request: 1 twice/
  ],
  [
    "one that nobody asked for",
    ({ facts }) => void facts.attachments.push(attachment("c", first, "whose")),
    /whose is there and nobody asked/
  ],
  [
    "another SIM than was answered",
    ({ facts }) => Object.assign(facts.attachments[0] ?? {}, { iccid: second }),
    /was answered another SIM/
  ],
  [
    "requests that a server has left without an answer when it was stopped",
    ({ facts }) => void facts.ledger.stops.push({ name: "server 0", sent: 16, answered: 15 }),
    /server 0 was stopped and left 1 of 16 requests without an answer/
  ],
  [
    "a SIM that is lost",
    ({ facts }) => Object.assign(facts.sims[2] ?? {}, { allocation: "Releasing" }),
    /is lost: Releasing/
  ],
  [
    "a SIM that is taken by nobody",
    ({ facts }) => Object.assign(facts.sims[2] ?? {}, { allocation: "InService" }),
    /SIMs in service/
  ],
  [
    "a SIM that is shared",
    ({ facts }) => Object.assign(facts.subscriptions[1] ?? {}, { iccid: first }),
    /two subscriptions/
  ],
  [
    "a package that the telco lacks",
    ({ facts }) => void facts.books.packages.shift(),
    /packages at the telco: 1 missing/
  ],
  [
    "a package that only the telco has",
    ({ facts }) =>
      void facts.books.packages.push({ packageId: "x:0", iccid: free, status: "active", dataMegaBytes: ALLOWANCE }),
    /packages at the telco: 1 that should not be/
  ],
  [
    "a suspension that the telco has not taken",
    ({ facts }) => Object.assign(facts.attachments[0] ?? {}, { suspended_at: 1 }),
    /packages at the telco/
  ],
  [
    "an occurrence that was left out",
    ({ facts }) => Object.assign(facts, { now: 20 * 3_600_000 }),
    /packages that are due: 1 missing/
  ],
  ["an SMS that was not sent", ({ facts }) => void facts.books.messages.pop(), /acknowledged messages: 1 missing/],
  [
    "an SMS that was sent twice",
    ({ facts, sms }) => void facts.books.messages.push({ text: sms.name }),
    /messages: 1 twice/
  ],
  [
    "a refused SMS that was sent",
    ({ sms }) => Object.assign(sms, { fate: { _tag: "Refused", code: "x" } }),
    /refused messages/
  ],
  ["a mobile plan that differs", ({ facts }) => void facts.books.mobilePlans.clear(), /another at the telco/],
  [
    "a mobile plan that is not settled",
    ({ facts }) => Object.assign(facts.sims[2] ?? {}, { mobile_plan_target: true }),
    /not settled/
  ],
  [
    "a resumption that was lost",
    ({ facts, resumed }) => {
      Object.assign(facts.sims[0] ?? {}, { paused_at: "1" })
      facts.books.services.set(resumed.iccid ?? "", false)
    },
    /is paused, and should be else/
  ],
  ["a pause that the telco has not taken", ({ facts }) => void facts.books.services.clear(), /another at the telco/],
  [
    "a pause that is not settled",
    ({ facts }) => Object.assign(facts.sims[1] ?? {}, { service_change: "change" }),
    /The service of .* is not settled/
  ],
  [
    "a subscription that has not moved",
    ({ facts }) => Object.assign(facts.subscriptions[2] ?? {}, { iccid: left }),
    /replace-\d+ moved .* and it is on 8999902000000000005/
  ],
  [
    "a subscription that was lost on its move",
    ({ facts }) => void facts.subscriptions.pop(),
    /replace-\d+ moved .* and it is on no SIM/
  ],
  [
    "a SIM that was left and is free",
    ({ facts }) => Object.assign(facts.sims[3] ?? {}, { allocation: "Free", allocated_to: null }),
    /SIMs that were replaced: 1 missing/
  ],
  [
    "a SIM that was left and is not confirmed",
    ({ facts }) => Object.assign(facts.sims[3] ?? {}, { allocation: "Replaced" }),
    /is lost: Replaced/
  ],
  [
    "a creation that is taken by a SIM that was left",
    ({ facts }) => void operation(facts.ledger, "named", done(left), true, left),
    /named-\d+ was taken on \d+, which its subscription had left/
  ],
  [
    "a plan on a SIM that was left, by a creation that was refused",
    ({ facts }) => {
      const named = operation(facts.ledger, "named", { _tag: "Refused", code: "sim_withdrawn" }, true, left)
      facts.attachments.push(attachment("d", left, named.name))
    },
    /named-\d+ is there and nobody asked for it/
  ],
  [
    "a SIM that is withdrawn though nobody has left it",
    ({ replaced }) => Object.assign(replaced, { fate: { _tag: "Refused", code: "no_free_esim" } }),
    /SIMs that were replaced: 1 that should not be/
  ],
  [
    "a SIM that was left and is still paused",
    ({ facts }) => {
      Object.assign(facts.sims[3] ?? {}, { paused_at: "1" })
      facts.books.services.set(left, false)
    },
    /8999902000000000005 is paused, and should be else/
  ],
  [
    "a pause that did not move along",
    ({ facts }) => {
      Object.assign(facts.sims[4] ?? {}, { paused_at: null })
      facts.books.services.set(third, true)
    },
    /8999902000000000006 is not paused, and should be else/
  ],
  [
    "a package that is on the SIM that was left, too",
    ({ facts }) =>
      void facts.books.packages.push({ packageId: "c:0", iccid: left, status: "active", dataMegaBytes: ALLOWANCE }),
    /packages at the telco: 1 that should not be, such as c:0/
  ],
  [
    "a package that was not ordered again",
    ({ facts }) => Object.assign(facts.packages[2] ?? {}, { replacement: null }),
    /c:0 has not moved along/
  ],
  [
    "a package with more than what was left",
    ({ facts }) => Object.assign(facts.packages[2] ?? {}, { used_before: String(MEGABYTE) }),
    /SIMs of packages: 1 missing, such as c:0:1 of 99 MB/
  ],
  ["an event that never came", ({ events }) => void events.pop(), /events at receiver 0: 1 missing/],
  [
    "an event that nothing caused",
    ({ events }) => void events.push(event("f", 80)),
    /events at receiver 0: 1 that should not be/
  ],
  ["an event under two ids", ({ events }) => void events.push(event("f", 50)), /events with two ids at receiver 0/],
  [
    "a delivery that is left",
    ({ facts }) => Object.assign(facts.deliveries[0] ?? {}, { status: "Pending" }),
    /deliveries are Pending/
  ],
  ["usage that was lost", ({ facts }) => Object.assign(facts.packages[0] ?? {}, { used_bytes: "1" }), /has not used/],
  [
    "a redirect that was followed",
    ({ facts }) => Object.assign(facts.receivers[0] ?? {}, { strays: () => 1 }),
    /redirect was followed/
  ],
  [
    "a key that never got an answer",
    ({ refused }) => Object.assign(refused, { fate: { _tag: "Open" } }),
    /never got an answer/
  ],
  [
    "a job that ended in refusals and that no operator is shown",
    ({ facts }) => void facts.refused.listed.pop(),
    /problems: 1 missing, such as service:2/
  ],
  [
    "a problem of no job",
    ({ facts }) => void facts.refused.listed.push("release:2"),
    /problems: 1 that should not be, such as release:2/
  ],
  [
    "a job that ended before the third refusal",
    ({ facts }) => Object.assign(facts.refused.stuck.jobs[0] ?? {}, { times: 2 }),
    /release:1 ended after 2 refusals/
  ],
  [
    "a SIM that is free though its release was refused",
    ({ facts }) => void facts.refused.stuck.releasing.shift(),
    /SIMs that wait for a refused release: 1 missing/
  ],
  [
    "a SIM that waits for a release that nobody does",
    ({ facts }) => void facts.refused.stuck.releasing.push(first),
    /SIMs that wait for a refused release: 1 that should not be/
  ],
  ["what went wrong on the way", ({ facts }) => void facts.ledger.problems.push("a crash"), /a crash/]
]

describe("the verdict", () => {
  it("finds nothing wrong where all came right", () => {
    expect(Verdict.problems(right().facts)).toEqual([])
  })

  it("takes an event that came twice under one id for one", () => {
    const { events, facts } = right()
    events.push(event("e", 50))
    expect(Verdict.problems(facts)).toEqual([])
  })

  it.each(wrongs)("finds %s", (_, spoil, expected) => {
    const round = right()
    spoil(round)
    expect(Verdict.problems(round.facts).join("\n")).toMatch(expected)
  })
})
