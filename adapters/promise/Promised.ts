/**
 * Services as plain objects: an Effect becomes a function that returns a Promise, a Stream an AsyncIterable.
 *
 * A Promise rejects with the very error that the Effect fails with, so `error._tag` tells refusals apart. It is all
 * derived from the service: what a service gains, its promised form has at once.
 */
import { Context, Effect, Stream } from "effect"

/** How a single call may be given up: what has not been committed by then is not. */
export interface CallOptions {
  readonly signal?: AbortSignal
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

// A service that is at hand needs nothing more to run, so its members ask for no context.
const isEffect = (value: unknown): value is Effect.Effect<unknown, unknown> => Effect.isEffect(value)
const isStream = (value: unknown): value is Stream.Stream<unknown, unknown> => Stream.isStream(value)

const outcome = (value: unknown, options: CallOptions | undefined): Promise<unknown> | AsyncIterable<unknown> => {
  if (isStream(value)) return Stream.toAsyncIterableWith(value, Context.empty())
  if (isEffect(value)) return Effect.runPromise(value, options)
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

/** What may stand for a stream. */
export type Source<A> = Iterable<A> | AsyncIterable<A>

/** The source as a stream, which fails with what the source throws. */
export const toStream = <A>(source: Source<A>): Stream.Stream<A, unknown> =>
  Symbol.asyncIterator in source
    ? Stream.fromAsyncIterable(source, (error) => error)
    : Stream.suspend(() => Stream.fromIterable(source))
