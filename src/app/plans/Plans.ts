/**
 * Plans of an organization: create, read, archive, delete (rules P1 to P4).
 */
import { Context, Effect, Equal, Layer, Result } from "effect"
import { type Action, type FieldChange, differences } from "../../domain/AuditEntry.ts"
import { kinds } from "../../domain/Idempotency.ts"
import type { Label } from "../../domain/Label.ts"
import * as PlanRules from "../../domain/Plan.ts"
import type { Plan, TermsRequest } from "../../domain/Plan.ts"
import { type InvalidField, type NotFound, type QuotaExceeded, TermsRefused } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import { TelcoTerms } from "../../ports/TelcoPorts.ts"
import { Catalogues } from "./Catalogues.ts"
import { Commits } from "../commit/Commits.ts"
import { Coverage } from "./Coverage.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { Ids } from "../commit/Ids.ts"
import { FilteredLists } from "../Paging.ts"

interface OfPlan {
  readonly organizationId: string
  readonly planId: string
}

/** Makes, reads, archives and deletes plans. */
export class Plans extends Context.Service<
  Plans,
  {
    /**
     * Checks the terms (rule P1), the coverage profile, and whether the telco carries them
     * (rule P4).
     */
    readonly create: (request: {
      readonly organizationId: string
      readonly terms: TermsRequest
    }) => Effect.Effect<Plan, InvalidField | NotFound | TermsRefused | QuotaExceeded | StorageError>
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
     * attached stays as it was ordered.
     */
    readonly setBundle: (
      of: OfPlan & { readonly bundle: PlanRules.Bundle | null }
    ) => Effect.Effect<Plan, InvalidField | NotFound | StorageError>
    /** Deletes the plan for good; its attachments go on (rule P2). A second time is `NotFound`. */
    readonly remove: (of: OfPlan) => Effect.Effect<void, NotFound | StorageError>
  }
>()("simplan/Plans") {}

type Needs = FilteredLists | Storage | BusinessClock | Ids | Commits | Catalogues | Coverage | Organizations

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
    const lists = yield* FilteredLists

    const get = Effect.fnUntraced(function* (of: OfPlan) {
      return yield* Effect.fromResult(PlanRules.existing(yield* storage.plans.get(of), of.planId))
    })

    const audited = (plan: Plan, action: Action, now: Instant, changed: ReadonlyArray<FieldChange> = []) => {
      const { organizationId, planId: resourceId } = plan
      return commits.audited({ plans: [plan] }, { organizationId, action, resourceId, iccid: null, changed }, now)
    }

    /** Commits the plan that `change` returns, unless it equals the loaded one. */
    const change = <E>(action: Action, of: OfPlan, change: (plan: Plan, now: Instant) => Result.Result<Plan, E>) =>
      commits.retryOnConflict(
        Effect.gen(function* () {
          const plan = yield* get(of)
          const now = yield* clock.now
          const changed = yield* Effect.fromResult(change(plan, now))
          if (Equal.equals(changed, plan)) return changed
          const facts = differences(PlanRules.facts(plan), PlanRules.facts(changed))
          yield* commits.write(yield* audited(changed, action, now, facts), kinds.Done.keep(null))
          return changed
        })
      )

    const always = (change: (plan: Plan, now: Instant) => Plan) => (plan: Plan, now: Instant) =>
      Result.succeed(change(plan, now))

    return Plans.of({
      get,
      create: Effect.fn("Plans.create")(function* ({ organizationId, terms }) {
        yield* organizations.check({ organizationId })
        // Failure: plans without a profile are refused by the rules, with the other fields.
        const profile = yield* Effect.catchTag(
          coverage.area({ organizationId, coverageId: terms.coverageId }),
          "NotFound",
          () => Effect.succeed(null)
        )
        const now = yield* clock.now
        const checked = yield* Effect.fromResult(PlanRules.terms(terms, profile, now))
        yield* Effect.catchTag(telcoTerms.check({ organizationId, terms: checked }), "Telco.Refused", ({ message }) =>
          Effect.fail(new TermsRefused({ message }))
        )
        yield* organizations.checkQuota({ organizationId, kind: "plans" })
        const plan: Plan = {
          organizationId,
          planId: yield* ids.next(now, organizationId),
          terms: checked,
          createdAt: now,
          bundle: null,
          archivedAt: null,
          deletedAt: null,
          version: 0
        }
        yield* commits.retryOnConflict(commits.write(yield* audited(plan, "plan.create", now), kinds.Plan.keep(plan)))
        return plan
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
      archive: (of) => change("plan.archive", of, always(PlanRules.archived)),
      unarchive: (of) => change("plan.unarchive", of, always(PlanRules.unarchived)),
      setBundle: ({ bundle, ...of }) => change("plan.set_bundle", of, (plan) => PlanRules.bundled(plan, bundle)),
      remove: (of) => Effect.asVoid(change("plan.delete", of, always(PlanRules.deleted)))
    })
  })
)
