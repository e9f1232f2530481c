/**
 * Problems: jobs that the telco refuses again and again, so that an operator has to talk to it (rule S3). They are still
 * tried, and are gone from the list when the telco takes them.
 */
import { Context, Effect, Layer } from "effect"
import type { Job } from "../../domain/Job.ts"
import { type CreatedCursor, type Keyset, Storage, type StorageError } from "../../ports/Storage.ts"
import * as Paging from "../Paging.ts"

export class Problems extends Context.Service<
  Problems,
  {
    /** Of all organizations, oldest job first. */
    readonly page: (of: Keyset<CreatedCursor>) => Effect.Effect<Paging.Page<Job, CreatedCursor>, StorageError>
  }
>()("simplan/Problems") {}

export const layer: Layer.Layer<Problems, never, Storage> = Layer.effect(
  Problems,
  Effect.map(Storage, (storage) =>
    Problems.of({
      page: Effect.fn("Problems.page")(function* ({ after, limit }) {
        const found = yield* storage.problems.page({ after, limit: limit + 1 })
        return Paging.page(found, limit, ({ createdAt, jobId }) => ({ createdAt, id: jobId }))
      })
    })
  )
)
