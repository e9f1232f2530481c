/**
 * Plans and their terms (rules P1, P2 and U2): an allowance, a validity, optional throttling,
 * optional recurrence.
 *
 * Terms are checked once, when a plan is created. An attachment has its own copy of the terms, so
 * archiving or deleting a plan changes no attachment.
 */
import { type Amount, parse as parseAmount, text as amountText } from "./Amount.ts"
import { Result } from "effect"
import type { Label } from "./Label.ts"
import * as Recurrence from "./Recurrence.ts"
import { InvalidField, NotFound } from "./Refusal.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"
import { addDays, END_OF_TIME } from "./Time.ts"

/** Speed limits in Kbit/s that a new plan may name. */
export const throttlingLimits = ["128", "256", "384", "512", "1024", "3072", "5120", "7680", "10240", "20480"] as const

/** A speed in Kbit/s, as text. */
export type ThrottlingLimit = (typeof throttlingLimits)[number]

/** After `percentage` of the package's volume is used, the speed is limited to `limit` Kbit/s. */
export interface ThrottlingStep {
  /** Of the allowance, 1 to 100; the steps of a plan rise strictly (rule P1). */
  readonly percentage: number
  /** In Kbit/s. */
  readonly limit: ThrottlingLimit
}

/** What a package of the plan grants; the part of a plan that an attachment copies. */
export interface PlanTerms {
  /** Of the plan, 1 to 255 characters (rule W9). */
  readonly name: string
  /**
   * Where it may be used: a standard profile, or a custom region of the organization (rules I3 and
   * I4).
   */
  readonly coverageId: string
  /** Copied from the coverage profile; telcos find their zone by it. */
  readonly regionCode: string
  /** Copied from the coverage profile. Only SIMs of this label take the plan. */
  readonly label: Label
  /** The allowance of one package, 1 to 2^31 - 1; a MB has 1,048,576 bytes (rule T1). */
  readonly dataMegaBytes: number
  /** How long one package lasts, 1 to 3,660 days of 24 h. */
  readonly periodDays: number
  /** Three steps if the plan is throttled, else none. */
  readonly throttling: ReadonlyArray<ThrottlingStep>
  /** Null: the plan is one package. */
  readonly recurrence: Recurrence.Recurrence | null
  /**
   * At which percentages of a package's allowance `package.allowanceConsumed` is published: up to
   * 10, rising strictly (rule U2). Absent: 50, 80 and 100.
   */
  readonly alertThresholds?: ReadonlyArray<number>
  /**
   * The supplier's bundle that the plan was when it was attached (rule P5): an eSIM of the stock is
   * taken that came with it. Absent: it was none.
   */
  readonly load?: string
  /** The bundle that it is ordered as on a SIM that is in service. Absent: the same. */
  readonly topUpLoad?: string
  /** What the plan was sold for when it was attached (rule P7). Absent: it had no price. */
  readonly price?: Amount
}

/** Terms as requested; the coverage profile adds its region code and label. */
export type TermsRequest = Omit<PlanTerms, "regionCode" | "label" | "load" | "topUpLoad" | "price">

/** What a plan is at a supplier (rule P5). */
export interface Bundle {
  /** The supplier's code of the bundle that an eSIM is bought with. */
  readonly load: string
  /** The code of what is bought for a SIM that is in service; null: the same. */
  readonly topUpLoad: string | null
  /** What an eSIM with the bundle may cost at most; null: anything. */
  readonly limit: Amount | null
  /**
   * The bundle as it was in the catalogue of a telco when the plan became it (rule P6). Absent: it
   * was in none.
   */
  readonly sold?: Sold
}

/** A bundle as it was in the catalogue of a telco. */
export interface Sold {
  /** The telco's name. */
  readonly telco: string
  /** ISO 3166-1 alpha-2 codes. */
  readonly countries: ReadonlyArray<string>
  /** Null: unlimited. */
  readonly dataBytes: number | null
  /** Null: the telco did not say so in days. */
  readonly days: number | null
}

