/**
 * The operators of the service, whom the management API takes requests from. A token is shown once,
 * when it is made; what is stored is its hash (rule W14).
 */
import { Context, Effect, Equal, Layer } from "effect"
import { type Action, differences, SERVICE } from "../../domain/AuditEntry.ts"
import * as Operator from "../../domain/Operator.ts"
import * as Organization from "../../domain/Organization.ts"
import { type InvalidField, type KeyRefused, NotFound, OperatorNameTaken } from "../../domain/Refusal.ts"
import type { Instant } from "../../domain/Time.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type CreatedCursor, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import { Ids } from "../commit/Ids.ts"
import * as Paging from "../Paging.ts"
import * as KeyLookup from "./KeyLookup.ts"
import { Organizations } from "./Organizations.ts"

/** An operator with its token, which is nowhere else. */
export interface NewOperator {
  /** What lists show of it. Only its token's hash is stored. */
  readonly operator: Operator.Operator
  /** The token, which is shown this once (rule W14). */
  readonly token: string
}

/** An operator whose token was given. */
export interface Authenticated {
  /** Whose token it is. */
  readonly operator: Operator.Operator
  /** When the token ends: the operator's own, or the one before it; null: it does not. */
  readonly tokenEndsAt: Instant | null
}

interface OfOperator {
  readonly operatorId: string
}

/**
 * Makes, lists and deletes operators, gives them other tokens, and finds whose a token is
 * (rule W14).
 */
export class ServiceOperators extends Context.Service<
  ServiceOperators,
  {
    /**
     * `organizationId` null: the operator sees all organizations. `expiresAt` null: its tokens do
     * not expire.
     */
    readonly create: (
      request: Pick<Operator.Operator, "name" | "role" | "organizationId" | "expiresAt">
    ) => Effect.Effect<NewOperator, InvalidField | NotFound | OperatorNameTaken | StorageError>
    /** Oldest first, deleted ones included. */
    readonly page: (
      of: Keyset<CreatedCursor>
    ) => Effect.Effect<Paging.Page<Operator.Operator, CreatedCursor>, StorageError>
    /**
     * This process refuses its tokens at once, all others within 5 s. Deleting it again changes
     * nothing.
     */
    readonly delete: (of: OfOperator) => Effect.Effect<Operator.Operator, NotFound | StorageError>
    /** Gives the operator another token. The one before goes on for 24 h. */
    readonly rotate: (of: OfOperator) => Effect.Effect<NewOperator, NotFound | StorageError>
    /**
     * Gives the operator another role: at once in this process, within 5 s in all others. The same
     * role again changes nothing.
     */
    readonly setRole: (
      of: OfOperator & Pick<Operator.Operator, "role">
    ) => Effect.Effect<Operator.Operator, NotFound | StorageError>
    /** Whose token this is, and when it ends. A refusal does not say why a token is not valid. */
    readonly authenticate: (token: string) => Effect.Effect<Authenticated, KeyRefused | StorageError>
    /**
     * Whether this process has made the token or found it valid, so that to look it up again is no
     * guess (rule W10).
     */
    readonly isKnown: (token: string) => boolean
  }
>()("simplan/ServiceOperators") {}

/**
 * The implementation that `Services.layer` provides. It remembers tokens as that of `ApiKeys` does
 * keys (rule W3).
 */
export const layer: Layer.Layer<ServiceOperators, never, Storage | BusinessClock | Ids | Commits | Organizations> =
  Layer.effect(
    ServiceOperators,
    Effect.gen(function* () {
      const storage = yield* Storage
      const clock = yield* BusinessClock
      const ids = yield* Ids
      const commits = yield* Commits
      const organizations = yield* Organizations
      const byHash = (hash: string) =>
        Effect.map(storage.operators.byHash(hash), (operator): Authenticated | null =>
          operator === null ? null : { operator, tokenEndsAt: Operator.endOf(operator, hash) }
        )
      const lookup = yield* KeyLookup.make(byHash, ({ operator }, now, hash) => Operator.isValid(operator, now, hash))

      const get = Effect.fnUntraced(function* ({ operatorId }: OfOperator) {
        const found = yield* storage.operators.get(operatorId)
        return found ?? (yield* new NotFound({ resource: "operator", id: operatorId }))
      })

      const write = Effect.fnUntraced(function* (
        operator: Operator.Operator,
        action: Action,
        now: Instant,
        before = operator
      ) {
        const changed = differences({ role: before.role }, { role: operator.role })
        const change = { organizationId: SERVICE, action, resourceId: operator.operatorId, iccid: null, changed }
        yield* commits.write(yield* commits.audited({ operators: [operator] }, change, now))
      })

      const made = (operator: Operator.Operator, token: string): NewOperator => {
        lookup.remember(token)
        return { operator, token }
      }

      return ServiceOperators.of({
        page: Effect.fn("ServiceOperators.page")(function* ({ after, limit }) {
          const found = yield* storage.operators.page({ after, limit: limit + 1 })
          return Paging.page(found, limit, ({ createdAt, operatorId }) => ({ createdAt, id: operatorId }))
        }),
        create: Effect.fn("ServiceOperators.create")(function* ({ expiresAt, organizationId, role, ...request }) {
          const name = yield* Effect.fromResult(Organization.named(request.name))
          if (organizationId !== null) yield* organizations.get({ organizationId })
          const now = yield* clock.now
          const { key: token, secret } = yield* lookup.make
          const operatorId = yield* ids.next(now, null)
          const operator = yield* Effect.fromResult(
            Operator.make({ ...secret, operatorId, name, role, organizationId, expiresAt }, now)
          )
          yield* commits.retryOnConflict(
            Effect.gen(function* () {
              if ((yield* storage.operators.named(name)) !== null)
                return yield* new OperatorNameTaken({ operatorName: name })
              yield* write(operator, "operator.create", now)
            })
          )
          return made(operator, token)
        }),
        delete: Effect.fn("ServiceOperators.delete")(function* (of) {
          return yield* commits.retryOnConflict(
            Effect.gen(function* () {
              const operator = yield* get(of)
              const now = yield* clock.now
              const deleted = Operator.deleted(operator, now)
              if (!Equal.equals(deleted, operator)) yield* write(deleted, "operator.delete", now)
              return deleted
            })
          )
        }),
        rotate: Effect.fn("ServiceOperators.rotate")(function* (of) {
          return yield* commits.retryOnConflict(
            Effect.gen(function* () {
              const { key: token, secret } = yield* lookup.make
              const now = yield* clock.now
              const operator = yield* Effect.fromResult(Operator.rotated(yield* get(of), secret, now))
              yield* write(operator, "operator.rotate", now)
              return made(operator, token)
            })
          )
        }),
        setRole: Effect.fn("ServiceOperators.setRole")(function* ({ role, ...of }) {
          return yield* commits.retryOnConflict(
            Effect.gen(function* () {
              const operator = yield* get(of)
              const changed = yield* Effect.fromResult(Operator.withRole(operator, role))
              if (!Equal.equals(changed, operator))
                yield* write(changed, "operator.set_role", yield* clock.now, operator)
              return changed
            })
          )
        }),
        authenticate: lookup.authenticate,
        isKnown: lookup.isKnown
      })
    })
  )
