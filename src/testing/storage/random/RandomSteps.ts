/**
 * The random steps by which two storages are compared: arbitraries, and what a run of them works on.
 *
 * A step is a name and small numbers that pick rows from small pools, so that steps meet each other often, and so that
 * a run that fails shrinks to a short one that can be read.
 */
import * as fc from "fast-check"
import type { Instant } from "../../../domain/Time.ts"
import type { World } from "../world/World.ts"

const aggregateParts = [
  "free",
  "download",
  "withdraw",
  "correct",
  "mobile plan",
  "pause",
  "open",
  "open pending",
  "confirm",
  "attach",
  "pack",
  "delete",
  "remove subscription",
  "remove attachment",
  "report",
  "use"
] as const

const otherParts = [
  "move",
  "take usage",
  "plan",
  "rest on plan",
  "operator",
  "session",
  "api key",
  "endpoint",
  "region",
  "stock level",
  "put idempotency",
  "settle idempotency",
  "forget idempotency",
  "event",
  "put job",
  "finish job",
  "retry job",
  "hasten job",
  "reopen job",
  "resolve job",
  "cancel job",
  "settle delivery",
  "replay delivery",
  "catalogue",
  "clock"
] as const

// What must meet others to matter comes more often.
const often = [
  "event",
  "event",
  "put job",
  "put job",
  "finish job",
  "settle delivery",
  "attach",
  "pack",
  "move",
  "use",
  "take usage"
] as const

/** What changes an aggregate. */
export type AggregatePart = (typeof aggregateParts)[number]

export const isAggregatePart = (name: Part["part"]): name is AggregatePart =>
  aggregateParts.some((part) => part === name)

/** A part of a random commit. */
export interface Part {
  readonly part: AggregatePart | (typeof otherParts)[number]
  /** Which row of its pool; of a move: the SIM that is left. */
  readonly row: number
  readonly choice: number
  readonly stale: boolean
}

export const asks = ["import", "claim SIM", "claim jobs", "claim deliveries", "release", "purge", "read"] as const

export type Step =
  | { readonly do: "commit"; readonly parts: ReadonlyArray<Part> }
  | {
      readonly do: (typeof asks)[number]
      readonly row: number
      readonly choice: number
      /** The machine's time, which may be a little behind that of the step before. */
      readonly jitter: number
    }

const small = fc.nat({ max: 5 })

const part: fc.Arbitrary<Part> = fc.record({
  part: fc.constantFrom(...aggregateParts, ...otherParts, ...often),
  row: small,
  choice: fc.nat({ max: 11 }),
  stale: fc.nat({ max: 9 }).map((number) => number === 9)
})

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("commit" as const),
      parts: fc.array(part, { minLength: 1, maxLength: 5 })
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(...asks, "claim SIM", "claim jobs", "claim deliveries", "read", "read"),
      row: small,
      choice: fc.nat({ max: 23 }),
      jitter: fc.integer({ min: -70_000, max: 10_000 })
    })
  }
)

/** One run of steps: its two organizations and the pools that its steps pick from. */
export interface Run {
  readonly worlds: readonly [World, World]
  readonly now: Instant
  readonly machineNow: Instant
  readonly iccids: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  /** By organization. */
  readonly ids: ReadonlyMap<string, ReadonlyArray<string>>
  readonly hashes: ReadonlyArray<string>
}

/** The element that a number picks. */
export const pick = <A>(pool: ReadonlyArray<A>, index: number): A => {
  const picked = pool[index % pool.length]
  if (picked === undefined) throw new Error("Nothing can be picked from an empty pool")
  return picked
}

/** An id of the organization's pool, in which plans, regions, endpoints, keys and jobs pick their ids. */
export const idOf = (run: Run, { organizationId }: World, index: number): string =>
  pick(run.ids.get(organizationId) ?? [], index)
