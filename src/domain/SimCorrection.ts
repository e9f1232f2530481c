/**
 * Corrections of a SIM (rules I9 and I14): its label, its activation code, whether it is withdrawn
 * from the stock, and its tags.
 */
import { Result } from "effect"
import * as ActivationCode from "./ActivationCode.ts"
import { type Change, differences, type Facts } from "./AuditEntry.ts"
import { isLabel, type Label, labels } from "./Label.ts"
import { InvalidField, type Plain, type Refusing, SimBusy, SimInUse, SimWithdrawn } from "./Refusal.ts"
import { type Allocation, holder, isGivenBack, isInService, isUsed, type Sim, withdrawnReason } from "./Sim.ts"
import * as Tags from "./Tags.ts"
import * as TextLimit from "./TextLimit.ts"
import * as Withdrawal from "./Withdrawal.ts"

/** Whether a SIM may be sold, or why not. */
export type Status = { readonly _tag: "Available" } | { readonly _tag: "Withdrawn"; readonly reason: Withdrawal.Reason }

/** The names of what `Status` has. */
export const statuses = ["available", "withdrawn"] as const

/** What is to change; what is absent stays. */
export interface Correction {
  /** Only while no subscription holds the SIM. */
  readonly label?: Label
  /** Null: the eSIM has none any more. */
  readonly lpa?: string | null
  /** Only while no subscription holds the SIM. */
  readonly status?: Status
  /** In place of those that it has. */
  readonly tags?: ReadonlyArray<string>
}

/** A correction as it came. Absent: it stays. */
export interface Unchecked {
  /** The new label. */
  readonly label?: string | undefined
  /** The new activation code (rule I8); null removes the one that is there. */
  readonly lpa?: string | null | undefined
  /** `available` or `withdrawn`. */
  readonly status?: string | undefined
  /** Goes with the status `withdrawn`, and with no other one. */
  readonly reason?: string | null | undefined
  /** The tags in place of those that it has (rule I14). */
  readonly tags?: ReadonlyArray<string> | undefined
}

const statusOf = (
  status: string | undefined,
  reason: string | null
): Result.Result<Status | undefined, InvalidField> => {
  const fail = (field: string, message: string) => Result.fail(new InvalidField({ field, message }))
  if (status === "withdrawn") {
    return reason !== null && Withdrawal.isReason(reason)
      ? Result.succeed({ _tag: "Withdrawn", reason })
      : fail("reason", `must be one of ${Withdrawal.reasons.join(", ")} where the SIM is withdrawn`)
  }
  if (status !== undefined && status !== "available") return fail("status", `must be one of ${statuses.join(", ")}`)
  if (reason !== null) return fail("reason", "must be absent unless the status is withdrawn")
  return Result.succeed(status === undefined ? undefined : { _tag: "Available" })
}

const lpaOf = (given: string | null): Result.Result<string | null, InvalidField> => {
  const lpa = given?.trim() ? ActivationCode.canonical(given) : null
  if (lpa === null || (ActivationCode.parse(lpa) !== undefined && TextLimit.isWithin(lpa, TextLimit.LPA))) {
    return Result.succeed(lpa)
  }
  return Result.fail(new InvalidField({ field: "lpa", message: `must be ${ActivationCode.expected}` }))
}

/**
 * Rules I8, I9 and I14: the correction, or what is wrong with it. One that changes nothing at all
 * is refused.
 */
export const parse = (of: Unchecked): Result.Result<Correction, InvalidField> =>
  Result.gen(function* () {
    const { label } = of
    if (label !== undefined && !isLabel(label)) {
      return yield* Result.fail(new InvalidField({ field: "label", message: `must be one of ${labels.join(", ")}` }))
    }
    const lpa = of.lpa === undefined ? undefined : yield* lpaOf(of.lpa)
    const status = yield* statusOf(of.status, of.reason ?? null)
    const tags = of.tags === undefined ? undefined : yield* Tags.parse(of.tags)
    if ([label, lpa, status, tags].every((field) => field === undefined)) {
      return yield* Result.fail(new InvalidField({ field: "label", message: "or another field must be given" }))
    }
    return {
      ...(label === undefined ? {} : { label }),
      ...(lpa === undefined ? {} : { lpa }),
      ...(status === undefined ? {} : { status }),
      ...(tags === undefined ? {} : { tags })
    }
  })

const allocationBy = (allocation: Allocation, status: Status | undefined): Allocation => {
  if (status === undefined) return allocation
  if (status._tag === "Withdrawn") return { _tag: "Withdrawn", reason: status.reason, ending: null }
  return withdrawnReason({ allocation }) === null ? allocation : { _tag: "Free" }
}

/**
 * Rule I9: the SIM as it is corrected. While a subscription holds it, neither its label changes nor
 * is it withdrawn (`SimInUse`), and while one is being made or deleted the refusal is `SimBusy`. A
 * correction to what the SIM has already is taken, and changes nothing.
 */
