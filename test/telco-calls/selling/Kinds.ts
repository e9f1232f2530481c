/**
 * Random runs of purchases, by what is run: the adapter of a supplier over its fake, one of the
 * strategies that they buy by, the example of a seller, or a whole service whose books are compared
 * with a supplier's.
 */
import { Schema } from "effect"
import * as AiraloBooks from "../../telco-airalo/Books.ts"
import * as Airalo from "../../telco-airalo/Run.ts"
import * as EsimAccessBooks from "../../telco-esim-access/Books.ts"
import * as EsimAccess from "../../telco-esim-access/Simulation.ts"
import * as EsimGoBooks from "../../telco-esim-go/Books.ts"
import * as EsimGo from "../../telco-esim-go/Simulation.ts"
import * as SellerSuite from "../SellerSuite.ts"
import * as Example from "./Example.ts"
import * as ShopBooks from "./ShopBooks.ts"

/** The accounts whose books are compared with the ledger of a service, one after the other. */
const books = [EsimGoBooks.account, EsimAccessBooks.account, AiraloBooks.account] as const

/** What came of a run. */
export interface Run {
  /** What does not hold, a line each. */
  readonly problems: ReadonlyArray<string>
  readonly struck: ReadonlyMap<string, number>
}

export const Kind = Schema.Literals([
  "esim-go",
  "esim-access",
  "airalo",
  "Keyed",
  "Referenced",
  "Anonymous",
  "wholesale",
  "books"
])

const runOf: { readonly [Name in typeof Kind.Type]: (seed: number) => Promise<Run> } = {
  "esim-go": (seed) => EsimGo.run(seed),
  "esim-access": (seed) => EsimAccess.run(seed),
  airalo: (seed) => Airalo.run(seed),
  Keyed: (seed) => SellerSuite.run("Keyed", seed),
  Referenced: (seed) => SellerSuite.run("Referenced", seed),
  Anonymous: (seed) => SellerSuite.run("Anonymous", seed),
  wholesale: Example.run,
  books: (seed) => ShopBooks.check(books[seed % books.length] ?? EsimGoBooks.account, seed)
}

/** What came of the runs of a kind. */
export interface Result {
  readonly kind: typeof Kind.Type
  readonly runs: number
  readonly faults: ReadonlyArray<readonly [what: string, times: number]>
  readonly failures: ReadonlyArray<{ readonly seed: number; readonly problems: ReadonlyArray<string> }>
}

/** How many runs that fail are kept. */
const KEPT = 20

/** Runs every `step`th seed from `seed` to `until`. */
export const runs = async (
  kind: typeof Kind.Type,
  { seed: first, step, until }: { readonly seed: number; readonly step: number; readonly until: number },
  onSeed: (seed: number) => void = () => {}
): Promise<Result> => {
  const faults = new Map<string, number>()
  const failures: Array<Result["failures"][number]> = []
  let count = 0
  for (let seed = first; seed < until; seed += step) {
    onSeed(seed)
    const { problems, struck } = await runOf[kind](seed)
    count++
    for (const [what, times] of struck) faults.set(what, (faults.get(what) ?? 0) + times)
    if (problems.length > 0 && failures.length < KEPT) failures.push({ seed, problems })
  }
  return { kind, runs: count, faults: [...faults], failures }
}
