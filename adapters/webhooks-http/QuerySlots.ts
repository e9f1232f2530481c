/**
 * Bounds how many DNS queries are under way. A query that takes long leaves its slot to the next one and goes on, so that
 * names whose servers are silent do not hold up others.
 */
import { TIMEOUT } from "node:dns"

/** How many queries may be young, and for how long a query is, in milliseconds. */
const YOUNG = 32
const YOUNG_MILLIS = 500

/** How many queries may be under way, young or not. */
const ALL = 256

/** No slot was free for as long as a query waits. */
export class NoSlot extends Error {
  readonly code = TIMEOUT
  constructor() {
    super("Too many names are being resolved")
  }
}

export interface QuerySlots {
  /** Runs the query when a slot is free, in the order of calls. Rejects with `NoSlot`. */
  readonly run: <A>(query: () => Promise<A>) => Promise<A>
}

/** `waitMillis`: how long a query waits for a slot at most. */
export const make = (waitMillis: number): QuerySlots => {
  let young = 0
  let all = 0
  const waiting = new Set<() => void>()

  const next = (): void => {
    const [first] = waiting
    if (first === undefined || young >= YOUNG || all >= ALL) return
    waiting.delete(first)
    first()
  }

  const begin = <A>(query: () => Promise<A>): Promise<A> => {
    young += 1
    all += 1
    let isYoung = true
    const grow = (): void => {
      if (isYoung) young -= 1
      isYoung = false
      next()
    }
    const growing = setTimeout(grow, YOUNG_MILLIS)
    return query().finally(() => {
      clearTimeout(growing)
      all -= 1
      grow()
    })
  }

  const wait = <A>(query: () => Promise<A>): Promise<A> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(limit)
        resolve(begin(query))
      }
      const limit = setTimeout(() => {
        waiting.delete(start)
        reject(new NoSlot())
      }, waitMillis)
      waiting.add(start)
    })

  return { run: (query) => (young < YOUNG && all < ALL && waiting.size === 0 ? begin(query) : wait(query)) }
}
