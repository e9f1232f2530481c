/**
 * Random changes of a SIM's aggregate: what each part of a step writes of it, and beside it.
 */
import type { Allocation, Sim } from "../../../domain/Sim.ts"
import type { SimAggregate } from "../../../domain/SimAggregate.ts"
import type { SimChange } from "../../../domain/SimDifference.ts"
import type { Subscription } from "../../../domain/Subscription.ts"
import { DAY, HOUR, MINUTE } from "../../../domain/Time.ts"
import * as UsageBook from "../../../domain/UsageBook.ts"
import type { Commit } from "../../../ports/Storage.ts"
import { type Part, pick } from "./RandomSteps.ts"
import * as Rows from "../world/Rows.ts"
import { change, type World, type Written } from "../world/World.ts"

/** What a part of a commit writes of a SIM's aggregate. */
export interface Edit {
  /** The rows, and what else is committed. */
  readonly written: (world: World, part: Part, aggregate: SimAggregate) => readonly [Written, Commit?]
  /**
   * A view that has all that is written: half of the changes are of it alone. Absent: of the whole
   * aggregate.
   */
  readonly view?: (aggregate: SimAggregate) => SimChange["loaded"]
}

const simAlone = ({ sim }: SimAggregate) => ({ sim })

/** What a report adds to the book of usage. */
const usage = (of: Pick<World, "now">, { choice, row }: Part, { attachments, sim }: SimAggregate): Commit => {
  const attachment = attachments.length === 0 ? undefined : pick(attachments, choice).attachment
  if (attachment === undefined || choice % 4 === 3) return {}
  const day = UsageBook.dayOf(of.now) + ((row % 3) - 1) * 20 * DAY
  const countryAlpha2 = pick([null, "SE", "FR"], choice)
  return { reports: { usage: [Rows.usage(of, sim, attachment, { day, countryAlpha2, bytes: choice + 1 })] } }
}

/**
 * What a report changes of an aggregate: something of its SIM, of an attachment and of a package of
 * that.
 */
