/** The decisions about an order of a package, case by case. */
import { describe, expect, it } from "vitest"
import type { Api } from "../../adapters/telco-ocs/index.ts"
import * as Decision from "../../adapters/telco-ocs/orders/Decision.ts"
import type * as OrderJournal from "../../adapters/telco-ocs/orders/OrderJournal.ts"

const KEY = "mine:0"
const NOW = Date.UTC(2030, 0, 1)
const MINUTE = 60_000
const WATCH = 15 * MINUTE
const LAG = 10_000
const window = { start: NOW + 60 * MINUTE + 250, end: NOW + 600 * MINUTE + 250 }

const asked = (part: Partial<OrderJournal.Asked> = {}): OrderJournal.Asked => ({
  templateId: 9000,
  templateName: "simplan z27 100MB 7d",
  thresholds: [50, 80, 100],
  window: null,
  before: [401],
  firstAt: NOW,
  lastAt: NOW,
  uncertain: 1,
  trialZone: null,
  ...part
})

const open = (part: Partial<OrderJournal.Asked> = {}): OrderJournal.Open => ({ _tag: "Open", asked: asked(part) })
const created = (id: number, part: Partial<OrderJournal.Asked> = {}): OrderJournal.Created => ({
  _tag: "Created",
  asked: asked({ uncertain: 0, ...part }),
  id,
  activationAt: null,
  expirationAt: null
})
const refused: OrderJournal.Order = { _tag: "Refused", asked: asked({ uncertain: 0 }), message: "14" }
const cancelled = (part: Partial<OrderJournal.Cancelled> = {}): OrderJournal.Cancelled => ({
  _tag: "Cancelled",
  asked: asked(),
  id: null,
  confirmed: false,
  ...part
})

const listed = (id: number, part: Partial<Api.SubscriberPackage> = {}): Api.SubscriberPackage => ({
  id,
  templateId: 9000,
  templateName: null,
  assignedAt: null,
  activationAt: null,
  expirationAt: null,
  allowanceBytes: null,
  usedBytes: 0,
  isActive: true,
  isRecurring: false,
  ...part
})

const snapshot = (
  packages: ReadonlyArray<Api.SubscriberPackage>,
  orders: Readonly<Record<string, OrderJournal.Order>> = {},
  claims: Readonly<Record<number, string>> = {}
): OrderJournal.Snapshot => ({
  at: NOW + LAG,
  packages,
  orders: new Map(Object.entries(orders)),
  claims: new Map(Object.entries(claims).map(([id, order]) => [Number(id), order]))
})

const create = (
  order: OrderJournal.Order | null,
  seen: OrderJournal.Snapshot | null,
  { trialZone = null, ...known }: Partial<Decision.Known & Decision.Wanted> = {}
) => {
  const template = { templateId: 9000, templateName: "simplan z27 100MB 7d" }
  const wanted = { ...template, thresholds: [50, 80, 100], window, trialZone }
  return Decision.create(KEY, order, seen, wanted, { hasAsked: false, answered: null, lag: LAG, now: NOW, ...known })
}

