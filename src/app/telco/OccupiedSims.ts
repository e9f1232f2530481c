/**
 * Free SIMs on which the telco lists packages of others, as after the restore of an older backup
 * (rule S5): they leave the stock, and an operator decides about what is listed. So a request that
 * orders nothing at once gets no SIM that an order would have been refused for.
 */
import { Effect } from "effect"
import * as Deletion from "../../domain/Deletion.ts"
import type { Sim } from "../../domain/Sim.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Telco } from "../../ports/Telco.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import { makeInTime } from "./TelcoCall.ts"

/** How many SIMs a request is tried on that the telco has packages of others on. */
export const SIMS_TRIED = 10

/** When a request comes again whose SIM was not to be given to it, in seconds. */
export const AGAIN = 5

/**
 * Has a free SIM leave the stock if the telco lists packages of others on it, and returns their
 * names. Without any, and where the telco cannot say, the SIM stays free. A telco that gives no
 * answer is `Telco.Unavailable`.
 */
export const makeWithhold = Effect.gen(function* () {
  const telco = yield* Telco
  const inTime = yield* makeInTime
  const clock = yield* BusinessClock
  const ids = yield* Ids
  const commits = yield* Commits
  const none: ReadonlyArray<string> = []

  return Effect.fnUntraced(function* (sim: Sim) {
    const { iccid, organizationId } = sim
    if (telco.listPackages === undefined) return none
    const list = inTime("listPackages", telco.listPackages({ iccid, onlyAttachments: [] }))
    // Failure: a telco that refuses to list is one that cannot.
    const listed = yield* Effect.catchTag(list, "Telco.Refused", () => Effect.succeed(null))
    if (listed === null || listed.length === 0) return none
    const now = yield* clock.now
    const releaseId = yield* ids.next(now, organizationId)
    const stock = { sim, subscription: null, attachments: [] }
    const decision = Deletion.withheld(stock, releaseId, { areOrdered: false }, now)
    yield* commits.write(yield* commits.prepare(organizationId, decision, now))
    const message = "the telco lists packages of others on a SIM that was to be given away: it leaves the stock"
    yield* Effect.logWarning(message, { organizationId, iccid, packageIds: listed })
    return listed
  })
})
