/**
 * What must hold of SIMs and of the organizations that own them.
 */
import type { SimAggregate } from "../../domain/SimAggregate.ts"
import * as Sim from "../../domain/Sim.ts"
import * as WebhookEvent from "../../domain/WebhookEvent.ts"
import type { Asked } from "../commands/Asked.ts"
import type { Step } from "../History.ts"
import { first, type Invariant, make, show } from "./Invariant.ts"

const misplaced = ({ attachments, sim, subscription }: SimAggregate): string | null => {
  const { allocation, iccid } = sim
  const holder = allocation._tag === "Free" ? null : allocation.subscriptionId
  const status = subscription?.status ?? null
  const fits = {
    Free: status === null,
    Provisioning: status === "Pending",
    InService: status === "Live",
    // A creation that was interrupted may be resumed (rule S5).
    Releasing: status === null || status === "Pending"
  }[allocation._tag]
  if (!fits) {
    return `${iccid} is ${allocation._tag}, and its subscription ${subscription?.status ?? "not there"}`
  }
  if (subscription !== null && (subscription.subscriptionId !== holder || subscription.iccid !== iccid)) {
    return `${iccid} is held by ${holder}, and has the subscription ${show(subscription)}`
  }
  return first(attachments, ({ attachment, packages }) => {
    const { attachmentId, subscriptionId } = attachment
    if (attachment.iccid !== iccid || subscriptionId !== subscription?.subscriptionId) {
      return `${iccid} has the attachment ${attachmentId} of ${attachment.iccid} and ${subscriptionId}`
    }
    return first(packages, (pack) =>
      pack.iccid === iccid && pack.attachmentId === attachmentId
        ? null
        : `${attachmentId} has the package ${show(pack)}`
    )
  })
}

/** Rules S2, S3 and S5. A SIM's allocation and its subscription fit, and no subscription is on two SIMs. */
export const simsAreInOnePlace: Invariant = make(
  "a SIM is in exactly one place: free, being put into service, in service, or being released",
  "S2, S3, S5",
  (history) => {
    const iccids = history.inventories.flatMap((inventory) => inventory.iccids)
    return ({ after }) => {
      const subscriptions = new Set<string>()
      return first(iccids, (iccid) => {
        const line = after.get(iccid)
        if (line === undefined) return `${iccid} is not in the inventory any more`
        const id = line.subscription?.subscriptionId
        if (id !== undefined && subscriptions.has(id)) return `the subscription ${id} is on two SIMs`
        if (id !== undefined) subscriptions.add(id)
        return misplaced(line)
      })
    }
  }
)

/**
 * Rules S2 and S3. Such an eSIM is not deleted from its subscription, and is not picked for a creation without an
 * ICCID.
 */
export const downloadedSimsStay: Invariant = make(
  "an eSIM that shows a sign of a download is neither given away nor recycled",
  "S2, S3",
  () =>
    ({ before, step }) => {
      const { asked, outcome } = step
      if (outcome._tag !== "Answered") return null
      if (asked._tag === "Delete") {
        const sim = before.get(asked.iccid)?.sim
        return sim?.isEsim && sim.downloaded ? `${asked.iccid} was recycled` : null
      }
      if (asked._tag !== "Subscribe" || asked.iccid !== null || outcome.answer.kind !== "Created") return null
      const sim = before.get(outcome.answer.created.sim.iccid)?.sim
      return sim?.isEsim && !sim.downloaded && sim.allocation._tag === "Free" ? null : `${show(sim)} was given away`
    }
)

/**
 * Rules S2 and S5. A creation without an ICCID, also one that comes again with its key, is refused for want of an eSIM only
 * where none is free, and for good only where no creation that may yet fail has one.
 */
export const stockIsGiven: Invariant = make(
  "no request is refused for want of an eSIM while one is left",
  "S2, S5, W2",
  () =>
    ({ after, before, step: { asked, outcome } }) => {
      const request = asked._tag === "Repeat" ? asked.request : asked
      if (request._tag !== "Subscribe" || outcome._tag !== "Refused") return null
      const { refusal } = outcome
      if (refusal._tag !== "NoFreeSim" && refusal._tag !== "SimsReleasing") return null
      const mayBeHad = (sim: Sim.Sim | undefined): boolean =>
        sim !== undefined && (Sim.isFree(sim) || (refusal._tag === "NoFreeSim" && Sim.isUndecided(sim)))
      return first(before.values(), ({ sim }) => {
        if (sim.organizationId !== request.organizationId || sim.label !== refusal.label) return null
        if (Sim.isFree(sim)) return `a request was refused with ${refusal._tag}, and ${sim.iccid} was free`
        return mayBeHad(sim) && mayBeHad(after.get(sim.iccid)?.sim)
          ? `a request was refused with ${refusal._tag}, and the creation that has ${sim.iccid} is not decided`
          : null
      })
    }
)

type ByOrganization = Extract<Asked, { readonly foreign: boolean }>

const requestOf = (asked: Asked): ByOrganization | null =>
  asked._tag === "Repeat" ? asked.request : "foreign" in asked ? asked : null

const trespassed = ({ changes, outcome }: Step, { foreign, organizationId }: ByOrganization): string | null => {
  if (foreign && outcome._tag === "Answered") return "what is another organization's was found"
  const known = outcome._tag === "Refused" ? outcome.refusal._tag : null
  // What is wrong with the request itself is answered first (rule W8).
  if (foreign && known !== null && known !== "NotFound" && known !== "InvalidField") {
    return `what is another organization's was answered with ${known}`
  }
  const touched = changes.lines.find(({ sim }) => sim.organizationId !== organizationId)
  return touched === undefined ? null : `a request of ${organizationId} changed ${touched.sim.iccid}`
}

/**
 * Rule W1. A request for what another organization owns is `NotFound`, unless its own fields are wrong. Changes, rows
 * and events stay with the SIM's owner.
 */
export const nothingCrossesOrganizations: Invariant = make(
  "nothing crosses organizations",
  "W1, section 1",
  (history) => {
    const owners = new Map(
      history.inventories.flatMap(({ iccids, organizationId }) =>
        iccids.map((iccid) => [iccid, organizationId] as const)
      )
    )
    return ({ after, step }) => {
      const request = requestOf(step.asked)
      const complaint = request === null ? null : trespassed(step, request)
      if (complaint !== null) return complaint
      return (
        first(step.changes.lines, ({ attachments, sim, subscription }) => {
          const all = [sim, ...(subscription === null ? [] : [subscription])]
          const rows = [...all, ...attachments.flatMap(({ attachment, packages }) => [attachment, ...packages])]
          const strange = rows.find(({ organizationId }) => organizationId !== owners.get(sim.iccid))
          return strange === undefined ? null : `${sim.iccid} has a row of ${strange.organizationId}`
        }) ??
        first(step.changes.events, ({ organizationId, payload }) => {
          const iccid = WebhookEvent.iccid(payload)
          return iccid === null || owners.get(iccid) === organizationId
            ? null
            : `${organizationId} was notified of ${iccid}`
        }) ??
        first(step.changes.records, (record) =>
          "iccid" in record && !after.has(record.iccid) ? `the telco has ${record.iccid}, which nobody has` : null
        )
      )
    }
  }
)
