/**
 * Moving subscriptions to other SIMs (rule S8). One commit moves a subscription and answers; jobs
 * tell the telco.
 */
import { Context, Effect, Layer } from "effect"
import { differences } from "../../domain/AuditEntry.ts"
import { kinds } from "../../domain/Idempotency.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import * as Preview from "../../domain/Preview.ts"
import type {
  EsimsIssuing,
  NoBalance,
  NoFreeSim,
  NotFound,
  Refusing,
  SimsReleasing,
  SoldOut,
  SpendingLimited
} from "../../domain/Refusal.ts"
import * as Replacement from "../../domain/Replacement.ts"
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Replaced } from "../../domain/Subscription.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { Commits } from "../commit/Commits.ts"
import { notifiedUntil } from "../commit/Caused.ts"
import { Ids } from "../commit/Ids.ts"
import * as JobRunner from "../jobs/JobRunner.ts"
import { BackgroundTasks, type Leases } from "../jobs/Leases.ts"
import { Settings } from "../Settings.ts"
import * as OccupiedSims from "../telco/OccupiedSims.ts"
import type { SoldBundles } from "../telco/SoldBundles.ts"
import * as Purchases from "../sims/Purchases.ts"
import * as SimReservations from "../sims/SimReservations.ts"
import * as Pauses from "./Pauses.ts"
import { makeLoadLive } from "./Subscriptions.ts"

interface OfSubscription {
  readonly organizationId: string
  readonly iccid: string
}

type Refused =
  | NotFound
  | NoFreeSim
  | SimsReleasing
  | EsimsIssuing
  | SoldOut
  | NoBalance
  | SpendingLimited
  | Refusing<"replacement">

/** Moves subscriptions to other SIMs. */
export class Replacements extends Context.Service<
  Replacements,
  {
    /**
     * Moves the subscription of a SIM to a free eSIM of its label, or to one that is bought for it
     * if its plan is a bundle (rule I15). The old SIM is withdrawn. It
     * succeeds before the telco has said how much is left of the packages, and taken them. Inside a
     * transaction of the host it is part of that transaction (rule H1).
     */
    readonly replace: (of: OfSubscription) => Effect.Effect<Replaced, Refused | Purchases.NotBought | StorageError>
    /**
     * What `replace` would do now, or its refusal (rule S9). The eSIM that it shows is not
     * reserved.
     */
    readonly previewReplace: (of: OfSubscription) => Effect.Effect<Preview.OfReplacement, Refused | StorageError>
  }
>()("simplan/Replacements") {}

type Needs =
  | Storage
  | Telco
  | BusinessClock
  | Commits
  | Ids
  | BackgroundTasks
  | Leases
  | JobRunner.JobRunner
  | SimReservations.SimReservations
  | SoldBundles

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<Replacements, never, Needs> = Layer.effect(
  Replacements,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const commits = yield* Commits
    const ids = yield* Ids
    const tasks = yield* BackgroundTasks
    const runner = yield* JobRunner.JobRunner
    const reservations = yield* SimReservations.SimReservations
    const inTransaction = yield* HostTransaction
    const changeOf = yield* Pauses.makeChange
    const loadLive = yield* makeLoadLive
    const { waitLimitMillis } = yield* Settings
    const withhold = yield* OccupiedSims.makeWithhold
    const purchases = yield* Purchases.make
    const capabilitiesOf = yield* TelcoCapabilities.current

    /**
     * Rule S5: a free eSIM on which the telco lists nothing of others. If the telco is not asked,
     * or gives no answer, the first order on it finds them.
     */
    const unoccupied = Effect.fnUntraced(function* (
      wanted: Purchases.Wanted,
      reserve: SimReservations.Reserve,
      isInside: boolean
    ) {
      for (let tried = 0; tried < OccupiedSims.SIMS_TRIED; tried++) {
        // Nothing is bought before the commit of a host.
        const sim = yield* purchases.reserve(reserve, isInside ? { ...wanted, plan: null } : wanted)
        if (isInside) return sim
        // Failure: the first order on it finds them.
        const others = yield* Effect.catchTag(withhold(sim), "Telco.Unavailable", () => Effect.succeed([]))
        if (others.length === 0) return sim
      }
      return yield* SimReservations.outOfStock("Releasing", wanted.label)
    })

    /** Which eSIM a subscription moves to, before anything is bought. */
    const wantedFor = Effect.fnUntraced(function* (aggregate: SimAggregate) {
      const moved = yield* Effect.fromResult(Replacement.wanted(aggregate, yield* clock.now))
      return yield* purchases.forMove(aggregate.sim, moved)
    })

    const begin = Effect.fnUntraced(function* (of: OfSubscription, reserve: SimReservations.Reserve) {
      const { organizationId } = of
      const isInside = yield* inTransaction
      const aggregate = yield* loadLive(of)
      const free = yield* unoccupied(yield* wantedFor(aggregate), reserve, isInside)
      const now = yield* clock.now
      const pause = yield* changeOf(aggregate.sim, now)
      const given = {
        pause: pause.given,
        changeId: yield* ids.next(now, organizationId),
        notifiedUntil: yield* notifiedUntil(storage, Lifecycle.followedOf(aggregate.attachments)),
        shown: yield* capabilitiesOf(aggregate.sim)
      }
      const { decision, replaced } = yield* Effect.fromResult(Replacement.replace(aggregate, free, given, now))
      const lease = isInside ? undefined : yield* tasks.lease
      const resourceId = replaced.subscription.subscriptionId
      const change = {
        organizationId,
        action: "subscription.replace",
        resourceId,
        iccid: free.iccid,
        changed: differences({ iccid: of.iccid }, { iccid: free.iccid })
      } as const
      const withdrawal = { organizationId, action: "sim.withdraw", resourceId: of.iccid, iccid: of.iccid } as const
      const decided = pause.resolved(yield* commits.prepare(organizationId, decision, now, lease))
      const commit = yield* commits.audited(yield* commits.audited(decided, change, now), withdrawal, now)
      yield* commits.write(commit, kinds.Replaced.keep(replaced))
      return { commit, lease, replaced }
    })

    return Replacements.of({
      replace: Effect.fn("Replacements.replace")(function* (of) {
        const { commit, lease, replaced } = yield* reservations.during((reserve) =>
          commits.retryOnConflict(begin(of, reserve))
        )
        if (lease !== undefined) yield* runner.tryAll(commit, lease, waitLimitMillis)
        return replaced
      }),
      previewReplace: Effect.fn("Replacements.previewReplace")(function* (of) {
        const aggregate = yield* loadLive(of)
        const { sim } = yield* purchases.preview(yield* wantedFor(aggregate))
        if (sim === null) return yield* purchases.issuing(aggregate.sim)
        return yield* Effect.fromResult(Preview.replacement(aggregate, sim, yield* clock.now))
      })
    })
  })
)
