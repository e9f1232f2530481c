/**
 * Handlers of events in this process (rule E2): durable by name, for every type of event, over all organizations or for
 * one.
 *
 *     yield* handlers.on({ name: "mailer", types: ["attachment.activated"] }, (event) => sendMail(event))
 *
 * What happens from the first registration on is delivered, also while no process runs the handler: at least once, in
 * order per SIM, tried again by the schedule of rule W7, shared by all processes that have it.
 */
import { Context, Effect, Layer } from "effect"
import * as EventHandler from "../../domain/EventHandler.ts"
import * as Job from "../../domain/Job.ts"
import * as Lifecycle from "../../domain/Lifecycle.ts"
import type { InvalidField, NotFound } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import type { WebhookEvent } from "../../domain/WebhookEvent.ts"
import { BusinessClock } from "../../ports/BusinessClock.ts"
import { type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import { HandlerRegistry, type Transaction } from "../engine/HandlerRegistry.ts"
import { Organizations } from "./Organizations.ts"

/** How a handler is registered. */
export interface Options {
  /** By which all processes know the handler. 1 to 100 letters, digits, dots, hyphens and underscores. */
  readonly name: string
  /** The types of events that it takes, at least one. */
  readonly types: ReadonlyArray<string>
  /** The organization whose events it takes; all by default. */
  readonly organizationId?: string | null | undefined
  /**
   * Runs the handler and the settling of its delivery in a database transaction of the storage, such as
   * `SqlClient.withTransaction` of its client: what the handler writes there is committed exactly once.
   */
  readonly transaction?: Transaction | undefined
}

/** Registers handlers of this process (rule E2). */
export class EventHandlers extends Context.Service<
  EventHandlers,
  {
    /**
     * Registers a handler, and has it called in this process while the worker runs. A name that is known keeps what is
     * due to it, and takes these types from now on. A handler may take 60 s; then it is interrupted, and has failed.
     */
    readonly on: (
      options: Options,
      handle: (event: WebhookEvent) => Effect.Effect<unknown, unknown>
    ) => Effect.Effect<void, InvalidField | NotFound | StorageError>
    /** Calls the handler no more in this process. What is due to it is kept, for others and for later. */
    readonly off: (name: string) => Effect.Effect<void>
    /** Removes a handler from all processes, and gives up what is due to it. One that is not there stays so. */
    readonly remove: (name: string) => Effect.Effect<void, StorageError>
    /** The handlers of all processes, by name. */
    readonly list: Effect.Effect<ReadonlyArray<EventHandler.EventHandler>, StorageError>
  }
>()("simplan/EventHandlers") {}

const PAGE = 1_000

type Needs = Storage | BusinessClock | Ids | Commits | HandlerRegistry | Organizations

/** The implementation that `Services.layer` provides. The worker with the same `HandlerRegistry` calls the handlers. */
export const layer: Layer.Layer<EventHandlers, never, Needs> = Layer.effect(
  EventHandlers,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const registry = yield* HandlerRegistry
    const organizations = yield* Organizations

    /** Rule E1: the jobs that see to it that a new handler is told what falls due of the attachments that there are. */
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

    return EventHandlers.of({
      on: Effect.fn("EventHandlers.on")(function* ({ transaction, ...options }, handle) {
        const handler = yield* Effect.fromResult(EventHandler.make({ ...options, createdAt: yield* clock.now }))
        const { name, organizationId } = handler
        if (organizationId !== null) yield* organizations.get({ organizationId })
        yield* commits.retryOnConflict(register(handler))
        yield* registry.add({ name, handle, transaction: transaction ?? null })
      }),
      off: registry.remove,
      remove: Effect.fn("EventHandlers.remove")(function* (name) {
        yield* registry.remove(name)
        yield* commits.retryOnConflict(commits.write({ eventHandlers: { removed: [name] } }))
      }),
      list: storage.eventHandlers.list
    })
  })
)
