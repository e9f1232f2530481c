/**
 * Each invariant accepts a true history, and rejects one in which a test has changed what the
 * invariant checks.
 */
import { beforeAll, describe, expect, it } from "vitest"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import type { Package } from "../../src/domain/Package.ts"
import type * as UsageBook from "../../src/domain/UsageBook.ts"
import { type Commands, type History, Invariants } from "../../src/testing/index.ts"
import { recorded } from "./Histories.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const plan = (recurring: boolean, flaw: string | null = null): Commands.Command => ({
  _tag: "CreatePlan",
  by: 0,
  label: "Green",
  coverage: 0,
  terms: {
    name: flaw === "name" ? "" : "Plan",
    dataMegaBytes: 100,
    periodDays: recurring ? 1 : 30,
    throttling: [],
    recurrence: recurring ? { periodicity: "Daily", frequency: 1, occurrences: 3 } : null
  },
  flaw
})

const subscribe = (
  of: number,
  sim: number | null,
  start: number | null,
  changes: { readonly by?: Commands.Side; readonly foreign?: boolean } = {}
): Commands.Command => ({
  _tag: "Subscribe",
  by: changes.by ?? 0,
  plan: of,
  sim,
  foreign: changes.foreign ?? false,
  period: start === null ? null : { start, end: null },
  keyed: false
})

const half = { _tag: "Total", package: null, amount: { percent: 50, beside: 0 } } as const

/** A short history with every kind of step, and its steps by kind. */
const story = {
  daily: plan(true),
  once: plan(false),
  recurring: subscribe(0, 0, 0),
  later: { _tag: "Advance", millis: 12 * HOUR },
  firstUse: subscribe(1, 1, null),
  half: { _tag: "Report", of: 0, line: 1, reports: [{ after: 0, again: null, fact: half }] },
  halfAgain: { _tag: "Report", of: 0, line: 1, reports: [{ after: 0, again: 0, fact: half }] },
  delivered: { _tag: "Advance", millis: 1 },
  message: { _tag: "SendSms", by: 0, line: 0, foreign: false, keyed: true },
  messageAgain: { _tag: "Repeat", back: 0 },
  suspended: { _tag: "Suspend", by: 0, line: 0, attachment: 0, foreign: false },
  foreign: subscribe(1, 0, null, { foreign: true }),
  flawed: plan(false, "name"),
  mobilePlan: { _tag: "SetMobilePlan", by: 0, sim: 3, label: "Green", apply: true, foreign: false },
  quiet: { _tag: "Quiet" },
  month: { _tag: "Advance", millis: 40 * DAY },
  withdrawn: {
    _tag: "CorrectSim",
    by: 0,
    sim: 4,
    foreign: false,
    correction: { status: { _tag: "Withdrawn", reason: "lost" } }
  },
  refused: subscribe(1, 4, null),
  levels: { _tag: "SetStockLevels", by: 0, levels: [{ label: "Green", level: 2 }] },
  another: subscribe(1, 2, null),
  deleted: { _tag: "Delete", by: 0, line: 2, foreign: false },
  end: { _tag: "Quiet" },
  resold: subscribe(1, 2, null),
  moved: { _tag: "Replace", by: 0, line: 2, foreign: false }
} as const satisfies Readonly<Record<string, Commands.Command>>

type Name = keyof typeof story

const names: ReadonlyArray<string> = Object.keys(story)

const altered = (history: History.History, name: Name, alter: (step: History.Step) => History.Step) => ({
  ...history,
  steps: history.steps.map((step, index) => (index === names.indexOf(name) ? alter(step) : step))
})

const changed =
  (name: Name, change: (changes: History.Changes) => Partial<History.Changes>) => (history: History.History) =>
    altered(history, name, (step) => ({ ...step, changes: { ...step.changes, ...change(step.changes) } }))

const lines = (name: Name, change: (line: SimAggregate) => SimAggregate) =>
  changed(name, (changes) => ({ lines: changes.lines.map(change) }))

const packages = (name: Name, change: (packages: ReadonlyArray<Package>) => ReadonlyArray<Package>) =>
  lines(name, (line) => ({
    ...line,
    attachments: line.attachments.map((of) => ({ ...of, packages: change(of.packages) }))
  }))

const outcome = (name: Name, given: History.Step["outcome"]) => (history: History.History) =>
  altered(history, name, (step) => ({ ...step, outcome: given }))

