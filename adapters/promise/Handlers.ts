/**
 * Handlers of events as plain async functions (rule E2), in a database transaction where they ask for one.
 */
import { Context, Effect, Schema } from "effect"
import { EventHandlers } from "simplan"
import { type EventHandler, HostTransaction, type WebhookEvent } from "simplan/ports"
import * as Arguments from "./Arguments.ts"
import type { Runtime } from "./Runtime.ts"
import type * as Types from "./types/Handlers.ts"
import type { Transaction } from "./types/Within.ts"

const METHOD = "on"

const decodeOptions = Arguments.decoder(
  Schema.Struct({
    name: Schema.String,
    organizationId: Schema.optional(Arguments.Id),
    transaction: Schema.optional(Arguments.Flag)
  })
)

const decodeTypes = Arguments.decoder(
  Schema.Struct({ types: Schema.Union([Schema.String, Schema.Array(Schema.String)]) })
)

const decodeName = Arguments.decoder(Schema.Struct({ name: Schema.String }))

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

type Call = Types.HandlerCall | Types.HandlerCallInTransaction

type Handle = (event: Types.HandledEvent, call: Call) => PromiseLike<unknown>

/** Runs a statement in the transaction of the running fiber. */
type Statement = (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>, unknown>

const called = (handle: Handle, event: Types.HandledEvent, more: object) =>
  Effect.tryPromise({ try: async (signal) => handle(event, { signal, ...more }), catch: (error) => error })

/** Calls the handler with the transaction that the fiber runs in, for as long as the handler runs. */
const calledInTransaction = (handle: Handle, event: Types.HandledEvent, statement: Statement) =>
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
    "needs a PostgreSQL server, since elsewhere the host has no tables beside simplan's"
  )

/** The transactions of the database; loaded when they are first asked for. */
const transactionsOf = async (runtime: Runtime) => {
  const { SqlClient } = await import("effect/sql/SqlClient")
  const context = await runtime.context()
  const found = Context.getOption(context, SqlClient)
  if (found._tag === "None" || Context.get(context, HostTransaction.Joining) === null) throw refused()
  const sql = found.value
  const statement: Statement = (text, values) =>
    // What the database has refused is told as its own error.
    Effect.mapError(sql.unsafe(text, values), (error) => error.reason.cause ?? error)
  return { transaction: sql.withTransaction, statement }
}

export const on = (runtime: Runtime): Types.On => {
  const register = async (types: unknown, options: unknown, handle: unknown): Promise<void> => {
    const { types: given } = decodeTypes(METHOD, { types })
    const { name, organizationId, transaction } = decodeOptions(METHOD, options)
    if (!isHandle(handle)) throw Arguments.invalid(METHOD, "handler", "must be an async function", handle)
    const request = { name, organizationId, types: typeof given === "string" ? [given] : given }
    const inside = transaction === true ? await transactionsOf(runtime) : undefined
    const use = EventHandlers.EventHandlers.use((handlers) =>
      handlers.on({ ...request, ...(inside !== undefined && { transaction: inside.transaction }) }, (event) =>
        inside === undefined
          ? called(handle, eventOf(event), {})
          : calledInTransaction(handle, eventOf(event), inside.statement)
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