describe("Creating a package", () => {
  it("reads before it asks for the first time, and notes what was there", () => {
    expect(create(null, null)).toEqual({ next: "Observe" })
    expect(create(null, snapshot([listed(401), listed(402)]))).toEqual({
      next: "Ask",
      order: open({ window, before: [401, 402] })
    })
  })

  it("searches the package of an open order, and takes the oldest that no other has", () => {
    expect(create(open(), null)).toEqual({ next: "Observe" })
    const seen = snapshot([listed(405), listed(404), listed(403), listed(401)], {}, { 403: "other:0", 404: KEY })
    expect(create(open(), seen)).toMatchObject({ next: "Take", id: 404, order: { id: 404, asked: { uncertain: 0 } } })
  })

  it("asks again only where no package fits, with the packages of before the first time", () => {
    const seen = snapshot([listed(401), listed(402, { templateId: 9001 }), listed(403, { isRecurring: true })])
    const later = open({ lastAt: NOW - MINUTE, window })
    expect(create(later, seen)).toEqual({ next: "Ask", order: open({ window, uncertain: 2 }) })
    expect(create(later, seen, { hasAsked: true })).toEqual({ next: "GiveUp" })
  })

  it("asks again only once the lists show what the last call has done", () => {
    const seen = { ...snapshot([]), at: NOW + LAG - 1 }
    expect(create(open(), seen)).toEqual({ next: "Wait", until: NOW + LAG })
    expect(create(open(), { ...seen, at: NOW + LAG })).toMatchObject({ next: "Ask" })
    expect(create(open({ uncertain: 0 }), seen)).toMatchObject({ next: "Ask" })
    expect(create(open(), { ...seen, packages: [listed(402)] })).toMatchObject({ next: "Take", id: 402 })
  })

  it("answers with the ordered times", () => {
    const seconds = { activationAt: window.start - 250, expirationAt: window.end - 250 }
    const decision = create(open({ window }), snapshot([listed(403, seconds)]))
    expect(decision).toMatchObject({ id: 403, order: { activationAt: window.start, expirationAt: window.end } })
  })

  const trial = { window, trialZone: "UTC" }
  const hours = (count: number) => ({
    activationAt: window.start - 250 + count * 60 * MINUTE,
    expirationAt: window.end - 250 + count * 60 * MINUTE
  })

  it("in a zone on trial takes what has the ordered times, and waits until the lists have what was answered", () => {
    const order = open(trial)
    expect(create(order, snapshot([listed(402, hours(0))]))).toMatchObject({ next: "Take", id: 402, isProof: true })
    const soon = { ...snapshot([]), at: NOW }
    expect(create(order, soon, { answered: 402 })).toEqual({ next: "Wait", until: NOW + LAG })
    expect(create(order, snapshot([]), { answered: 402 })).toEqual({ next: "GiveUp" })
    const seen = snapshot([listed(402, hours(0))])
    expect(create(order, seen, { answered: 402 })).toMatchObject({
      next: "Take",
      order: { asked: { trialZone: null } }
    })
    // Another call may have made a package with other times.
    const unsure = create(open({ ...trial, uncertain: 2 }), seen, { answered: 402 })
    expect(unsure).toMatchObject({ next: "Take", order: { asked: { trialZone: "UTC" } } })
    // So may an earlier one, whose answer's package was withdrawn: it may be done twice, the second
    // time late.
    const again = create(open({ ...trial, firstAt: NOW - MINUTE }), seen, { answered: 402 })
    expect(again).toMatchObject({ next: "Take", isProof: true, order: { asked: { trialZone: "UTC" } } })
  })

  it("in a zone on trial withdraws what has the times of another zone", () => {
    const [summer, winter] = [hours(-2), hours(-1)]
    const misread = [listed(402, summer), listed(403, { ...summer, expirationAt: winter.expirationAt })]
    expect(create(open(trial), snapshot(misread))).toEqual({ next: "Withdraw", packages: misread, order: open(trial) })
    expect(create(open({ window }), snapshot(misread))).toMatchObject({ next: "Ask" })
    const [first] = misread
    expect(create(open(trial), snapshot(misread.slice(0, 1)), { answered: 402 })).toEqual({
      next: "Withdraw",
      packages: [first],
      order: open({ ...trial, uncertain: 0 })
    })
    const other = {
      "other:0": open({ window: { start: window.start - 120 * MINUTE, end: window.end - 120 * MINUTE } })
    }
    expect(create(open(trial), snapshot(misread.slice(0, 1), other))).toMatchObject({ next: "Ask" })
  })

  it("in a zone on trial leaves a used one, unless the system has answered with it", () => {
    const used = listed(402, { ...hours(5), usedBytes: 1 })
    expect(create(open(trial), snapshot([used]), { trialZone: "UTC" })).toMatchObject({ next: "Ask" })
    expect(create(open(trial), snapshot([used], {}, { 402: KEY }))).toMatchObject({ next: "Withdraw" })
  })

  it("takes what the system has answered with, whose times are of no zone, and has proved nothing", () => {
    const odd = listed(402, { activationAt: window.start + 7 * MINUTE, expirationAt: window.end })
    const far = listed(402, { activationAt: window.start - 180 * MINUTE, expirationAt: window.end })
    expect(create(open(trial), snapshot([far]), { answered: 402 })).toMatchObject({ next: "Take", isProof: false })
    const taken = create(open(trial), snapshot([odd]), { answered: 402 })
    expect(taken).toMatchObject({ next: "Take", id: 402, isProof: false })
    expect(taken).toMatchObject({ order: { activationAt: window.start, expirationAt: window.end } })
    expect(create(open(trial), snapshot([listed(402)]), { answered: 402 })).toMatchObject({ isProof: false })
  })

  it("has an answer of a final order at once", () => {
    expect(create(created(402), null)).toEqual({ next: "Answer", order: created(402) })
    expect(create(refused, null)).toEqual({ next: "Refuse", message: "14" })
    expect(create(cancelled(), null)).toMatchObject({ next: "Refuse" })
  })
})

