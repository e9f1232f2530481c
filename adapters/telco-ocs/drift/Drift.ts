/**
 * Compares both books of a SIM once a day, with the list of packages that a look has read anyway; so it needs no calls of its
 * own, and is spread over the day as the looks are.
 *
 * What differs stands among the problems (`GET /admin/v1/problems`), each difference once. Only one thing is mended: an
 * unused package of a cancelled order is deleted. Everything else needs an operator, who knows what happened at the OCS.
 */
import { Effect } from "effect"
import { Problems } from "simplan"
import { type Problem, Time } from "simplan/ports"
import { Journal } from "../../telco-calls/index.ts"
import { Api, type SubscriberPackage } from "../api/Api.ts"
import * as Comparison from "./Comparison.ts"
import * as PackageEntries from "../reports/PackageEntries.ts"
import type { SimState } from "../reports/SimState.ts"

/** How often the books of a SIM are compared, in milliseconds. */
export const EVERY = Time.DAY

/** For how long after its last order a SIM is compared that needs no looks. */
const WATCHED = 35 * Time.DAY

/** Whether the books are to be compared now. */
export const isDue = ({ comparedAt }: SimState, now: Time.Instant): boolean =>
  comparedAt === null || now - comparedAt >= EVERY

/** When a SIM that needs no look is compared again; null: never. */
export const again = (ordered: ReadonlyArray<PackageEntries.Ordered>, now: Time.Instant): Time.Instant | null =>
  ordered.some(({ orderedAt }) => orderedAt !== null && now - orderedAt < WATCHED) ? now + EVERY : null

interface Books {
  readonly iccid: string
  /** Read before the list, so that the list has what they have. */
  readonly ordered: ReadonlyArray<PackageEntries.Ordered>
  readonly listed: ReadonlyArray<SubscriberPackage>
  readonly before: SimState
  readonly now: Time.Instant
}

export const make = ({ telco }: { readonly telco: string }) =>
  Effect.gen(function* () {
    const api = yield* Api
    const journal = yield* Journal.Journal
    const problems = yield* Problems.Problems

    const remove = (iccid: string, id: number) =>
      api.deletePackage(id).pipe(
        Effect.andThen(Effect.logInfo(`Deleted an unused package of a cancelled order at ${telco}`, { iccid, id })),
        Effect.catch(({ message }) => Effect.logDebug(`Package ${id} of ${telco} could not be deleted: ${message}`))
      )

    return {
      /** Compares, mends and lists. */
      compare: Effect.fn("TelcoOcs.compare")(function* ({ before, iccid, listed, now, ordered }: Books) {
        const books = { telco, iccid, listed, now, remembered: before.packages }
        const first = Comparison.compare({ ...books, ordered })
        if (first.findings.length + first.deletable.length === 0) return
        // An order that was made while the list was read is in the second reading.
        const since = (yield* journal.ofSim({ telco, kind: "package", iccid })).map(PackageEntries.of)
        const second = Comparison.compare({ ...books, ordered: since })
        const ids = new Set(second.findings.map(({ findingId }) => findingId))
        const findings: ReadonlyArray<Problem.Finding> = first.findings.filter(({ findingId }) => ids.has(findingId))
        for (const id of first.deletable.filter((one) => second.deletable.includes(one))) yield* remove(iccid, id)
        yield* problems.add({ findings })
      })
    }
  })
