/**
 * A verdict in words (rule L5): what holds, and what to do next.
 */
import * as Confirmation from "./Confirmation.ts"
import type * as Reason from "./Reason.ts"
import { type Instant, toIso } from "./Time.ts"
import { code, type Code, type Plan, type Verdict, works } from "./Verdict.ts"

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