/** What an organization sells: terms under a name. */
export interface Plan {
  /** The organization that owns it. */
  readonly organizationId: string
  /** An id that never changes. Attachments have it after the deletion of the plan too. */
  readonly planId: string
  /** They never change. */
  readonly terms: PlanTerms
  /** The organization's text, up to 4,096 characters (rule W9); empty if it gave none. */
  readonly metadata: string
  /** What the organization sells it for (rule P7); null: it has not said so. */
  readonly price: Amount | null
  /** What it is at a supplier (rule P5); null: the telco goes by its terms. */
  readonly bundle: Bundle | null
  /** Business time. */
  readonly createdAt: Instant
  /** Null while it can be subscribed to (rule P2). Unarchiving makes it null again. */
  readonly archivedAt: Instant | null
  /** Null while it exists. Its attachments go on (rule P2). */
  readonly deletedAt: Instant | null
  /** Rises by one with each commit that writes it; 0 while it is not stored. */
  readonly version: number
}

/** How many plans of all organizations, without deleted ones, have a coverage profile. */
export interface Use {
  /** The profile's, which may be in the catalogue no more. */
  readonly coverageId: string
  /** The label of the plans. */
  readonly label: Label
  /** The countries of a custom region; null for a standard profile. */
  readonly iso2List: ReadonlyArray<string> | null
  /** At least one. */
  readonly plans: number
}

/** The uses of profiles by these plans, each with the custom region that it covers; by profile. */
export const usesOf = (
  plans: Iterable<{ readonly plan: Plan; readonly region: { readonly iso2List: ReadonlyArray<string> } | null }>
): ReadonlyArray<Use> => {
  const uses = new Map<string, Use>()
  for (const { plan, region } of plans) {
    const { coverageId, label } = plan.terms
    if (plan.deletedAt !== null) continue
    const before = uses.get(coverageId)?.plans ?? 0
    uses.set(coverageId, { coverageId, label, iso2List: region?.iso2List ?? null, plans: before + 1 })
  }
  return [...uses.values()].toSorted((one, other) => (one.coverageId < other.coverageId ? -1 : 1))
}

/** The highest values that a plan may have (rule P1). */
export const limits = {
  dataMegaBytes: 2 ** 31 - 1,
  periodDays: 3_660,
  occurrences: 1_000,
  alertThresholds: 10
} as const

const refuse = (field: string, message: string) => Result.fail(new InvalidField({ field, message }))

const wholeNumber = (field: string, value: number, maximum: number): Result.Result<number, InvalidField> =>
  Number.isInteger(value) && value >= 1 && value <= maximum
    ? Result.succeed(value)
    : refuse(field, `must be an integer from 1 to ${maximum}`)

const throttlingSteps = (
  steps: ReadonlyArray<ThrottlingStep>
): Result.Result<ReadonlyArray<ThrottlingStep>, InvalidField> =>
  Result.gen(function* () {
    if (steps.length !== 0 && steps.length !== 3)
      return yield* refuse("throttling", "must have three thresholds or none")
    let above = 0
    for (const [index, { percentage }] of steps.entries()) {
      const field = `throttlingThreshold${index + 1}Percentage`
      yield* wholeNumber(field, percentage, 100)
      if (percentage <= above) return yield* refuse(field, `must be above threshold ${index}'s, ${above}`)
      above = percentage
    }
    return steps.map(({ limit, percentage }) => ({ percentage, limit }))
  })

const recurrenceTerms = ({
  frequency,
  occurrences,
  periodicity
}: Recurrence.Recurrence): Result.Result<Recurrence.Recurrence, InvalidField> =>
  Result.gen(function* () {
    yield* wholeNumber("occurrences", occurrences, limits.occurrences)
    yield* wholeNumber("frequency", frequency, Number.MAX_SAFE_INTEGER)
    return { periodicity, frequency, occurrences }
  })