describe("A package", () => {
  const fits = (
    one: Api.SubscriberPackage,
    of: OrderJournal.Asked,
    orders: Readonly<Record<string, OrderJournal.Order>> = {}
  ) => Decision.fits(one, of, new Map(Object.entries(orders)))

  it("fits a window to the second", () => {
    const of = asked({ window })
    expect(fits(listed(402, { activationAt: window.start + 750, expirationAt: window.end - 1_000 }), of)).toBe(true)
    expect(fits(listed(402, { activationAt: window.start, expirationAt: null }), of)).toBe(true)
    expect(fits(listed(402, { activationAt: window.start + 1_001, expirationAt: window.end }), of)).toBe(false)
    expect(fits(listed(402, { activationAt: window.start, expirationAt: window.end + 1_001 }), of)).toBe(false)
    expect(fits(listed(402, { expirationAt: window.end }), of)).toBe(true)
    expect(fits(listed(402, { expirationAt: window.end + 1_001 }), of)).toBe(false)
  })

  it("from the first use on fits without times, or with a first use, whatever the clock of the system is", () => {
    expect(fits(listed(402), asked())).toBe(true)
    for (const ahead of [-600, -1.5, 0, 600]) {
      const activationAt = NOW + ahead * 1_000
      expect(fits(listed(402, { activationAt, assignedAt: activationAt }), asked()), String(ahead)).toBe(true)
      expect(fits(listed(402, { activationAt }), asked()), String(ahead)).toBe(true)
    }
    expect(fits(listed(401, { activationAt: NOW + MINUTE }), asked())).toBe(false)
    const given = listed(402, { activationAt: NOW - 1_441 * MINUTE, assignedAt: NOW })
    expect(fits(given, asked())).toBe(false)
    const windowed = listed(402, { activationAt: window.start, expirationAt: window.end })
    expect(fits(windowed, asked(), { "other:0": open({ window }) })).toBe(false)
  })

  it("from the first use on may have the times of another zone than an order's that came later", () => {
    const trial = { window: { start: NOW + 120 * MINUTE, end: NOW + 10_080 * MINUTE }, trialZone: "UTC" }
    const activationAt = NOW + 1_000
    const one = listed(402, { activationAt, assignedAt: activationAt, expirationAt: activationAt + 10_080 * MINUTE })
    expect(fits(one, asked(), { "other:0": open(trial) })).toBe(false)
    expect(fits(one, asked(trial))).toBe(true)
    expect(fits(one, asked(), { "other:0": open({ ...trial, before: [401, 402] }) })).toBe(true)
    expect(fits(one, asked(), { "other:0": open({ ...trial, templateId: 9001 }) })).toBe(true)
  })

  it("without any times is from the first use on, if the SIM has an order of such", () => {
    expect(fits(listed(402), asked({ window }))).toBe(true)
    expect(fits(listed(402), asked({ window }), { "other:0": open() })).toBe(false)
    expect(fits(listed(402), asked({ window }), { "other:0": open({ templateId: 9001 }) })).toBe(true)
  })

  it("is of a template by its id, else by its name", () => {
    expect(fits(listed(402, { templateId: null, templateName: "simplan z27 100MB 7d" }), asked())).toBe(true)
    expect(fits(listed(402, { templateId: null, templateName: "other" }), asked())).toBe(false)
    expect(fits(listed(402, { templateId: 9001, templateName: "simplan z27 100MB 7d" }), asked())).toBe(false)
  })
})