export const apply = (
  sim: Sim,
  { label = sim.label, lpa = sim.lpa, status, tags = sim.tags }: Correction
): Result.Result<Sim, InvalidField | Refusing<"correction">> => {
  if (lpa !== null && !sim.isEsim) {
    return Result.fail(new InvalidField({ field: "lpa", message: "must be null for a physical SIM" }))
  }
  const { allocation, iccid } = sim
  // One that its subscription has left stays withdrawn until the telco has confirmed its end
  // (rule S8).
  const isAllocated = withdrawnReason(sim) === null ? status?._tag === "Withdrawn" : status !== undefined
  if (holder(allocation) !== null && (label !== sim.label || isAllocated)) {
    return Result.fail(isInService(sim) ? new SimInUse({ iccid }) : new SimBusy({ iccid }))
  }
  const next = { ...sim, label, lpa, tags, allocation: allocationBy(allocation, status) }
  // Its supplier has it, or may have it.
  const reason = withdrawnReason(sim)
  if (isGivenBack(sim) && reason !== null && withdrawnReason(next) !== reason) {
    return Result.fail(new SimWithdrawn({ iccid, reason }))
  }
  return Result.succeed({ ...next, ...available(next), movedTo: isUsed(next) ? sim.movedTo : null })
}

/** One whose supplier has refused to take it back may be returned anew once it is available. */
const available = (next: Sim): Pick<Sim, "purchase"> => {
  if (next.purchase?.returned === undefined || isUsed(next)) return { purchase: next.purchase }
  const { returned: _, ...purchase } = next.purchase
  return { purchase }
}

/** What may change of a SIM. */
export type Field = keyof Correction

/** What changes by a correction. */
export const changed = (before: Sim, next: Sim): ReadonlyArray<Field> => [
  ...(before.label === next.label ? [] : (["label"] as const)),
  ...(before.lpa === next.lpa ? [] : (["lpa"] as const)),
  ...(withdrawnReason(before) === withdrawnReason(next) ? [] : (["status"] as const)),
  ...(Tags.isSame(before.tags, next.tags) ? [] : (["tags"] as const))
]

/** A field of a SIM in the words of the audit log, which opens no profile. */
const factOf = {
  label: ({ label }) => ({ label }),
  lpa: ({ lpa }) => ({ "activation code": lpa === null ? null : ActivationCode.shortened(lpa) }),
  status: (sim) => {
    const reason = withdrawnReason(sim)
    return { status: reason === null ? "available" : `withdrawn, ${reason}` }
  },
  tags: ({ tags }) => ({ tags: tags.length === 0 ? null : tags.join(`${Tags.SEPARATOR} `) })
} as const satisfies Readonly<Record<Field, (sim: Sim) => Facts>>

/** What the audit log has of a correction (rule W11): an entry for each thing that changes. */
export const changes = (before: Sim, next: Sim): ReadonlyArray<Change> => {
  const named = {
    label: "sim.set_label",
    lpa: "sim.set_activation_code",
    status: withdrawnReason(next) === null ? "sim.restore" : "sim.withdraw",
    tags: "sim.set_tags"
  } as const
  const { iccid, organizationId } = next
  return changed(before, next).map((field) => ({
    organizationId,
    action: named[field],
    resourceId: iccid,
    iccid,
    changed: differences(factOf[field](before), factOf[field](next))
  }))
}

/** What came of a row of many corrections. `unchanged`: the SIM was so already. */
export type Outcome = "corrected" | "unchanged" | "refused"

const letters: Readonly<Record<Outcome, string>> = { corrected: "c", unchanged: "u", refused: "r" }

const outcomes = new Map(Object.entries(letters).map(([name, letter]) => [letter, name]))

const isOutcome = (name: string | undefined): name is Outcome => name !== undefined && Object.hasOwn(letters, name)

/** Rule W2: what is kept of the results of many rows under an idempotency key. */
export interface Kept {
  /** A letter for each row, in their order. */
  readonly results: string
  /** Of the first rows that are refused, `KEPT_REFUSALS` at most. */
  readonly refusals: ReadonlyArray<Plain>
}

/** Of how many refused rows an idempotency key keeps the reason. */
export const KEPT_REFUSALS = 1_000

/** Of no row yet. */
export const noneKept: Kept = { results: "", refusals: [] }

/** With the results of the rows that follow. */
export const keep = (
  before: Kept,
  rows: ReadonlyArray<{ readonly result: Outcome; readonly refusal: Plain | null }>
): Kept => {
  const refusals = rows.flatMap(({ refusal }) => (refusal === null ? [] : [refusal]))
  return {
    results: before.results + rows.map(({ result }) => letters[result]).join(""),
    refusals: [...before.refusals, ...refusals].slice(0, KEPT_REFUSALS)
  }
}

/**
 * The results in the order of the rows. `refusal` is null if a row is not refused, and `cut`
 * if its reason was not kept.
 */
export const resultsIn = ({
  refusals,
  results
}: Kept): ReadonlyArray<{ readonly result: Outcome; readonly refusal: Plain | "cut" | null }> => {
  let refused = 0
  return Array.from(results, (letter) => {
    const name = outcomes.get(letter)
    const result = isOutcome(name) ? name : "refused"
    return { result, refusal: result === "refused" ? (refusals[refused++] ?? "cut") : null }
  })
}

/** What is said of a refused row whose reason was not kept. */
export const CUT = `is not kept: under an idempotency key the reasons of the first ${KEPT_REFUSALS} refused rows are; correct the row alone for it`
