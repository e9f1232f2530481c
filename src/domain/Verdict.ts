/**
 * Why a SIM works or does not, and what to do next (rule L5): what support reads first. One
 * function of all that is known of the SIM: who has it, its profile, a pause, its plans with what
 * was used of them, and how far the telco is.
 *
 * Each thing in the way is a verdict. Of several that hold, `precedence` says which one it is.
 */
import * as Confirmation from "./Confirmation.ts"
import type { Job } from "./Job.ts"
import type { ThrottlingLimit } from "./Plan.ts"
import * as Reason from "./Reason.ts"
import * as Sim from "./Sim.ts"
import * as SmdpHistory from "./SmdpHistory.ts"
import { type Instant, toIso } from "./Time.ts"
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

/** What to do next, for programs. `none`: nothing has to be done, or can be. */
export const nextSteps = [
  "none",
  "check_phone",
  "install_esim",
  "switch_on",
  "top_up",
  "resume",
  "move",
  "sell",
  "restore",
  "open_new_sim",
  "wait",
  "retry_jobs",
  "see_problems"
] as const

/** What to do next. */
export type NextStep = (typeof nextSteps)[number]

/** A verdict in words. */
export interface Summary {
  /** What holds. */
  readonly code: Code
  /** Whether a phone with the SIM has data; null: that is not known. */
  readonly works: boolean | null
  /** What holds, and then what to do next; whole sentences. */
  readonly message: string
  /** What to do next. */
  readonly nextStep: NextStep
  /** Since when it is so, or until when; when it begins or goes on; null: at no instant. */
  readonly at: Instant | null
  /** The attachment that it is about; null: it is about none. */
  readonly attachmentId: string | null
  /** The ICCID of the SIM that its subscription has moved to; null: of none. */
  readonly movedTo: string | null
}

type Words = Pick<Summary, "nextStep" | "at"> & { readonly what: string; readonly next: string }

const minute = (at: Instant): string => `${toIso(at).slice(0, 16).replace("T", " ")} UTC`

const words = (what: string, nextStep: NextStep, next: string, at: Instant | null = null): Words => ({
  what,
  nextStep,
  next,
  at
})

/** What the telco said, at the end of a sentence. */
const quoted = (said: string | null): string => (said === null || said === "" ? "" : `: ${said.replace(/[.\s]+$/, "")}`)

/** What the telco says of something that it is asked for, and what to do about that. */
const asked = (what: string, telco: Confirmation.Confirmation, then: Words): Words => {
  switch (telco._tag) {
    case "Confirmed":
      return then
    case "Asked":
      return words(`${what} The telco has not confirmed that yet.`, "wait", "Look again in a minute.", then.at)
    case "Waits":
      return words(
        `${what} The telco has not taken that since ${minute(telco.since)}, and is asked again at ${minute(telco.nextTryAt)}.`,
        "retry_jobs",
        "Have the telco asked at once if it is well again.",
        then.at
      )
    case "Refused":
      return words(
        `${what} The telco refuses that${quoted(telco.said)}.`,
        "see_problems",
        "Retry or resolve it among the problems.",
        then.at
      )
  }
}

const CHECK_PHONE = "If there is no data even so, check data roaming and the APN in the phone."

const onPhone = (isInstalled: boolean): Pick<Words, "nextStep" | "next"> =>
  isInstalled
    ? { nextStep: "check_phone", next: CHECK_PHONE }
    : { nextStep: "install_esim", next: "There is no sign yet that the eSIM was installed: have its QR code scanned." }

const ADD_PLAN = "Add a plan to the SIM."