describe("Extras", () => {
  const extras = (order: OrderJournal.Created | OrderJournal.Cancelled, seen: OrderJournal.Snapshot) => {
    const { kept, undecided, unused } = Decision.extras(KEY, order, seen, WATCH)
    const of = (isExplained: boolean) =>
      kept.flatMap((extra) => (extra.isExplained === isExplained ? extra.one.id : []))
    return { unused: unused.map(({ id }) => id), used: of(true), unexplained: of(false), undecided }
  }

  it("are what fits beside the order's own and those of others, the used ones apart", () => {
    const packages = [listed(401), listed(402), listed(403), listed(404, { usedBytes: 1 }), listed(405)]
    const order = created(402, { uncertain: 2 })
    const seen = snapshot(packages, { [KEY]: order, "other:0": created(405) })
    expect(extras(order, seen)).toEqual({ unused: [403], used: [404], unexplained: [], undecided: false })
  })

  it("are explained by calls without an answer alone, as many as there are; others are kept", () => {
    const packages = [listed(402), listed(403), listed(404)]
    const of = (order: OrderJournal.Created, orders: Readonly<Record<string, OrderJournal.Order>> = {}) =>
      extras(order, snapshot(packages, { [KEY]: order, ...orders }))
    expect(of(created(402))).toMatchObject({ unused: [], unexplained: [403, 404] })
    expect(of(created(402, { uncertain: 1 }))).toMatchObject({ unused: [], unexplained: [403, 404] })
    expect(of(created(402, { uncertain: 2 }))).toMatchObject({ unused: [403, 404], unexplained: [] })
    expect(of(created(402, { uncertain: 1 }), { "other:0": created(404) })).toMatchObject({ unused: [403] })
    expect(of(created(402), { "other:0": created(404, { uncertain: 1 }) })).toMatchObject({ unused: [403] })
    const claimed = snapshot(packages, { [KEY]: created(402) }, { 403: KEY })
    expect(extras(created(402), claimed)).toMatchObject({ unused: [403], unexplained: [404] })
  })

  it("are none that were given after the order's calls may take effect, as what was sold before a restore", () => {
    const latest = NOW + WATCH + 15 * MINUTE
    const order = created(402, { uncertain: 1 })
    const packages = [listed(402), listed(403, { assignedAt: latest }), listed(404, { assignedAt: latest + 1 })]
    const seen = snapshot(packages, { [KEY]: order })
    expect(extras(order, seen)).toEqual({ unused: [403], used: [], unexplained: [], undecided: false })
  })

  it("are undecided while another order may find its own among them", () => {
    const others = { [KEY]: created(402), "other:0": open() }
    expect(extras(created(402), snapshot([listed(402), listed(403)], others))).toMatchObject({
      unused: [],
      undecided: true
    })
    const claimed = snapshot([listed(402), listed(403)], others, { 403: KEY })
    expect(extras(created(402), claimed)).toMatchObject({ unused: [403], undecided: false })
    const claimedByOther = snapshot([listed(402), listed(403)], others, { 403: "other:0" })
    expect(extras(created(402), claimedByOther)).toMatchObject({ unused: [], undecided: true })
  })

  it("of a cancelled order are its own package too, used or not", () => {
    const order = cancelled({ id: 402 })
    const seen = snapshot([listed(402, { usedBytes: 1 }), listed(403, { usedBytes: 1 })], { [KEY]: order })
    expect(extras(order, seen)).toEqual({ unused: [402], used: [403], unexplained: [], undecided: false })
  })
})

describe("Cancelling", () => {
  const cancel = (order: OrderJournal.Order | null, seen: OrderJournal.Snapshot | null = null) =>
    Decision.cancel(KEY, order, seen, LAG, WATCH)

  it("spends the key first", () => {
    expect(cancel(null)).toEqual({ next: "Spend", order: cancelled({ asked: null, confirmed: true }) })
    expect(cancel(open())).toEqual({ next: "Spend", order: cancelled() })
    expect(cancel(created(402))).toEqual({
      next: "Spend",
      order: cancelled({ asked: asked({ uncertain: 0 }), id: 402 })
    })
    expect(cancel(refused)).toEqual({ next: "Done" })
    expect(cancel(cancelled({ confirmed: true }))).toEqual({ next: "Done" })
  })

  it("deletes the package without a read where all calls were answered, else what a read finds", () => {
    const known = cancelled({ asked: asked({ uncertain: 0 }), id: 402 })
    expect(cancel(known)).toEqual({
      next: "Delete",
      ids: [402],
      order: { ...known, confirmed: true }
    })
    expect(cancel(cancelled())).toEqual({ next: "Observe" })
    expect(cancel(cancelled(), { ...snapshot([]), at: NOW + LAG - 1 })).toEqual({ next: "Wait", until: NOW + LAG })
    expect(cancel(cancelled(), snapshot([listed(401), listed(402)], { [KEY]: cancelled() }))).toEqual({
      next: "Delete",
      ids: [402],
      order: cancelled({ confirmed: true })
    })
  })
})

