/** The ledger of a service beside what each supplier has charged, credited and lists. */
import { Effect, flow } from "effect"
import { type Cost, type Storage, Telco } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Airalo from "../../telco-airalo/Books.ts"
import * as EsimAccess from "../../telco-esim-access/Books.ts"
import * as EsimGo from "../../telco-esim-go/Books.ts"
import * as ShopBooks from "./ShopBooks.ts"

/** How many are made here; `npm run test:sellers -- --kind books` makes many. */
const RUNS = 4

const accounts = { "eSIM Go": EsimGo.account, "eSIM Access": EsimAccess.account, Airalo: Airalo.account }

type Supplier = keyof typeof accounts

/** What the runs at each supplier have to do, beside what they do at all. */
const own: Readonly<Record<Supplier, ReadonlyArray<string>>> = {
  "eSIM Go": ["a top-up is bought", "an eSIM is returned"],
  "eSIM Access": ["an eSIM is returned", "an eSIM has lapsed"],
  Airalo: ["a top-up is bought", "an eSIM has lapsed", "people agree to a refund"]
}

const all = [
  "an eSIM is bought",
  "a comparison is made",
  "an answer is lost",
  "a request is lost",
  "a price changes",
  "a plan is deleted"
]

describe("C1: the ledger", () => {
  it.each<Supplier>(["eSIM Go", "eSIM Access", "Airalo"])(
    "has what %s has charged and credited, to the last unit, in each month",
    async (supplier) => {
      const done = new Set<string>()
      for (let seed = 1; seed <= RUNS; seed++) {
        const run = await ShopBooks.run(accounts[supplier], seed)
        expect({ seed, months: run.booked }).toEqual({ seed, months: run.charged })
        expect({ seed, months: run.after }).toEqual({ seed, months: run.booked })
        expect({ seed, listed: run.listed }).toEqual({ seed, listed: [] })
        for (const what of run.done.keys()) done.add(what)
      }
      for (const what of [...all, ...own[supplier]]) expect(done).toContain(what)
    },
    600_000
  )

  type Put = NonNullable<Cost.Booking["put"]>
  const rows =
    (change: (put: Put) => Put) =>
    (commit: Storage.Commit): Storage.Commit =>
      commit.ledger?.put === undefined
        ? commit
        : { ...commit, ledger: { ...commit.ledger, put: change(commit.ledger.put) } }

  /** Says nothing of the money of what is stopped or taken away. */
  const silent = (telco: Telco.Telco["Service"]): Telco.Telco["Service"] => {
    const without = <A>(call: Effect.Effect<A, Telco.Refused | Telco.Unavailable>) =>
      Effect.mapError(Effect.asVoid(call), (failure) =>
        failure._tag === "Telco.Refused" ? new Telco.Refused({ message: failure.message }) : failure
      )
    return {
      ...telco,
      cancelPackage: (of) => without(telco.cancelPackage(of)),
      suspendPackage: (of) => without(telco.suspendPackage(of))
    }
  }

  /** Does not know what people have decided. */
  const undecided = (telco: Telco.Telco["Service"]): Telco.Telco["Service"] => ({
    ...telco,
    ...(telco.returnSim !== undefined && { returnSim: flow(telco.returnSim, Effect.as("asked" as const)) })
  })

  it.each<[Supplier, string, NonNullable<ShopBooks.Planted["telco"]>]>([
    ["eSIM Go", "was undone or credited", silent],
    ["Airalo", "was undone or credited", silent],
    ["Airalo", "people have agreed to", undecided]
  ])(
    "lacks what is not said at %s: what %s",
    async (of, _, telco) => {
      for (let seed = 1; seed <= 40; seed++) {
        const { booked, charged } = await ShopBooks.run(accounts[of], seed, { telco })
        if (JSON.stringify(booked) !== JSON.stringify(charged)) return
      }
      expect.fail("no run has found it")
    },
    600_000
  )

  it.each<[string, ShopBooks.Planted]>([
    ["books no top-up", { commit: rows((put) => put.filter(({ kind }) => kind !== "top_up")) }],
    ["books no refund", { commit: rows((put) => put.filter(({ kind }) => kind !== "refund")) }],
    ["books a unit less", { commit: rows((put) => put.map((one) => ({ ...one, amount: less(one.amount) }))) }],
    ["books all again", { commit: rows((put) => put.flatMap((one) => [one, { ...one, costId: `${one.costId}!` }])) }]
  ])(
    "that %s is found",
    async (_, planted) => {
      for (let seed = 1; seed <= 4; seed++) {
        const { booked, charged } = await ShopBooks.run(EsimGo.account, seed, planted)
        if (JSON.stringify(booked) !== JSON.stringify(charged)) return
      }
      expect.fail("no run has found it")
    },
    600_000
  )
  const lost = (kind: Cost.Kind) => rows((put) => put.filter((one) => one.kind !== kind))

  it.each<[Supplier, string, ShopBooks.Planted["commit"], string]>([
    ["eSIM Go", "a purchase that is lost", lost("purchase"), "the ledger has no charge for it"],
    ["eSIM Go", "a top-up that is lost", lost("top_up"), "the ledger has no charge for it"],
    ["Airalo", "a purchase that is lost", lost("purchase"), "the ledger has no charge for it"],
    ["Airalo", "a top-up that is lost", lost("top_up"), "the ledger has no charge for it"],
    [
      "Airalo",
      "an amount that is left out",
      rows((put) => put.map((one) => ({ ...one, amount: null }))),
      "the ledger has a charge without an amount for it"
    ],
    [
      "eSIM Go",
      "a unit less",
      rows((put) => put.map((one) => ({ ...one, amount: less(one.amount) }))),
      " USD for it. Ask shop"
    ]
  ])(
    "C4: of %s, %s in the ledger is a problem",
    async (of, _, commit, text) => {
      for (let seed = 1; seed <= 8; seed++) {
        const { listed } = await ShopBooks.run(accounts[of], seed, commit === undefined ? {} : { commit })
        if (listed.length === 0) continue
        for (const message of listed) expect(message).toContain(text)
        return
      }
      expect.fail("no run has found it")
    },
    600_000
  )
})

const less = (amount: Cost.Entry["amount"]) => amount && { ...amount, units: amount.units - 1 }