const answered: History.Step["outcome"] = { _tag: "Answered", answer: { kind: "Done" } }

const stepOf = (history: History.History, name: Name): History.Step => {
  const step = history.steps[names.indexOf(name)]
  if (step === undefined) throw new Error(`there is no step ${name}`)
  return step
}

/** The value with the fields of each `data` in another order. */
const turned = <A>(value: A): A =>
  JSON.parse(
    JSON.stringify(value, (name, part) =>
      name === "data" ? Object.fromEntries(Object.entries(part).toReversed()) : part
    )
  )

type Break = (history: History.History) => History.History

const usage = (name: Name, alter: (entries: ReadonlyArray<UsageBook.SimEntry>) => ReadonlyArray<UsageBook.SimEntry>) =>
  changed(name, (changes) => ({ usage: changes.usage.map((of) => ({ ...of, entries: alter(of.entries) })) }))

/**
 * The last step as a reconciliation with a telco that has a byte in France, which leaves such
 * entries.
 */
const reconciled =
  (alter: (entry: UsageBook.SimEntry) => UsageBook.SimEntry): Break =>
  (history) =>
    altered(history, "end", (step) => {
      const { usage } = stepOf(history, "half").changes
      const [{ entries = [], iccid = "" } = {}] = usage
      const day = entries[0]?.day ?? 0
      const used = [{ day, countryAlpha2: "FR", bytes: 1 }]
      const book = { from: day, until: day + DAY, used, since: { least: 0, most: 0 } }
      return {
        ...step,
        asked: { _tag: "ReconcileUsage", iccid, book },
        changes: { ...step.changes, usage: usage.map((of) => ({ ...of, entries: of.entries.map(alter) })) }
      }
    })

const stock = (name: Name, alter: (of: History.StockOf["labels"][number]) => History.StockOf["labels"][number]) =>
  changed(name, (changes) => ({ stock: changes.stock.map((of) => ({ ...of, labels: of.labels.map(alter) })) }))

const purchase = { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: 0 } as const

/** The SIM of the first creation as one that was bought. */
const bought = (more: { readonly returned?: "credit" } = {}) =>
  lines("recurring", (line) => ({ ...line, sim: { ...line.sim, purchase: { ...purchase, ...more } } }))

const outstanding = (purchaseId: string): History.Outstanding => ({
  ...{ purchaseId, organizationId: "o", label: "Green", load: "1 GB" }
})