const used = (world: World, part: Part, aggregate: SimAggregate): Written => {
  const at = world.now + part.choice
  const edited = aggregate.attachments.length === 0 ? undefined : pick(aggregate.attachments, part.choice)
  const pack = edited === undefined || edited.packages.length === 0 ? undefined : pick(edited.packages, part.choice)
  const smdp: Sim["smdp"] = part.choice % 3 === 0 ? { state: "Disable", modifiedAt: at } : aggregate.sim.smdp
  const location =
    part.choice % 4 === 0 ? { countryAlpha2: "SE", operator: "O", rat: "4G", imei: "1", at } : aggregate.sim.location
  const lastActivityAt = part.choice === 5 ? null : at
  return {
    sim: { downloaded: part.choice > 3, lastActivityAt, smdp, location },
    attachments: edited === undefined ? [] : [{ ...edited.attachment, anchor: at, lastThresholdNotified: part.choice }],
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
  { _tag: "Withdrawn", reason: "returned", ending: null },
  { _tag: "Withdrawn", reason: "replaced", ending: "moved" }
]

const free = { _tag: "Free" } as const

const tags: ReadonlyArray<ReadonlyArray<string>> = [[], ["VIP"], ["Été", "vip"]]

const opened =
  (status: Subscription["status"]): Edit["written"] =>
  (world, { choice }, { sim, subscription }) => {
    if (subscription !== null) return [{}]
    const createdAt = world.now + choice
    const opened = Rows.subscription(world, sim, { createdAt, status })
    const { subscriptionId } = opened
    return [{ sim: { allocation: { _tag: "Provisioning", subscriptionId } }, subscription: opened }]
  }

const attachmentOf = ({ attachments }: SimAggregate, { choice }: Part) =>
  attachments.length === 0 ? undefined : pick(attachments, choice).attachment

/** The edits by their names. */
export const edits = {
  free: {
    view: simAlone,
    written: ({ now }, { choice }, { subscription }) => [
      subscription === null ? { sim: { allocation: free, recycledAt: now + choice } } : {}
    ]
  },
  download: {
    view: simAlone,
    written: ({ now }, { choice }) => [{ sim: { downloaded: choice > 3, lastActivityAt: now + choice } }]
  },
  withdraw: {
    view: simAlone,
    written: (_, { choice }, { subscription }) => [
      subscription === null ? { sim: { allocation: choice < 4 ? free : pick(withdrawn, choice) } } : {}
    ]
  },
  correct: {
    view: simAlone,
    written: (_, { choice }, { sim, subscription }) => {
      const lpa = choice < 4 ? null : `LPA:1$a$${choice}`
      // What an attachment has used is booked under one label.
      const label = subscription === null ? pick(["Green", "Blue"] as const, choice) : sim.label
      return [{ sim: { label, lpa, tags: pick(tags, choice) } }]
    }
  },
  buy: {
    view: simAlone,
    written: (world, { choice }, { sim, subscription }) => {
      const bought = { purchaseId: world.id(), load: "1 GB", sellBy: null, cost: null, boughtAt: world.now + choice }
      const again = {
        lpa: `LPA:1$a$${choice}`,
        imsi: choice % 4 === 0 ? null : `2089300000000${choice}`,
        downloaded: false
      }
      if (subscription !== null) return [{}]
      return [
        { sim: { purchase: choice < 2 ? sim.purchase : bought, ...(sim.isEsim && choice % 2 === 0 ? again : {}) } }
      ]
    }
  },
  "mobile plan": {
    view: simAlone,
    written: (_, { choice }) => {
      const applied = choice % 2 === 0
      const changing = { _tag: "Changing", applied, target: !applied } as const
      return [{ sim: { mobilePlan: choice < 8 ? { _tag: "Settled", applied } : changing } }]
    }
  },
  pause: {
    view: simAlone,
    written: ({ now }, { choice }) => {
      const pausedAt = choice % 2 === 0 ? now + choice : null
      const changing = { _tag: "Changing", pausedAt, changeId: `change-${choice}`, active: choice % 3 === 0 } as const
      return [{ sim: { service: choice < 8 ? { _tag: "Settled", pausedAt } : changing } }]
    }
  },
  open: { written: opened("Live") },
  "open pending": { written: opened("Pending") },
  confirm: {
    written: (_, { choice }, { attachments, subscription }) => {
      if (subscription === null) return [{}]
      const allocation = { _tag: "InService", subscriptionId: subscription.subscriptionId } as const
      const last = attachments.at(-1)?.attachment
      return [
        {
          sim: { allocation, ...(choice % 4 === 1 ? { downloaded: true } : {}) },
          subscription: { ...subscription, status: "Live" },
          attachments: last === undefined || choice % 4 === 3 ? [] : [{ ...last, confirmed: true }]
        }
      ]
    }
  },
  attach: {
    written: (world, { choice }, { subscription }) => {
      if (subscription === null) return [{}]
      const confirmed = choice % 5 !== 4
      const added = Rows.attachment(world, subscription, { createdAt: world.now + choice, confirmed })
      const refused = choice % 5 === 1 ? { status: "Refused" as const, refusal: "no zone \u2026" } : {}
      const packages = Array.from({ length: choice % 3 }, (_, index) => Rows.pack(world, added, index, refused))
      return [{ attachments: [added], packages }]
    }
  },
  pack: {
    written: (world, part, aggregate) => {
      const attachment = attachmentOf(aggregate, part)
      if (attachment === undefined) return [{}]
      const { choice } = part
      const pack = Rows.pack(world, attachment, choice % 4, {
        usedBytes: choice,
        expirationAt: choice === 0 ? null : world.now + (choice - 5) * HOUR,
        telcoPackageId: choice % 4 > 1 ? `T-${choice % 4}` : null
      })
      return [{ attachments: [{ ...attachment, lastThresholdNotified: choice }], packages: [pack] }]
    }
  },
  delete: {
    written: (_world, _part, { subscription }) => {
      if (subscription === null) return [{}]
      const allocation = { _tag: "Releasing", subscriptionId: subscription.subscriptionId } as const
      return [{ sim: { allocation }, subscription: { ...subscription, status: "Deleted" } }]
    }
  },
  "remove subscription": { written: () => [{ sim: { allocation: free }, subscription: null }] },
  "remove attachment": {
    written: (_, part, aggregate) => {
      const attachment = attachmentOf(aggregate, part)
      return [{ removedAttachments: attachment === undefined ? [] : [attachment.attachmentId] }]
    }
  },
  report: {
    written: (world, { choice, row }, { sim }) => {
      const entry = Rows.smdpEntry(world, sim, { modifiedAt: world.now + choice })
      const { organizationId } = world
      const seen = { organizationId, reportId: `report ${choice % 4}`, receivedAt: world.now + row * MINUTE }
      const smdp = { state: entry.state, modifiedAt: entry.modifiedAt }
      return [{ sim: { smdp } }, { reports: { smdpEntries: [entry], seen: [seen] } }]
    }
  },
  use: {
    view: Rows.forReports,
    written: (world, part, aggregate) => [used(world, part, aggregate), usage(world, part, aggregate)]
  }
} as const satisfies Readonly<Record<string, Edit>>

/** What the edit commits of an aggregate that is stored, whichever organization it is of. */
export const commit = (world: World, { view, written }: Edit, part: Part, aggregate: SimAggregate): Commit => {
  const owner = { ...world, organizationId: aggregate.sim.organizationId }
  const [changed, more = {}] = written(owner, part, aggregate)
  const { loaded, next } = change(aggregate, changed)
  const isWhole = view === undefined || part.choice % 2 === 0
  return { ...more, sims: [isWhole ? { loaded, next } : { loaded: view(loaded), next: view(next) }] }
}