/** Rule U2: each percentage once, in rising order. */
const alerts = (percentages: ReadonlyArray<number>): Result.Result<ReadonlyArray<number>, InvalidField> => {
  if (percentages.length > limits.alertThresholds) {
    return refuse("alertThresholds", `must have at most ${limits.alertThresholds} items`)
  }
  return percentages.every((percentage) => Number.isInteger(percentage) && percentage >= 1 && percentage <= 100)
    ? Result.succeed([...new Set(percentages)].sort((left, right) => left - right))
    : refuse("alertThresholds", "must hold only integers from 1 to 100")
}

/**
 * Rules P1, U2 and W9: the terms as requested, with the region code and label of their coverage
 * profile. `coverage` is null if no profile has the requested id; errors in the terms are reported
 * before that (rule W8). A plan that starts at `now` has to end before the year 10000.
 */
export const terms = (
  request: TermsRequest,
  coverage: { readonly regionCode: string; readonly label: Label } | null,
  now: Instant
): Result.Result<PlanTerms, InvalidField | NotFound> =>
  Result.gen(function* () {
    if (request.name.trim() === "") return yield* refuse("name", "must not be empty")
    yield* TextLimit.check("name", request.name, TextLimit.NAME)
    yield* TextLimit.check("coverageId", request.coverageId, TextLimit.ID)
    const dataMegaBytes = yield* wholeNumber("dataMegaBytes", request.dataMegaBytes, limits.dataMegaBytes)
    const periodDays = yield* wholeNumber("periodDays", request.periodDays, limits.periodDays)
    const recurrence = request.recurrence === null ? null : yield* recurrenceTerms(request.recurrence)
    const throttling = yield* throttlingSteps(request.throttling)
    const alertThresholds = request.alertThresholds === undefined ? undefined : yield* alerts(request.alertThresholds)
    if (recurrence === null && !(addDays(now, periodDays) < END_OF_TIME)) {
      return yield* refuse("periodDays", "must let the package expire before the year 10000")
    }
    if (recurrence !== null && !(Recurrence.expiration({ periodDays }, recurrence, now) < END_OF_TIME)) {
      return yield* refuse("frequency", "must let the last occurrence expire before the year 10000")
    }
    if (coverage === null) {
      return yield* Result.fail(new NotFound({ resource: "coverage profile", id: request.coverageId }))
    }
    return {
      name: request.name,
      coverageId: request.coverageId,
      regionCode: coverage.regionCode,
      label: coverage.label,
      dataMegaBytes,
      periodDays,
      throttling,
      recurrence,
      ...(alertThresholds === undefined ? {} : { alertThresholds })
    }
  })

/** Which plans a list has (rule P3); null filters nothing. */
export interface Filter {
  /** True: only archived plans. False: only plans that are not archived. */
  readonly archived: boolean | null
  /** Null: any. */
  readonly label: Label | null
  /**
   * A part of the name, taken literally and in any case: both are compared by their
   * `toLowerCase()`.
   */
  readonly search: string | null
  /**
   * Only plans whose coverage is one of these ids, or a custom region with all of these countries.
   */
  readonly covering: {
    readonly coverageIds: ReadonlyArray<string>
    readonly iso2List: ReadonlyArray<string>
  } | null
}

/**
 * Whether a list with this filter has the plan. `region` is the custom region that it covers, if it
 * covers one.
 */
export const isAsked = (
  { archivedAt, deletedAt, terms }: Plan,
  region: { readonly iso2List: ReadonlyArray<string> } | null | undefined,
  { archived, covering, label, search }: Filter
): boolean =>
  deletedAt === null &&
  (archived === null || archived === (archivedAt !== null)) &&
  (label === null || label === terms.label) &&
  (search === null || terms.name.toLowerCase().includes(search.toLowerCase())) &&
  (covering === null ||
    covering.coverageIds.includes(terms.coverageId) ||
    (region != null && covering.iso2List.every((iso2) => region.iso2List.includes(iso2))))