const breaks: ReadonlyArray<readonly [Invariants.Invariant, Break]> = [
  [Invariants.purchasesAreAwaited, changed("later", () => ({ purchases: [outstanding("p"), outstanding("q")] }))],
  [Invariants.salesAreSims, bought()],
  [
    Invariants.loadsGoToTheirPlans,
    (history) =>
      altered(bought()(history), "recurring", (step) =>
        step.asked._tag === "Subscribe" ? { ...step, asked: { ...step.asked, iccid: null } } : step
      )
  ],
  [Invariants.returnedSimsAreUnsold, bought({ returned: "credit" })],
  [Invariants.nothingBreaks, outcome("recurring", { _tag: "Broken", message: "a defect" })],
  [Invariants.nothingBreaks, changed("later", () => ({ mishaps: ["a job was not done"] }))],
  [
    Invariants.statesFollow,
    changed("recurring", ({ views }) => ({ views: views.map((one) => ({ ...one, state: "CREATED" })) }))
  ],
  [
    Invariants.statesFollow,
    changed("half", ({ views }) => ({ views: views.map((one) => ({ ...one, usedBytes: one.usedBytes + 1 })) }))
  ],
  [
    Invariants.statesMoveForward,
    (history) => changed("end", () => ({ views: stepOf(history, "recurring").changes.views }))(history)
  ],
  [Invariants.packagesAreThoseDue, packages("later", (all) => all.slice(0, 1))],
  [
    Invariants.packagesAreThoseDue,
    packages("later", (all) => all.map((pack) => ({ ...pack, expirationAt: (pack.expirationAt ?? 0) + 1 })))
  ],
  [Invariants.occurrencesAreThereOnce, packages("later", (all) => [...all, ...all])],
  [
    Invariants.nothingIsEarly,
    changed("later", ({ calls }) => ({ calls: calls.map((call) => ({ ...call, at: call.at - 1 })) }))
  ],
  [
    Invariants.nothingIsOrderedLate,
    changed("later", ({ calls }) => ({ calls: calls.map((call) => ({ ...call, at: call.at + 36 * HOUR })) }))
  ],
  [
    Invariants.advancesFinishTheirWork,
    (history) => altered(history, "later", (step) => ({ ...step, nextDue: step.ended }))
  ],
  [
    Invariants.termsStay,
    lines("later", (line) => ({
      ...line,
      attachments: line.attachments.map((of) => ({
        ...of,
        attachment: { ...of.attachment, terms: { ...of.attachment.terms, dataMegaBytes: 1 } }
      }))
    }))
  ],
  [
    Invariants.factsStay,
    packages("suspended", (all) => all.map((pack) => ({ ...pack, activationAt: (pack.activationAt ?? 0) - 1 })))
  ],
  [
    Invariants.factsStay,
    (history) =>
      changed("end", () => ({
        lines: stepOf(history, "half").changes.lines.map((line) => ({
          ...line,
          attachments: line.attachments.map((of) => ({
            ...of,
            packages: of.packages.map((pack) => ({ ...pack, usedBytes: pack.usedBytes - 1 }))
          }))
        }))
      }))(history)
  ],
  [Invariants.packagesStay, packages("suspended", (all) => all.slice(0, 1))],
  [
    Invariants.reportsCountOnce,
    outcome("halfAgain", { _tag: "Answered", answer: { kind: "Verdicts", verdicts: [{ _tag: "Accepted" }] } })
  ],
  [
    Invariants.reportsCountOnce,
    lines("half", (line) => ({
      ...line,
      sim: {
        ...line.sim,
        purchase: { purchaseId: "p", load: "1 GB", sellBy: null, cost: null, boughtAt: Number.MAX_SAFE_INTEGER }
      }
    }))
  ],
  [
    Invariants.usageIsWhatWasReported,
    packages("half", (all) => all.map((pack) => ({ ...pack, usedBytes: pack.usedBytes + 1 })))
  ],
  [
    Invariants.firstUsesActivate,
    packages("half", (all) => all.map((pack) => ({ ...pack, activationAt: (pack.activationAt ?? 0) + 1 })))
  ],
  [
    Invariants.endsAreReported,
    packages("half", (all) => all.map((pack) => ({ ...pack, expirationAt: (pack.expirationAt ?? 0) - 1 })))
  ],
  [
    Invariants.suspensionsStay,
    lines("suspended", (line) => ({
      ...line,
      attachments: line.attachments.map((of) => ({ ...of, attachment: { ...of.attachment, suspendedAt: 0 } }))
    }))
  ],
  [Invariants.daysSumToWhatIsUsed, usage("half", (entries) => entries.slice(1))],
  [
    Invariants.daysSumToWhatIsUsed,
    usage("half", (entries) => entries.map((entry) => ({ ...entry, bytes: entry.bytes + 1 })))
  ],
  [
    Invariants.usageIsBookedWhereItWas,
    usage("half", (entries) => entries.map((entry) => ({ ...entry, day: (entry.day ?? 0) + 86_400_000 })))
  ],
  [
    Invariants.usageIsBookedWhereItWas,
    usage("half", (entries) => entries.map((entry) => ({ ...entry, countryAlpha2: "XX" })))
  ],
  [
    Invariants.usageIsBookedWhereItWas,
    (history) =>
      changed("end", () => ({
        usage: stepOf(history, "half").changes.usage.map((of) => ({ ...of, entries: [] }))
      }))(history)
  ],
  [Invariants.usageIsBookedWhereItWas, reconciled((entry) => ({ ...entry, countryAlpha2: "DE" }))],
  [
    Invariants.usageIsBookedWhereItWas,
    reconciled((entry) => ({ ...entry, countryAlpha2: "FR", bytes: entry.bytes - 1 }))
  ],
  [Invariants.usageIsBookedWhereItWas, reconciled((entry) => ({ ...entry, day: (entry.day ?? 0) - DAY }))],
  [
    Invariants.organizationsUseWhatTheirSimsUse,
    changed("half", (changes) => ({
      usage: changes.usage.map((of) => ({ ...of, ofOrganization: { ...of.ofOrganization, days: 1 } }))
    }))
  ],
  [
    Invariants.pausesStay,
    lines("half", (line) => ({ ...line, sim: { ...line.sim, service: { _tag: "Settled", pausedAt: 0 } } }))
  ],
  [Invariants.thresholdsFireOnce, changed("half", () => ({ events: [] }))],
  [Invariants.thresholdsFireOnce, changed("half", ({ events }) => ({ events: [...events, ...events] }))],
  [
    Invariants.eventsHaveOneCause,
    (history) => changed("delivered", () => ({ events: stepOf(history, "half").changes.events }))(history)
  ],
  [
    Invariants.idsOrderEvents,
    (history) => {
      const eventId = "00000000-0000-7000-8000-000000000000"
      const earlier = stepOf(history, "half").changes.events.map((event) => ({ ...event, eventId }))
      return changed("delivered", () => ({ events: earlier }))(history)
    }
  ],
  [
    Invariants.jobsGoFirst,
    changed("later", ({ calls }) => ({
      webhooks: calls.map(({ at }) => ({ at, organizationId: "", body: "{}", callsBefore: 0 }))
    }))
  ],
  [Invariants.webhooksArrive, changed("delivered", () => ({ webhooks: [] }))],
  [Invariants.webhooksArrive, changed("delivered", ({ webhooks }) => ({ webhooks: [...webhooks, ...webhooks] }))],
  [
    Invariants.webhooksArrive,
    (history) => ({
      ...history,
      steps: history.steps.map((step) => {
        const { events, webhooks } = step.changes
        const bodies = webhooks.map((one) => ({ ...one, body: JSON.stringify(turned(JSON.parse(one.body))) }))
        return { ...step, changes: { ...step.changes, events: turned(events), webhooks: bodies } }
      })
    })
  ],
  [
    Invariants.simsAreInOnePlace,
    lines("recurring", (line) => ({ ...line, sim: { ...line.sim, allocation: { _tag: "Free" } } }))
  ],
  [Invariants.downloadedSimsStay, lines("another", (line) => ({ ...line, sim: { ...line.sim, downloaded: true } }))],
  [
    Invariants.withdrawnSimsStay,
    lines("withdrawn", (line) => ({ ...line, sim: { ...line.sim, allocation: { _tag: "Free" } } }))
  ],
  [
    Invariants.withdrawnSimsStay,
    (history) =>
      changed("another", ({ lines }) => ({
        lines: [
          ...lines,
          ...stepOf(history, "withdrawn").changes.lines.map((line) => ({
            ...line,
            sim: { ...line.sim, allocation: { _tag: "Provisioning" as const, subscriptionId: "s" } }
          }))
        ]
      }))(history)
  ],
  [
    Invariants.leftSimsStay,
    lines("moved", (line) =>
      line.subscription === null ? { ...line, sim: { ...line.sim, allocation: { _tag: "Free" } } } : line
    )
  ],
  [
    Invariants.correctionsAreTakenByTheRules,
    outcome("withdrawn", { _tag: "Refused", refusal: { _tag: "SimBusy", message: "", iccid: "" } })
  ],
  [
    Invariants.correctionsAreTakenByTheRules,
    lines("withdrawn", (line) => ({ ...line, sim: { ...line.sim, lpa: "LPA:1$other$code" } }))
  ],
  [
    Invariants.correctionsAreTakenByTheRules,
    lines("another", (line) => ({ ...line, sim: { ...line.sim, label: "Aqua" } }))
  ],
  [Invariants.stockIsCounted, stock("another", (of) => ({ ...of, esims: { ...of.esims, free: of.esims.free + 1 } }))],
  [
    Invariants.stockIsCounted,
    stock("another", ({ esims, physicalSims, ...of }) => ({ ...of, esims: physicalSims, physicalSims: esims }))
  ],
  [Invariants.levelsAreAsSet, stock("levels", (of) => ({ ...of, level: 1 }))],
  [Invariants.levelsAreAsSet, stock("another", (of) => ({ ...of, level: null }))],
  [
    Invariants.levelsAreAsSet,
    outcome("levels", { _tag: "Refused", refusal: { _tag: "InvalidField", field: "level", message: "no" } })
  ],
  [
    Invariants.stockIsGiven,
    outcome("another", { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Green" } })
  ],
  [Invariants.nothingCrossesOrganizations, outcome("foreign", answered)],
  [
    Invariants.nothingCrossesOrganizations,
    (history) =>
      lines("recurring", (line) => ({
        ...line,
        sim: { ...line.sim, organizationId: history.inventories[1].organizationId }
      }))(history)
  ],
  [
    Invariants.booksAreEqual,
    changed("quiet", ({ records }) => ({ records: records.filter(({ kind }) => kind !== "suspension") }))
  ],
  [
    Invariants.booksAreEqual,
    changed("mobilePlan", ({ records }) => ({
      records: records.filter(({ kind }) => kind !== "mobile plan change")
    }))
  ],
  [
    Invariants.nothingIsUnderWay,
    (history) =>
      changed("quiet", () => ({
        lines: stepOf(history, "suspended").changes.lines.map((line) => ({
          ...line,
          sim: { ...line.sim, allocation: { _tag: "Releasing", subscriptionId: "subscription" } }
        }))
      }))(history)
  ],
  [Invariants.movesTakeEverything, packages("moved", () => [])],
  [
    Invariants.movesTakeEverything,
    changed("moved", ({ records }) => ({
      records: records.map((record) =>
        record.kind === "package" ? { ...record, dataMegaBytes: record.dataMegaBytes + 1 } : record
      )
    }))
  ],
  [
    Invariants.packagesAreAsOrdered,
    changed("later", ({ records }) => ({
      records: records.map((record) =>
        record.kind === "package" && record.window !== null
          ? { ...record, window: { ...record.window, end: record.window.end - 1 } }
          : record
      )
    }))
  ],
  [
    Invariants.creationsStay,
    (history) =>
      changed("end", () => ({
        lines: stepOf(history, "firstUse").changes.lines.map((line) => ({ ...line, attachments: [] }))
      }))(history)
  ],
  [
    Invariants.creationsStayWhereverTheyMove,
    (history) =>
      changed("end", () => ({
        lines: stepOf(history, "firstUse").changes.lines.map((line) => ({ ...line, attachments: [] }))
      }))(history)
  ],
  [
    Invariants.repetitionsAreAnsweredTheSame,
    outcome("messageAgain", { _tag: "Refused", refusal: { _tag: "TelcoRefused", message: "no" } })
  ],
  [
    Invariants.messagesAreSentOnce,
    (history) => changed("messageAgain", () => ({ records: stepOf(history, "message").changes.records }))(history)
  ],
  [Invariants.messagesAreSentOnce, changed("message", () => ({ records: [] }))],
  [
    Invariants.refusalsLeaveNothing,
    (history) => changed("foreign", () => ({ lines: stepOf(history, "firstUse").changes.lines }))(history)
  ],
  [Invariants.plansAreAsAskedFor, outcome("flawed", answered)],
  [
    Invariants.plansAreAsAskedFor,
    outcome("once", { _tag: "Refused", refusal: { _tag: "InvalidField", field: "name", message: "no" } })
  ],
  [
    Invariants.periodsAreTakenByTheRules,
    outcome("recurring", {
      _tag: "Refused",
      refusal: { _tag: "InvalidField", field: "activePeriod.start", message: "no" }
    })
  ]
]

describe("An invariant", () => {
  let history: History.History
  beforeAll(async () => {
    history = await recorded(1, Object.values(story))
  })

  it("holds for a true history, in which every request has its right outcome", () => {
    expect(Invariants.check(history)).toEqual([])
    const refused = names.filter((_, index) => history.steps[index]?.outcome._tag !== "Answered")
    expect(refused).toEqual(["foreign", "flawed", "refused"])
  })

  it.each(breaks.map(([invariant, alter]) => ({ name: invariant.name, invariant, alter })))(
    "can fail: $name",
    ({ alter, invariant }) => {
      expect(invariant.check(alter(history))).toMatchObject({ invariant: invariant.name })
    }
  )

  it("has a name of its own, and a history here that breaks it", () => {
    expect(new Set(breaks.map(([invariant]) => invariant))).toEqual(new Set(Invariants.all))
    expect(new Set(Invariants.all.map(({ name }) => name)).size).toBe(Invariants.all.length)
  })
})

const killed: History.Step["outcome"] = { _tag: "Killed" }

describe("The order of ids (W5)", () => {
  const ids = ["019b76da-a800-7002-a712-68bf19cce688", "019b76da-a800-7000-b753-b1717b91720b"] as const

  /**
   * The same event in two steps, with these ids of one millisecond, of which the later one is
   * lower.
   */
  const lowerLater = (history: History.History): History.History => {
    const event = stepOf(history, "half").changes.events.slice(0, 1)
    const withId = (name: Name, eventId: string) =>
      changed(name, () => ({ events: event.map((one) => ({ ...one, eventId })) }))
    return withId("halfAgain", ids[1])(withId("half", ids[0])(history))
  }

  it("is open between a process that was killed and the next one, and not within one", async () => {
    const lower = lowerLater(
      await recorded(1, Object.values(story)).then((history) => ({
        ...history,
        steps: history.steps.slice(0, names.indexOf("halfAgain") + 1)
      }))
    )
    expect(Invariants.idsOrderEvents.check(lower)).toMatchObject({ step: names.indexOf("halfAgain") })
    expect(Invariants.idsOrderEvents.check(outcome("half", killed)(lower))).toBeNull()
    // The killed process itself has made what its step has left.
    expect(Invariants.idsOrderEvents.check(outcome("halfAgain", killed)(lower))).not.toBeNull()
  })
})

const eventsOf = (history: History.History) => history.steps.flatMap(({ changes }) => changes.events)

const lowStock = (events: History.Changes["events"]) => events.filter(({ payload }) => payload.type === "stock.low")

/** In the history of the same commands where an endpoint takes every event. */
const lifecycleBreaks: ReadonlyArray<readonly [Invariants.Invariant, Break]> = [
  [Invariants.lifecycleIsInOrder, changed("recurring", ({ events }) => ({ events: [...events, ...events] }))],
  [
    Invariants.lifecycleIsTimely,
    changed("month", ({ events }) => ({ events: events.map((event) => ({ ...event, createdAt: 0 })) }))
  ],
  [Invariants.lifecycleIsComplete, changed("month", () => ({ events: [] }))],
  [
    Invariants.packageAlertsFireOnce,
    changed("half", ({ events }) => ({
      events: events.filter(({ payload }) => payload.type !== "package.allowanceConsumed")
    }))
  ],
  [Invariants.packageAlertsFireOnce, changed("half", ({ events }) => ({ events: [...events, ...events] }))],
  [
    Invariants.lowStockIsNotified,
    (history) => ({
      ...history,
      steps: history.steps.map((step) => {
        const events = step.changes.events.filter(({ payload }) => payload.type !== "stock.low")
        return { ...step, changes: { ...step.changes, events } }
      })
    })
  ],
  [
    Invariants.lowStockIsNotifiedOnce,
    changed("delivered", ({ events }) => ({ events: [...events, ...lowStock(events)] }))
  ],
  [
    Invariants.lowStockIsNotifiedOnce,
    (history) => changed("month", () => ({ events: lowStock(eventsOf(history)) }))(history)
  ],
  [
    Invariants.lifecycleIsNotifiedToTheEnd,
    changed("recurring", ({ events }) => ({
      events: events.filter(({ payload }) => payload.type !== "attachment.activated")
    }))
  ]
]

describe("An invariant of what is notified of attachments (E1)", () => {
  let history: History.History
  beforeAll(async () => {
    history = await recorded(1, Object.values(story), { lifecycle: true })
  })

  it("holds for a true history", () => {
    expect(Invariants.check(history, Invariants.lifecycle)).toEqual([])
    expect(new Set(lifecycleBreaks.map(([invariant]) => invariant))).toEqual(new Set(Invariants.lifecycle))
  })

  it.each(lifecycleBreaks.map(([invariant, alter]) => ({ name: invariant.name, invariant, alter })))(
    "can fail: $name",
    ({ alter, invariant }) => {
      expect(invariant.check(alter(history))).toMatchObject({ invariant: invariant.name })
    }
  )

  it("leaves the order of one millisecond open where several processes write, and no other", () => {
    const reversed = (dated: (createdAt: number, index: number) => number) =>
      changed("recurring", ({ events }) => ({
        events: [...events].reverse().map((event, index) => ({ ...event, createdAt: dated(event.createdAt, index) }))
      }))(history)
    const atOnce = reversed(() => 0)
    expect(Invariants.lifecycleIsInOrder.check(atOnce)).not.toBeNull()
    expect(Invariants.lifecycleIsInOrderByMillisecond.check(atOnce)).toBeNull()
    expect(Invariants.lifecycleIsInOrderByMillisecond.check(reversed((_, index) => index))).not.toBeNull()
    const twice = changed("recurring", ({ events }) => ({ events: [...events, ...events] }))(history)
    expect(Invariants.lifecycleIsInOrderByMillisecond.check(twice)).not.toBeNull()
  })
})
