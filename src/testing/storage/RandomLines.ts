/**
 * Random changes to a line: the part of a random commit that writes a SIM and what hangs on it.
 */
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import type { Sim } from "../../domain/Sim.ts"
import { HOUR, MINUTE } from "../../domain/Time.ts"
import type { Commit } from "../../ports/Storage.ts"
import { type LinePart, type Part, pick } from "./RandomSteps.ts"
import * as Rows from "./Rows.ts"
import type { World } from "./World.ts"

/** What a part does to the SIM, and what else it writes. */
export const lineEdit = (
  world: World,
  name: LinePart,
  part: Part,
  line: SimAggregate
): readonly [Partial<Sim>, Commit] => {
  const { attachments, sim, subscription } = line
  const { organizationId } = sim
  const of = { ...world, organizationId }
  const free = { _tag: "Free" } as const
  const attachment = attachments.length === 0 ? undefined : pick(attachments, part.choice).attachment
  switch (name) {
    case "free":
      return [subscription === null ? { hold: free, recycledAt: world.now + part.choice } : {}, {}]
    case "download":
      return [{ downloaded: part.choice > 3, lastActivityAt: world.now + part.choice }, {}]
    case "mobile plan": {
      const applied = part.choice % 2 === 0
      const target = !applied
      return [
        { mobilePlan: part.choice < 8 ? { _tag: "Settled", applied } : { _tag: "Changing", applied, target } },
        {}
      ]
    }
    case "open":
    case "open pending": {
      if (subscription !== null) return [{}, {}]
      const createdAt = world.now + part.choice
      const opened = Rows.subscription(of, sim, { createdAt, status: name === "open" ? "Live" : "Pending" })
      const { subscriptionId } = opened
      return [{ hold: { _tag: "Provisioning", subscriptionId } }, { subscriptions: [opened] }]
    }
    case "confirm":
      if (subscription === null) return [{}, {}]
      return [
        { hold: { _tag: "InService", subscriptionId: subscription.subscriptionId } },
        { subscriptions: [{ ...subscription, status: "Live", metadata: `choice ${part.choice}` }] }
      ]
    case "attach": {
      if (subscription === null) return [{}, {}]
      const added = Rows.attachment(of, subscription, { createdAt: world.now + part.choice })
      const packages = Array.from({ length: part.choice % 3 }, (_, index) => Rows.pack(of, added, index))
      return [{}, { attachments: [added], packages }]
    }
    case "pack": {
      if (attachment === undefined) return [{}, {}]
      const pack = Rows.pack(of, attachment, part.choice % 4, {
        usedBytes: part.choice,
        expirationAt: part.choice === 0 ? null : world.now + (part.choice - 5) * HOUR,
        telcoPackageId: part.choice > 6 ? `T-${part.choice}` : null
      })
      return [{}, { attachments: [{ ...attachment, thresholdTold: part.choice }], packages: [pack] }]
    }
    case "delete":
      if (subscription === null) return [{}, {}]
      return [
        { hold: { _tag: "Releasing", subscriptionId: subscription.subscriptionId } },
        { subscriptions: [{ ...subscription, status: "Deleted" }] }
      ]
    case "remove subscription": {
      const subscriptionId = subscription?.subscriptionId ?? world.id()
      return [{ hold: free }, { removedSubscriptions: [{ organizationId, subscriptionId }] }]
    }
    case "remove attachment": {
      const attachmentId = attachment?.attachmentId ?? world.id()
      return [{}, { removedAttachments: [{ organizationId, attachmentId }] }]
    }
    case "report": {
      const entry = Rows.smdpEntry(of, sim, { modifiedAt: world.now + part.choice })
      const seen = { organizationId, reportId: `report ${part.choice % 4}`, receivedAt: world.now + part.row * MINUTE }
      return [{ smdp: entry }, { smdpEntries: [entry], seenReports: [seen] }]
    }
    case "use":
      return [{}, {}]
  }
}

/** What a report leaves of a line: something of its SIM, of an attachment and of a package of that. */
export const used = (
  world: World,
  part: Part,
  line: SimAggregate,
  version: number
): NonNullable<Commit["reported"]> => {
  const { iccid, organizationId } = line.sim
  const at = world.now + part.choice
  const { attachment, packages = [] } =
    line.attachments.length === 0 ? { attachment: undefined } : pick(line.attachments, part.choice)
  const attachmentId = attachment?.attachmentId ?? world.id()
  const pack = packages.length === 0 ? undefined : pick(packages, part.choice)
  return {
    sims: [
      {
        organizationId,
        iccid,
        version,
        downloaded: part.choice > 3,
        lastActivityAt: part.choice === 5 ? null : at,
        smdp: part.choice % 3 === 0 ? { state: "Disable", modifiedAt: at } : null,
        location: part.choice % 4 === 0 ? { countryAlpha2: "SE", operator: "O", rat: "4G", imei: "1", at } : null
      }
    ],
    attachments: [{ organizationId, attachmentId, anchor: at, thresholdTold: part.choice }],
    packages: [
      {
        organizationId,
        attachmentId,
        occurrence: pack?.occurrence ?? part.choice,
        activationAt: at,
        expirationAt: part.choice % 5 === 0 ? null : at + HOUR,
        usedBytes: part.choice
      }
    ]
  }
}