/** The plan, unless it was deleted (rule P2). */
export const existing = (plan: Plan | null, planId: string): Result.Result<Plan, NotFound> =>
  plan === null || plan.deletedAt !== null
    ? Result.fail(new NotFound({ resource: "plan", id: planId }))
    : Result.succeed(plan)

/**
 * Rule P2: the plan takes no new attachments from `now` on. Archived again, it keeps the instant of
 * the first time.
 */
export const archived = (plan: Plan, now: Instant): Plan => ({ ...plan, archivedAt: plan.archivedAt ?? now })

/** Rule P5: the terms that an attachment of the plan copies, with the bundle that it is now. */
export const attachedTerms = ({ bundle, price, terms }: Pick<Plan, "bundle" | "price" | "terms">): PlanTerms => {
  const priced = price === null ? terms : { ...terms, price }
  return bundle === null
    ? priced
    : { ...priced, load: bundle.load, ...(bundle.topUpLoad !== null && { topUpLoad: bundle.topUpLoad }) }
}

/** Rule W11: what the audit log says of the plan's bundle and price. */
export const facts = ({ bundle, price }: Pick<Plan, "bundle" | "price">): Readonly<Record<string, string | null>> => ({
  price: price === null ? null : amountText(price),
  load: bundle?.load ?? null,
  "top-up load": bundle?.topUpLoad ?? null,
  "price limit": bundle?.limit == null ? null : amountText(bundle.limit)
})

/**
 * Rule P5: the bundle that a package of an attachment is ordered as. `isFirst`: nothing was ordered
 * on its SIM before, so that it has the SIM's load.
 */
export const orderedLoad = ({ load, topUpLoad }: PlanTerms, isFirst: boolean): { readonly load?: string } =>
  load === undefined ? {} : { load: isFirst ? load : (topUpLoad ?? load) }

/** Rule P5: the plan as it is another bundle, or none. What is attached stays as it was ordered. */
export const bundled = (plan: Plan, bundle: Bundle | null): Result.Result<Plan, InvalidField> =>
  Result.gen(function* () {
    for (const [field, code] of [
      ["load", bundle?.load],
      ["topUpLoad", bundle?.topUpLoad]
    ] as const) {
      if (code == null) continue
      if (code.trim() === "") return yield* refuse(field, "must not be empty")
      yield* TextLimit.check(field, code, TextLimit.LOAD)
    }
    if (bundle?.limit != null && bundle.limit.units < 0) return yield* refuse("priceLimit", "must not be negative")
    return { ...plan, bundle }
  })

/** The field of an amount, its decimal, and its currency; null for what is not given. */
export interface AskedAmount {
  /** Names the amount in a refusal. */
  readonly field: string
  /** A decimal such as `9.50`. */
  readonly amount: string | null
  /** The code of ISO 4217. */
  readonly currency: string | null
}

/** An amount as a request gives it: a decimal and its currency, or neither. It is not negative. */
export const amountOf = ({ amount, currency, field }: AskedAmount): Result.Result<Amount | null, InvalidField> => {
  if (amount === null) return currency === null ? Result.succeed(null) : refuse(field, "must be given with a currency")
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return refuse("currency", "must be three capital letters")
  const parsed = parseAmount(amount, currency)
  if (parsed === undefined) return refuse(field, "must be a decimal such as 9.50")
  return parsed.units < 0 ? refuse(field, "must not be negative") : Result.succeed(parsed)
}

/** Rule P7: the plan is sold for this from now on; null: the organization does not say. */
export const priced = (plan: Plan, price: Amount | null): Plan => ({ ...plan, price })

/** Rule P2: the plan takes new attachments again. */
export const unarchived = (plan: Plan): Plan => ({ ...plan, archivedAt: null })

/** Rule P2: the plan exists no more; what was attached keeps its copy of the terms. */
export const deleted = (plan: Plan, now: Instant): Plan => ({ ...plan, deletedAt: now })
