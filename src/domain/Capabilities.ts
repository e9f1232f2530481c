/**
 * What a telco can do that not every telco does, as data that its adapter declares, and what is
 * refused before anything happens because it cannot (rules P4, S7, T7 and I6).
 *
 * A full telco, which charges by the terms of a plan, is the default; an adapter declares what its
 * own does otherwise.
 */
import { Result } from "effect"
import { isAtTelco } from "./Package.ts"
import type { Plan, PlanTerms } from "./Plan.ts"
import { NotSupported } from "./Refusal.ts"
import type { SimAggregate } from "./SimAggregate.ts"
import type { Instant } from "./Time.ts"

/** What a telco takes of messages. */
export interface Messages {
  /** The longest text, in characters; null: as long as the service takes (10 segments). */
  readonly longest: number | null
  /** The senders that messages may have; null: any. */
  readonly senders: ReadonlyArray<string> | null
}

/** What becomes of a package that is ordered on a SIM in service. */
export interface TopUps {
  /** How many packages that are not over a SIM may have; null: any number. */
  readonly most: number | null
  /** Whether a SIM takes one after all that was on it is over. */
  readonly afterExpiry: boolean
  /**
   * `apart`: it is a package of its own. `merged`: its volume and its time are added to what is
   * there, so that two packages cannot be told apart, and none is ordered.
   */
  readonly kept: "apart" | "merged"
}

/** What a telco can do. */
export interface Capabilities {
  /**
   * What it stops for good when an attachment is suspended (rule T7). `package`: that package
   * alone. `sim`: only all of a SIM, which is a pause. `none`: nothing.
   */
  readonly suspension: "package" | "sim" | "none"
  /**
   * Which packages it takes away. `any`. `unused`: those that nobody has used. `load`: of these
   * only what a SIM was bought with (rule I15), and no top-up.
   */
  readonly cancellation: "any" | "unused" | "load"
  /** Whether it stops the service of a SIM and starts it again (rule S7). */
  readonly pause: boolean
  /** Whether a package can be ordered for a time. False: it begins at its first use. */
  readonly windows: boolean
  /** Whether it limits the speed by a plan's own steps. */
  readonly throttling: boolean
  /** Whether it grants any volume for any number of days. False: only what its bundles have. */
  readonly volumes: boolean
  /** Whether a plan may be one of its bundles (rule P5). */
  readonly bundles: boolean
  /** Whether it has mobile plans (rule I6). */
  readonly mobilePlans: boolean
  /** Null: it sends none. */
  readonly sms: Messages | null
  /** Null: a SIM has one package. */
  readonly topUps: TopUps | null
  /**
   * What begins the time of a package that waits for its first use (rule T3): the use of a network,
   * the installation of the eSIM, or either of them, by the bundle.
   */
  readonly firstUse: "network" | "installation" | "either"
  /**
   * Whether it shows that an eSIM was downloaded. False: whoever has had the code of an eSIM may
   * have downloaded it (rule S3).
   */
  readonly downloads: boolean
}

/** A telco that charges by the terms of a plan, and sells bundles as well. */
export const full: Capabilities = {
  suspension: "package",
  cancellation: "any",
  pause: true,
  windows: true,
  throttling: true,
  volumes: true,
  bundles: true,
  mobilePlans: true,
  sms: { longest: null, senders: null },
  topUps: { most: null, afterExpiry: true, kept: "apart" },
  firstUse: "network",
  downloads: true
}

const or = (texts: ReadonlyArray<string>): string => texts.join(" or ")

const merges = ({ topUps }: Capabilities): boolean => topUps?.kept === "merged"

/**
 * What the telco cannot do, each as it goes on after its name. Absent: it can, as far as this says.
 */
const cannot = (can: Capabilities) => {
  const { longest = null, senders = null } = can.sms ?? {}
  return {
    ...(can.suspension !== "package" && { suspension: "cannot suspend a package" }),
    ...(can.cancellation !== "any" && {
      cancellation:
        can.cancellation === "unused"
          ? "takes away no package that was used"
          : "takes away no top-up, and nothing that was used"
    }),
    ...(!can.pause && { pause: "cannot pause a SIM" }),
    ...(!can.windows && { windows: "begins packages at their first use, and at no other time" }),
    ...(!can.throttling && { throttling: "limits no speeds by a plan's thresholds" }),
    ...(!can.volumes && { volumes: "sells bundles only" }),
    ...(!can.bundles && { bundles: "sells no bundles" }),
    ...(!can.mobilePlans && { mobilePlans: "has no mobile plans" }),
    ...(can.sms === null && { sms: "sends no SMS" }),
    ...(longest !== null && { longest: `sends SMS of up to ${longest} characters` }),
    ...(senders !== null && { senders: `sends SMS from ${or(senders)} only` }),
    ...(can.topUps === null && { topUps: "has one package on a SIM" }),
    ...(merges(can) && { topUps: "adds a further package to the volume and the time of the one that is on the SIM" }),
    ...(can.topUps?.most != null && { most: `has up to ${can.topUps.most} packages on a SIM` }),
    ...(can.topUps?.afterExpiry === false && { afterExpiry: "adds no package to a SIM on which all is over" }),
    ...(can.firstUse === "installation" && { firstUse: "begins the time of a package when its eSIM is installed" }),
    ...(can.firstUse === "either" && {
      firstUse: "begins the time of a package when its eSIM is installed or used, by the bundle"
    }),
    ...(!can.downloads && { downloads: "does not show whether an eSIM was downloaded" })
  }
}

