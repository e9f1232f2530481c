/**
 * The bytes that wait for their readers (rule W13): for whom they count, and which connections are
 * closed beyond a bound.
 */
import { describe, expect, it } from "vitest"
import type { Holder } from "../../../adapters/http/connections/Connection.ts"
import { UnreadBytes } from "../../../adapters/http/connections/Connections.ts"
import * as KeyLimits from "../../../adapters/http/middleware/KeyLimits.ts"
import type { Reader } from "../../../adapters/http/middleware/KeyLimits.ts"

const BOUND = 1_000

const world = () => {
  const open = new Set<Holder & { readonly name: string }>()
  const closed: Array<string> = []
  const unread = new UnreadBytes(BOUND, () => open)
  const connection = (name: string, network: string, reader: Reader | null = null) => {
    const one = {
      name,
      network,
      reader,
      bytes: 0,
      drop: () => {
        closed.push(name)
        open.delete(one)
        unread.set(one, 0)
      }
    }
    open.add(one)
    return {
      moves: (to: string) => {
        one.network = to
      },
      holds: (bytes: number) => unread.set(one, bytes)
    }
  }
  return { closed, connection, unread }
}

const acme = KeyLimits.reader("a", "acme")
const acmeToo = KeyLimits.reader("b", "acme")
const other = KeyLimits.reader("c", "other")

describe("what waits for readers", () => {
  it("of one address is a quarter at most", () => {
    const { closed, connection, unread } = world()
    const [first, second, elsewhere] = [connection("1", "x"), connection("2", "x"), connection("3", "y")]
    elsewhere.holds(240)
    first.holds(100)
    second.holds(140)
    expect([closed, unread.total]).toEqual([[], 480])
    first.holds(120)
    expect([closed, unread.total]).toEqual([["2"], 360])
  })

  it("of one organization is a half at most, whatever its addresses and keys", () => {
    const { closed, connection, unread } = world()
    const [first, second] = [connection("1", "x", acme), connection("2", "y", acmeToo)]
    const theirs = connection("3", "x", other)
    theirs.holds(400)
    first.holds(300)
    second.holds(200)
    expect(closed).toEqual([])
    second.holds(201)
    expect([closed, unread.total]).toEqual([["1"], 601])
  })

  it("is counted anew where an address changes amid its bytes", () => {
    const { closed, connection, unread } = world()
    for (const name of ["1", "2", "3", "4", "5"]) {
      const moved = connection(name, name)
      moved.holds(240)
      moved.moves("y")
      moved.holds(0)
    }
    for (const name of ["6", "7", "8", "9"]) connection(name, "y").holds(240)
    expect([closed, unread.total]).toEqual([[], 960])
    connection("10", "y").holds(50)
    expect([closed, unread.total]).toEqual([["6"], 770])
  })

  it("of the process is within its bound: the worst address or organization gives way", () => {
    const { closed, connection, unread } = world()
    connection("1", "x", acme).holds(290)
    connection("2", "x", acmeToo).holds(200)
    connection("3", "y", other).holds(300)
    connection("4", "z").holds(200)
    connection("5", "w").holds(10)
    expect([closed, unread.total]).toEqual([[], 1_000])
    connection("6", "v").holds(1)
    expect([closed, unread.total]).toEqual([["1"], 711])
  })

  it("leaves no room for another answer from an eighth for a key, and from a quarter for an organization", () => {
    const { connection, unread } = world()
    const [first, second] = [connection("1", "x", acme), connection("2", "y", acmeToo)]
    first.holds(125)
    expect([unread.hasRoom(acme), unread.hasRoom(acmeToo)]).toEqual([true, true])
    first.holds(126)
    expect([unread.hasRoom(acme), unread.hasRoom(acmeToo), unread.hasRoom(other)]).toEqual([false, true, true])
    first.holds(125)
    second.holds(126)
    expect([unread.hasRoom(acme), unread.hasRoom(other)]).toEqual([false, true])
    second.holds(0)
    expect([unread.hasRoom(acme), unread.hasRoom(acmeToo)]).toEqual([true, true])
  })
})
