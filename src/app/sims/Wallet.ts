/**
 * The organization's mobile plan on its eSIMs (rule I6).
 */
import { Context, Effect, Layer } from "effect"
import * as Capabilities from "../../domain/Capabilities.ts"
import type { Label } from "../../domain/Label.ts"
import * as MobilePlan from "../../domain/MobilePlan.ts"
import type { MobilePlanStatus } from "../../domain/MobilePlan.ts"
import {
  type InsideTransaction,
  type InvalidField,
  type NoFreeSim,
  NotFound,
  type Refusing,
  type RequestInProgress,
  type SimsReleasing,
  type TelcoRefused,
  type TelcoUnavailable
} from "../../domain/Refusal.ts"
import * as TextLimit from "../../domain/TextLimit.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { Commits } from "../commit/Commits.ts"
import { makeRefuseInside } from "../commit/Served.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../jobs/JobRunner.ts"
import { type Reserve, SimReservations } from "./SimReservations.ts"
import { BackgroundTasks } from "../jobs/Leases.ts"

/** A mobile plan to be applied or removed. */
export interface ChangeRequest {
  /** The organization that owns it. */
  readonly organizationId: string
  /** False: it is removed. */
  readonly apply: boolean
  /** The label of the eSIM; another one is `LabelMismatch`. */
  readonly label: Label
  /** Null: any eSIM of the label that has no mobile plan. Allowed only to apply one. */
  readonly iccid: string | null
}

/** Applies the organization's mobile plan to eSIMs, and removes it (rule I6). */
export class Wallet extends Context.Service<
  Wallet,
  {
    /** Not inside a transaction of the host (rule H1). */
    readonly setMobilePlan: (
      request: ChangeRequest
    ) => Effect.Effect<
      MobilePlanStatus,
      | InvalidField
      | NotFound
      | NoFreeSim
      | SimsReleasing
      | Refusing<"mobilePlan">
      | RequestInProgress
      | InsideTransaction
      | TelcoRefused
      | TelcoUnavailable
      | StorageError
    >
  }
>()("simplan/Wallet") {}

type Needs = Telco | Storage | BusinessClock | Ids | Commits | BackgroundTasks | JobRunner.JobRunner | SimReservations

const attempt = { tag: "ChangeMobilePlan", jobId: MobilePlan.jobId, undoJobId: MobilePlan.undoJobId } as const

/**
 * The implementation that `Services.layer` provides. It reserves eSIMs by the same
 * `SimReservations` as `Subscriptions` (rule S2).
 */
export const layer: Layer.Layer<Wallet, never, Needs> = Layer.effect(
  Wallet,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const work = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    const refuseInside = yield* makeRefuseInside
    const reservations = yield* SimReservations
    const capabilitiesOf = yield* TelcoCapabilities.current

    const simFor = Effect.fnUntraced(function* (request: ChangeRequest, reserve: Reserve) {
      const { iccid, label, organizationId } = request
      if (iccid === null) return yield* reserve({ organizationId, label, purpose: "mobile plan", load: null })
      return (
        (yield* storage.sims.get({ organizationId, iccid })) ?? (yield* new NotFound({ resource: "sim", id: iccid }))
      )
    })

    const begin = Effect.fnUntraced(function* (request: ChangeRequest, reserve: Reserve) {
      const { organizationId } = request
      const sim = yield* simFor(request, reserve)
      const now = yield* clock.now
      const changeId = yield* ids.next(now, organizationId)
      const asked = yield* Effect.fromResult(MobilePlan.request(sim, request, changeId, now))
      if (asked === null) return MobilePlan.statusOf(sim)
      if (request.apply) yield* TelcoCapabilities.check(capabilitiesOf(sim), Capabilities.mobilePlan)
      const lease = yield* work.lease
      const commit = yield* commits.prepare(organizationId, asked.decision, now, lease)
      yield* commits.write(commit, "later")
      return { held: JobRunner.heldBy(commit, lease), work: asked.work }
    })

    /** Rule S5: goes on with the change that the request's key has left, same eSIM and same id. */
    const resume = (organizationId: string) =>
      runner.resume(attempt, ({ iccid }) =>
        Effect.map(storage.sims.get({ organizationId, iccid }), (loaded) =>
          loaded !== null && MobilePlan.isResumable(loaded) ? { decision: {}, value: null } : null
        )
      )

    return Wallet.of({
      setMobilePlan: Effect.fn("Wallet.setMobilePlan")(function* (request) {
        yield* refuseInside("Wallet.setMobilePlan")
        yield* Effect.fromResult(MobilePlan.checkNamed(request))
        if (request.iccid !== null) {
          yield* Effect.fromResult(TextLimit.check("iccid", request.iccid, TextLimit.ID))
        }
        const left = yield* resume(request.organizationId)
        if (left !== null) return yield* Effect.fromResult(yield* runner.changeMobilePlan(left.held, left.work))
        const begun = yield* reservations.during((reserve) => commits.retryOnConflict(begin(request, reserve)))
        if (!("held" in begun)) return begun
        return yield* Effect.fromResult(yield* runner.changeMobilePlan(begun.held, begun.work))
      })
    })
  })
)
