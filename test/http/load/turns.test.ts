/**
 * Requests of callers without a key (rule W13): a few begin in each turn of the event loop, those
 * of each address in turn.
 */
import { expect, it } from "vitest"
import * as Turns from "../../../adapters/http/Turns.ts"

const world = (most?: number) => {
  let due: Array<() => void> = []
  const clock = { now: 0 }
  const turns = Turns.make(
    (run) => void due.push(run),
    () => clock.now,
    most
  )
  const begun: Array<string> = []
  return {
    clock,
    turns,
    begun,
    add: (network: string, name: string, millis = 0) =>
      turns.add(network, () => {
        begun.push(name)
        clock.now += millis
      }),
    /** What began in a turn. */
    turn: (): ReadonlyArray<string> => {
      const now = due
      due = []
      for (const run of now) run()
      return begun.splice(0)
    },
    isDue: () => due.length > 0
  }
}

it("a thousand addresses begin sixteen in a turn, and no address waits for more than one of each other", () => {
  const { add, isDue, turn } = world()
  for (let n = 0; n < 50; n++) add("loud", `loud ${n}`)
  for (let n = 0; n < 1_000; n++) add(`address ${n}`, String(n))
  add("quiet", "quiet")
  const began: Array<string> = []
  for (let n = 0; n < 63; n++) {
    const now = turn()
    expect(now.length).toBeLessThanOrEqual(16)
    began.push(...now)
  }
  expect(began).toContain("quiet")
  const before = began.slice(0, began.indexOf("quiet"))
  expect(before.filter((name) => name.startsWith("loud"))).toEqual(["loud 0"])
  while (isDue()) began.push(...turn())
  expect(began).toHaveLength(1_051)
})

it("what takes long leaves the rest to later turns, and each turn begins one at least", () => {
  const { add, turn } = world()
  for (const name of ["a", "b", "c"]) add(name, name, 1)
  for (const name of ["d", "e"]) add(name, name, 50)
  add("f", "f")
  expect([turn(), turn(), turn(), turn()]).toEqual([["a", "b"], ["c", "d"], ["e"], ["f"]])
})

it("a request begins at once where nothing waits and few have begun", () => {
  const { add, isDue, turn, turns } = world()
  const atOnce = Array.from({ length: 20 }, () => turns.mayBegin())
  expect(atOnce.filter((may) => may)).toHaveLength(16)
  add("a", "a")
  expect(turn()).toEqual(["a"])
  expect(turns.mayBegin()).toBe(true)
  for (let n = 0; n < 20; n++) add("a", "a")
  expect(turns.mayBegin()).toBe(false)
  expect([turn().length, turns.mayBegin(), turn().length]).toEqual([16, false, 4])
  turn()
  expect([isDue(), turns.mayBegin()]).toEqual([false, true])
})

it("nothing begins while connections arrive in each turn, for 100 ms of half a second at most", () => {
  const { add, clock, turn, turns } = world()
  turns.accepted()
  expect(turns.mayBegin()).toBe(false)
  add("a", "a")
  expect(turn()).toEqual([])
  turns.accepted()
  expect(turn()).toEqual([])
  // No connection arrived in this one.
  expect(turn()).toEqual(["a"])

  const began: Array<number> = []
  for (clock.now = 500; clock.now < 1_500; clock.now++) {
    turns.accepted()
    add("a", "again")
    if (turn().length > 0) began.push(clock.now)
  }
  expect(began.length).toBe(800)
  expect([began[0], began.filter((at) => at < 1_000).at(-1), began.find((at) => at >= 1_000)]).toEqual([
    600, 999, 1_100
  ])
})

it("a single connection holds up nothing", () => {
  const { turn, turns } = world()
  turns.accepted()
  turn()
  expect(turns.mayBegin()).toBe(true)
})

it("what is not wanted any more takes no turn", () => {
  const { add, turn, turns } = world(1)
  const remove = turns.add("a", () => expect.unreachable())
  add("a", "a")
  const removeOther = turns.add("b", () => expect.unreachable())
  add("c", "c")
  remove()
  removeOther()
  expect([turn(), turn(), turn()]).toEqual([["a"], ["c"], []])
})

it("of long pieces of work one is done in a turn, by turns of callers", () => {
  const { add, turn } = world(1)
  for (const name of ["a1", "a2", "a3"]) add("a", name)
  for (const name of ["b1", "b2"]) add("b", name)
  expect(Array.from({ length: 6 }, turn)).toEqual([["a1"], ["b1"], ["a2"], ["b2"], ["a3"], []])
})
