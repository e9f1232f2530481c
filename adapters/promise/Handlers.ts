/**
 * Handlers of events as plain async functions (rule E2), in a database transaction if they ask
 * for one: simplan's, or one that the host begins by a client of its own (rule H1).
 */
import { Cause, Context, Effect, Exit, Fiber, Predicate, Schema } from "effect"
import { EventHandlers } from "simplan"
import { type Delivery, type EventHandler, HostTransaction, type WebhookEvent } from "simplan/ports"
import * as Arguments from "./Arguments.ts"
import * as Methods from "./Methods.ts"
import { atMost, type Runtime } from "./Runtime.ts"
import type * as Types from "./types/Handlers.ts"
import type { Transaction } from "./types/Within.ts"
import * as Within from "./within/Within.ts"

const METHOD = "on"

/** How long a transaction of the host may take to begin, in milliseconds. */
const BEGIN_LIMIT = 60_000

/** How long a stop waits until the host has rolled back, in milliseconds. */
const ROLLBACK_LIMIT = 10_000

const isPredicate = (value: unknown): value is (error: unknown) => boolean => typeof value === "function"

const isTransaction = (value: unknown): value is boolean | Types.HandlerTransaction<unknown> =>
  typeof value === "boolean" || typeof value === "function"

const decodeOptions = Arguments.decoder(
  Schema.Struct({
    name: Schema.String,
    organizationId: Schema.optional(Arguments.Id),
    transaction: Schema.optional(
      Schema.declare(isTransaction, { message: "must be true, false, or a function that begins a transaction" })
    ),
    waits: Schema.optional(
      Schema.Array(Arguments.TimeSpan).annotate({
        message: 'must be a list such as ["5 seconds", "1 minute"]'
      })
    ),
    maxAttempts: Schema.optional(Schema.Number.annotate({ message: "must be an integer" })),
    giveUp: Schema.optional(Schema.declare(isPredicate, { message: "must be a function" }))
  })
)

const decodeTypes = Arguments.decoder(
  Schema.Struct({ types: Schema.Union([Schema.String, Schema.Array(Schema.String)]) })
)

const decodeName = Arguments.decoder(Schema.Struct({ name: Arguments.Text }))

const decodeReplay = Arguments.decoder(Schema.Struct({ name: Arguments.Text, eventId: Schema.optional(Arguments.Id) }))

const isTyped = (event: object): event is Types.HandledEvent => "data" in event

const eventOf = ({ createdAt, eventId, organizationId, payload }: WebhookEvent.WebhookEvent): Types.HandledEvent => {
  const event = {
    organizationId,
    eventId,
    type: payload.type,
    createdAt: Arguments.toDate(createdAt),
    data: payload.data
  }
  // A test event goes to one endpoint only.
  if (!isTyped(event)) throw new TypeError(`${payload.type} is for endpoints`)
  return event
}

const shape = ({ createdAt, ...handler }: EventHandler.EventHandler): Types.Handler => ({
  ...handler,
  createdAt: Arguments.toDate(createdAt)
})

const failed = ({ delivery, event }: Delivery.LoggedDelivery): Types.FailedEvent => ({
  ...eventOf(event),
  attempts: delivery.attempts,
  lastAttemptAt: Arguments.toDateOrNull(delivery.lastAttemptAt),
  lastError: delivery.lastError
})

type Call = Types.HandlerCall | Types.HandlerCallInTransaction | Types.HandlerCallInHostTransaction<unknown>

type Handle = (event: Types.HandledEvent, call: Call) => PromiseLike<unknown>

/** Calls the handler, within the transaction of the running fiber if it has one. */
type Calling = (handle: Handle, event: Types.HandledEvent) => Effect.Effect<unknown, unknown>

/** A kind of transaction that handlers run in. */
interface Inside {
  readonly transaction: <A, E>(handled: Effect.Effect<A, E>) => Effect.Effect<A, unknown>
  readonly call: Calling
}

