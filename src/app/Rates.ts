/**
 * How often things happened in this process lately: counted in memory, and forgotten with the
 * process. Whoever wants more reads the metrics.
 *
 * The counts are beside the registry of the process's metrics.
 */
import { Clock as MachineClock, Context, Effect, Metric } from "effect"
import { type Counts, type Kind, type Rates, SPAN, SPANS } from "../domain/Rates.ts"
import type { Instant } from "../domain/Time.ts"

export * from "../domain/Rates.ts"

/** The spans of one kind: a ring, in which a span has the place that its number leaves. */
class Ring {
  readonly #all = new Float64Array(SPANS)
  readonly #failed = new Float64Array(SPANS)
  #newest = 0

  /** Begins the spans up to this one. If the clock was set back, the newest one goes on. */
  #begin(span: number): void {
    if (span <= this.#newest) return
    for (let next = Math.max(this.#newest + 1, span - SPANS + 1); next <= span; next += 1) {
      this.#all[next % SPANS] = 0
      this.#failed[next % SPANS] = 0
    }
    this.#newest = span
  }

  add(span: number, isFailed: boolean): void {
    this.#begin(span)
    const place = this.#newest % SPANS
    this.#all[place] = (this.#all[place] ?? 0) + 1
    if (isFailed) this.#failed[place] = (this.#failed[place] ?? 0) + 1
  }

  read(span: number): Counts {
    this.#begin(span)
    const inOrder = (counts: Float64Array) =>
      Array.from({ length: SPANS }, (_, at) => counts[(this.#newest + 1 + at) % SPANS] ?? 0)
    return { all: inOrder(this.#all), failed: inOrder(this.#failed) }
  }
}

type Rings = { readonly [K in Kind]: Ring }

const byRegistry = new WeakMap<object, Rings>()

const ringsOf = (context: Context.Context<never>): Rings => {
  const registry = Context.get(context, Metric.MetricRegistry)
  const known = byRegistry.get(registry)
  if (known !== undefined) return known
  const made: Rings = { requests: new Ring(), telcoCalls: new Ring(), deliveries: new Ring(), jobs: new Ring() }
  byRegistry.set(registry, made)
  return made
}

const spanOf = (at: Instant): number => Math.floor(at / SPAN)

/**
 * Counts that something has happened now. The fiber's context has the registry and the machine's
 * clock.
 */
export const count = (kind: Kind, isFailed: boolean, context: Context.Context<never>): void =>
  ringsOf(context)[kind].add(spanOf(Context.get(context, MachineClock.Clock).currentTimeMillisUnsafe()), isFailed)

/** What was counted lately. */
export const read: Effect.Effect<Rates> = Effect.withFiber(({ context }) => {
  const span = spanOf(Context.get(context, MachineClock.Clock).currentTimeMillisUnsafe())
  const { deliveries, jobs, requests, telcoCalls } = ringsOf(context)
  return Effect.succeed({
    from: (span - SPANS + 1) * SPAN,
    counts: {
      requests: requests.read(span),
      telcoCalls: telcoCalls.read(span),
      deliveries: deliveries.read(span),
      jobs: jobs.read(span)
    }
  })
})
