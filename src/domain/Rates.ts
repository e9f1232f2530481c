/**
 * How often things happened lately, for operators to see at a glance: in spans of five minutes, for
 * six hours.
 */
import { type Instant, MINUTE } from "./Time.ts"

/**
 * What is counted: answered requests of HTTP, calls of the telco, webhooks, and jobs that were
 * tried.
 */
export const kinds = ["requests", "telcoCalls", "deliveries", "jobs"] as const

/** What is counted. */
export type Kind = (typeof kinds)[number]

/** How long a span is, in ms. */
export const SPAN = 5 * MINUTE
/** How many spans are kept. */
export const SPANS = 72

/** The counts of one kind, oldest span first. */
export interface Counts {
  /** How often it happened. */
  readonly all: ReadonlyArray<number>
  /** How often it failed. */
  readonly failed: ReadonlyArray<number>
}

/** The counts of all kinds. */
export interface Rates {
  /** When the first span begins, in machine time. */
  readonly from: Instant
  /** By kind, `SPANS` numbers each; the last span is not over yet. */
  readonly counts: { readonly [K in Kind]: Counts }
}

/**
 * What happened in several processes together, in the spans of the first. Spans begin at the same
 * times everywhere: what another one has counted in other spans is left out.
 */
export const together = (first: Rates, others: ReadonlyArray<Rates>): Rates => {
  const sum = (kind: Kind, of: keyof Counts): ReadonlyArray<number> =>
    first.counts[kind][of].map((count, at) =>
      others.reduce((all, other) => all + (other.counts[kind][of][at + (first.from - other.from) / SPAN] ?? 0), count)
    )
  const both = (kind: Kind): Counts => ({ all: sum(kind, "all"), failed: sum(kind, "failed") })
  return {
    from: first.from,
    counts: {
      requests: both("requests"),
      telcoCalls: both("telcoCalls"),
      deliveries: both("deliveries"),
      jobs: both("jobs")
    }
  }
}
