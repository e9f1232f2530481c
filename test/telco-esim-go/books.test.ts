import type { Cost, Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Books from "./Books.ts"

/** How many are made here; `npm run test:sellers -- --kind books` makes many. */
const RUNS = 4

describe("C1: the ledger", () => {
  it("has what the supplier has charged and credited, to the last unit, in each month", async () => {
    const done = new Set<string>()
    for (let seed = 1; seed <= RUNS; seed++) {
      const run = await Books.run(seed)
      expect({ seed, months: run.booked }).toEqual({ seed, months: run.charged })
      expect({ seed, months: run.after }).toEqual({ seed, months: run.booked })
      for (const what of run.done.keys()) done.add(what)
    }
    for (const what of ["an eSIM is bought", "a top-up is bought", "an answer is lost", "a request is lost"]) {
      expect(done).toContain(what)
    }
    for (const what of ["an eSIM is returned", "a price changes", "a plan is deleted"]) expect(done).toContain(what)
  }, 600_000)

  type Put = NonNullable<Cost.Booking["put"]>
  const rows =
    (change: (put: Put) => Put) =>
    (commit: Storage.Commit): Storage.Commit =>
      commit.ledger?.put === undefined
        ? commit
        : { ...commit, ledger: { ...commit.ledger, put: change(commit.ledger.put) } }

  it.each<[string, Books.Planted]>([
    ["books no top-up", { commit: rows((put) => put.filter(({ kind }) => kind !== "top_up")) }],
    ["books no refund", { commit: rows((put) => put.filter(({ kind }) => kind !== "refund")) }],
    ["books a unit less", { commit: rows((put) => put.map((one) => ({ ...one, amount: less(one.amount) }))) }],
    ["books all again", { commit: rows((put) => put.flatMap((one) => [one, { ...one, costId: `${one.costId}!` }])) }]
  ])(
    "that %s is found",
    async (_, planted) => {
      for (let seed = 1; seed <= 4; seed++) {
        const { booked, charged } = await Books.run(seed, planted)
        if (JSON.stringify(booked) !== JSON.stringify(charged)) return
      }
      expect.fail("no run has found it")
    },
    600_000
  )
})

const less = (amount: Cost.Entry["amount"]) => amount && { ...amount, units: amount.units - 1 }
