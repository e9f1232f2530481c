/**
 * The events and jobs that a commit causes beside its own: the opt-in events of rule E1 that some
 * endpoint of the organization takes, and the checks of the stock of rule I12.
 */
import { Context, Effect, Layer } from "effect"
import * as Command from "../../domain/Command.ts"
import type { NewJob } from "../../domain/Decision.ts"
import type { Label } from "../../domain/Label.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import * as SimDifference from "../../domain/SimDifference.ts"
import * as Stock from "../../domain/Stock.ts"
import type { Instant } from "../../domain/Time.ts"
import { isOptIn, type OptInType, type Payload, type WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import * as Storage from "../../ports/Storage.ts"
import { Settings } from "../Settings.ts"
import * as CommittedCache from "./CommittedCache.ts"
import { Ids } from "./Ids.ts"

/**
 * Which of the opt-in event types an organization's endpoints take (rule E1). A commit writes an
 * event of such a type, or a job for it, only if some endpoint takes it.
 *
 * Each process caches the types, for `cacheMillis` at most.
 */
export class NamedTypes extends Context.Service<
  NamedTypes,
  {
    /**
     * The opt-in types that some endpoint of the organization takes, or misses while the service
     * has it disabled.
     */
    readonly of: (organizationId: string) => Effect.Effect<ReadonlySet<OptInType>, Storage.StorageError>
  }
>()("simplan/NamedTypes") {}

const CACHED_ORGANIZATIONS = 10_000

export const NO_TYPES: ReadonlySet<OptInType> = new Set()

export const namedTypesLayer: Layer.Layer<NamedTypes, never, Storage.Storage> = Layer.effect(
  NamedTypes,
  Effect.gen(function* () {
    const storage = yield* Storage.Storage
    const { cacheMillis } = yield* Settings
    const read = (organizationId: string) =>
      Effect.map(storage.webhookEndpoints.namedTypes({ organizationId }), (types) => {
        const optIn = types.filter(isOptIn)
        return optIn.length === 0 ? NO_TYPES : new Set(optIn)
      })
    const cached = yield* CommittedCache.make(storage.watch, read, {
      capacity: CACHED_ORGANIZATIONS,
      emptiedBy: "webhookEndpoints",
      keepMillis: () => cacheMillis
    })
    return NamedTypes.of({ of: cached })
  })
)

/**
 * The instants until which attachments have been notified, which are those of their jobs. Their SIM
 * was loaded before: if a job notifies something after that, the SIM has another version, and the
 * commit is a conflict.
 */
export const notifiedUntil = Effect.fnUntraced(function* (
  { jobs }: Pick<Storage.Storage["Service"], "jobs">,
  attachments: ReadonlyArray<Lifecycle.NotifiedAttachment>
) {
  const until = new Map<string, Instant>()
  for (const attachment of attachments) {
    const { organizationId } = attachment
    const job = yield* jobs.get({ organizationId, jobId: Lifecycle.jobIdOf(attachment) })
    if (job !== null) until.set(attachment.attachmentId, job.dueAt)
  }
  return until
})

export const nothingCaused: { readonly payloads: ReadonlyArray<Payload>; readonly jobs: ReadonlyArray<NewJob> } = {
  payloads: [],
  jobs: []
}

/** What causes events and jobs, over the types that endpoints take. */
export const make = Effect.gen(function* () {
  const storage = yield* Storage.Storage
  const clock = yield* BusinessClock
  const ids = yield* Ids
  const namedTypes = yield* NamedTypes

  /**
   * Rule E1: the events and jobs that a change causes. The views of a SIM's aggregate do not name
   * its subscription and plans, so the aggregate is read if there is something to notify. The
   * version of the SIM guards that they belong together.
   */
  const caused = Effect.fnUntraced(function* (
    types: ReadonlySet<OptInType>,
    change: SimDifference.SimChange,
    now: Instant
  ) {
    const isTimed = Lifecycle.includesTimed(types)
    const { causes, jobs } = Lifecycle.caused(
      change,
      now,
      isTimed ? yield* notifiedUntil(storage, Lifecycle.ended(change, now)) : undefined
    )
    const asked = causes.filter(({ type }) => types.has(type))
    const whole = SimDifference.wholeOf(change)
    const aggregate = asked.length === 0 ? null : (whole ?? (yield* storage.simAggregates.get(change.loaded.sim)))
    return {
      payloads: aggregate === null ? [] : Lifecycle.payloads(asked, aggregate),
      jobs: isTimed ? jobs : []
    }
  })

  const checksOf = (of: Stock.Checking, cause: string, now: Instant): ReadonlyArray<NewJob> =>
    clock.set === null ? Stock.checks(of, now) : Stock.checkNow(of, cause, now)

  /**
   * Rule I12: the checks of the stock after a change that may leave another number of eSIMs free.
   */
  const checksAfter = (change: SimDifference.SimChange, now: Instant): ReadonlyArray<NewJob> => {
    const { iccid, organizationId, version } = change.next.sim
    return Stock.moved(change).flatMap((label) => checksOf({ organizationId, label }, `${iccid} ${version}`, now))
  }

  /** Rule I12: after something else than a decision about a SIM. `Commits.stockChecks`. */
  const stockChecks = Effect.fnUntraced(function* (
    organizationId: string,
    changed: Iterable<{ readonly label: Label; readonly cause: string }>,
    now: Instant
  ) {
    const isTaken = (yield* namedTypes.of(organizationId)).has("stock.low")
    return isTaken ? [...changed].flatMap(({ cause, label }) => checksOf({ organizationId, label }, cause, now)) : []
  })

  /**
   * Rule E1: the commit with the event of each command that it settles, if someone takes it.
   */
  const withOutcomes = Effect.fnUntraced(function* (
    commit: Storage.Commit
  ): Effect.fn.Return<Storage.Commit, Storage.StorageError> {
    const events: Array<WebhookEvent> = []
    for (const settlement of commit.commands?.settled ?? []) {
      const { organizationId, outcome, settledAt } = settlement
      const type = Command.eventType(outcome)
      if (type === null || !(yield* namedTypes.of(organizationId)).has(type)) continue
      const command = yield* storage.commands.get(settlement)
      const payload = command?.settledAt === null ? Command.event(command, outcome) : null
      if (payload === null) continue
      events.push({
        organizationId,
        eventId: yield* ids.next(settledAt, organizationId),
        createdAt: settledAt,
        payload
      })
    }
    return events.length === 0 ? commit : { ...commit, events: [...(commit.events ?? []), ...events] }
  })

  return { caused, checksAfter, stockChecks, withOutcomes }
})
