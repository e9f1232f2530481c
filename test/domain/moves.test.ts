/**
 * Rule S8: SIMs name each other for good after moves, and rule L3: the stays of a subscription
 * follow from that, whichever of its SIMs is asked about, and whatever became of them since.
 */
import * as fc from "fast-check"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Deletion from "../../src/domain/Deletion.ts"
import * as Moves from "../../src/domain/Moves.ts"
import * as Replacement from "../../src/domain/Replacement.ts"
import * as SimRules from "../../src/domain/Sim.ts"
import type { Sim } from "../../src/domain/Sim.ts"
import * as SimCorrection from "../../src/domain/SimCorrection.ts"
import { DAY_MS as DAY } from "./Calendar.ts"
import { aggregate, NOW, sim as simOf, subscription } from "./Values.ts"

const pause = { changeId: "change", isRefused: false }

const given = { pause, changeId: "other change", notifiedUntil: new Map<string, number>() }

interface Held {
  readonly sim: Sim
  readonly subscriptionId: string
  readonly createdAt: number
}

interface Stayed {
  readonly iccid: string
  readonly since: number
  readonly leftAt: number | null
  readonly endedAt: number | null
}

/** Three SIMs, and what is done to them: each act is one of a SIM. */
class Stock {
  readonly sims = new Map<string, Sim>()
  readonly held = new Map<string, Held>()
  /** What is expected. */
  readonly stayed = new Map<string, Array<Stayed>>()
  readonly last = new Map<string, string>()
  now = NOW
  private made = 0

  constructor() {
    for (const iccid of ["1", "2", "3"]) this.sims.set(iccid, simOf({ iccid, isEsim: true }))
  }

  simOf(iccid: string): Sim {
    const sim = this.sims.get(iccid)
    if (sim === undefined) throw new Error(iccid)
    return sim
  }

  private end(subscriptionId: string, change: Partial<Stayed>): void {
    const all = this.stayed.get(subscriptionId) ?? []
    const last = all.pop()
    if (last !== undefined) all.push({ ...last, ...change })
  }

  sell(iccid: string): void {
    const sim = this.simOf(iccid)
    if (!SimRules.isFree(sim)) return
    this.made += 1
    const subscriptionId = `s${this.made}`
    const taken: Sim = { ...sim, allocation: { _tag: "InService", subscriptionId } }
    this.sims.set(iccid, taken)
    this.held.set(iccid, { sim: taken, subscriptionId, createdAt: this.now })
    this.stayed.set(subscriptionId, [{ iccid, since: this.now, leftAt: null, endedAt: null }])
  }

  private present(iccid: string) {
    const of = this.held.get(iccid)
    if (of === undefined) return null
    const { createdAt, subscriptionId } = of
    const loaded = aggregate([], this.simOf(iccid))
    return {
      subscriptionId,
      createdAt,
      of: { ...loaded, subscription: subscription({ iccid, createdAt, subscriptionId }) }
    }
  }

  move(iccid: string): void {
    const present = this.present(iccid)
    const next = [...this.sims.values()].find(SimRules.isFree)
    if (present === null || next === undefined) return
    const { createdAt, subscriptionId } = present
    const { decision } = Result.getOrThrow(Replacement.replace(present.of, next, given, this.now))
    const [left, taken] = [decision.movedFrom?.next.sim, decision.sim?.next.sim]
    if (left === undefined || taken === undefined) throw new Error("nothing has moved")
    this.sims.set(iccid, left as Sim)
    this.sims.set(next.iccid, taken as Sim)
    this.held.delete(iccid)
    this.held.set(next.iccid, { sim: taken as Sim, subscriptionId, createdAt })
    this.end(subscriptionId, { leftAt: this.now })
    this.stayed.get(subscriptionId)?.push({ iccid: next.iccid, since: this.now, leftAt: null, endedAt: null })
    this.last.set(iccid, subscriptionId)
  }

  remove(iccid: string): void {
    const present = this.present(iccid)
    if (present === null) return
    const { sim } = Result.getOrThrow(Deletion.remove(present.of, this.now, pause))
    if (sim === undefined) throw new Error("nothing was deleted")
    this.sims.set(iccid, sim.next.sim as Sim)
    this.held.delete(iccid)
    this.end(present.subscriptionId, { endedAt: this.now })
  }

  /** The telco confirms, and a SIM that was left is put back into stock. */
  restore(iccid: string): void {
    const { sim } = Deletion.released(this.simOf(iccid), false)
    if (sim !== undefined) this.sims.set(iccid, sim.next.sim as Sim)
    const of = this.simOf(iccid)
    if (SimRules.isOut(of)) {
      this.sims.set(iccid, Result.getOrThrow(SimCorrection.apply(of, { status: { _tag: "Available" } })))
    }
  }
}

const acts = ["sell", "move", "remove", "restore"] as const