const ofReason = (plan: Plan, reason: Reason.Reason, isInstalled: boolean): Words => {
  const { hasProblem, name } = plan
  switch (reason._tag) {
    case "WaitsForFirstUse":
      return { what: `It is ready: the plan ${name} begins with its first use.`, ...onPhone(isInstalled), at: null }
    case "WaitsForStart":
      return words(
        `It has no service until ${minute(reason.at)}, when the plan ${name} activates.`,
        "wait",
        "Wait until then, or add a plan for the time before.",
        reason.at
      )
    case "WaitsForOrder":
      return words(
        `It has no service yet: the package of the plan ${name} is being ordered.`,
        "wait",
        "Look again in a minute."
      )
    case "TelcoUnavailable":
      return words(
        `It has no service: the telco has not taken the order of the plan ${name} since ${minute(reason.since)}, in ` +
          `${reason.tries === 1 ? "one try" : `${reason.tries} tries`}, and is asked again at ${minute(reason.nextTryAt)}.`,
        "retry_jobs",
        "Have the telco asked at once if it is well again.",
        reason.nextTryAt
      )
    case "TelcoRefused": {
      const what = `It has no service: the telco refuses the package of the plan ${name} for good${quoted(reason.said)}.`
      return hasProblem
        ? words(what, "see_problems", "See to it among the problems, or add another plan.")
        : words(what, "top_up", "Add another plan to the SIM.")
    }
    case "DataUsed": {
      const { nextAt } = reason
      return words(
        `It has no service: all data of the plan ${name} is used.`,
        "top_up",
        nextAt === null ? ADD_PLAN : `Add a plan, or wait until its next package activates at ${minute(nextAt)}.`,
        nextAt
      )
    }
    case "Suspended": {
      const what = `${name} was suspended for good at ${minute(reason.at)}.`
      const over = words(`It has no service: the plan ${what}`, "top_up", ADD_PLAN, reason.at)
      return asked(`The plan ${what}`, reason.telco, over)
    }
    case "Over":
      return words(`It has no service: the plan ${name} ended at ${minute(reason.at)}.`, "top_up", ADD_PLAN, reason.at)
    case "Paused":
      return paused(reason.at, Confirmation.confirmed)
  }
}

const paused = (at: Instant, telco: Confirmation.Confirmation): Words => {
  const since = `subscription is paused since ${minute(at)}.`
  return asked(
    `Its ${since}`,
    telco,
    words(`It has no service: its ${since}`, "resume", "Resume the subscription.", at)
  )
}

const wordsOf = (verdict: Verdict): Words => {
  switch (verdict._tag) {
    case "Free":
      return words("It is free: no subscription has it.", "sell", "Sell a plan on it.")
    case "Withdrawn":
      return words(
        `It is withdrawn (${verdict.reason}), and no subscription gets it.`,
        "restore",
        "Put it back into stock if that is wrong."
      )
    case "Replaced":
      return verdict.iccid === null
        ? words("Its subscription has moved to another SIM.", "none", "Search for the customer's new SIM.")
        : words(
            `Its subscription has moved to the SIM ${verdict.iccid}.`,
            "open_new_sim",
            `Go on with the SIM ${verdict.iccid}.`
          )
    case "Provisioning":
      return words("It is being put into service.", "wait", "Look again in a minute.")
    case "Releasing": {
      const what = "It has no subscription any more, and is on its way back to stock."
      return asked(what, verdict.telco, words(what, "wait", "Look again in a minute."))
    }
    case "InstallationFailed":
      return words(
        `It has no service: its installation on the phone failed at ${minute(verdict.at)} (${verdict.said}).`,
        "move",
        "Have its QR code scanned again, and if that fails too, move the subscription to another eSIM.",
        verdict.at
      )
    case "ProfileDeleted":
      return words(
        `It has no service: the eSIM was deleted from the phone at ${minute(verdict.at)}.`,
        "move",
        "Move the subscription to another eSIM, and have that installed.",
        verdict.at
      )
    case "ProfileDisabled":
      return words(
        `It has no service: the eSIM was switched off in the phone at ${minute(verdict.at)}.`,
        "switch_on",
        "Have it switched on in the phone's settings.",
        verdict.at
      )
    case "Paused":
      return paused(verdict.at, verdict.telco)
    case "Resuming": {
      const what = "Its subscription was resumed."
      return asked(what, verdict.telco, words(what, "wait", "Look again in a minute."))
    }
    case "Works": {
      const { isInstalled, plan } = verdict
      const until = plan.until === null ? "" : ` until ${minute(plan.until)}`
      return { what: `It works${until} by the plan ${plan.name}.`, ...onPhone(isInstalled), at: plan.until }
    }
    case "Throttled": {
      const { plan, speed } = verdict
      const until = plan.until === null ? "" : ` until ${minute(plan.until)}`
      return words(
        `It works${until} by the plan ${plan.name}, slowed down to ${speed} Kbit/s by what was used.`,
        "top_up",
        "Add a plan for full speed.",
        plan.until
      )
    }
    case "Plan":
      return ofReason(verdict.plan, verdict.reason, verdict.isInstalled)
    case "NoPlan":
      return words("It has no service: its subscription has no plan.", "top_up", ADD_PLAN)
  }
}

/** Rule L5: the verdict in words. */
export const summary = (verdict: Verdict): Summary => {
  const { at, next, nextStep, what } = wordsOf(verdict)
  return {
    code: code(verdict),
    works: works(verdict),
    message: `${what} ${next}`,
    nextStep,
    at,
    attachmentId: "plan" in verdict ? verdict.plan.attachmentId : null,
    movedTo: verdict._tag === "Replaced" ? verdict.iccid : null
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
