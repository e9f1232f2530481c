/** Purchases of SIMs: random runs of each strategy, and faults of them that the runs find. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Journal, Purchases } from "../../adapters/telco-calls/index.ts"
import * as SellerSuite from "./SellerSuite.ts"

const strategies = ["Keyed", "Referenced", "Anonymous"] as const

/** How many runs there are of each strategy; a long search sets it, and where it begins. */
const RUNS = Number(process.env["SELLER_RUNS"] ?? 40)
const FROM = Number(process.env["SELLER_FROM"] ?? 1)

const seeds = (count: number, from = FROM) => Array.from({ length: count }, (_, index) => from + index)

/** In milliseconds: a run takes a tenth of a second, on a busy machine a few. */
const LONGEST = 120_000 + 5_000 * RUNS

describe("Purchases under faults", () => {
  it.each(strategies)(
    "of a seller that is %s are never two of one, and what was sold is known",
    { timeout: LONGEST },
    async (strategy) => {
      const met = new Map<string, number>()
      const failures: Array<string> = []
      for (const seed of seeds(RUNS)) {
        const { problems, struck } = await SellerSuite.run(strategy, seed)
        failures.push(...problems.map((problem) => `${seed}: ${problem}`))
        for (const [what, count] of struck) met.set(what, (met.get(what) ?? 0) + count)
      }
      expect(failures).toEqual([])
      // The runs have met what they are for.
      const common = [
        "process dies",
        "late",
        "half body",
        "allocating",
        "given back",
        "ICCID sold again",
        "answer lost"
      ]
      const rare = ["no_balance", "sold_out", "process stands still", "write of the journal fails", "too many"]
      for (const what of common) expect(met.get(what), what).toBeGreaterThan(10)
      for (const what of rare) expect(met.get(what), what).toBeGreaterThan(0)
      if (strategy === "Keyed") expect(met.get("price moved")).toBeGreaterThan(5)
    }
  )

  it("go the same way for the same seed", async () => {
    const [one, two] = [await SellerSuite.run("Anonymous", 7), await SellerSuite.run("Anonymous", 7)]
    expect(one.trace).toBe(two.trace)
    expect((await SellerSuite.run("Anonymous", 8)).trace).not.toBe(one.trace)
  })
})

type JournalService = Journal.Journal["Service"]

/** A journal that loses a field of what is written. */
const forgetting =
  (kind: string, field: string, value: null | readonly []) =>
  (journal: JournalService): JournalService => {
    const without = <Entry extends Journal.NewEntry>(entry: Entry): Entry =>
      entry.kind === kind ? { ...entry, document: { ...entry.document, [field]: value } } : entry
    return {
      ...journal,
      add: (entry, also) => journal.add(without(entry), also),
      replace: (entry, also) => journal.replace(without(entry), also)
    }
  }

/** A journal in which each purchase has any order. */
const withoutClaims = (journal: JournalService): JournalService => ({
  ...journal,
  ofExternalId: () => Effect.succeed(null),
  get: (place) => (place.kind === "purchase-order" ? Effect.succeed(null) : journal.get(place)),
  add: (entry, also) =>
    entry.kind === "purchase-order" ? Effect.succeed({ ...entry, version: 1 }) : journal.add(entry, also)
})

const unsearched = (seller: Purchases.Seller): Purchases.Seller => {
  if (seller.strategy === "Anonymous") return { ...seller, list: () => Effect.succeed([]) }
  return { ...seller, search: () => Effect.succeed([]) }
}

const likeFilter = (seller: Purchases.Seller): Purchases.Seller =>
  seller.strategy !== "Referenced"
    ? seller
    : {
        ...seller,
        search: (key, since) =>
          Effect.map(seller.search(key, since), (all) => all.map((one) => ({ ...one, text: key })))
      }

const freshKeys = (): ((seller: Purchases.Seller) => Purchases.Seller) => {
  let calls = 0
  return (seller) => ({ ...seller, order: (of) => seller.order({ ...of, key: `${of.key}-${calls++}` }) })
}

describe("A fault of a strategy is found:", () => {
  const planted: ReadonlyArray<readonly [string, SellerSuite.Strategy, SellerSuite.Planted]> = [
    ["another key for each call", "Keyed", { seller: freshKeys() }],
    ["a refusal that counts without a look", "Keyed", { seller: unsearched }],
    ["the call forgotten", "Keyed", { journal: forgetting("purchase", "unansweredAt", null) }],
    ["no look before the next order", "Referenced", { seller: unsearched }],
    ["the call forgotten", "Referenced", { journal: forgetting("purchase", "unansweredAt", null) }],
    ["the next order too soon", "Referenced", { lateMillis: 1_000 }],
    ["a text taken that only contains the key", "Referenced", { seller: likeFilter }],
    ["no list before the next order", "Anonymous", { seller: unsearched }],
    ["the call forgotten", "Anonymous", { journal: forgetting("purchase-load", "unanswered", []) }],
    ["the next order too soon", "Anonymous", { lateMillis: 1_000 }],
    ["an order that another purchase has", "Anonymous", { journal: withoutClaims }]
  ]
  it.each(planted)("%s, %s", async (_, strategy, fault) => {
    const problems: Array<string> = []
    for (const seed of seeds(200, 1)) {
      problems.push(...(await SellerSuite.run(strategy, seed, fault)).problems)
      if (problems.length > 0) break
    }
    expect(problems).not.toEqual([])
  })
})

describe("The key of a purchase", () => {
  it("is its id, if each supplier keeps it as it is, else a digest of it", () => {
    expect(Purchases.keyOf("0199f0c6-7a31-7c5e-b0c1-5f1f0a6f4f11")).toBe("0199f0c6-7a31-7c5e-b0c1-5f1f0a6f4f11")
    for (const odd of ["with_underscore", "100%", "x".repeat(51), "", "é"]) {
      expect(Purchases.keyOf(odd)).toMatch(/^[a-f\d]{50}$/)
    }
  })
})