const stories = fc.array(
  fc.record({
    act: fc.constantFrom(...acts),
    iccid: fc.constantFrom("1", "2", "3"),
    later: fc.constantFrom(0, 1, DAY)
  }),
  { maxLength: 40 }
)

/** A subscription that comes to the same SIM twice, and is deleted there. */
const thereAndBack = [
  "sell 1",
  ...[1, 2].flatMap(() => ["move 1", "restore 1", "move 2", "restore 2"]),
  "remove 1"
].flatMap((line) => {
  const [name, iccid = ""] = line.split(" ")
  const act = acts.find((one) => one === name)
  return act === undefined ? [] : [{ act, iccid, later: DAY }]
})

const played = (story: ReadonlyArray<{ act: (typeof acts)[number]; iccid: string; later: number }>): Stock => {
  const stock = new Stock()
  for (const { act, iccid, later } of story) {
    stock[act](iccid)
    stock.now += later
  }
  return stock
}

/** As the service follows them: from one SIM to those that it names, and so on. */
const followed = (stock: Stock, iccid: string): ReadonlyArray<Moves.Stay> => {
  const subscriptionId = SimRules.followed(stock.simOf(iccid))
  if (subscriptionId === null) return []
  const known = new Map([[iccid, stock.simOf(iccid)]])
  for (;;) {
    const moves = Moves.of(subscriptionId, known.values())
    const unread = moves.flatMap(({ from, to }) => [from, to]).filter((one) => !known.has(one))
    if (unread.length === 0) return Moves.stays(moves, known)
    for (const one of unread) known.set(one, stock.simOf(one))
  }
}

describe("S8 and L3: the stays of a subscription", () => {
  it("are those that it had, from whichever of its SIMs they are followed", () => {
    let moved = 0
    fc.assert(
      fc.property(stories, (story) => {
        const stock = played(story)
        for (const [subscriptionId, stayed] of stock.stayed) {
          for (const { iccid } of stayed) {
            if (SimRules.followed(stock.simOf(iccid)) !== subscriptionId || stayed.length < 2) continue
            moved += 1
            const found = followed(stock, iccid)
            expect(found.map(({ number }) => number)).toEqual(stayed.map((_, index) => index))
            expect(found.map((one) => [one.iccid, one.since, one.leftAt])).toEqual(
              stayed.map((one) => [one.iccid, one.since, one.leftAt])
            )
            for (const [index, { iccid: of, until }] of found.entries()) {
              const { endedAt, leftAt } = stayed[index] ?? {}
              const isLast = stayed.findLastIndex((one) => one.iccid === of) === index
              const isStillLeft =
                leftAt !== null && isLast && stock.last.get(of) === subscriptionId && stock.simOf(of).movedTo !== null
              expect(until).toBe(isStillLeft ? null : (leftAt ?? endedAt))
            }
          }
        }
      }),
      { numRuns: 500, examples: [[thereAndBack]] }
    )
    expect(moved).toBeGreaterThan(100)
  })

  it("leave both SIMs named for good, also once the one that was left is sold again", () => {
    fc.assert(
      fc.property(stories, (story) => {
        const stock = played(story)
        const from = new Map<string, string>()
        const to = new Map<string, string>()
        for (const stayed of stock.stayed.values()) {
          for (const [index, { iccid, leftAt }] of stayed.entries()) {
            const next = stayed[index + 1]
            if (leftAt === null || next === undefined) continue
            const [ofOld, ofNew] = [stock.simOf(iccid), stock.simOf(next.iccid)]
            const isThat = (move: Moves.Move): boolean =>
              move.from === iccid && move.to === next.iccid && move.at === leftAt
            expect([ofOld.moves.some(isThat), ofNew.moves.some(isThat)]).toEqual([true, true])
            from.set(iccid, next.iccid)
            to.set(next.iccid, iccid)
          }
        }
        for (const sim of stock.sims.values()) {
          expect([Moves.away(sim) !== null, Moves.here(sim) !== null]).toEqual([from.has(sim.iccid), to.has(sim.iccid)])
        }
      })
    )
  })

  it("begin with the creation, and then with the move before", () => {
    const of = subscription({ createdAt: NOW - DAY })
    const first = Moves.made({ iccid: "1", moves: [] }, "2", of, NOW)
    expect(first).toMatchObject({ number: 1, from: "1", to: "2", since: NOW - DAY, at: NOW })
    const second = Moves.made({ iccid: "2", moves: [first] }, "3", of, NOW + DAY)
    expect(second).toMatchObject({ number: 2, from: "2", to: "3", since: NOW, at: NOW + DAY })
  })

  it("keep the last moves of a SIM, however many there were", () => {
    const move = Moves.made({ iccid: "1", moves: [] }, "2", subscription(), NOW)
    const many = Array.from({ length: 150 }, (_, number) => ({ ...move, number }))
    const kept = many.reduce<ReadonlyArray<Moves.Move>>(Moves.kept, [])
    expect([kept.length, kept.at(-1)?.number]).toEqual([100, 149])
  })
})
