/** Random choices that follow from a seed. */

export interface Random {
  /** From 0, below 1. */
  readonly next: () => number
  /** A whole number from `least` to `most`. */
  readonly between: (least: number, most: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  /** Another one, independent of how often this one is asked from now on. */
  readonly fork: () => Random
}

/** Mulberry32. */
export const make = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (list) => {
      const one = list[between(0, list.length - 1)]
      if (one === undefined) throw new Error("There is nothing to pick from")
      return one
    },
    fork: () => make(Math.floor(next() * 2 ** 32))
  }
}
