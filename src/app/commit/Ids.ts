/**
 * New ids, tokens and random numbers, from Effect's `SecureRandom`. With a seeded one a run can be
 * repeated.
 */
import { Context, Effect, Layer } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as Id from "../../domain/Id.ts"
import type { Instant } from "../../domain/Time.ts"

export class Ids extends Context.Service<
  Ids,
  {
    /**
     * A UUIDv7 of the instant. Those that this process makes for an organization and one instant
     * sort in the order they were made. Each organization is counted for itself, from a random
     * number on: its ids reveal nothing of others. `null` makes the id of an organization.
     */
    readonly next: (now: Instant, organizationId: string | null) => Effect.Effect<string>
    /** A unique name, for a lease. */
    readonly token: Effect.Effect<string>
    readonly bytes: (size: number) => Effect.Effect<Uint8Array>
    /** In [0, 1). */
    readonly fraction: Effect.Effect<number>
    /** SHA-256 of an ASCII text, in lower-case hex. */
    readonly digest: (text: string) => Effect.Effect<string>
  }
>()("simplan/Ids") {}

const ID_BYTES = 10
const POOLED_IDS = 100

const FRACTION_BYTES = 7

/** For how many instants, those that were used last, ids are counted. */
const COUNTED_INSTANTS = 64

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** 53 random bits as a number in [0, 1): a double holds no more. */
const fraction = (random: Uint8Array): number => {
  const bits = random.reduce((value, byte, index) => value * 256 + (index === 0 ? byte & 0x1f : byte), 0)
  return bits / 2 ** 53
}

export const layer: Layer.Layer<Ids, never, SecureRandom.SecureRandom | Digest.Digest> = Layer.effect(
  Ids,
  Effect.gen(function* () {
    const { randomBytes: bytes } = yield* SecureRandom.SecureRandom
    const { digestHex } = yield* Digest.Digest

    // Random bytes are generated for many ids at once.
    let pool: Uint8Array = new Uint8Array(0)
    let used = 0
    const pooled = <A>(make: (random: Uint8Array) => A): Effect.Effect<A> => {
      const taken = () => {
        used += ID_BYTES
        return make(pool.subarray(used - ID_BYTES, used))
      }
      return Effect.suspend(() => {
        if (used < pool.length) return Effect.succeed(taken())
        return Effect.map(bytes(ID_BYTES * POOLED_IDS), (fresh) => {
          pool = fresh
          used = 0
          return taken()
        })
      })
    }

    // What has begun at one instant makes ids of it after other work has made some of the next.
    const instants = new Map<Instant, Map<string | null, number>>()
    const countersOf = (now: Instant): Map<string | null, number> => {
      const counters = instants.get(now) ?? new Map<string | null, number>()
      instants.delete(now)
      instants.set(now, counters)
      const [eldest] = instants.size > COUNTED_INSTANTS ? instants.keys() : []
      if (eldest !== undefined) instants.delete(eldest)
      return counters
    }
    const counted = (now: Instant, organizationId: string | null, random: Uint8Array): string => {
      const counters = countersOf(now)
      // A counter begins at a low random number: there is room to count, and processes and
      // organizations differ.
      const before = counters.get(organizationId) ?? ((random[1] ?? 0) << 8) | (random[2] ?? 0)
      const counter = (before + 1) % Id.COUNTER_SIZE
      counters.set(organizationId, counter)
      return Id.uuid7(now, Id.withCounter(counter, random))
    }

    const holder = yield* Effect.cached(Effect.map(bytes(ID_BYTES), Hex.encode))
    let tokens = 0

    return Ids.of({
      next: (now, organizationId) => pooled((random) => counted(now, organizationId, random)),
      token: Effect.map(holder, (of) => `${of}-${tokens++}`),
      bytes,
      fraction: Effect.map(bytes(FRACTION_BYTES), fraction),
      digest: (text) => digestHex(Digest.sha256, ascii(text))
    })
  })
)
