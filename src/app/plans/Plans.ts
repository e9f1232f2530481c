/**
 * Plans of an organization: create, read, archive, delete (rules P1 to P4).
 */
import { Context, Effect, Equal, Layer, Option } from "effect"
import * as BundleCheck from "../../domain/BundleCheck.ts"
import { type Action, type FieldChange, differences } from "../../domain/AuditEntry.ts"
import * as Capabilities from "../../domain/Capabilities.ts"
import { type Answer, kinds } from "../../domain/Idempotency.ts"
import * as Job from "../../domain/Job.ts"
import type { Label } from "../../domain/Label.ts"
import * as PlanRules from "../../domain/Plan.ts"
import type { Plan, TermsRequest } from "../../domain/Plan.ts"
import {
  type InvalidField,
  type NotFound,
  type NotSupported,
  type QuotaExceeded,
  TermsRefused
} from "../../domain/Refusal.ts"
import type { Region } from "../../domain/Region.ts"
import * as SoldBundle from "../../domain/SoldBundle.ts"
import * as TextLimit from "../../domain/TextLimit.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type Commit, type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import type { Telco } from "../../ports/Telco.ts"
import * as TelcoCapabilities from "../../ports/TelcoCapabilities.ts"
import { TelcoTerms } from "../../ports/TelcoPorts.ts"
import { Catalogues } from "./Catalogues.ts"
import { Commits } from "../commit/Commits.ts"
import { Coverage } from "./Coverage.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { Ids } from "../commit/Ids.ts"
import { FilteredLists } from "../Paging.ts"
import * as SoldBundles from "../telco/SoldBundles.ts"

interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

/** A plan that is to be made. */
export interface NewPlan extends Pick<Plan, "organizationId"> {
  /** What it is to grant. */
  readonly terms: TermsRequest
  /** Absent: none. */
  readonly metadata?: string
  /** What it is to be sold for (rule P7). Absent: nobody says. */
  readonly price?: Plan["price"]
}

/** A plan that is to be made of a bundle of a supplier (rule P6). */
export interface OfBundle {
  /** The organization that is to own it. */
  readonly organizationId: string
  /** The telco that sells the bundle. */
  readonly telco: string
  /** What the plan is to be there. */
  readonly bundle: PlanRules.Bundle
  /** Of the SIMs that are to take it. */
  readonly label: Label
  /** Null: that of the bundle. */
  readonly name: string | null
  /** Absent: none. */
  readonly metadata?: string
}

