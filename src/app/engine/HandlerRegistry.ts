/**
 * The handlers of events that this process has (rule E2), by name. The worker hears of each one that comes and goes.
 */
import { Context, Effect, Layer } from "effect"
import type { Schedule } from "../../domain/Delivery.ts"
import type { WebhookEvent } from "../../domain/WebhookEvent.ts"

/** Runs an effect in a database transaction, which commits if the effect succeeds and else rolls back. */
export type Transaction = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, unknown>

export interface Registered {
  readonly name: string
  readonly handle: (event: WebhookEvent) => Effect.Effect<unknown, unknown>
  /** When what it fails at is tried again. */
  readonly schedule: Schedule
  /** Whether what it fails with is hopeless: then the event is given up at once. */
  readonly giveUp: (error: unknown) => boolean
  /** In which the handler runs and its delivery is settled; null for none. */
  readonly transaction: Transaction | null
}

export interface Listener {
  readonly added: (name: string) => Effect.Effect<void>
  readonly removed: (name: string) => Effect.Effect<void>
}

export class HandlerRegistry extends Context.Service<
  HandlerRegistry,
  {
    readonly get: (name: string) => Registered | undefined
    /** Adds a handler, or replaces the one of its name. */
    readonly add: (handler: Registered) => Effect.Effect<void>
    readonly remove: (name: string) => Effect.Effect<void>
    /** Tells of the handlers that there are, and of later ones. There is one listener. */
    readonly listen: (listener: Listener) => Effect.Effect<void>
  }
>()("simplan/HandlerRegistry") {}

const nobody: Listener = { added: () => Effect.void, removed: () => Effect.void }

export const layer: Layer.Layer<HandlerRegistry> = Layer.sync(HandlerRegistry, () => {
  const handlers = new Map<string, Registered>()
  let listener = nobody
  return HandlerRegistry.of({
    get: (name) => handlers.get(name),
    add: (handler) =>
      Effect.suspend(() => {
        handlers.set(handler.name, handler)
        return listener.added(handler.name)
      }),
    remove: (name) => Effect.suspend(() => (handlers.delete(name) ? listener.removed(name) : Effect.void)),
    listen: (hears) =>
      Effect.suspend(() => {
        listener = hears
        return Effect.forEach([...handlers.keys()], hears.added, { discard: true })
      })
  })
})
