/**
 * The running service: its start, its end, and how a call is run in between.
 *
 * It starts when it is made. A start that fails is reported to the call that waits for it, or to
 * the log if none does, and tried again at the next call. A call has limits, its signal and its
 * timeout: one that is given up rejects at once; its work is interrupted and ends by itself.
 */
import { Cause, Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { type IdempotencyKeys, RequestContext, type Services } from "simplan"
import type { Clocks, Jobs, Outbox, Storage, Telco, WebhookSender } from "simplan/ports"
import * as Arguments from "./Arguments.ts"
import * as Errors from "./errors/Errors.ts"
import * as Failures from "./errors/Failures.ts"
import type * as Logs from "./Logs.ts"
import type { CallOptions } from "./types/Calls.ts"

/** What effects of a call can use: the services, and the ports under them. */
export type Provided =
  | Services.Services
  | Storage.Storage
  | Jobs.Jobs
  | Outbox.Outbox
  | Clocks.BusinessClock
  | Telco.Telco
  | WebhookSender.WebhookSender

export interface Runtime {
  /** Resolves when the service has started, with all its services. */
  readonly context: () => Promise<Context.Context<Provided>>
  /**
   * The context for a request that has arrived over HTTP. Those that had arrived when `close` was
   * called are answered: their connections are read in the turns of the event loop after it.
   */
  readonly contextOfRequest: () => Promise<Context.Context<Provided>>
  /** Whether `close` was called. */
  readonly isClosing: () => boolean
  /** Runs the effect of a call. Rejects with an error of `Errors`, or with an `AbortError`. */
  readonly run: <A>(
    call: Failures.Call,
    effect: Effect.Effect<A, unknown, Provided>,
    options?: CallOptions
  ) => Promise<A>
  /** Reads the stream of a call, item by item as they are asked for. */
  readonly iterate: <A>(
    call: Failures.Call,
    stream: Stream.Stream<A, unknown, Provided>,
    options?: CallOptions
  ) => AsyncGenerator<A, void>
  /** Why webhooks may not go to a URL; undefined if they may. */
  readonly checkUrl: (url: string) => Promise<string | undefined>
  readonly log: Logs.Write
  /** Has `close` wait for a promise, which is returned. */
  readonly hold: <A>(promise: Promise<A>) => Promise<A>
  /**
   * Has `close` wait for what else is under way, and release what uses the services, before it ends
   * them.
   */
  readonly beforeClose: (user: ServiceUser) => void
  /** Ends what is under way and closes the storage. Later calls reject with a `ClosedError`. */
  readonly close: () => Promise<void>
}

/** Something that uses the services. */
export interface ServiceUser {
  /** Resolves when nothing of it is under way. */
  readonly wait: () => Promise<void>
  /** Breaks off what is under way. */
  readonly release: () => Promise<void>
}

/** How long closing waits for calls that are under way, in milliseconds. */
const WAIT_LIMIT = 10_000

/** In how many turns of the event loop what had arrived is read. */
const TURNS = 3

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

const closed = () =>
  new Errors.ClosedError({ code: "not_ready", status: 503, message: "simplan is closed: `close` was called" })

const contextOf = (options: CallOptions | undefined): Context.Context<never> => {
  const { actor, address = null, reason = null, requestId = null } = options?.request ?? {}
  return Context.make(RequestContext.Current, { requestId, address, reason, ...(actor !== undefined && { actor }) })
}

/** The longest time that a timer of Node can wait, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/** Waits for a promise, but not longer than this. Whether it was settled. */
export const atMost = async (millis: number, promise: Promise<unknown>): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(millis, LONGEST))
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs a call's work within its limits. `onGivenUp` names what is to be done when the call is given
 * up.
 */
export const within = <A>(
  method: string,
  options: CallOptions | undefined,
  work: (onGivenUp: (interrupt: () => void) => void) => Promise<A>
): Promise<A> => {
  const { signal, timeout } = options ?? {}
  if (signal?.aborted === true) return Promise.reject(Failures.aborted(signal, method))
  if (signal === undefined && timeout === undefined) return work(() => undefined)
  return new Promise((resolve, reject) => {
    let interrupt: () => void = () => undefined
    let isGivenUp = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const giveUp = (error: Error) => {
      isGivenUp = true
      stop()
      reject(error)
      interrupt()
    }
    const onAbort = () => {
      if (signal !== undefined) giveUp(Failures.aborted(signal, method))
    }
    const stop = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
    }
    if (timeout !== undefined) {
      const millis = Arguments.millis(timeout)
      if (millis === undefined)
        return reject(Arguments.invalid(method, "timeout", Arguments.TIME_SPAN_MESSAGE, timeout))
      const message = `${method} was not done within ${typeof timeout === "number" ? `${timeout} ms` : timeout}`
      const late = () => giveUp(new Errors.TimeoutError({ code: "timeout", status: 504, message }))
      timer = setTimeout(late, Math.min(millis, LONGEST))
    }
    signal?.addEventListener("abort", onAbort)
    work((named) => {
      interrupt = named
      if (isGivenUp) named()
    })
      .then(resolve, reject)
      .finally(stop)
  })
}

