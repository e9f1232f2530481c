/**
 * Services as plain objects: an Effect becomes a function that returns a Promise, a Stream an AsyncIterable.
 *
 * A Promise rejects with the error of the Effect, so that `error._tag` distinguishes refusals. The types and the functions
 * are derived from the service.
 */
import { Context, Effect, Stream } from "effect"
import { RequestContext } from "simplan"

/** Options of a single call. An abort prevents what is not yet committed. */
export interface CallOptions {
  readonly signal?: AbortSignal
  /** The request of the host that the call is made for (rule W11). */
  readonly request?: RequestContext.RequestContext
}

type Outcome<Value> =
  Value extends Stream.Stream<infer Item, unknown, unknown>
    ? AsyncIterable<Item>
    : Value extends Effect.Effect<infer A, unknown, unknown>
      ? Promise<A>
      : never

type Member<M> = M extends (request: infer Request) => infer Value
  ? (request: Request, options?: CallOptions) => Outcome<Value>
  : (options?: CallOptions) => Outcome<M>

/** The promised form of a service, whose members are Effects, Streams, or functions of one argument to them. */
export type Promised<Service> = { readonly [Name in keyof Service]: Member<Service[Name]> }

// The members of a built service need no context.
const isEffect = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)
const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

const outcome = (value: unknown, options: CallOptions | undefined): Promise<unknown> | AsyncIterable<unknown> => {
  const context = options?.request ? Context.make(RequestContext.Current, options.request) : Context.empty()
  if (isStream(value)) return Stream.toAsyncIterableWith(value, context)
  if (isEffect(value)) return Effect.runPromiseWith(context)(value, options)
  throw new TypeError("A service has a member that is neither an Effect nor a Stream")
}

/** The promised form of the service. */
export function promised<Service extends object>(service: Service): Promised<Service>
export function promised(service: object): object {
  return Object.fromEntries(
    Object.entries(service).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === "function"
        ? (request: unknown, options?: CallOptions) => outcome(member(request), options)
        : (options?: CallOptions) => outcome(member, options)
    ])
  )
}

/** A stream as a plain iterable. */
export type Source<A> = Iterable<A> | AsyncIterable<A>

/** The source as a stream that fails with what the source throws. */
export const toStream = <A>(source: Source<A>): Stream.Stream<A, unknown> =>
  Symbol.asyncIterator in source
    ? Stream.fromAsyncIterable(source, (error) => error)
    : Stream.suspend(() => Stream.fromIterable(source))
