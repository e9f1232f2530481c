/**
 * Why a SIM works or does not, and what to do next (rule L5): what support reads first. One
 * function of all that is known of the SIM: who has it, its profile, a pause, its plans with what
 * was used of them, and how far the telco is.
 *
 * Each thing in the way is a verdict. Of several that hold, `precedence` says which one it is.
 * `VerdictSummary` has the words.
 */
import * as Confirmation from "./Confirmation.ts"
import type { Job } from "./Job.ts"
import type { ThrottlingLimit } from "./Plan.ts"
import * as Reason from "./Reason.ts"
import * as Sim from "./Sim.ts"
import * as SmdpHistory from "./SmdpHistory.ts"
import type { Instant } from "./Time.ts"
import type * as Withdrawal from "./Withdrawal.ts"

/** Who has the SIM. */
export type Standing =
  | { readonly _tag: "InService" }
  | { readonly _tag: "Free" }
  | { readonly _tag: "Withdrawn"; readonly reason: Withdrawal.Reason }
  /** Its subscription has moved (rule S8); to which SIM, if that is still known. */
  | { readonly _tag: "Replaced"; readonly iccid: string | null }
  | { readonly _tag: "Provisioning" }
  | { readonly _tag: "Releasing"; readonly telco: Confirmation.Confirmation }

/** The profile of an eSIM on the phone, by the last that is known; a card is `Installed`. */
export type Profile =
  | { readonly _tag: "Installed" }
  /** There is no sign of a download (rule S2). */
  | { readonly _tag: "NotInstalled" }
  | { readonly _tag: "InstallationFailed"; readonly at: Instant; readonly said: string }
  | { readonly _tag: "Deleted"; readonly at: Instant }
  | { readonly _tag: "Disabled"; readonly at: Instant }

/** The service of the SIM (rule S7), as it was asked for last. */
export type Service =
  | { readonly _tag: "Running" }
  | { readonly _tag: "Paused"; readonly at: Instant; readonly telco: Confirmation.Confirmation }
  /** It was resumed, and the telco has not confirmed that. */
  | { readonly _tag: "Resuming"; readonly telco: Confirmation.Confirmation }

/** A plan on the SIM. */
export interface Plan {
  /** Its attachment. */
  readonly attachmentId: string
  /** The plan's. */
  readonly name: string
  /** When it ends; null: that is not known. */
  readonly until: Instant | null
  /** Why it gives no service, whether or not the SIM is paused (rule L2); null: it does. */
  readonly reason: Reason.Reason | null
  /** What its service is limited to, in Kbit/s; null: by nothing. */
  readonly speed: ThrottlingLimit | null
  /** Whether what the telco refuses of it is among the problems, which operators resolve. */
  readonly hasProblem: boolean
}

/** What a verdict depends on. */
export interface Facts {
  /** Who has it. */
  readonly standing: Standing
  /** Its profile on the phone. */
  readonly profile: Profile
  /** Whether it is paused. */
  readonly service: Service
  /** Those of the subscription, oldest first. */
  readonly plans: ReadonlyArray<Plan>
}

/** What holds of a SIM. */
export type Verdict =
  | Exclude<Standing, { readonly _tag: "InService" }>
  | { readonly _tag: "InstallationFailed"; readonly at: Instant; readonly said: string }
  | { readonly _tag: "ProfileDeleted"; readonly at: Instant }
  | { readonly _tag: "ProfileDisabled"; readonly at: Instant }
  | Exclude<Service, { readonly _tag: "Running" }>
  | { readonly _tag: "Works"; readonly plan: Plan; readonly isInstalled: boolean }
  | {
      readonly _tag: "Throttled"
      readonly plan: Plan
      readonly speed: ThrottlingLimit
      readonly isInstalled: boolean
    }
  /** The plan gives no service, or is ready for its first use. */
  | { readonly _tag: "Plan"; readonly plan: Plan; readonly reason: Reason.Reason; readonly isInstalled: boolean }
  | { readonly _tag: "NoPlan" }

/**
 * The codes of verdicts, for programs. Of the verdicts that hold, the first one here is given:
 * first who has the SIM, then what keeps every plan from giving service, the hardest to mend first,
 * then what works, then why no plan gives service.
 */
