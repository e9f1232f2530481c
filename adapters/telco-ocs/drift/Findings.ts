/**
 * What differs between both books, as an operator reads it among the problems: what it is, and what
 * to do about it.
 *
 * A package that is found by more than one poll has one finding. Once it is resolved, a comparison
 * adds it again as long as the books still differ. A package that is kept although its creation is
 * undone is added again once more of it is used.
 */
import { type Problem, Time, UsageBook, type UsageReconciliation } from "simplan/ports"
import type { SubscriberPackage, Window } from "../api/Api.ts"
import type { Duplicate } from "../orders/Settlement.ts"
import type * as ZoneProof from "../orders/ZoneProof.ts"

type Finding = Problem.Finding

const finding = (
  telco: string,
  id: string,
  iccid: string,
  what: string,
  todo: string,
  more: Pick<Finding, "sides" | "correction"> = {}
): Finding => ({
  findingId: `${telco}/${id}`,
  iccid,
  message: `${telco}: ${what}. ${todo}, then resolve this problem`,
  ...more
})

const sides = (ours: string, theirs: string) => ({ sides: { ours, theirs } })

/** The package goes, whoever uses it: an operator has said so. */
const deleting = (telco: string, id: number | string): Pick<Finding, "correction"> => ({
  correction: { _tag: "Cancellation", packageId: `${telco}/${id}` }
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
    `Find out who has deleted it at ${telco}. If the customer is to have it, attach the plan again`,
    sides(`package ${packageId}`, "no such package")
  )

/** A package that was created, and whose subscription is gone or never came about. */
export const ownerless = ({ externalId, iccid, packageId, telco }: Ordered, usedBytes: number): Finding =>
  finding(
    telco,
    `ownerless/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) is active, no subscription has it, and ${bytes(usedBytes)}`,
    `Delete package ${externalId} at ${telco}`,
    { ...sides("no subscription has it", "active"), correction: { _tag: "Cancellation", packageId } }
  )

/** A package that is stopped at the OCS, and not here. */
export const inactive = ({ externalId, iccid, packageId, telco }: Ordered): Finding =>
  finding(
    telco,
    `inactive/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) is not active, and nothing here has suspended it`,
    `Activate ${externalId} at ${telco}, or suspend its plan attachment`,
    sides("active", "not active")
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
    `Set the allowance of ${externalId} at ${telco} to that which was ordered`,
    sides(`${orderedBytes} bytes`, `${listedBytes} bytes`)
  )

/**
 * A template that grants something else than its name says. It stands once, with the first SIM that
 * has a package of it.
 */
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
    `Set it back at ${telco}, and correct the packages that were made from it meanwhile`,
    sides(JSON.stringify(name), changes.join(", "))
  )

/**
 * A package whose times are not those that were ordered; without a window they come of its first
 * use.
 */
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
    `Set the times of ${externalId} at ${telco} to those that were ordered`,
    sides(
      window === null ? "from its first use on" : `${Time.toIso(window.start)} to ${Time.toIso(window.end)}`,
      periodOf(listed)
    )
  )

/** A package that was cancelled, and is there and used. */
export const cancelled = ({ externalId, iccid, packageId, telco }: Ordered, usedBytes: number): Finding =>
  finding(
    telco,
    `cancelled/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) was cancelled, is active, and ${bytes(usedBytes)}`,
    `Delete package ${externalId} at ${telco}`,
    { ...sides("cancelled", `active, and ${bytes(usedBytes)}`), ...deleting(telco, externalId) }
  )

const unorderedId = (iccid: string, id: number): string => `unordered/${iccid}/${id}`

/** A package that looks like simplan's, and that no order has. */
export const unordered = (telco: string, iccid: string, { id, templateName, usedBytes }: SubscriberPackage): Finding =>
  finding(
    telco,
    unorderedId(iccid, id),
    iccid,
    `package ${id} is active, has the template ${JSON.stringify(templateName)}, and simplan has not ordered it; ${bytes(usedBytes)}`,
    `Delete package ${id} at ${telco}, unless somebody has assigned it on purpose`,
    { ...sides("not ordered", `package ${id}, and ${bytes(usedBytes)}`), ...deleting(telco, id) }
  )

/**
 * A package that came of an order late or twice, and that was used before it could be deleted; or
 * one that only looks so.
 */
