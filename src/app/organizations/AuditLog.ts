/**
 * The audit log of an organization: who changed what (rule W11). The commit of a change writes its
 * entry; here they are read, and written for changes that are kept elsewhere.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { type AuditEntry, type Change, SERVICE } from "../../domain/AuditEntry.ts"
import { InvalidField, NotFound } from "../../domain/Refusal.ts"
import * as TextLimit from "../../domain/TextLimit.ts"
import { BusinessClock } from "../../ports/Clocks.ts"
import { type AuditQuery, type CreatedCursor, Storage, type StorageError } from "../../ports/Storage.ts"
import { Commits } from "../commit/Commits.ts"
import * as Paging from "../Paging.ts"
import * as RequestContext from "../RequestContext.ts"
import { Organizations } from "./Organizations.ts"

/** Reads the audit log, and adds to it (rule W11). */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Newest first. With `AuditEntry.SERVICE` as the organization: changes that belong to none. */
    readonly page: (query: AuditQuery) => Effect.Effect<Paging.Page<AuditEntry, CreatedCursor>, NotFound | StorageError>
    /** All of them, newest first, in keyset pages: memory does not grow with the list. */
    readonly list: (query: Omit<AuditQuery, "after" | "limit">) => Stream.Stream<AuditEntry, NotFound | StorageError>
    /**
     * Adds the entry of a change that no commit of the storage makes, such as one of a telco's
     * settings.
     */
    readonly record: (change: Change) => Effect.Effect<void, StorageError>
    /**
     * Adds a note on a SIM, which its history has (rule L3), as the reason of an entry of its own.
     * `NotFound`: the organization has no such SIM.
     */
    readonly note: (
      of: Pick<Change, "organizationId"> & { readonly iccid: string; readonly note: string }
    ) => Effect.Effect<void, InvalidField | NotFound | StorageError>
  }
>()("simplan/AuditLog") {}

const cursorOf = ({ createdAt, entryId }: AuditEntry): CreatedCursor => ({ createdAt, id: entryId })

type Needs = Paging.FilteredLists | Storage | Organizations | Commits | BusinessClock

/** The implementation that `Services.layer` provides. It keeps nothing in memory. */
export const layer: Layer.Layer<AuditLog, never, Needs> = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const storage = yield* Storage
    const organizations = yield* Organizations
    const commits = yield* Commits
    const clock = yield* BusinessClock
    const lists = yield* Paging.FilteredLists

    /** Refuses an organization that is not there. */
    const checked = (of: { readonly organizationId: string }) =>
      of.organizationId === SERVICE ? Effect.void : Effect.asVoid(organizations.get(of))

    const page = (query: AuditQuery) =>
      lists.page(query, (step) => storage.auditEntries.page({ ...query, ...step }), cursorOf)

    const record = Effect.fn("AuditLog.record")(function* (change: Change) {
      const commit = yield* commits.audited({}, change, yield* clock.now)
      yield* commits.retryOnConflict(commits.write(commit))
    })

    return AuditLog.of({
      record,
      note: Effect.fn("AuditLog.note")(function* ({ iccid, note, organizationId }) {
        const reason = note.trim()
        if (reason === "") return yield* new InvalidField({ field: "note", message: "must not be blank" })
        yield* Effect.fromResult(TextLimit.check("note", reason, TextLimit.REASON))
        const sim = yield* storage.sims.get({ organizationId, iccid })
        if (sim === null) return yield* new NotFound({ resource: "sim", id: iccid })
        yield* Effect.updateService(
          record({ organizationId, action: "sim.note", resourceId: iccid, iccid }),
          RequestContext.Current,
          (request) => ({ ...request, reason })
        )
      }),
      page: Effect.fn("AuditLog.page")(function* (query) {
        yield* checked(query)
        return yield* page(query)
      }),
      list: (query) =>
        Stream.unwrap(
          Effect.as(
            checked(query),
            Paging.streamPages((after: CreatedCursor | null, limit) => page({ ...query, after, limit }))
          )
        )
    })
  })
)
