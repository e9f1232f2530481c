/**
 * A package template for each distinct terms, found again by its name.
 *
 * The name says all that a package of the template grants: location zone, allowance, validity and
 * throttling. So terms with different names, and occurrences of one recurrence, share a template.
 * If two processes create the same one at once, the lowest id is used from then on.
 */
import { Effect, Semaphore } from "effect"
import { Allowance, type Plan } from "simplan/ports"
import { CallFailure } from "../telco-calls/index.ts"
import * as Api from "./api/Api.ts"
import * as Zones from "./Zones.ts"

/** The names of simplan's templates begin so. */
const PREFIX = "simplan "

/**
 * Whether a package is of one of simplan's templates, and none that a recurring package of the
 * system's own has made.
 */
export const isOurs = ({ isRecurring, templateName }: Api.SubscriberPackage): boolean =>
  !isRecurring && (templateName?.startsWith(PREFIX) ?? false)

type Grant = Pick<Plan.PlanTerms, "dataMegaBytes" | "periodDays" | "throttling">

const stepsOf = (throttling: ReadonlyArray<{ readonly percentage: number; readonly limit: number | string }>): string =>
  throttling.map(({ limit, percentage }) => `${percentage}:${limit}`).join(",")

/** Names the template of these terms, such as `simplan z27 1024MB 30d t50:512,80:256,95:128`. */
const nameOf = (zoneId: number, { dataMegaBytes, periodDays, throttling }: Grant): string => {
  const steps = stepsOf(throttling)
  return `${PREFIX}z${zoneId} ${dataMegaBytes}MB ${periodDays}d${steps === "" ? "" : ` t${steps}`}`
}

const NAME = new RegExp(`^${PREFIX}z(\\d+) (\\d+)MB (\\d+)d(?: t([\\d:,]+))?$`)

const change = (what: string, now: number | string | null, then: number | string): ReadonlyArray<string> =>
  now === null || now === then ? [] : [`${what} is ${now || "none"}, and was ${then || "none"}`]

/**
 * How a template differs from what the name says that simplan gave it, in words; empty if it
 * does not.
 */
export const changes = (name: string, { grant, name: present }: Api.Template): ReadonlyArray<string> => {
  const [, zoneId, megaBytes, days, steps = ""] = NAME.exec(name) ?? []
  if (zoneId === undefined) return []
  const renamed = change("its name", JSON.stringify(present), JSON.stringify(name))
  if (grant === undefined) return renamed
  const throttling = grant.throttling === null ? null : stepsOf(grant.throttling)
  return [
    ...renamed,
    ...change("its zone", grant.zoneId, Number(zoneId)),
    ...change("its allowance in bytes", grant.allowanceBytes, Allowance.bytesOf({ dataMegaBytes: Number(megaBytes) })),
    ...change("its number of days", grant.periodDays, Number(days)),
    ...change("its throttling", throttling, steps)
  ]
}

/** The templates of the system. */
export const make = Effect.gen(function* () {
  const api = yield* Api.Api
  const zones = yield* Zones.Zones
  const ids = new Map<string, number>()
  const oneAtATime = yield* Semaphore.make(1)

  /**
   * All templates are listed at once, so all names are known after. The lowest id of a name comes
   * last and stays.
   */
  const list = Effect.map(api.templates, (all) => {
    for (const { id, isDeleted, name } of all.toSorted((left, right) => right.id - left.id)) {
      if (!isDeleted && name.startsWith(PREFIX)) ids.set(name, id)
    }
  })

  const create = Effect.fnUntraced(function* (name: string, zoneId: number, terms: Grant) {
    const { periodDays, throttling } = terms
    const template = {
      name,
      zoneId,
      allowanceBytes: Allowance.bytesOf(terms),
      periodDays,
      throttling: throttling.map(({ limit, percentage }) => ({ percentage, limit: Number(limit) }))
    }
    // It may be there although the call failed: another process may have created it, or the answer
    // may be lost.
    const created = yield* Effect.result(api.createTemplate(template))
    yield* list
    const id = ids.get(name)
    if (id !== undefined) return id
    if (created._tag === "Failure") return yield* created.failure
    ids.set(name, created.success.id)
    return created.success.id
  })

  const find: (name: string, zoneId: number, terms: Grant) => Effect.Effect<number, CallFailure.CallFailure> =
    Effect.fnUntraced(function* (name, zoneId, terms) {
      if (!ids.has(name)) yield* list
      return ids.get(name) ?? (yield* create(name, zoneId, terms))
    })

  return {
    /** The template of these terms; created if the system has none. */
    of: Effect.fnUntraced(function* (terms: Plan.PlanTerms) {
      const zoneId = yield* zones.of(terms)
      const name = nameOf(zoneId, terms)
      const known = ids.get(name)
      const id = known ?? (yield* CallFailure.asPort(oneAtATime.withPermit(find(name, zoneId, terms))))
      return { id, name }
    }),
    /** Reads the template of the name again for the next order, as after a refusal. */
    forget: (name: string) => Effect.sync(() => void ids.delete(name))
  }
})
