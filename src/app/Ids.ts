/**
 * Fresh identifiers and random numbers from Effect's `Crypto`, so that a seeded one makes a run repeatable.
 */
import { Context, Crypto, Effect, Layer } from "effect"
import * as Id from "../domain/Id.ts"
import type { Instant } from "../domain/Time.ts"

export class Ids extends Context.Service<
  Ids,
  {
    /** A UUIDv7 of the given instant. */
    readonly next: (now: Instant) => Effect.Effect<string>
    readonly bytes: (size: number) => Effect.Effect<Uint8Array>
    /** In [0, 1). */
    readonly fraction: Effect.Effect<number>
    /** SHA-256 of an ASCII text, in lower-case hex. */
    readonly digest: (text: string) => Effect.Effect<string>
  }
>()("simplan/Ids") {}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

export const layer: Layer.Layer<Ids, never, Crypto.Crypto> = Layer.effect(
  Ids,
  Effect.gen(function* () {
    const crypto = yield* Crypto.Crypto
    const bytes = (size: number) => Effect.orDie(crypto.randomBytes(size))
    return Ids.of({
      next: (now) => Effect.map(bytes(10), (random) => Id.uuid7(now, random)),
      bytes,
      fraction: crypto.random,
      digest: (text) =>
        Effect.map(Effect.orDie(crypto.digest("SHA-256", ascii(text))), (hash) =>
          Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")
        )
    })
  })
)
