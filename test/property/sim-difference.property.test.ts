/**
 * Random changes of a SIM's aggregate: writing the difference leads from the aggregate as loaded to
 * the one it was to be.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SimAggregate } from "../../src/domain/SimAggregate.ts"
import * as SimDifference from "../../src/domain/SimDifference.ts"
import { attached, aggregate, NOW } from "../domain/Values.ts"

const small = fc.integer({ min: NOW, max: NOW + 2 })

const packages = fc
  .uniqueArray(fc.record({ occurrence: fc.nat(4), usedBytes: fc.nat(2), activationAt: fc.option(small) }), {
    maxLength: 4,
    selector: ({ occurrence }) => occurrence
  })
  .map((all) => all.toSorted((left, right) => left.occurrence - right.occurrence))

/** Aggregates of one SIM with attachments of few ids, so that two of them have some in common. */
const aggregates: fc.Arbitrary<SimAggregate> = fc
  .record({
    sim: fc.record({ downloaded: fc.boolean(), lastActivityAt: fc.option(small) }),
    state: fc.record({ anchor: fc.option(small), suspendedAt: fc.option(small), confirmed: fc.boolean() }),
    ids: fc.subarray(["a", "b", "c"]),
    packages
  })
  .map(({ ids, packages, sim, state }) =>
    aggregate(
      ids.map((attachmentId) => attached({ attachmentId, ...state }, packages)),
      sim
    )
  )

/**
 * The aggregate with all packages that the other one has of its attachments: none is ever removed
 * alone.
 */
const keeping = (loaded: SimAggregate, next: SimAggregate): SimAggregate => ({
  ...next,
  attachments: next.attachments.map(({ attachment, packages }) => {
    const before = loaded.attachments.find((of) => of.attachment.attachmentId === attachment.attachmentId)
    const kept = (before?.packages ?? []).filter((pack) => packages.every((one) => one.occurrence !== pack.occurrence))
    return { attachment, packages: [...packages, ...kept].sort((left, right) => left.occurrence - right.occurrence) }
  })
})

describe("A difference", () => {
  it("leads to the next aggregate, and a second one changes nothing", () => {
    fc.assert(
      fc.property(aggregates, aggregates, (loaded, other) => {
        const next = keeping(loaded, other)
        const stored = SimDifference.applied(loaded, SimDifference.difference({ loaded, next }))
        expect(stored).toEqual({ ...next, sim: { ...next.sim, version: loaded.sim.version + 1 } })
        const { attachments, packages, sim, subscriptions } = SimDifference.difference({ loaded: stored, next })
        const kinds = [attachments, { ...packages, removed: [] }, subscriptions]
        const rows = kinds.flatMap(({ added, changed, removed }) => [...added, ...changed, ...removed])
        expect([...sim.fields, ...rows]).toEqual([])
      }),
      { numRuns: 1_000 }
    )
  })
})