/** Makes, reads, archives and deletes plans. */
export class Plans extends Context.Service<
  Plans,
  {
    /**
     * Checks the terms (rule P1), the coverage profile, and whether the telco carries them
     * (rule P4).
     */
    readonly create: (
      request: NewPlan
    ) => Effect.Effect<Plan, InvalidField | NotFound | NotSupported | TermsRefused | QuotaExceeded | StorageError>
    /**
     * Makes a plan of a supplier's bundle, and its coverage profile if none has exactly its
     * countries (rule P6). With `dryRun` nothing is made.
     */
    readonly createFromBundle: (
      request: OfBundle & { readonly dryRun: boolean }
    ) => Effect.Effect<
      SoldBundle.MadePlan,
      InvalidField | NotSupported | TermsRefused | QuotaExceeded | SoldBundles.NotRead | StorageError
    >
    /**
     * What differs between the plan and a bundle that it is to be (rule P6); null if no telco
     * sells, or none of them can be asked.
     */
    readonly differences: (
      of: OfPlan & { readonly bundle: PlanRules.Bundle }
    ) => Effect.Effect<ReadonlyArray<SoldBundle.Difference> | null, NotFound | StorageError>
    /** Archived ones too; a deleted one is `NotFound`. */
    readonly get: (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>
    /**
     * A page of plans, oldest first. `countries` (ISO 2) selects the plans that cover all of them.
     */
    readonly page: (of: {
      readonly organizationId: string
      readonly archived: boolean | null
      readonly label: Label | null
      readonly search: string | null
      readonly countries: ReadonlyArray<string> | null
      readonly limit: number
      readonly after: CreatedCursor | null
    }) => Effect.Effect<{ readonly items: ReadonlyArray<Plan>; readonly next: CreatedCursor | null }, StorageError>
    /** The plan takes no new attachments (rule P2). Archiving again changes nothing. */
    readonly archive: (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>
    /** The plan takes attachments again. Unarchiving again changes nothing. */
    readonly unarchive: (of: OfPlan) => Effect.Effect<Plan, NotFound | StorageError>
    /**
     * Says which bundle of a supplier the plan is from now on (rule P5); null: none. What is
     * attached stays as it was ordered. `NotSupported`: the telco of its SIMs sells none.
     */
    readonly setBundle: (
      of: OfPlan & { readonly bundle: PlanRules.Bundle | null }
    ) => Effect.Effect<Plan, InvalidField | NotFound | NotSupported | StorageError>
    /** The plan as `setBundle` would make it, or its refusal; nothing changes (rule S9). */
    readonly previewSetBundle: (
      of: OfPlan & { readonly bundle: PlanRules.Bundle | null }
    ) => Effect.Effect<Plan, InvalidField | NotFound | NotSupported | StorageError>
    /** Says what the plan is sold for from now on (rule P7); null: nobody says. */
    readonly setPrice: (of: OfPlan & Pick<Plan, "price">) => Effect.Effect<Plan, NotFound | StorageError>
    /** Deletes the plan for good; its attachments go on (rule P2). A second time is `NotFound`. */
    readonly remove: (of: OfPlan) => Effect.Effect<void, NotFound | StorageError>
  }
>()("simplan/Plans") {}

type Needs =
  | Telco
  | FilteredLists
  | Storage
  | BusinessClock
  | Ids
  | Commits
  | Catalogues
  | Coverage
  | Organizations
  | SoldBundles.SoldBundles

/**
 * The implementation that `Services.layer` provides. It keeps nothing in memory: a plan is read
 * each time.
 */
export const layer: Layer.Layer<Plans, never, Needs> = Layer.effect(
  Plans,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits
    const catalogues = yield* Catalogues
    const coverage = yield* Coverage
    const organizations = yield* Organizations
    const telcoTerms = yield* TelcoTerms
    const soldBundles = yield* SoldBundles.SoldBundles
    const capabilitiesOf = yield* TelcoCapabilities.current
    const lists = yield* FilteredLists

    const get = Effect.fnUntraced(function* (of: OfPlan) {
      return yield* Effect.fromResult(PlanRules.existing(yield* storage.plans.get(of), of.planId))
    })

    /** The job that checks the plan's bundle (rule P6); the problem of another one is gone. */
    const checks = Effect.fnUntraced(function* (plan: Plan, action: Action, now: Instant) {
      const { organizationId, planId } = plan
      const jobs = BundleCheck.jobs(plan, now)
      const put = jobs.map((job) => ({ job: Job.make(job, { organizationId, createdAt: now }), lease: null }))
      const problem =
        action === "plan.set_bundle"
          ? yield* storage.jobs.get({ organizationId, jobId: BundleCheck.problemId(planId) })
          : null
      const endedAt = problem?.endedAt ?? null
      const resolved = problem === null || endedAt === null ? [] : [{ organizationId, jobId: problem.jobId, endedAt }]
      return put.length + resolved.length === 0 ? {} : { jobs: { put, resolved } }
    })

    const audited = Effect.fnUntraced(function* (
      plan: Plan,
      action: Action,
      now: Instant,
      changed: ReadonlyArray<FieldChange> = []
    ) {
      const { organizationId, planId: resourceId } = plan
      const commit = { plans: [plan], ...(yield* checks(plan, action, now)) }
      return yield* commits.audited(commit, { organizationId, action, resourceId, iccid: null, changed }, now)
    })

    const withRegion = (commit: Commit, region: Region, now: Instant) => {
      const { coverageId: resourceId, organizationId } = region
      const change = { organizationId, action: "coverage_profile.create", resourceId, iccid: null } as const
      return commits.audited({ ...commit, regions: [region] }, change, now)
    }

    /**
     * Commits the plan that `change` returns, unless it equals the loaded one. Without `outcome`
     * the edge keeps the answer for an idempotency key.
     */
    const change = <E>(
      action: Action,
      of: OfPlan,
      change: (plan: Plan, now: Instant) => Effect.Effect<Plan, E>,
      outcome?: Answer
    ) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const plan = yield* get(of)
          const now = yield* clock.now
          const changed = yield* change(plan, now)
          if (Equal.equals(changed, plan)) return changed
          const facts = differences(PlanRules.facts(plan), PlanRules.facts(changed))
          yield* commits.write(yield* audited(changed, action, now, facts), outcome)
          return changed
        })
      )

    /** Rule P4: whether the telco of the SIMs of such a plan can do what it needs. */
    const supported = (organizationId: string, { bundle, terms }: Pick<Plan, "bundle" | "terms">) =>
      TelcoCapabilities.check(capabilitiesOf({ organizationId, label: terms.label, purchase: bundle }), (can) =>
        Capabilities.plan(can, { bundle, terms })
      )

    /** The plan as it is a bundle, or none, if the telco sells any. */
    const bundled = Effect.fnUntraced(function* (plan: Plan, bundle: PlanRules.Bundle | null) {
      const changed = yield* Effect.fromResult(PlanRules.bundled(plan, bundle))
      if (bundle !== null) yield* supported(plan.organizationId, changed)
      return changed
    })

    /** The plan, which is not stored, if its terms and the telco allow it. */
    const planOf = Effect.fnUntraced(function* (
      organizationId: string,
      {
        bundle,
        metadata,
        price,
        profile,
        terms
      }: Pick<Plan, "bundle" | "metadata" | "price"> & {
        readonly terms: TermsRequest
        readonly profile: Parameters<typeof PlanRules.terms>[1]
      },
      now: Instant
    ) {
      yield* Effect.fromResult(TextLimit.check("metadata", metadata, TextLimit.METADATA))
      const checked = yield* Effect.fromResult(PlanRules.terms(terms, profile, now))
      yield* supported(organizationId, { bundle, terms: checked })
      const attached = PlanRules.attachedTerms({ bundle, price: null, terms: checked })
      yield* Effect.catchTag(telcoTerms.check({ organizationId, terms: attached }), "Telco.Refused", ({ message }) =>
        Effect.fail(new TermsRefused({ message }))
      )
      yield* organizations.checkQuota({ organizationId, kind: "plans" })
      const plan: Plan = {
        organizationId,
        planId: yield* ids.next(now, organizationId),
        terms: checked,
        metadata,
        price,
        createdAt: now,
        bundle: null,
        archivedAt: null,
        deletedAt: null,
        version: 0
      }
      return yield* Effect.fromResult(PlanRules.bundled(plan, bundle))
    })

    /** The countries that a plan covers. */
    const countriesOf = Effect.fnUntraced(function* ({ organizationId, terms: { coverageId } }: Plan) {
      // Failure: the profile of an old plan may be in the catalogue no more.
      const area = yield* Effect.catchTag(coverage.area({ organizationId, coverageId }), "NotFound", () =>
        Effect.succeed(null)
      )
      return area?.iso2List ?? []
    })

    /** The bundle of a code, with its telco; undefined if no catalogue can be had. */
    const soldAs = Effect.fnUntraced(function* (load: string) {
      const all = yield* Effect.forEach(yield* soldBundles.sellers, ({ telco }) =>
        // Failure: what the others sell counts.
        Effect.option(Effect.map(soldBundles.of(telco), ({ bundles }) => ({ telco, bundles })))
      )
      const read = all.flatMap((one) => (Option.isSome(one) ? [one.value] : []))
      if (read.length === 0) return undefined
      const found = read.flatMap(({ bundles, telco }) => bundles.map((bundle) => ({ telco, bundle })))
      return found.find(({ bundle }) => bundle.code === load) ?? null
    })

    /** The bundle, with what it is in the catalogue now. */
    const asSold = Effect.fnUntraced(function* (bundle: PlanRules.Bundle | null) {
      if (bundle === null) return null
      const found = yield* soldAs(bundle.load)
      return found == null ? bundle : { ...bundle, sold: BundleCheck.soldBy(found.telco, found.bundle) }
    })

    const always = (change: (plan: Plan, now: Instant) => Plan) => (plan: Plan, now: Instant) =>
      Effect.succeed(change(plan, now))

    const done = kinds.Done.keep(null)

    return Plans.of({
      get,
      create: Effect.fn("Plans.create")(function* ({ metadata = "", organizationId, price = null, terms }) {
        yield* organizations.check({ organizationId })
        // Failure: plans without a profile are refused by the rules, with the other fields.
        const profile = yield* Effect.catchTag(
          coverage.area({ organizationId, coverageId: terms.coverageId }),
          "NotFound",
          () => Effect.succeed(null)
        )
        const now = yield* clock.now
        const plan = yield* planOf(organizationId, { terms, profile, metadata, price, bundle: null }, now)
        const facts = price === null ? [] : differences({}, PlanRules.facts(plan))
        const commit = yield* audited(plan, "plan.create", now, facts)
        yield* commits.retryOnConflict(commits.write(commit, kinds.Plan.keep(plan)))
        return plan
      }),
      createFromBundle: Effect.fn("Plans.createFromBundle")(function* ({ dryRun, ...request }) {
        const { label, metadata = "", organizationId, telco } = request
        yield* organizations.check({ organizationId })
        const { bundles } = yield* soldBundles.of(telco)
        const offer = yield* Effect.fromResult(SoldBundle.offered(bundles, request.bundle))
        const bundle = { ...request.bundle, sold: BundleCheck.soldBy(telco, offer.bundle) }
        yield* soldBundles.checkSeller({ telco, organizationId, label, load: bundle.load })
        const { countries: iso2List, name: regionName } = offer.bundle
        const { dataMegaBytes, periodDays } = offer
        return yield* commits.retryOnConflict(
          Effect.gen(function* () {
            const { area, made } = yield* coverage.covering({ organizationId, label, iso2List, regionName })
            const now = yield* clock.now
            if (made !== null) yield* organizations.checkQuota({ organizationId, kind: "regions" })
            const terms = {
              ...{ name: request.name ?? regionName, coverageId: area.coverageId, dataMegaBytes, periodDays },
              ...{ throttling: [], recurrence: null }
            }
            const plan = yield* planOf(organizationId, { terms, profile: area, metadata, price: null, bundle }, now)
            const answer = SoldBundle.made(plan, area, offer)
            if (dryRun) return { ...answer, planId: null, coverageId: made === null ? area.coverageId : null }
            const commit = yield* audited(plan, "plan.create", now, differences({}, PlanRules.facts(plan)))
            yield* commits.write(
              made === null ? commit : yield* withRegion(commit, made, now),
              kinds.MadePlan.keep(answer)
            )
            return answer
          })
        )
      }),
      differences: Effect.fn("Plans.differences")(function* ({ bundle, ...of }) {
        const plan = yield* get(of)
        const sold = yield* soldAs(bundle.load)
        if (sold === undefined) return null
        return SoldBundle.differences(plan, yield* countriesOf(plan), bundle, sold?.bundle ?? null)
      }),
      previewSetBundle: Effect.fn("Plans.previewSetBundle")(function* ({ bundle, ...of }) {
        return yield* bundled(yield* get(of), bundle)
      }),
      page: Effect.fn("Plans.page")(function* ({ countries, ...of }) {
        const iso2List = countries?.map((code) => code.toUpperCase()) ?? null
        const covering =
          iso2List === null
            ? null
            : {
                iso2List,
                coverageIds: (yield* catalogues.current).profiles
                  .filter((profile) => iso2List.every((code) => profile.iso2List.includes(code)))
                  .map(({ coverageId }) => coverageId)
              }
        return yield* lists.page(
          of,
          (step) => storage.plans.page({ ...of, covering, ...step }),
          ({ createdAt, planId }) => ({ createdAt, id: planId })
        )
      }),
      archive: (of) => change("plan.archive", of, always(PlanRules.archived), done),
      unarchive: (of) => change("plan.unarchive", of, always(PlanRules.unarchived), done),
      setBundle: Effect.fn("Plans.setBundle")(function* ({ bundle, ...of }) {
        const sold = yield* asSold(bundle)
        return yield* change("plan.set_bundle", of, (plan) => bundled(plan, sold))
      }),
      setPrice: ({ price, ...of }) =>
        change("plan.set_price", of, (plan) => Effect.succeed(PlanRules.priced(plan, price))),
      remove: (of) => Effect.asVoid(change("plan.delete", of, always(PlanRules.deleted), done))
    })
  })
)
