/**
 * The stock: where SIMs stand (rule I11), levels, and the checks of them (rule I12).
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Stock from "../../src/domain/Stock.ts"
import { NOW, sim } from "./Values.ts"

const held = (_tag: "Provisioning" | "InService" | "Releasing") => ({ _tag, subscriptionId: "s" }) as const

const bought = (sellBy: number | null) => ({ purchaseId: "p", load: "1 GB", sellBy, cost: null, boughtAt: NOW })

const withdrawn = { _tag: "Withdrawn", reason: "broken", ending: null } as const

const level = (changes: Partial<Stock.Level> = {}): Stock.Level => ({
  organizationId: "o",
  label: "Green",
  level: 10,
  isLow: false,
  version: 3,
  ...changes
})

describe("Where a SIM stands (I11)", () => {
  it.each([
    [{}, "free"],
    [{ downloaded: true }, "downloaded"],
    [{ downloaded: true, isEsim: false }, "free"],
    [{ purchase: bought(null) }, "free"],
    [{ purchase: bought(NOW + 1) }, "free"],
    [{ purchase: bought(NOW) }, "lapsed"],
    [{ purchase: bought(NOW), downloaded: true }, "downloaded"],
    [{ purchase: bought(NOW), allocation: held("InService") }, "inUse"],
    [{ allocation: held("Provisioning") }, "inUse"],
    [{ allocation: held("InService"), downloaded: true }, "inUse"],
    [{ allocation: held("Releasing") }, "releasing"],
    [{ allocation: withdrawn }, "withdrawn"]
  ] as const)("%j", (changes, state) => {
    expect(Stock.stateOf(sim(changes), NOW)).toBe(state)
  })

  it("is counted by label and kind, also of a label that has a level only", () => {
    const counts = [
      { label: "Green", isEsim: true, state: "free", count: 2 },
      { label: "Green", isEsim: true, state: "inUse", count: 3 },
      { label: "Green", isEsim: false, state: "releasing", count: 1 }
    ] as const
    const none = { free: 0, downloaded: 0, lapsed: 0, inUse: 0, releasing: 0, withdrawn: 0 }
    expect(Stock.byLabel(counts, [{ label: "Blue" }])).toEqual([
      { label: "Green", esims: { ...none, free: 2, inUse: 3 }, physicalSims: { ...none, releasing: 1 } },
      { label: "Blue", esims: none, physicalSims: none }
    ])
  })
})

describe("Levels (I12)", () => {
  const set = (stored: ReadonlyArray<Stock.Level>, asked: ReadonlyArray<{ label: string; level: number }>) =>
    Stock.withLevels("o", stored, asked)

  it("replace those before: one that is another begins anew, one that is not named ends", () => {
    const stored = [level({ isLow: true }), level({ label: "Blue", isLow: true }), level({ label: "Red", level: 0 })]
    const asked = [
      { label: "Green", level: 10 },
      { label: "Red", level: 7 },
      { label: "Aqua", level: 1 }
    ]
    expect(Result.getOrThrow(set(stored, asked))).toEqual([
      level({ label: "Blue", level: 0 }),
      level({ label: "Red", level: 7 }),
      level({ label: "Aqua", level: 1, version: 0 })
    ])
    expect(Result.getOrThrow(set(stored, [asked[0] ?? expect.fail(), { label: "Blue", level: 10 }]))).toEqual([])
  })

  const wrong: ReadonlyArray<readonly [asked: ReadonlyArray<{ label: string; level: number }>, field: string]> = [
    [[{ label: "green", level: 1 }], "label"],
    [
      [
        { label: "Green", level: 1 },
        { label: "Green", level: 2 }
      ],
      "label"
    ],
    ...[0, -1, 1.5, Number.NaN, 100_001].map((one) => [[{ label: "Green", level: one }], "level"] as const)
  ]

  it.each(wrong)("refuses %j", (asked, field) => {
    expect(Result.getOrThrow(Result.flip(set([], asked))).field).toBe(field)
  })

  it("are notified once each time the number falls below", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (numbers) => {
        let stored = level()
        let expected = 0
        let notified = 0
        let before = stored.level
        for (const free of numbers) {
          const { level: next, payloads } = Stock.checked(stored, free)
          expect(next).toEqual({ ...stored, isLow: free < 10 })
          for (const { data } of payloads) expect(data).toEqual({ label: "Green", free, level: 10 })
          notified += payloads.length
          if (before >= 10 && free < 10) expected += 1
          before = free
          stored = next
        }
        expect(notified).toBe(expected)
      })
    )
  })
})

describe("Checks (I12)", () => {
  const change = (loaded: Partial<Parameters<typeof sim>[0]>, next: Partial<Parameters<typeof sim>[0]>) =>
    Stock.moved({ loaded: { sim: sim(loaded) }, next: { sim: sim(next) } })

  it("follow changes that may leave another number of eSIMs free, and no others", () => {
    expect(change({}, { allocation: held("Provisioning") })).toEqual(["Green"])
    expect(change({ allocation: held("Releasing") }, {})).toEqual(["Green"])
    expect(change({}, { downloaded: true })).toEqual(["Green"])
    expect(change({}, { allocation: withdrawn })).toEqual(["Green"])
    expect(change({}, { label: "Blue" })).toEqual(["Green", "Blue"])
    expect(change({ allocation: withdrawn }, { allocation: withdrawn, label: "Blue" })).toEqual([])
    expect(change({ allocation: held("Provisioning") }, { allocation: held("InService") })).toEqual([])
    expect(change({ allocation: held("InService") }, { allocation: held("InService"), downloaded: true })).toEqual([])
    const key = { organizationId: "o", iccid: "1", version: 1, label: "Green" } as const
    expect(Stock.moved({ loaded: { sim: key }, next: { sim: key } })).toEqual([])
    const view = { loaded: { sim: { ...key, downloaded: false } }, next: { sim: { ...key, downloaded: true } } }
    expect(Stock.moved(view)).toEqual(["Green"])
  })

  it("are one job for all changes of a second, at its end, and one later", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000 }), (after) => {
        const now = NOW + after
        const of = { organizationId: "o", label: "Green" } as const
        const [soon, later] = Stock.checks(of, now)
        const second = Math.floor(now / 1_000) * 1_000
        expect(soon?.dueAt).toBe(second + 1_000)
        expect(Stock.checks(of, second)[0]?.jobId).toBe(soon?.jobId)
        expect(Stock.checks(of, second + 1_000)[0]?.jobId).not.toBe(soon?.jobId)
        expect((later?.dueAt ?? 0) - now).toBeGreaterThan(10_000)
        expect((later?.dueAt ?? 0) - now).toBeLessThanOrEqual(20_000)
        expect(later?.jobId).not.toBe(soon?.jobId)
        expect(Stock.checks({ ...of, organizationId: "p" }, now)[0]?.jobId).not.toBe(soon?.jobId)
      })
    )
  })
})