/** What closes with the service. */
interface Started {
  readonly context: Context.Context<Provided>
  readonly scope: Scope.Closeable
}

export const make = (
  layer: () => Promise<Layer.Layer<Provided | IdempotencyKeys.IdempotencyKeys, unknown>>,
  { checkUrl, log }: Pick<Runtime, "checkUrl" | "log">
): Runtime => {
  let started: Promise<Started> | undefined
  let closing: Promise<void> | undefined
  let isRefusing = false
  let isAwaited = false
  const underWay = new Set<Promise<unknown>>()
  const users: Array<ServiceUser> = []

  const hold: Runtime["hold"] = (promise) => {
    underWay.add(promise)
    const done = () => void underWay.delete(promise)
    promise.then(done, done)
    return promise
  }

  const begin = async (): Promise<Started> => {
    const scope = Scope.makeUnsafe()
    const exit = await Effect.runPromiseExit(Layer.buildWithScope(await layer(), scope))
    if (Exit.isSuccess(exit)) return { context: exit.value, scope }
    await Effect.runPromise(Scope.close(scope, exit))
    throw Failures.ofStart(exit.cause)
  }

  const start = (): Promise<Started> => {
    if (started !== undefined) return started
    const beginning = begin()
    started = beginning
    // Reported to the call that waits; the next call starts anew.
    beginning.catch(() => {
      if (started === beginning) started = undefined
    })
    return beginning
  }

  const services = async (isOver: boolean): Promise<Context.Context<Provided>> => {
    if (isOver) throw closed()
    isAwaited = true
    return (await start()).context
  }
  const context = () => services(closing !== undefined)

  /** Logs what no host can have expected, under an id that the error has too. */
  const reported = (error: unknown, call: Failures.Call): unknown => {
    if (!(error instanceof Errors.SimplanError) || error.code !== "internal_error") return error
    const requestId = call.requestId ?? randomUUID()
    log("error", error.message, { requestId, err: error.cause })
    return Object.assign(error, { requestId })
  }

  const settle = <A>(
    call: Failures.Call,
    effect: Effect.Effect<A, unknown, Provided>,
    options: CallOptions | undefined
  ): Promise<A> =>
    within(call.method, options, async (onGivenUp) => {
      const adapters = Failures.makeOfAdapters()
      const services = Context.merge(await context(), contextOf(options))
      const fiber = Effect.runForkWith(Context.add(services, Failures.CurrentOfAdapters, adapters))(effect)
      onGivenUp(() => fiber.interruptUnsafe())
      const exit = await new Promise<Exit.Exit<A, unknown>>((resolve) => fiber.addObserver(resolve))
      if (Exit.isSuccess(exit)) return exit.value
      // Interrupted from within, by the end of the service.
      if (Cause.hasInterruptsOnly(exit.cause)) throw closed()
      const error = Failures.ofCause(exit.cause, call)
      throw Failures.at(adapters.instead(error) ?? reported(error, call), call)
    })

  const run: Runtime["run"] = (call, effect, options) => {
    const identified = { ...call, requestId: call.requestId ?? options?.request?.requestId }
    return hold(settle(identified, effect, options))
  }

  async function* iterate<A>(
    call: Failures.Call,
    stream: Stream.Stream<A, unknown, Provided>,
    options?: CallOptions
  ): AsyncGenerator<A, void> {
    const services = await within(call.method, options, context)
    const items = Stream.toAsyncIterableWith(Stream.result(stream), Context.merge(services, contextOf(options)))[
      Symbol.asyncIterator
    ]()
    try {
      while (true) {
        if (closing !== undefined) throw closed()
        const next = await within(call.method, options, () => items.next())
        if (next.done === true) return
        if (next.value._tag === "Failure") throw reported(Failures.ofCause(Cause.fail(next.value.failure), call), call)
        yield next.value.success
      }
    } finally {
      // Not awaited: what is read at this moment may take its time.
      items.return?.().catch(() => undefined)
    }
  }

  const end = async (): Promise<void> => {
    const running = await started?.catch(() => undefined)
    for (let turns = 0; running !== undefined && turns < TURNS; turns++) await turn()
    isRefusing = true
    if (running === undefined) return
    await atMost(WAIT_LIMIT, Promise.allSettled([...underWay, ...users.map(({ wait }) => wait())]))
    await Promise.allSettled(users.map(({ release }) => release()))
    await Effect.runPromise(Scope.close(running.scope, Exit.void))
  }

  // The first call reports a failure. If there is none, as in a process that only works, it
  // would go unreported.
  start().catch((error: unknown) => {
    if (!isAwaited) log("error", "The service cannot start; the next call tries again", { err: error })
  })

  return {
    context,
    contextOfRequest: () => services(isRefusing),
    isClosing: () => closing !== undefined,
    run,
    iterate,
    log,
    checkUrl,
    hold,
    beforeClose: (user) => void users.push(user),
    close: () => {
      closing ??= end()
      return closing
    }
  }
}
