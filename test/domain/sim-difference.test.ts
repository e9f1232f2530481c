/**
 * The difference of a SIM's aggregate as loaded and as it is to be: rows by their keys, compared by
 * their values.
 */
import { describe, expect, it } from "vitest"
import * as SimDifference from "../../src/domain/SimDifference.ts"
import { attached, free, aggregate, NOW, pack, subscription } from "./Values.ts"

const [first, second] = [
  attached({ attachmentId: "first" }, [{}, { occurrence: 1 }]),
  attached({ attachmentId: "second" })
]
const of = aggregate([first, second])
const copied = structuredClone(of)

const nothing = {
  sim: { row: of.sim, fields: [] },
  subscriptions: { added: [], changed: [], removed: [] },
  attachments: { added: [], changed: [], removed: [] },
  packages: { added: [], changed: [] }
}

describe("The difference", () => {
  it("of equal aggregates is none, whether they are the same object or not", () => {
    expect(SimDifference.difference({ loaded: of, next: of })).toEqual(nothing)
    expect(SimDifference.difference({ loaded: of, next: copied })).toEqual(nothing)
  })

  it("does not depend on the order of rows", () => {
    const turned = { ...first, packages: first.packages.toReversed() }
    expect(SimDifference.difference({ loaded: of, next: { ...copied, attachments: [second, turned] } })).toEqual(
      nothing
    )
  })

  it("names the fields of a SIM that differ by value, under the version that was loaded", () => {
    const smdp = { state: "Enable", modifiedAt: NOW } as const
    const loaded = aggregate([], { smdp, version: 7 })
    const next = aggregate([], { smdp: { ...smdp }, lastActivityAt: NOW, downloaded: true, version: 9 })
    expect(SimDifference.difference({ loaded, next }).sim).toEqual({
      row: { ...next.sim, version: 7 },
      fields: ["downloaded", "lastActivityAt"]
    })
  })

  it("has new, changed and removed rows of each kind", () => {
    const used = { ...pack({ attachmentId: "first", usedBytes: 5 }) }
    const added = attached({ attachmentId: "new" }, [{}])
    const anchored = { ...first.attachment, anchor: NOW }
    const [, other] = first.packages
    const next = { ...of, attachments: [{ attachment: anchored, packages: [used, other ?? used] }, added] }
    const found = SimDifference.difference({ loaded: of, next })
    expect(found.attachments).toEqual({
      added: [added.attachment],
      changed: [{ row: anchored, fields: ["anchor"] }],
      removed: [second.attachment]
    })
    expect(found.packages).toEqual({
      added: added.packages,
      changed: [{ row: used, fields: ["usedBytes"] }]
    })
  })

  it("has a subscription that comes, changes, goes, or gives way to another", () => {
    const difference = (loaded: typeof of, next: typeof of) => SimDifference.difference({ loaded, next }).subscriptions
    const deleted = { ...aggregate(), subscription: subscription({ status: "Deleted" }) }
    const another = { ...aggregate(), subscription: subscription({ subscriptionId: "another" }) }
    const own = subscription()
    expect(difference(free(), aggregate())).toEqual({ added: [own], changed: [], removed: [] })
    expect(difference(aggregate(), free())).toEqual({ added: [], changed: [], removed: [own] })
    expect(difference(aggregate(), deleted).changed).toEqual([{ row: deleted.subscription, fields: ["status"] }])
    expect(difference(aggregate(), another)).toEqual({ added: [another.subscription], changed: [], removed: [own] })
  })

  it("of a view leaves alone what the view leaves out", () => {
    const view = { sim: of.sim }
    expect(SimDifference.difference({ loaded: of, next: view })).toEqual(nothing)
    expect(SimDifference.difference({ loaded: view, next: view })).toEqual(nothing)
  })

  it("has nothing of what never changes", () => {
    const [renamed] = [{ ...first, attachment: { ...first.attachment, metadata: "other" } }]
    const next = { ...of, attachments: [renamed, second], subscription: subscription({ metadata: "other" }) }
    expect(SimDifference.difference({ loaded: of, next })).toEqual(nothing)
  })
})

describe("What a storage has once it has written the difference", () => {
  const applied = (loaded: typeof of, next: typeof of) =>
    SimDifference.applied(loaded, SimDifference.difference({ loaded, next }))

  it("is the next aggregate under the next version", () => {
    const next = aggregate([
      attached({ attachmentId: "first", anchor: NOW }, [{ usedBytes: 1 }, { occurrence: 1 }, { occurrence: 2 }])
    ])
    expect(applied(of, next)).toEqual({ ...next, sim: { ...next.sim, version: of.sim.version + 1 } })
    expect(applied(of, of)).toEqual({ ...of, sim: { ...of.sim, version: of.sim.version + 1 } })
  })

  it("has its rows in order: attachments by creation and id, packages by occurrence", () => {
    const [late, early] = [attached({ attachmentId: "a", createdAt: NOW + 1 }), attached({ attachmentId: "c" })]
    const packed = { ...first, packages: [pack({ attachmentId: "first", occurrence: 2 }), ...first.packages] }
    const { attachments } = applied(of, { ...of, attachments: [late, early, packed, second] })
    expect(attachments.map(({ attachment }) => attachment.attachmentId)).toEqual(["c", "first", "second", "a"])
    expect(attachments[1]?.packages.map(({ occurrence }) => occurrence)).toEqual([0, 1, 2])
  })

  it("no longer has a subscription that was deleted or removed, nor its attachments", () => {
    const gone = { ...of, sim: { ...of.sim, version: of.sim.version + 1 }, subscription: null, attachments: [] }
    expect(applied(of, { ...of, subscription: subscription({ status: "Deleted" }) })).toEqual(gone)
    expect(applied(of, { ...of, subscription: null, attachments: [] })).toEqual(gone)
  })
})
