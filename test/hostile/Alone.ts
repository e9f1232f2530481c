/**
 * How long one request may keep all others waiting: each request of an attack is sent by itself,
 * and the longest turn of the server's event loop is measured, in processor time. A collection of
 * rubbish may be part of it, so a turn counts that is as long again and again.
 */
import type * as Attacker from "./Attacker.ts"

/**
 * The longest turn, in ms. The probe measures every 10 ms, and what else was done meanwhile is part
 * of it.
 */
const MOST = 60

/** How often a long turn is measured again. */
const AGAIN = 5

/** For how long a request is repeated on its connection, in ms. */
const EACH = 40

export interface Options {
  /** The routes' requests, and with what they are sent. */
  readonly orders: ReadonlyArray<Attacker.Order & { readonly name: string }>
  readonly attack: (order: Attacker.Order) => Promise<Attacker.Tally>
  /** The longest turn since it was asked last, in ms of processor time. */
  readonly probe: () => Promise<number>
  readonly isOver: () => boolean
  readonly print: (line: string) => void
}

/** The beginning of a request, which says which one it is. */
const shown = ({ body, head }: Attacker.Request): string => {
  const lines = head.trim().replaceAll("\r\n", " | ")
  return `${lines.slice(0, 160)} ${body === null ? "" : `${body.length} bytes ${Buffer.from(body).toString().slice(0, 60)}`}`
}

/** The longest turn of each route, and requests that take longer. */
export const run = async ({ attack, isOver, orders, print, probe }: Options): Promise<ReadonlyArray<string>> => {
  const measure = async (order: Attacker.Order, request: Attacker.Request): Promise<number> => {
    await probe()
    const requests = [request]
    await attack({ ...order, connections: 1, ahead: 1, manners: ["normally"], requests, millis: EACH })
    return probe()
  }
  const problems: Array<string> = []
  for (const order of orders) {
    let longest = 0
    for (const request of order.requests) {
      if (isOver()) return problems
      let least = await measure(order, request)
      for (let n = 0; n < AGAIN && least > MOST; n++) least = Math.min(least, await measure(order, request))
      longest = Math.max(longest, least)
      if (least > MOST) problems.push(`${order.name}: a turn of ${Math.round(least)} ms by ${shown(request)}`)
    }
    print(`${longest.toFixed(0).padStart(8)} ms at most, ${order.requests.length} requests, ${order.name}`)
  }
  return problems
}
