/**
 * Handlers of events in this process (rule E2): durable by name, for every type of event, over all
 * organizations or for one.
 *
 *     yield* handlers.on({ name: "mailer", types: ["attachment.activated"] }, (event) => sendMail(event))
 *
 * What happens from the first registration on is delivered, also while no process runs the handler:
 * at least once, in order per SIM, tried again by its schedule, shared by all processes that have
 * it. What was given up is kept for as long as events are (rule W12), and can be replayed.
 */
import { Context, Effect, Layer } from "effect"
import { SERVICE } from "../../domain/AuditEntry.ts"
import * as Delivery from "../../domain/Delivery.ts"
import * as EventHandler from "../../domain/EventHandler.ts"
import * as Job from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import { type InvalidField, NotFound } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import type { WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, type EndedJob, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import * as Paging from "../Paging.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import { HandlerRegistry, type Transaction } from "./Handlers.ts"
import { Organizations } from "../organizations/Organizations.ts"

/** How a handler is registered. */
export interface Options {
  /**
   * By which all processes know the handler. 1 to 100 letters, digits, dots, hyphens and
   * underscores.
   */
  readonly name: string
  /** The types of events that it takes, at least one. */
  readonly types: ReadonlyArray<string>
  /** The organization whose events it takes; all by default. */
  readonly organizationId?: string | null | undefined
  /**
   * Milliseconds to wait after each failed attempt, up to 100 waits from 1 ms to 30 days, each of
   * them up to 20 % longer; the last one goes on if `maxAttempts` is greater. Those of rule W7
   * by default. None: a failed event is given up.
   */
  readonly waits?: ReadonlyArray<number> | undefined
  /**
   * After how many failed attempts an event is given up, 1 to 1,000; by default after the one that
   * follows the last wait.
   */
  readonly maxAttempts?: number | undefined
  /**
   * Whether what an attempt failed with is hopeless: then the event is given up at once. Never by
   * default.
   */
  readonly giveUp?: ((error: unknown) => boolean) | undefined
  /**
   * Runs the handler and the settling of its delivery in a database transaction of the storage,
   * such as `SqlClient.withTransaction` of its client: what the handler writes there is committed
   * exactly once.
   */
  readonly transaction?: Transaction | undefined
}

/** Registers handlers of this process (rule E2). */
export class EventHandlers extends Context.Service<
  EventHandlers,
  {
    /**
     * Registers a handler, and has it called in this process while the worker runs. A name that is
     * known keeps what is due to it, and takes these types from now on. A handler may take 60 s;
     * then it is interrupted, and has failed.
     */
    readonly on: (
      options: Options,
      handle: (event: WebhookEvent) => Effect.Effect<unknown, unknown>
    ) => Effect.Effect<void, InvalidField | NotFound | StorageError>
    /**
     * Calls the handler no more in this process. What is due to it is kept, for others and for
     * later.
     */
    readonly off: (name: string) => Effect.Effect<void>
    /**
     * Removes a handler from all processes, and gives up what is due to it. One that is not there
     * stays so.
     */
    readonly remove: (name: string) => Effect.Effect<void, StorageError>
    /**
     * The events that were given up for the handler of that name, of all organizations, oldest
     * first. A removed one's too.
     */
    readonly failed: (
      query: Keyset<CreatedCursor> & { readonly name: string }
    ) => Effect.Effect<Paging.Page<Delivery.LoggedDelivery, CreatedCursor>, StorageError>
    /**
     * Has the handler given again what was given up: one event, or all of them for null. They are
     * due at once, with their whole schedule ahead, and those about a SIM come before its later
     * ones. How many they are. `NotFound` if there is no such handler, or no such event among
     * those that were given up.
     */
    readonly replay: (of: {
      readonly name: string
      readonly eventId: string | null
    }) => Effect.Effect<{ readonly replayed: number }, NotFound | StorageError>
    /** The handlers of all processes, by name. */
    readonly list: Effect.Effect<ReadonlyArray<EventHandler.EventHandler>, StorageError>
  }
>()("simplan/EventHandlers") {}

const PAGE = 1_000

// Of no organization: a handler may take the events of all.
const ofService = { organizationId: SERVICE, iccid: null } as const

type Needs = Storage | BusinessClock | Ids | Commits | HandlerRegistry | Organizations

/**
 * The implementation that `Services.layer` provides. The worker with the same `HandlerRegistry`
 * calls the handlers.
 */
export const layer: Layer.Layer<EventHandlers, never, Needs> = Layer.effect(
  EventHandlers,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const registry = yield* HandlerRegistry
    const organizations = yield* Organizations

    /** Rule E1: the jobs that notify a new handler of what falls due of existing attachments. */
    const notices = Effect.fnUntraced(function* (handler: EventHandler.EventHandler, now: Instant) {
      const jobs: Array<Job.Job> = []
      const add = Effect.fnUntraced(function* (organizationId: string) {
        for (const job of Lifecycle.jobsOfAll(yield* ids.next(now, organizationId), now)) {
          jobs.push(Job.make(job, { organizationId, createdAt: now }))
        }
      })
      if (handler.organizationId !== null) {
        yield* add(handler.organizationId)
        return jobs
      }
      let after: CreatedCursor | null = null
      do {
        const page: Effect.Success<ReturnType<typeof organizations.page>> = yield* organizations.page({
          after,
          limit: PAGE
        })
        for (const { organizationId } of page.items) yield* add(organizationId)
        after = page.next
      } while (after !== null)
      return jobs
    })

    const isTimed = ({ types }: EventHandler.EventHandler) => Lifecycle.includesTimed(types)

    const register = Effect.fnUntraced(function* (handler: EventHandler.EventHandler) {
      const known = (yield* storage.eventHandlers.list).find(({ name }) => name === handler.name)
      if (known !== undefined && EventHandler.takesTheSame(known, handler)) return
      const isAsked = isTimed(handler) && !(known !== undefined && isTimed(known) && known.organizationId === null)
      const jobs = isAsked ? yield* notices(handler, handler.createdAt) : []
      yield* commits.write({
        eventHandlers: { put: [handler] },
        ...(jobs.length > 0 && { jobs: { put: jobs.map((job) => ({ job, lease: null })) } })
      })
    })

    const pageOfFailed = Effect.fnUntraced(function* (
      query: Keyset<CreatedCursor> & { readonly name: string; readonly eventId: string | null }
    ) {
      const found = yield* storage.eventHandlers.failed({ ...query, limit: query.limit + 1 })
      return Paging.page(found, query.limit, ({ delivery }) => ({
        createdAt: delivery.createdAt,
        id: delivery.deliveryId
      }))
    })

    /** The problems of what is due to a handler (rule S6). */
    const problemsOf = Effect.fnUntraced(function* (name: string) {
      const found: Array<EndedJob> = []
      let after: CreatedCursor | null = null
      do {
        const page: Effect.Success<ReturnType<typeof storage.problems.page>> = yield* storage.problems.page({
          after,
          limit: PAGE
        })
        for (const { endedAt, jobId, organizationId, work } of page) {
          if (work._tag === "HandleEvent" && work.handler === name && endedAt !== null) {
            found.push({ organizationId, jobId, endedAt })
          }
        }
        const last = page.at(-1)
        after = last === undefined || page.length < PAGE ? null : { createdAt: last.createdAt, id: last.jobId }
      } while (after !== null)
      return found
    })

    return EventHandlers.of({
      on: Effect.fn("EventHandlers.on")(function* ({ giveUp, maxAttempts, transaction, waits, ...options }, handle) {
        const schedule = yield* Effect.fromResult(Delivery.schedule({ waits, maxAttempts }))
        const handler = yield* Effect.fromResult(EventHandler.make({ ...options, createdAt: yield* clock.now }))
        const { name, organizationId } = handler
        if (organizationId !== null) yield* organizations.get({ organizationId })
        yield* commits.retryOnConflict(register(handler))
        yield* registry.add({
          name,
          handle,
          schedule,
          giveUp: giveUp ?? (() => false),
          transaction: transaction ?? null
        })
      }),
      off: registry.remove,
      remove: Effect.fn("EventHandlers.remove")(function* (name) {
        yield* registry.remove(name)
        const isKnown = (yield* storage.eventHandlers.list).some((handler) => handler.name === name)
        if (!isKnown) return
        const change = { ...ofService, action: "event_handler.remove", resourceId: name } as const
        yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const changes = { eventHandlers: { removed: [name] }, jobs: { resolved: yield* problemsOf(name) } }
            yield* commits.write(yield* commits.audited(changes, change, yield* clock.now))
          })
        )
      }),
      failed: Effect.fn("EventHandlers.failed")((query) => pageOfFailed({ ...query, eventId: null })),
      replay: Effect.fn("EventHandlers.replay")(function* ({ eventId, name }) {
        const handlers = yield* storage.eventHandlers.list
        if (!handlers.some((handler) => handler.name === name)) {
          return yield* new NotFound({ resource: "event handler", id: name })
        }
        const change = { ...ofService, action: "event_handler.replay", resourceId: name } as const
        let replayed = 0
        let after: CreatedCursor | null = null
        do {
          const page: Effect.Success<ReturnType<typeof pageOfFailed>> = yield* pageOfFailed({
            name,
            eventId,
            after,
            limit: PAGE
          })
          const now = yield* clock.now
          const again = page.items.map(({ delivery }) => Delivery.replayed(delivery, now))
          if (again.length > 0) {
            const deliveries = { replayed: again }
            yield* commits.retryOnConflict(
              Effect.flatMap(commits.audited({ deliveries }, change, now), (commit) => commits.write(commit))
            )
          }
          replayed += again.length
          after = page.next
        } while (after !== null)
        if (eventId !== null && replayed === 0) return yield* new NotFound({ resource: "delivery", id: eventId })
        return { replayed }
      }),
      list: storage.eventHandlers.list
    })
  })
)