describe("The next settling", () => {
  const next = (order: OrderJournal.Order, after: number) => {
    const at = Decision.nextCheck(order, NOW + after, WATCH)
    return at === null ? null : (at - NOW) / MINUTE
  }

  it("comes in growing steps after a call without an outcome, until the end of the watch time", () => {
    const late = created(402, { uncertain: 1 })
    expect([0, 0.5, 1, 2, 4, 8, 15].map((after) => next(late, after * MINUTE))).toEqual([0.5, 1, 2, 4, 8, 15, null])
  })

  it("comes once, at the end, where every call was answered; never for what was not asked for", () => {
    expect(next(created(402), 0)).toBe(15)
    expect(next(open(), MINUTE)).toBe(15)
    expect(next(cancelled({ asked: null }), 0)).toBe(null)
  })

  const changed = (before: OrderJournal.Order | null, dueAt: number | null, order: OrderJournal.Order) =>
    Decision.dueAfter({ order: before, dueAt }, order, NOW + 20 * MINUTE, WATCH)

  it("comes at once for an open order that becomes final after its watch time", () => {
    for (const order of [cancelled(), created(402, { uncertain: 1 }), refused]) {
      expect(changed(open(), null, order), order._tag).toBe(NOW + 20 * MINUTE)
    }
    expect(changed(created(402), null, cancelled({ id: 402 }))).toBe(null)
    expect(changed(null, null, cancelled({ asked: null }))).toBe(null)
  })

  it("stays due where it is overdue", () => {
    expect(changed(created(402), NOW + 15 * MINUTE, cancelled({ id: 402 }))).toBe(NOW + 15 * MINUTE)
  })
})

describe("A failed call", () => {
  it("leaves the order refused, as it was, or uncertain from now on", () => {
    const order = open({ uncertain: 2 })
    expect(Decision.failed(order, "Refused", "14", NOW)).toMatchObject({
      _tag: "Refused",
      message: "14",
      asked: { uncertain: 1 }
    })
    expect(Decision.failed(order, "NotDone", "100", NOW)).toMatchObject({ _tag: "Open", asked: { uncertain: 1 } })
    expect(Decision.failed(order, "Unknown", "?", NOW + MINUTE)).toEqual(open({ uncertain: 2, lastAt: NOW + MINUTE }))
  })

  it("goes on under another template only if no other call is uncertain", () => {
    expect(Decision.under(9001, open({ uncertain: 1 }))).toEqual(open({ uncertain: 0, templateId: 9001 }))
    expect(Decision.under(9001, open({ uncertain: 2 }))).toBeNull()
  })
})

describe("S5: packages of others on a SIM that was free", () => {
  const others = (
    packages: ReadonlyArray<Api.SubscriberPackage>,
    orders: Readonly<Record<string, OrderJournal.Order>> = {},
    now = NOW
  ) => Decision.others(snapshot(packages, orders), { attachments: ["mine"], watch: WATCH, now }).map(({ id }) => id)
  const ours = { templateName: "simplan z27 100MB 7d" }

  it("are those of simplan's templates that no order here explains, used or not", () => {
    expect(others([listed(500, ours), listed(501, { ...ours, usedBytes: 5 })])).toEqual([500, 501])
  })

  it("are also those of an order whose subscription is another one", () => {
    expect(others([listed(500, ours), listed(501, ours)], { "theirs:0": created(500), [KEY]: created(501) })).toEqual([
      500
    ])
    expect(others([listed(500, ours)], { "theirs:0": created(500), "lost:0": refused })).toEqual([500])
  })

  it("are not what came of the own orders, nor what was cancelled and is listed a moment longer", () => {
    expect(others([listed(500, { ...ours, usedBytes: 5 })], { [KEY]: open({ before: [] }) })).toEqual([])
    expect(others([listed(500, ours)], { "former:0": cancelled({ id: 500, confirmed: true }) })).toEqual([])
    const listedTwo = [listed(500, ours), listed(501, ours)]
    expect(others(listedTwo, { [KEY]: created(500, { before: [] }) })).toEqual([501])
    const uncertain = { [KEY]: created(500, { before: [], uncertain: 1 }) }
    expect(others(listedTwo, uncertain)).toEqual([])
    const assignedAt = NOW + WATCH + 15 * MINUTE + 1
    expect(others([listed(500, ours), listed(501, { ...ours, assignedAt })], uncertain)).toEqual([501])
  })

  it("are what came late of a former order only once it is used, or its watch time is over", () => {
    const former = { "former:0": cancelled({ confirmed: true }) }
    expect(others([listed(500, ours)], former, NOW + WATCH - 1)).toEqual([])
    expect(others([listed(500, ours)], former, NOW + WATCH)).toEqual([500])
    const answered = { "former:0": cancelled({ asked: asked({ uncertain: 0 }), id: 501, confirmed: true }) }
    expect(others([listed(500, ours)], answered, NOW + WATCH - 1)).toEqual([500])
    expect(others([listed(500, { ...ours, usedBytes: 1 })], former, NOW)).toEqual([500])
  })

  it("are none that are over, stopped, recurring or of other templates", () => {
    const packages = [
      listed(500, { ...ours, expirationAt: NOW }),
      listed(501, { ...ours, isActive: false }),
      listed(502, { ...ours, isRecurring: true }),
      listed(503, { templateName: "Europe 5 GB" })
    ]
    expect(others(packages)).toEqual([])
  })
})
