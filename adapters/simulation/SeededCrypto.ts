/**
 * Randomness from a seed: the same ids and jitter at each run, and nothing that is secret.
 */
import { Layer } from "effect"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"

/** Whole numbers of 32 bits: xoshiro128** by Blackman and Vigna, seeded by splitmix32. */
export const generator = (seed: number): (() => number) => {
  let mix = seed | 0
  const split = (): number => {
    mix = (mix + 0x9e3779b9) | 0
    let value = mix ^ (mix >>> 16)
    value = Math.imul(value, 0x21f0aaad)
    value ^= value >>> 15
    value = Math.imul(value, 0x735a2d97)
    return value ^ (value >>> 15)
  }
  let [a, b, c, d] = [split(), split(), split(), split() | 1]
  return () => {
    const t = b << 9
    let result = Math.imul(b, 5)
    result = Math.imul((result << 7) | (result >>> 25), 9)
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= t
    d = (d << 11) | (d >>> 21)
    return result >>> 0
  }
}

export const layer = (seed: number): Layer.Layer<SecureRandom.SecureRandom | Digest.Digest> =>
  Layer.sync(SecureRandom.SecureRandom, () => {
    const next = generator(seed)
    return SecureRandom.make((size) => {
      const bytes = new Uint8Array(size)
      for (let index = 0; index < size; index += 4) {
        const value = next()
        for (let byte = 0; byte < 4 && index + byte < size; byte++) bytes[index + byte] = value >>> (8 * byte)
      }
      return bytes
    })
  }).pipe(Layer.merge(Digest.layerWebCrypto))
