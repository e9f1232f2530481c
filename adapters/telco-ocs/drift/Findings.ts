/**
 * What differs between both books, as an operator reads it among the problems: what it is, and what to do about it.
 *
 * A package that is found by more than one poll has one finding. Once it is resolved, a comparison adds it again as long as
 * the books still differ.
 */
import { type Problem, Time, UsageBook } from "simplan/ports"
import type { SubscriberPackage, Window } from "../api/Api.ts"
import type { UsedDuplicate } from "../orders/Settlement.ts"
import type * as ZoneProof from "../orders/ZoneProof.ts"

type Finding = Problem.Finding

const finding = (telco: string, id: string, iccid: string, what: string, todo: string): Finding => ({
  findingId: `${telco}/${id}`,
  iccid,
  message: `${telco}: ${what}. ${todo}, then resolve this problem`
})

const periodOf = ({ activationAt, expirationAt }: SubscriberPackage): string =>
  `${activationAt === null ? "its first use" : Time.toIso(activationAt)} to ${expirationAt === null ? "an open end" : Time.toIso(expirationAt)}`

const bytes = (used: number): string => `${used} bytes of it are used`

interface Ordered {
  readonly telco: string
  readonly iccid: string
  /** Ours. */
  readonly packageId: string
  /** The OCS's own. */
  readonly externalId: string
}

/** A package that the OCS has no longer. */
export const missing = ({ externalId, iccid, packageId, telco }: Ordered): Finding =>
  finding(
    telco,
    `missing/${packageId}`,
    iccid,
    `package ${packageId} was created as ${externalId}, and is not listed any more`,
    `Find out who has deleted it at ${telco}. If the customer is to have it, attach the plan again`
  )

/** A package that was created, and whose subscription is gone or never came about. */
export const ownerless = ({ externalId, iccid, packageId, telco }: Ordered, usedBytes: number): Finding =>
  finding(
    telco,
    `ownerless/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) is active, no subscription has it, and ${bytes(usedBytes)}`,
    `Delete package ${externalId} at ${telco}`
  )

/** A package that is stopped at the OCS, and not here. */
export const inactive = ({ externalId, iccid, packageId, telco }: Ordered): Finding =>
  finding(
    telco,
    `inactive/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) is not active, and nothing here has suspended it`,
    `Activate ${externalId} at ${telco}, or suspend its plan attachment`
  )

/** A package with another allowance than that which was ordered. */
export const limit = (
  { externalId, iccid, packageId, telco }: Ordered,
  orderedBytes: number,
  listedBytes: number
): Finding =>
  finding(
    telco,
    `limit/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) was ordered with ${orderedBytes} bytes, and has ${listedBytes}`,
    `Set the allowance of ${externalId} at ${telco} to that which was ordered`
  )

/** A template that grants something else than its name says. It stands once, with the first SIM that has a package of it. */
export const template = (
  {
    iccid,
    name,
    telco,
    templateId
  }: {
    readonly telco: string
    readonly iccid: string
    readonly templateId: number
    readonly name: string
  },
  changes: ReadonlyArray<string>
): Finding =>
  finding(
    telco,
    `template/${templateId}`,
    iccid,
    `template ${templateId}, ${JSON.stringify(name)}, was edited: ${changes.join(", ")}`,
    `Set it back at ${telco}, and correct the packages that were made from it meanwhile`
  )

/** A package whose times are not those that were ordered; without a window they come of its first use. */
export const times = (
  { externalId, iccid, packageId, telco }: Ordered,
  window: Window | null,
  listed: SubscriberPackage
): Finding =>
  finding(
    telco,
    `times/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) was ordered from ${window === null ? "its first use on" : `${Time.toIso(window.start)} to ${Time.toIso(window.end)}`}, and lasts from ${periodOf(listed)}`,
    `Set the times of ${externalId} at ${telco} to those that were ordered`
  )

/** A package that was cancelled, and is there and used. */
export const cancelled = ({ externalId, iccid, packageId, telco }: Ordered, usedBytes: number): Finding =>
  finding(
    telco,
    `cancelled/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) was cancelled, is active, and ${bytes(usedBytes)}`,
    `Delete package ${externalId} at ${telco}`
  )

const unorderedId = (iccid: string, id: number): string => `unordered/${iccid}/${id}`

/** A package that looks like simplan's, and that no order has. */
export const unordered = (telco: string, iccid: string, { id, templateName, usedBytes }: SubscriberPackage): Finding =>
  finding(
    telco,
    unorderedId(iccid, id),
    iccid,
    `package ${id} is active, has the template ${JSON.stringify(templateName)}, and simplan has not ordered it; ${bytes(usedBytes)}`,
    `Delete package ${id} at ${telco}, unless somebody has assigned it on purpose`
  )

/** A package that came of an order late or twice, and that was used before it could be deleted. */
export const duplicate = (telco: string, { duplicateId, iccid, order, packageId, usedBytes }: UsedDuplicate): Finding =>
  finding(
    telco,
    unorderedId(iccid, duplicateId),
    iccid,
    order === "Created"
      ? `package ${duplicateId} is a second one of ${packageId}, and ${bytes(usedBytes)}`
      : `package ${duplicateId} came of ${packageId}, which was ${order.toLowerCase()}, and ${bytes(usedBytes)}`,
    `Delete package ${duplicateId} at ${telco}`
  )

/** The zone in the settings is not the one in which the OCS reads the windows of orders. */
export const zone = (telco: string, { iccid, message }: ZoneProof.Disproof): Finding => ({
  findingId: `${telco}/time-zone`,
  iccid,
  message: `${message}, then resolve this problem`
})

interface OfSim {
  readonly telco: string
  readonly iccid: string
}

const usageId = ({ iccid }: OfSim, day: Time.Instant): string => `usage/${iccid}/${UsageBook.dateOf(day)}`

/** The id of the finding about the usage of a SIM on a day, which is its first instant. */
export const usageFindingId = (of: OfSim, day: Time.Instant): string => `${of.telco}/${usageId(of, day)}`

/** A day on which a SIM has used another total by the OCS's own book than by ours (rule U1). */
export const usage = (of: OfSim, difference: NonNullable<Finding["usage"]>): Finding => {
  const { iccid, telco } = of
  const day = UsageBook.dateOf(difference.day)
  return {
    ...finding(
      telco,
      usageId(of, difference.day),
      iccid,
      `on ${day} the SIM has used ${difference.booked} bytes by simplan's book, and ${difference.telco} by that of ${telco}`,
      `Find out at ${telco} what was used outside the packages of simplan, or was not charged to them`
    ),
    usage: difference
  }
}
