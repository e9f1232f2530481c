/**
 * What has to hold after a run of the simulation: for each order exactly one package, or none if it
 * was cancelled or refused, and no package of ours that belongs to no order, other than those that
 * were told, since they are used, or came of a call that was answered and done twice.
 */
import { Equal, type Result } from "effect"
import type { Telco } from "simplan/ports"
import type { Journal } from "../../../adapters/telco-calls/index.ts"
import type { Settlement } from "../../../adapters/telco-ocs/index.ts"
import type * as Model from "../Model.ts"
import * as Surroundings from "./Surroundings.ts"

type Answer = Result.Result<Telco.TelcoPackage, Telco.Refused | Telco.Unavailable>

/**
 * In milliseconds: what passes at most between a look and the deletion that it leads to, which may
 * be done late.
 */
const DELETION = 800_000

/**
 * In milliseconds: the greatest distance of an ordered time that the clocks of a zone show twice
 * from the one it becomes.
 */
const MOVED = 2 * 3_600_000

export const make = (model: Model.Model, zone: string) => {
  const found: Array<string> = []
  const foreign = new Set<number>()
  const reported = new Set<number>()
  const checks: Array<(entries: ReadonlyMap<string, Journal.Entry>) => number | null> = []
  let hasCancelled = false
  const problem = (what: string) => void found.push(what)

  /**
   * Whether a package begins, or ends, as it was ordered: to the second, but around an hour that
   * comes twice.
   */
  const isAsOrdered = (actual: number | null, ordered: number, direction: 1 | -1): boolean => {
    if (actual === null) return false
    const exact = Math.floor(ordered / 1000) * 1000
    const moved = direction * (actual - exact)
    return moved === 0 || (Surroundings.isTwice(zone, ordered) && moved > 0 && moved <= MOVED)
  }

  const client = (order: Telco.PackageOrder) => {
    const { packageId } = order
    let answer: Answer | null = null
    let isCancelled = false
    let isSuspended = false
    let isCancelling = false
    const fail = (what: string) => problem(`${packageId}: ${what}`)

    /** The package that the order has at the end. */
    const check = (entries: ReadonlyMap<string, Journal.Entry>): number | null => {
      const entry = entries.get(packageId)
      const state = entry?.document["_tag"]
      const id = entry?.externalId == null ? null : Number(entry.externalId)
      const one = id === null ? undefined : model.packages.get(id)
      if (isCancelled || answer?._tag === "Failure") {
        if (state === "Created" || state === "Open") fail(`cancelled or refused, and its order is ${state}`)
        if (one !== undefined) fail(`cancelled or refused, and has package ${id}`)
        return null
      }
      if (state !== "Created") {
        fail(`its order ends as ${String(state)}`)
        return null
      }
      if (one === undefined) {
        fail(`package ${id} is gone`)
        return null
      }
      if (answer?._tag === "Success" && answer.success.telcoPackageId !== String(id))
        fail(`was told another package than ${id}`)
      if (one.iccid !== order.iccid) fail(`package ${id} is of another SIM`)
      const region = order.terms.regionCode === "EUROPE" ? 28 : 27
      if (one.templateName !== `simplan z${region} 100MB 7d`) fail(`package ${id} is of template ${one.templateName}`)
      const { window } = order
      if (window !== null && !isAsOrdered(one.activationAt, window.start, -1))
        fail(`package ${id} begins at ${one.activationAt}, not at ${window.start}`)
      if (window !== null && !isAsOrdered(one.expirationAt, window.end, 1))
        fail(`package ${id} ends at ${one.expirationAt}, not at ${window.end}`)
      if (window === null && one.hasWindow) fail(`package ${id} has a window`)
      if (isSuspended && one.isActive) fail(`package ${id} was suspended and is active`)
      return id
    }
    checks.push(check)

    return {
      /** Whether a creation that is asked for from now on has to be refused. */
      isEnded: () => isCancelled || answer?._tag === "Failure",
      /** The answer of a creation that was asked for after the order's end, or before. */
      created: (next: Answer, wasEnded: boolean) => {
        if (next._tag === "Success" && wasEnded) fail("created after it was cancelled or refused")
        if (answer?._tag === "Success" && next._tag === "Success" && !Equal.equals(answer.success, next.success)) {
          fail("two answers")
        }
        // An answer from before the cancellation may come after one that tells of it.
        if (answer?._tag === "Failure" && next._tag === "Success" && !isCancelling) fail("created after it was refused")
        if (answer?._tag === "Success" && next._tag === "Failure" && !isCancelled && !isCancelling) {
          fail("refused after it was created")
        }
        answer = answer?._tag === "Success" && isCancelling ? answer : next
      },
      cancelling: () => {
        hasCancelled = true
        isCancelling = true
      },
      cancelled: () => {
        isCancelled = true
      },
      suspended: () => {
        isSuspended = true
      },
      failed: fail
    }
  }

  return {
    problem,
    /** What a cancelled order's call has done may be found only after another order's outcome. */
    hasCancelled: () => hasCancelled,
    client,
    foreign: (id: number) => void foreign.add(id),
    reported: ({ duplicateId }: Settlement.Duplicate) => void reported.add(duplicateId),
    /** What does not hold at the end, a line each. */
    problems: (entries: ReadonlyArray<Journal.Entry>): ReadonlyArray<string> => {
      const byKey = new Map(entries.map((entry) => [entry.key, entry]))
      const owned = checks.flatMap((check) => check(byKey) ?? [])
      if (new Set(owned).size < owned.length) problem(`two orders have one package: ${owned.join(", ")}`)
      for (const id of foreign) if (!model.packages.has(id)) problem(`package ${id} of an operator was deleted`)
      // A package may be used for the first time between a look and the deletion.
      const cancelled = entries.map(({ document, externalId }) =>
        document["_tag"] === "Cancelled" ? externalId : null
      )
      for (const { deletedAt, firstUsedAt, id } of model.deleted.values()) {
        if (firstUsedAt === null || deletedAt - firstUsedAt < DELETION || cancelled.includes(String(id))) continue
        problem(`package ${id} was deleted ${deletedAt - firstUsedAt} ms after its first use`)
      }
      for (const { id, usedBytes } of model.packages.values()) {
        if (owned.includes(id) || foreign.has(id)) continue
        // Of what the system has done twice and answered, nothing shows whose it is.
        if (reported.has(id) && (usedBytes > 0 || model.doubled() > 0)) continue
        problem(`package ${id}, of which ${usedBytes} bytes are used, belongs to no order`)
      }
      return found
    }
  }
}
