/**
 * The telco reports that follow from what the OCS tells. Their ids follow from the content, so that the same fact counts
 * once, whether a notification or a look at the OCS brings it, and however often (rule R1).
 */
import { SmdpHistory, type TelcoReport, Time } from "simplan/ports"

type Instant = Time.Instant
type Report = TelcoReport.Report

interface OfPackage {
  readonly telco: string
  readonly iccid: string
  /** Ours: `<attachment id>:<occurrence>`. */
  readonly packageId: string
  /** The OCS's own. */
  readonly externalId: string
}

const ofPackage = ({ externalId, telco }: OfPackage, fact: string): string => `${telco}/package/${externalId}/${fact}`

/** A running total. */
export const usage = (of: OfPackage, bytes: number, occurredAt: Instant): Report => ({
  reportId: ofPackage(of, `used/${bytes}`),
  iccid: of.iccid,
  occurredAt,
  fact: { _tag: "Usage", packageId: of.packageId, usage: { _tag: "Total", bytes } }
})

/** The first use, at the instant that the OCS names. */
export const firstUse = (of: OfPackage, occurredAt: Instant): Report => ({
  reportId: ofPackage(of, "first-use"),
  iccid: of.iccid,
  occurredAt,
  fact: { _tag: "FirstUse", packageId: of.packageId }
})

interface OfSim {
  readonly telco: string
  readonly iccid: string
}

export const location = (
  { iccid, telco }: OfSim,
  place: Omit<Extract<TelcoReport.Fact, { _tag: "Location" }>, "_tag">,
  occurredAt: Instant
): Report => ({
  reportId: `${telco}/location/${iccid}/${Time.toIso(occurredAt)}`,
  iccid,
  occurredAt,
  fact: { _tag: "Location", ...place }
})

/** A state of the profile. `place` tells it from the others of this SIM. */
export const profileState = (
  { iccid, telco }: OfSim,
  place: string,
  state: SmdpHistory.State,
  modificationResult: string | null,
  occurredAt: Instant
): Report => ({
  reportId: `${telco}/profile/${iccid}/${place}`,
  iccid,
  occurredAt,
  fact: { _tag: "SmdpState", state, modificationResult: modificationResult ?? SmdpHistory.SUCCESS }
})
