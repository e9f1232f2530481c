/**
 * Random changes to an aggregate: the part of a random commit that writes a SIM and what hangs on it.
 */
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import type { Sim } from "../../../domain/Sim.ts"
import { HOUR, MINUTE } from "../../../domain/Time.ts"
import type { Commit } from "../../../ports/Storage.ts"
import type { Written } from "../world/Aggregates.ts"
import { type AggregatePart, type Part, pick } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import type { World } from "../world/World.ts"

/** What a part writes of the SIM's aggregate, and what else. */
export const aggregateEdit = (
  world: World,
  name: AggregatePart,
  part: Part,
  aggregate: SimAggregate
): readonly [Written, Commit] => {
  const { attachments, sim, subscription } = aggregate
  const { organizationId } = sim
  const of = { ...world, organizationId }
  const free = { _tag: "Free" } as const
  const attachment = attachments.length === 0 ? undefined : pick(attachments, part.choice).attachment
  switch (name) {
    case "free":
      return [subscription === null ? { sim: { allocation: free, recycledAt: world.now + part.choice } } : {}, {}]
    case "download":
      return [{ sim: { downloaded: part.choice > 3, lastActivityAt: world.now + part.choice } }, {}]
    case "mobile plan": {
      const applied = part.choice % 2 === 0
      const changing = { _tag: "Changing", applied, target: !applied } as const
      return [{ sim: { mobilePlan: part.choice < 8 ? { _tag: "Settled", applied } : changing } }, {}]
    }
    case "open":
    case "open pending": {
      if (subscription !== null) return [{}, {}]
      const createdAt = world.now + part.choice
      const opened = Rows.subscription(of, sim, { createdAt, status: name === "open" ? "Live" : "Pending" })
      const { subscriptionId } = opened
      return [{ sim: { allocation: { _tag: "Provisioning", subscriptionId } }, subscription: opened }, {}]
    }
    case "confirm": {
      if (subscription === null) return [{}, {}]
      const { subscriptionId } = subscription
      const last = attachments.at(-1)?.attachment
      return [
        {
          sim: {
            allocation: { _tag: "InService", subscriptionId },
            ...(part.choice % 4 === 1 ? { downloaded: true } : {})
          },
          subscription: { ...subscription, status: "Live" },
          attachments: last === undefined || part.choice % 4 === 3 ? [] : [{ ...last, confirmed: true }]
        },
        {}
      ]
    }
    case "attach": {
      if (subscription === null) return [{}, {}]
      const confirmed = part.choice % 5 !== 4
      const added = Rows.attachment(of, subscription, { createdAt: world.now + part.choice, confirmed })
      const packages = Array.from({ length: part.choice % 3 }, (_, index) => Rows.pack(of, added, index))
      return [{ attachments: [added], packages }, {}]
    }
    case "pack": {
      if (attachment === undefined) return [{}, {}]
      const pack = Rows.pack(of, attachment, part.choice % 4, {
        usedBytes: part.choice,
        expirationAt: part.choice === 0 ? null : world.now + (part.choice - 5) * HOUR,
        telcoPackageId: part.choice % 4 > 1 ? `T-${part.choice % 4}` : null
      })
      return [{ attachments: [{ ...attachment, lastThresholdNotified: part.choice }], packages: [pack] }, {}]
    }
    case "delete":
      if (subscription === null) return [{}, {}]
      return [
        {
          sim: { allocation: { _tag: "Releasing", subscriptionId: subscription.subscriptionId } },
          subscription: { ...subscription, status: "Deleted" }
        },
        {}
      ]
    case "remove subscription":
      return [{ sim: { allocation: free }, subscription: null }, {}]
    case "remove attachment":
      return [{ removedAttachments: attachment === undefined ? [] : [attachment.attachmentId] }, {}]
    case "report": {
      const entry = Rows.smdpEntry(of, sim, { modifiedAt: world.now + part.choice })
      const seen = { organizationId, reportId: `report ${part.choice % 4}`, receivedAt: world.now + part.row * MINUTE }
      const smdp = { state: entry.state, modifiedAt: entry.modifiedAt }
      return [{ sim: { smdp } }, { reports: { smdpEntries: [entry], seen: [seen] } }]
    }
    case "use":
      return [used(world, part, aggregate), {}]
  }
}

/** What a report changes of an aggregate: something of its SIM, of an attachment and of a package of that. */
const used = (world: World, part: Part, aggregate: SimAggregate): Written => {
  const at = world.now + part.choice
  const of = aggregate.attachments.length === 0 ? undefined : pick(aggregate.attachments, part.choice)
  const pack = of === undefined || of.packages.length === 0 ? undefined : pick(of.packages, part.choice)
  const smdp: Sim["smdp"] = part.choice % 3 === 0 ? { state: "Disable", modifiedAt: at } : aggregate.sim.smdp
  const location =
    part.choice % 4 === 0 ? { countryAlpha2: "SE", operator: "O", rat: "4G", imei: "1", at } : aggregate.sim.location
  const lastActivityAt = part.choice === 5 ? null : at
  return {
    sim: { downloaded: part.choice > 3, lastActivityAt, smdp, location },
    attachments: of === undefined ? [] : [{ ...of.attachment, anchor: at, lastThresholdNotified: part.choice }],
    packages:
      pack === undefined
        ? []
        : [
            {
              ...pack,
              activationAt: at,
              expirationAt: part.choice % 5 === 0 ? null : at + HOUR,
              usedBytes: part.choice
            }
          ]
  }
}