export const precedence = [
  "free",
  "withdrawn",
  "replaced",
  "provisioning",
  "releasing",
  "installation_failed",
  "profile_deleted",
  "paused",
  "resuming",
  "profile_disabled",
  "works",
  "throttled",
  "waits_for_first_use",
  "telco_refused",
  "telco_unavailable",
  "waits_for_order",
  "data_used",
  "waits_for_start",
  "suspended",
  "over",
  "no_plan"
] as const

/** The code of a verdict. */
export type Code = (typeof precedence)[number]

/** The code of a verdict. */
export const code = (verdict: Verdict): Code => {
  switch (verdict._tag) {
    case "Free":
      return "free"
    case "Withdrawn":
      return "withdrawn"
    case "Replaced":
      return "replaced"
    case "Provisioning":
      return "provisioning"
    case "Releasing":
      return "releasing"
    case "InstallationFailed":
      return "installation_failed"
    case "ProfileDeleted":
      return "profile_deleted"
    case "ProfileDisabled":
      return "profile_disabled"
    case "Paused":
      return "paused"
    case "Resuming":
      return "resuming"
    case "Works":
      return "works"
    case "Throttled":
      return "throttled"
    case "Plan":
      return Reason.codes[verdict.reason._tag]
    case "NoPlan":
      return "no_plan"
  }
}

const ofProfile = (profile: Profile): ReadonlyArray<Verdict> => {
  switch (profile._tag) {
    case "Installed":
    case "NotInstalled":
      return []
    case "InstallationFailed":
      return [profile]
    case "Deleted":
      return [{ _tag: "ProfileDeleted", at: profile.at }]
    case "Disabled":
      return [{ _tag: "ProfileDisabled", at: profile.at }]
  }
}

const ofPlan = (plan: Plan, isInstalled: boolean): Verdict => {
  const { reason, speed } = plan
  if (reason !== null) return { _tag: "Plan", plan, reason, isInstalled }
  return speed === null ? { _tag: "Works", plan, isInstalled } : { _tag: "Throttled", plan, speed, isInstalled }
}

/** All verdicts that hold: at least one. */
export const all = ({ plans, profile, service, standing }: Facts): readonly [Verdict, ...Array<Verdict>] => {
  const isInstalled = profile._tag !== "NotInstalled"
  const [first = { _tag: "NoPlan" }, ...others] = plans.map((plan) => ofPlan(plan, isInstalled))
  return [
    first,
    ...others,
    ...(standing._tag === "InService" ? [] : [standing]),
    ...ofProfile(profile),
    ...(service._tag === "Running" ? [] : [service])
  ]
}

/** Of plans of which the same holds, the one with the least of these is given. */
const order = (verdict: Verdict): number => {
  switch (verdict._tag) {
    case "Works":
    case "Throttled":
      return -(verdict.plan.until ?? Number.POSITIVE_INFINITY)
    case "Plan":
      switch (verdict.reason._tag) {
        case "WaitsForStart":
          return verdict.reason.at
        case "DataUsed":
          return verdict.reason.nextAt ?? Number.POSITIVE_INFINITY
        case "Suspended":
        case "Over":
          return -verdict.reason.at
        default:
          return 0
      }
    default:
      return 0
  }
}

const isBefore = (one: Verdict, other: Verdict): boolean => {
  const by = precedence.indexOf(code(one)) - precedence.indexOf(code(other))
  return by < 0 || (by === 0 && order(one) < order(other))
}

/** Rule L5: the verdict about a SIM. */
export const of = (facts: Facts): Verdict => all(facts).reduce((first, one) => (isBefore(one, first) ? one : first))

/**
 * Whether a phone with the SIM has data. Null: that is not known, since the telco has not confirmed
 * what was asked of it.
 */
export const works = (verdict: Verdict): boolean | null => {
  switch (verdict._tag) {
    case "Works":
    case "Throttled":
      return true
    case "Resuming":
      return null
    case "Paused":
      return verdict.telco._tag === "Confirmed" ? false : null
    case "Plan": {
      const { reason } = verdict
      if (reason._tag === "Suspended" && reason.telco._tag !== "Confirmed") return null
      return reason._tag === "WaitsForFirstUse"
    }
    default:
      return false
  }
}

