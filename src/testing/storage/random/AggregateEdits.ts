/**
 * Random changes of a SIM's aggregate: what each part of a step writes of it, and beside it.
 */
import type { Allocation, Sim } from "../../../domain/Sim.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import type { SimChange } from "../../../domain/SimDifference.ts"
import { DAY, HOUR, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { Commit } from "../../../ports/Storage.ts"
import { type AggregatePart, type Part, pick } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import { type Change, change, type World, type Written } from "../world/World.ts"

// The change of the whole aggregate, or of a view that has what is written: that for reports, or the SIM alone.
const seenAs = ({ loaded, next }: Change, name: AggregatePart, part: Part): SimChange => {
  if (part.choice % 2 === 0) return { loaded, next }
  switch (name) {
    case "free":
    case "download":
    case "withdraw":
    case "correct":
    case "mobile plan":
    case "pause":
      return { loaded: { sim: loaded.sim }, next: { sim: next.sim } }
    case "use":
      return { loaded: Rows.forReports(loaded), next: Rows.forReports(next) }
    default:
      return { loaded, next }
  }
}

/** What a report adds to the book of usage. */
const usage = (of: Pick<World, "now">, { choice, row }: Part, { attachments, sim }: SimAggregate): Commit => {
  const attachment = attachments.length === 0 ? undefined : pick(attachments, choice).attachment
  if (attachment === undefined || choice % 4 === 3) return {}
  const day = UsageBook.dayOf(of.now) + ((row % 3) - 1) * 20 * DAY
  const countryAlpha2 = pick([null, "SE", "FR"], choice)
  return { reports: { usage: [Rows.usage(of, sim, attachment, { day, countryAlpha2, bytes: choice + 1 })] } }
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

const withdrawn: ReadonlyArray<Allocation> = [
  { _tag: "Withdrawn", reason: "broken", ending: null },
  { _tag: "Withdrawn", reason: "lost", ending: null },
  { _tag: "Withdrawn", reason: "replaced", ending: "moved" }
]

/** What a part writes of the SIM's aggregate, and what else. */
const written = (
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
    case "withdraw":
      return [
        subscription === null
          ? {
              sim: {
                allocation: part.choice < 4 ? free : pick(withdrawn, part.choice)
              }
            }
          : {},
        {}
      ]
    case "correct": {
      const lpa = part.choice < 4 ? null : `LPA:1$a$${part.choice}`
      // What an attachment has used is booked under one label.
      const label = subscription === null ? pick(["Green", "Blue"] as const, part.choice) : sim.label
      return [{ sim: { label, lpa } }, {}]
    }
    case "download":
      return [{ sim: { downloaded: part.choice > 3, lastActivityAt: world.now + part.choice } }, {}]
    case "mobile plan": {
      const applied = part.choice % 2 === 0
      const changing = { _tag: "Changing", applied, target: !applied } as const
      return [{ sim: { mobilePlan: part.choice < 8 ? { _tag: "Settled", applied } : changing } }, {}]
    }
    case "pause": {
      const pausedAt = part.choice % 2 === 0 ? world.now + part.choice : null
      const changing = {
        _tag: "Changing",
        pausedAt,
        changeId: `change-${part.choice}`,
        active: part.choice % 3 === 0
      } as const
      return [{ sim: { service: part.choice < 8 ? { _tag: "Settled", pausedAt } : changing } }, {}]
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
      const refused = part.choice % 5 === 1 ? { status: "Refused" as const, refusal: "no zone \u2026" } : {}
      const packages = Array.from({ length: part.choice % 3 }, (_, index) => Rows.pack(of, added, index, refused))
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
      return [used(world, part, aggregate), usage(of, part, aggregate)]
  }
}

/** What the part commits of an aggregate that is stored. */
export const commit = (world: World, name: AggregatePart, part: Part, aggregate: SimAggregate): Commit => {
  const [changed, more] = written(world, name, part, aggregate)
  return { ...more, sims: [seenAs(change(aggregate, changed), name, part)] }
}
