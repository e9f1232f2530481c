/**
 * Compares both books of a SIM once a day, with the list of packages that a look has read anyway; so it needs no calls of its
 * own but one for the templates in an hour, and is spread over the day as the looks are. What may be due to a list that is
 * behind is compared again after the watch time.
 *
 * What differs stands among the problems (`GET /admin/v1/problems`), each difference once. Only one thing is mended: an
 * unused package of a cancelled order is deleted. Everything else needs an operator, who knows what happened at the OCS.
 */
import { Effect } from "effect"
import { Problems } from "simplan"
import { type Problem, Time } from "simplan/ports"
import { Journal } from "../../telco-calls/index.ts"
import { Api, type SubscriberPackage, type Template } from "../api/Api.ts"
import * as Comparison from "./Comparison.ts"
import * as PackageEntries from "../reports/PackageEntries.ts"
import type { SimState } from "../reports/SimState.ts"
import { Settings, watchOf } from "../Settings.ts"

/** How often the books of a SIM are compared, in milliseconds. */
export const EVERY = Time.DAY

/** For how long after its last order a SIM is compared that needs no looks. */
const WATCHED = 35 * Time.DAY

/** For how long templates are taken to be what they were listed as, in milliseconds. */
const TEMPLATES = Time.HOUR

interface Books {
  readonly iccid: string
  /** Read before the list, so that the list has what they have. */
  readonly ordered: ReadonlyArray<PackageEntries.Ordered>
  readonly listed: ReadonlyArray<SubscriberPackage>
  readonly before: SimState
  readonly now: Time.Instant
}

export const make = Effect.gen(function* () {
  const settings = yield* Settings
  const { telco } = settings
  const watch = watchOf(settings)
  const api = yield* Api
  const journal = yield* Journal.Journal
  const problems = yield* Problems.Problems
  let templates: { readonly until: number; readonly byId: ReadonlyMap<number, Template> } | null = null

  const remove = (iccid: string, id: number) =>
    api.deletePackage(id).pipe(
      Effect.andThen(Effect.logInfo(`Deleted an unused package of a cancelled order at ${telco}`, { iccid, id })),
      Effect.catch(({ message }) => Effect.logDebug(`Package ${id} of ${telco} could not be deleted: ${message}`))
    )

  /** The templates by their ids; none where they cannot be read now. */
  const templatesAt = Effect.fnUntraced(function* (now: Time.Instant) {
    if (templates !== null && now < templates.until) return templates.byId
    const listed = yield* Effect.orElseSucceed(api.templates, () => null)
    if (listed === null) return new Map<number, Template>()
    const byId = new Map(listed.map((one) => [one.id, one]))
    templates = { until: now + TEMPLATES, byId }
    return byId
  })

  return {
    /** Whether the books are to be compared now. */
    isDue: ({ comparedAt, suspected }: SimState, now: Time.Instant): boolean =>
      comparedAt === null ||
      now - comparedAt >= EVERY ||
      Object.values(suspected).some((since) => now - since >= watch),

    /** When a SIM is looked at again which the looks want to look at at `wanted`; null: never. */
    again: (
      wanted: Time.Instant | null,
      ordered: ReadonlyArray<PackageEntries.Ordered>,
      { comparedAt, suspected }: Pick<SimState, "comparedAt" | "suspected">,
      now: Time.Instant
    ): Time.Instant | null => {
      const isWatched = ordered.some(({ orderedAt }) => orderedAt !== null && now - orderedAt < WATCHED)
      const daily = wanted !== null ? now + EVERY : isWatched ? Math.max(now, (comparedAt ?? now) + EVERY) : null
      const instants = Object.values(suspected).map((since) => Math.max(now, since + watch))
      for (const one of [wanted, daily]) if (one !== null) instants.push(one)
      return instants.length === 0 ? null : Math.min(...instants)
    },

    /** Compares, mends and lists. What has to last to be a difference, and since when it was seen. */
    compare: Effect.fn("TelcoOcs.compare")(function* ({ before, iccid, listed, now, ordered }: Books) {
      const books = {
        ...{ telco, iccid, listed, watch, now },
        ...{ remembered: before.packages, suspected: before.suspected },
        templates: yield* templatesAt(now)
      }
      const first = Comparison.compare({ ...books, ordered, owners: yield* problems.owners({ iccid }) })
      if (first.findings.length + first.deletable.length === 0) return first.suspected
      // An order that was made while the list was read is in the second reading, and so is a SIM that was sold.
      const since = (yield* journal.ofSim({ telco, kind: "package", iccid })).map(PackageEntries.of)
      const second = Comparison.compare({ ...books, ordered: since, owners: yield* problems.owners({ iccid }) })
      const ids = new Set(second.findings.map(({ findingId }) => findingId))
      const findings: ReadonlyArray<Problem.Finding> = first.findings.filter(({ findingId }) => ids.has(findingId))
      for (const id of first.deletable.filter((one) => second.deletable.includes(one))) yield* remove(iccid, id)
      yield* problems.add({ findings })
      return second.suspected
    })
  }
})