const standingOf = ({ allocation }: Sim.Sim, movedTo: string | null, job: Confirmation.Confirmation): Standing => {
  switch (allocation._tag) {
    case "InService":
      return { _tag: "InService" }
    case "Free":
      return { _tag: "Free" }
    case "Provisioning":
      return { _tag: "Provisioning" }
    case "Releasing":
      return { _tag: "Releasing", telco: job }
    case "Withdrawn":
      return allocation.reason === "replaced"
        ? { _tag: "Replaced", iccid: movedTo }
        : { _tag: "Withdrawn", reason: allocation.reason }
  }
}

/** Whether reports of the SM-DP+ are needed: of a profile that is there none has failed. */
export const needsReports = ({ isEsim, smdp }: Pick<Sim.Sim, "isEsim" | "smdp">): boolean =>
  isEsim && (smdp === null || smdp.state === "Delete")

/**
 * The profile. What the phone has done since disproves a state before it: a report may be lost, or
 * come late.
 */
export const profileOf = (
  { downloaded, isEsim, lastActivityAt, smdp }: Pick<Sim.Sim, "downloaded" | "isEsim" | "lastActivityAt" | "smdp">,
  reports: ReadonlyArray<Pick<SmdpHistory.Entry, "modificationResult" | "modifiedAt" | "state">>
): Profile => {
  const isLast = (at: Instant): boolean => lastActivityAt === null || lastActivityAt <= at
  if (!isEsim) return { _tag: "Installed" }
  if (needsReports({ isEsim, smdp })) {
    const last = reports.reduce<(typeof reports)[number] | null>(
      (newest, one) => (newest === null || one.modifiedAt >= newest.modifiedAt ? one : newest),
      null
    )
    if (
      last?.state === "BPP Installation" &&
      !SmdpHistory.isSuccessful(last.modificationResult) &&
      isLast(last.modifiedAt)
    )
      return { _tag: "InstallationFailed", at: last.modifiedAt, said: last.modificationResult }
  }
  if (smdp !== null && isLast(smdp.modifiedAt)) {
    if (smdp.state === "Delete") return { _tag: "Deleted", at: smdp.modifiedAt }
    if (smdp.state === "Disable") return { _tag: "Disabled", at: smdp.modifiedAt }
  }
  return downloaded ? { _tag: "Installed" } : { _tag: "NotInstalled" }
}

const serviceOf = ({ service }: Sim.Sim, job: Confirmation.Confirmation): Service => {
  const telco = Sim.changeOfService(service) === null ? Confirmation.confirmed : job
  if (service.pausedAt !== null) return { _tag: "Paused", at: service.pausedAt, telco }
  return telco._tag === "Confirmed" ? { _tag: "Running" } : { _tag: "Resuming", telco }
}

/** What the facts about a SIM are made of. */
export interface Known {
  /** As it is stored, or would be. */
  readonly sim: Sim.Sim
  /** What the SM-DP+ has reported, if `needsReports`. */
  readonly reports: ReadonlyArray<SmdpHistory.Entry>
  /** Those that readers see, with their reasons as of a SIM that is not paused. */
  readonly attachments: ReadonlyArray<Reason.Explained>
  /** The job that releases the SIM, or that changes its service; null: it has none. */
  readonly job: Pick<Job, "dueAt" | "endedAt" | "refused" | "waiting"> | null
  /** The attachments of which something refused is among the problems (rule S6). */
  readonly problems: ReadonlySet<string>
  /**
   * The SIM to which the subscription that has left it has moved in the end (rule S8); null: that
   * is not known.
   */
  readonly movedTo: string | null
}

/** The facts about a SIM. */
export const factsOf = ({ attachments, job, movedTo, problems, reports, sim }: Known): Facts => {
  const telco: Confirmation.Confirmation = job === null ? { _tag: "Asked" } : Confirmation.of(job)
  return {
    standing: standingOf(sim, movedTo, telco),
    profile: profileOf(sim, reports),
    service: serviceOf(sim, telco),
    plans: attachments.map(({ attachment, expirationAt, reason, speed }) => ({
      attachmentId: attachment.attachmentId,
      name: attachment.terms.name,
      until: expirationAt,
      reason,
      speed,
      hasProblem: problems.has(attachment.attachmentId)
    }))
  }
}