export const duplicate = (
  telco: string,
  { duplicateId, iccid, isExplained, order, packageId, usedBytes }: Duplicate
): Finding =>
  finding(
    telco,
    unorderedId(iccid, duplicateId),
    iccid,
    !isExplained
      ? `package ${duplicateId} is like ${packageId}, all calls of which were answered, and simplan has not ordered it; ${bytes(usedBytes)}`
      : order === "Created"
        ? `package ${duplicateId} is a second one of ${packageId}, and ${bytes(usedBytes)}`
        : `package ${duplicateId} came of ${packageId}, which was ${order.toLowerCase()}, and ${bytes(usedBytes)}`,
    isExplained
      ? `Delete package ${duplicateId} at ${telco}`
      : `Delete package ${duplicateId} at ${telco}, unless a customer has paid for it whom a restored backup does not know`,
    { ...sides("one package", `a further one, ${duplicateId}`), ...deleting(telco, duplicateId) }
  )

/** A package that is active at the OCS, although its attachment is suspended. */
export const unsuspended = (
  { externalId, iccid, packageId, telco }: Ordered,
  attachmentId: string,
  suspendedAt: Time.Instant
): Finding =>
  finding(
    telco,
    `unsuspended/${packageId}`,
    iccid,
    `package ${packageId} (${externalId}) is active, and its plan attachment is suspended since ${Time.toIso(suspendedAt)}`,
    `Stop package ${externalId} at ${telco}`,
    {
      ...sides(`suspended since ${Time.toIso(suspendedAt)}`, "active"),
      correction: { _tag: "Suspension", attachmentId }
    }
  )

const serviceOf = (pausedAt: Time.Instant | null): string =>
  pausedAt === null ? "in service" : `paused since ${Time.toIso(pausedAt)}`

/** A SIM that is in service or paused, and has another status at the OCS. */
export const service = ({ iccid, telco }: OfSim, pausedAt: Time.Instant | null, status: string): Finding => {
  const ours = serviceOf(pausedAt)
  return finding(
    telco,
    `service/${iccid}`,
    iccid,
    `the SIM is ${ours} here, and ${status} there`,
    pausedAt === null ? `Activate the SIM at ${telco}` : `Suspend the SIM at ${telco}`,
    { ...sides(ours, status), correction: { _tag: "Service" } }
  )
}

/** A SIM that is sold here, and that the OCS does not know. */
export const unknown = ({ iccid, telco }: OfSim, pausedAt: Time.Instant | null): Finding => {
  const ours = serviceOf(pausedAt)
  return finding(
    telco,
    `unknown/${iccid}`,
    iccid,
    `the SIM is ${ours} here, and unknown there`,
    `Find out who has removed the SIM at ${telco}. If it is gone for good, move its subscription to another SIM`,
    sides(ours, "unknown")
  )
}

const planOf = (id: number | null): string => (id === null ? "none" : `mobile plan ${id}`)

/** A SIM with another mobile plan at the OCS than here. Null: it has none. */
export const mobilePlan = ({ iccid, telco }: OfSim, wanted: number | null, listed: number | null): Finding => {
  const [ours, theirs] = [planOf(wanted), planOf(listed)]
  return finding(
    telco,
    `mobile-plan/${iccid}`,
    iccid,
    `the SIM has ${ours === "none" ? "no mobile plan" : ours} here, and ${theirs} there`,
    `Set its mobile plan at ${telco}`,
    { ...sides(ours, theirs), correction: { _tag: "MobilePlan" } }
  )
}

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

/** How many days a message names. */
const NAMED = 31

/**
 * Days of which the OCS's own book of usage cannot be read any more (rule U1): one finding; none
 * without such days.
 */
export const unread = (of: OfSim, days: ReadonlyArray<UsageReconciliation.Unread>): ReadonlyArray<Finding> => {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return []
  const { iccid, telco } = of
  const used = days.filter(({ booked }) => booked > 0)
  const named = used.slice(0, NAMED).map(({ booked, day }) => `${UsageBook.dateOf(day)}: ${booked}`)
  const more = used.length > NAMED ? [`and ${used.length - NAMED} days more`] : []
  const total = used.reduce((sum, { booked }) => UsageBook.plus(sum, booked), 0)
  const list = used.length === 0 ? "" : ` (${[...named, ...more].join(", ")})`
  const period = `from ${UsageBook.dateOf(first.day)} to ${UsageBook.dateOf(last.day)}`
  return [
    finding(
      telco,
      `usage-unread/${iccid}/${UsageBook.dateOf(first.day)}`,
      iccid,
      `the usage of the days ${period} was not compared, and cannot be read any more; simplan's book has ${total} bytes${list}`,
      `Ask ${telco} for its usage of these days, if they are to be compared`,
      sides(`${total} bytes ${period}`, "not read")
    )
  ]
}
