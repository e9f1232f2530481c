/**
 * Organizations: the tenants of the service.
 */
import { Context, Effect, Layer } from "effect"
import { kinds } from "../../domain/Idempotency.ts"
import * as OrganizationRules from "../../domain/Organization.ts"
import type { Organization } from "../../domain/Organization.ts"
import * as Quota from "../../domain/Quota.ts"
import { type InvalidField, NotFound, type QuotaExceeded } from "../../domain/Refusal.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { HostTransaction } from "../../ports/HostTransaction.ts"
import { type CreatedCursor, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"
import { Settings } from "../Settings.ts"

/** Makes and reads the tenants of the service. */
export class Organizations extends Context.Service<
  Organizations,
  {
    /** Under a new id. The name has 1 to 255 characters; another organization may have it too. */
    readonly create: (request: { readonly name: string }) => Effect.Effect<Organization, InvalidField | StorageError>
    /** Oldest first; with `only`, the one with that id, if there is one. */
    readonly page: (
      of: Keyset<CreatedCursor> & { readonly only?: string | null }
    ) => Effect.Effect<Paging.Page<Organization, CreatedCursor>, StorageError>
    /** By its id. */
    readonly get: (of: { readonly organizationId: string }) => Effect.Effect<Organization, NotFound | StorageError>
    /**
     * The names of the organizations of these things, by their ids. They are read at once, each one
     * time.
     */
    readonly names: (
      things: ReadonlyArray<{ readonly organizationId: string }>
    ) => Effect.Effect<ReadonlyMap<string, string>, StorageError>
    /**
     * Refuses an organization that does not exist. This process remembers those that do: none is
     * ever deleted.
     */
    readonly check: (of: { readonly organizationId: string }) => Effect.Effect<void, NotFound | StorageError>
    /**
     * Refuses another one of what the organization has as many of as it may have (rule W13). It is
     * counted right before the commit that adds one, so that creations at the same moment exceed a
     * quota by no more than they are.
     */
    readonly checkQuota: (of: {
      readonly organizationId: string
      readonly kind: Quota.Kind
    }) => Effect.Effect<void, QuotaExceeded | StorageError>
  }
>()("simplan/Organizations") {}

const REMEMBERED = 100_000

/**
 * The implementation that `Services.layer` provides. It remembers which organizations exist, so
 * that `check` reads each of them once.
 */
export const layer: Layer.Layer<Organizations, never, Storage | BusinessClock | Ids | Commits> = Layer.effect(
  Organizations,
  Effect.gen(function* () {
    const storage = yield* Storage
    const clock = yield* BusinessClock
    const ids = yield* Ids
    const commits = yield* Commits

    const inTransaction = yield* HostTransaction
    const { quotas } = yield* Settings
    const known = new Set<string>()
    const get = Effect.fnUntraced(function* ({ organizationId }: { readonly organizationId: string }) {
      const organization = yield* storage.organizations.get(organizationId)
      return organization ?? (yield* new NotFound({ resource: "organization", id: organizationId }))
    })

    return Organizations.of({
      get,
      names: Effect.fnUntraced(function* (things) {
        const ids = new Set(things.map(({ organizationId }) => organizationId))
        const found = ids.size === 0 ? [] : yield* storage.organizations.getAll([...ids])
        return new Map(found.map(({ name, organizationId }) => [organizationId, name]))
      }),
      check: Effect.fnUntraced(function* (of) {
        if (known.has(of.organizationId)) return
        yield* get(of)
        // An organization of the host's own transaction may yet be undone.
        if (known.size < REMEMBERED && !(yield* inTransaction)) known.add(of.organizationId)
      }),
      checkQuota: Effect.fnUntraced(function* ({ kind, organizationId }) {
        const count = yield* storage.organizations.count({ organizationId, kind, atMost: quotas[kind] })
        yield* Effect.fromResult(Quota.check(quotas, kind, count))
      }),
      page: Effect.fn("Organizations.page")(function* ({ after, limit, only = null }) {
        if (only !== null) {
          const single = after === null ? yield* storage.organizations.get(only) : null
          return { items: single === null ? [] : [single], next: null }
        }
        const found = yield* storage.organizations.page({ after, limit: limit + 1 })
        return Paging.page(found, limit, ({ createdAt, organizationId }) => ({ createdAt, id: organizationId }))
      }),
      create: Effect.fn("Organizations.create")(function* (request) {
        const name = yield* Effect.fromResult(OrganizationRules.named(request.name))
        const now = yield* clock.now
        const organization: Organization = { organizationId: yield* ids.next(now, null), name, createdAt: now }
        const { organizationId } = organization
        const change = {
          organizationId,
          action: "organization.create",
          resourceId: organizationId,
          iccid: null
        } as const
        const commit = yield* commits.audited({ organizations: [organization] }, change, now)
        yield* commits.retryOnConflict(commits.write(commit, kinds.Organization.keep(organization)))
        return organization
      })
    })
  })
)