/** What the telco does otherwise than a full one, each as it goes on after its name. */
export const differences = (can: Capabilities): ReadonlyArray<string> => Object.values(cannot(can))

type Checked = Result.Result<void, NotSupported>

/** Refuses if the telco cannot do something. The advice ends the sentence. */
const refuseIf = (what: string | undefined, advice: string): Checked =>
  what === undefined ? Result.void : Result.fail(new NotSupported({ message: `The telco of the SIM ${what}${advice}` }))

const first = (...all: ReadonlyArray<Checked>): Checked => all.find(Result.isFailure) ?? Result.void

type Terms = Pick<PlanTerms, "recurrence" | "throttling">

/** Rule P4: whether the telco carries a plan of these terms. */
const terms = (can: Capabilities, { recurrence, throttling }: Terms): Checked => {
  const { topUps, windows, ...others } = cannot(can)
  return first(
    throttling.length === 0 ? Result.void : refuseIf(others.throttling, ": a plan must have none"),
    recurrence === null ? Result.void : refuseIf(windows ?? topUps, ": a plan cannot recur there")
  )
}

/**
 * Rules P4 and P5: whether there may be such a plan. One that is no bundle may become one later.
 */
export const plan = (can: Capabilities, of: Pick<Plan, "bundle" | "terms">): Checked =>
  first(
    terms(can, of.terms),
    of.bundle === null ? Result.void : refuseIf(cannot(can).bundles, ": the plan cannot be one")
  )

/** What is to be put on a SIM. */
export interface Order {
  /** Its thresholds and its recurrence. */
  readonly terms: Terms
  /** Whether it is one of the telco's bundles (rule P5). */
  readonly isBundle: boolean
  /** Whether it is to begin at a time, and not with its first use. */
  readonly isTimed: boolean
}

/** Rule P4: whether a SIM that is free may have it. */
export const order = (can: Capabilities, { isBundle, isTimed, terms: of }: Order): Checked => {
  const { bundles, volumes, windows } = cannot(can)
  return first(
    terms(can, of),
    isTimed ? refuseIf(windows, "") : Result.void,
    isBundle ? refuseIf(bundles, ", and the plan is one") : refuseIf(volumes, ", and the plan is none of them")
  )
}

/** Rule P4: whether a further plan may be put on a SIM; any may be put on one that is free. */
export const topUp = (
  can: Capabilities,
  { attachments, subscription }: Pick<SimAggregate, "attachments" | "subscription">,
  now: Instant
): Checked => {
  if (subscription === null) return Result.void
  const { afterExpiry, most, topUps } = cannot(can)
  const packages = attachments.flatMap((of) => of.packages)
  const present = packages.filter((pack) => isAtTelco(pack, now)).length
  return first(
    refuseIf(topUps, ": use another SIM"),
    present < (can.topUps?.most ?? Number.POSITIVE_INFINITY) ? Result.void : refuseIf(most, ": it has as many"),
    packages.length === 0 || present > 0 ? Result.void : refuseIf(afterExpiry, ": use another SIM")
  )
}

/** Rule P4: whether a SIM may have it, as it is now. */
export const onSim = (can: Capabilities, of: Order, aggregate: Parameters<typeof topUp>[1], now: Instant): Checked =>
  first(order(can, of), topUp(can, aggregate, now))

/** Rule S7: whether a SIM may be paused. */
export const pause = (can: Capabilities): Checked => refuseIf(cannot(can).pause, "")

/** Rule T7: whether an attachment may be suspended. */
export const suspension = (can: Capabilities): Checked =>
  refuseIf(cannot(can).suspension, can.pause ? ": pause the subscription" : "")

/** Rule I6: whether a SIM may have a mobile plan. */
export const mobilePlan = (can: Capabilities): Checked => refuseIf(cannot(can).mobilePlans, "")

/** Whether the telco sends a message. */
export const sms = (can: Capabilities, { from, text }: { readonly from: string; readonly text: string }): Checked => {
  const { longest, senders, sms: none } = cannot(can)
  const { length } = [...text]
  return first(
    refuseIf(none, ""),
    can.sms?.senders?.includes(from) === false ? refuseIf(senders, "") : Result.void,
    length > (can.sms?.longest ?? length) ? refuseIf(longest, `, and this one has ${length}`) : Result.void
  )
}
