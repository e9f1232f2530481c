/**
 * Bounds how many DNS queries are under way. A query that takes long leaves its slot to the next one and goes on, so that
 * names whose servers are silent do not hold up others. Organizations take turns at both bounds (rule W13).
 */
import { TIMEOUT } from "node:dns"
import { FairSlots } from "simplan"

/** How many queries may be young, and for how long a query is, in milliseconds. */
const YOUNG = 32
const YOUNG_MILLIS = 500

/** How many queries may be under way, young or not. */
const ALL = 256

/** How many queries of one organization wait. */
const MOST_WAITING = 1_024

/** No slot was free for as long as a query waits. */
export class NoSlot extends Error {
  readonly code = TIMEOUT
  constructor() {
    super("Too many names are being resolved")
  }
}

export interface QuerySlots {
  /** Runs the query when a slot is free, in the turn of the organization. Rejects with `NoSlot`. */
  readonly run: <A>(organizationId: string, query: () => Promise<A>) => Promise<A>
}

/** `waitMillis`: how long a query waits for a slot at most. */
export const make = (waitMillis: number): QuerySlots => {
  const all = FairSlots.make({ slots: ALL, mostWaiting: MOST_WAITING })
  const young = FairSlots.make({ slots: YOUNG, mostWaiting: MOST_WAITING })

  /** Waits for a slot until the instant; the slot is the caller's. */
  const take = (turns: FairSlots.FairSlots, organizationId: string, until: number): Promise<void> | undefined => {
    if (turns.tryTake(organizationId)) return undefined
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(limit)
        resolve()
      }
      const one: FairSlots.Waiting = { organizationId, isUrgent: false, begin }
      const leave = (): void => {
        turns.withdraw(one)
        reject(new NoSlot())
      }
      const limit = setTimeout(leave, Math.max(0, until - performance.now()))
      if (turns.enter(one)) return
      clearTimeout(limit)
      reject(new NoSlot())
    })
  }

  const ask = async <A>(organizationId: string, query: () => Promise<A>): Promise<A> => {
    let isYoung = true
    const grow = (): void => {
      if (isYoung) young.give(organizationId)
      isYoung = false
    }
    const growing = setTimeout(grow, YOUNG_MILLIS)
    try {
      return await query()
    } finally {
      clearTimeout(growing)
      grow()
    }
  }

  return {
    run: async (organizationId, query) => {
      const until = performance.now() + waitMillis
      const waiting = take(all, organizationId, until)
      if (waiting !== undefined) await waiting
      try {
        const maturing = take(young, organizationId, until)
        if (maturing !== undefined) await maturing
        return await ask(organizationId, query)
      } finally {
        all.give(organizationId)
      }
    }
  }
}