/** Runs a statement in the transaction of the running fiber. */
type Statement = (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, unknown>

const called = (handle: Handle, event: Types.HandledEvent, more: object) =>
  Effect.tryPromise({ try: async (signal) => handle(event, { signal, ...more }), catch: (error) => error })

/**
 * Calls the handler with the transaction that the fiber runs in, for as long as the handler runs.
 */
const calledInTransaction =
  (statement: Statement): Calling =>
  (handle, event) =>
    Effect.flatMap(Effect.context<never>(), (context) => {
      let isOpen = true
      const run = Effect.runPromiseWith(context)
      const tx: Transaction = {
        query: async (text, values = []) => {
          if (!isOpen) throw new Error("The transaction is over: await every query in the handler")
          return { rows: await run(statement(text, values)) }
        }
      }
      return Effect.ensuring(
        called(handle, event, { tx }),
        Effect.sync(() => {
          isOpen = false
        })
      )
    })

const refused = () =>
  Arguments.invalid(
    METHOD,
    "transaction",
    "needs a PostgreSQL server or a PGlite that the host has opened, since elsewhere it has no tables beside simplan's"
  )

/** What the database has refused fails with its own error. */
const ofDatabase = (error: unknown): unknown =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")
    ? ((Predicate.hasProperty(error.reason, "cause") ? error.reason.cause : undefined) ?? error)
    : error

/** simplan's own transactions. The client is loaded when they are first asked for. */
const own = async (context: Context.Context<never>): Promise<Inside> => {
  const { SqlClient } = await import("effect/sql/SqlClient")
  const found = Context.getOption(context, SqlClient)
  if (found._tag === "None") throw refused()
  const sql = found.value
  const statement: Statement = (text, values) => Effect.mapError(sql.unsafe(text, values), ofDatabase)
  return {
    transaction: (handled) => Effect.mapError(sql.withTransaction(handled), ofDatabase),
    call: calledInTransaction(statement)
  }
}

/** What the running fiber handles its event with, in a transaction of the host. */
const HostsCall = Context.Reference<Omit<Types.HandlerCallInHostTransaction<unknown>, "signal"> | null>(
  "simplan/promise/Handlers/HostsCall",
  { defaultValue: () => null }
)

const isOverdue = () => new Error(`The transaction has not begun within ${BEGIN_LIMIT / 1_000} s`)

const notAwaited = () => new TypeError("transaction must resolve with what its argument resolves with")

/**
 * Runs an effect in a transaction that the host begins. If the effect fails, its own exit is the
 * outcome: the error of the host's client may hide that the lease was lost. An interruption waits
 * until the host has rolled back.
 */
const inHosts = <A, E>(
  begin: Types.HandlerTransaction<unknown>,
  join: HostTransaction.Join,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.context<never>(), (context) => {
    let running: Fiber.Fiber<A, unknown> | undefined
    let isOver = false
    const run = async <Client>(given: Transaction, client: Client) => {
      if (isOver) throw isOverdue()
      const transaction = Effect.try({ try: () => Within.checked(METHOD, given), catch: (error) => error })
      // The handler is not called if no transaction is open.
      const joined = Effect.flatMap(transaction, (tx) =>
        Effect.andThen(join(tx, Effect.void), Effect.provideService(join(tx, effect), HostsCall, { tx, client }))
      )
      const fiber = Effect.runForkWith(context)(joined)
      running = fiber
      const exit = await new Promise<Exit.Exit<A, unknown>>((resolve) => fiber.addObserver(resolve))
      if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
      return { client }
    }
    const work: Parameters<typeof begin>[0] = (tx, client) => {
      const done = run(tx, client)
      // If the host does not await it, the outcome has the failure.
      done.catch(() => undefined)
      return done
    }
    const ended = Promise.resolve(work).then(begin)
    const outcome = (hosts: Exit.Exit<unknown, unknown>): Effect.Effect<A, unknown> => {
      const inner = running?.pollUnsafe()
      if (inner !== undefined && Exit.isFailure(inner)) return inner
      if (Exit.isFailure(hosts)) return Effect.failCause(hosts.cause)
      return inner ?? Effect.fail(notAwaited())
    }
    const overdue = Effect.andThen(
      Effect.sleep(BEGIN_LIMIT),
      Effect.suspend(() => (running === undefined ? Effect.fail(isOverdue()) : Effect.never))
    )
    const release = Effect.suspend(() => {
      isOver = true
      if (running === undefined) return Effect.void
      const rolledBack = Effect.promise(() => atMost(ROLLBACK_LIMIT, Promise.allSettled([ended])))
      return Effect.andThen(Fiber.interrupt(running), rolledBack)
    })
    const whole = Effect.raceFirst(Effect.tryPromise({ try: () => ended, catch: (error) => error }), overdue)
    return Effect.ensuring(Effect.flatMap(Effect.exit(whole), outcome), release)
  })

/** Transactions that the host begins by its own client. */
const hosts = (begin: Types.HandlerTransaction<unknown>, join: HostTransaction.Join): Inside => ({
  transaction: (handled) => inHosts(begin, join, handled),
  call: (handle, event) => Effect.flatMap(HostsCall, (more) => called(handle, event, more ?? {}))
})

/** The transactions that a handler has asked for; undefined if it has asked for none. */
const insideOf = async (
  runtime: Runtime,
  asked: boolean | Types.HandlerTransaction<unknown> | undefined
): Promise<Inside | undefined> => {
  if (asked === undefined || asked === false) return undefined
  const context = await runtime.context()
  const join = Context.get(context, HostTransaction.Joining)
  if (join === null) throw refused()
  return asked === true ? own(context) : hosts(asked, join)
}

export const on = (runtime: Runtime): Types.On => {
  const register = async (types: unknown, options: unknown, handle: unknown): Promise<void> => {
    const { types: given } = decodeTypes(METHOD, { types })
    const { giveUp, maxAttempts, name, organizationId, transaction, waits } = decodeOptions(METHOD, options)
    if (!isHandle(handle)) throw Arguments.invalid(METHOD, "handler", "must be an async function", handle)
    const request = { name, organizationId, types: typeof given === "string" ? [given] : given }
    const retries = { waits: waits?.map((wait) => Arguments.millis(wait) ?? Number.NaN), maxAttempts, giveUp }
    const inside = await insideOf(runtime, transaction)
    const call: Calling = inside?.call ?? ((handling, event) => called(handling, event, {}))
    const use = EventHandlers.EventHandlers.use((handlers) =>
      handlers.on(
        { ...request, ...retries, ...(inside !== undefined && { transaction: inside.transaction }) },
        (event) => call(handle, eventOf(event))
      )
    )
    return runtime.run({ method: METHOD, request }, use)
  }
  return register
}

const isHandle = (value: unknown): value is Handle => typeof value === "function"

export const make = (runtime: Runtime): Types.Handlers => ({
  list: (options) => {
    const all = EventHandlers.EventHandlers.use(({ list }) => list)
    return runtime.run(
      { method: "handlers.list", request: {} },
      Effect.map(all, (found) => found.map(shape)),
      options
    )
  },
  failed: (name, options) => {
    const list = Methods.paging(
      runtime,
      { name: "handlers.failed", decode: decodeName },
      Methods.byCreation,
      (of, page) => EventHandlers.EventHandlers.use((handlers) => handlers.failed({ ...of, ...page })),
      failed
    )
    return list({ name }, options)
  },
  replay: Methods.reading(runtime, { name: "handlers.replay", decode: decodeReplay }, ({ eventId = null, name }) =>
    EventHandlers.EventHandlers.use((handlers) => handlers.replay({ name, eventId }))
  ),
  off: async (name, options) => {
    const request = decodeName("handlers.off", { name })
    const off = EventHandlers.EventHandlers.use((handlers) => handlers.off(name))
    return runtime.run({ method: "handlers.off", request }, off, options)
  },
  remove: async (name, options) => {
    const request = decodeName("handlers.remove", { name })
    const remove = EventHandlers.EventHandlers.use((handlers) => handlers.remove(name))
    return runtime.run({ method: "handlers.remove", request }, remove, options)
  }
})
