/**
 * Plan attachments of a subscription: reading them, suspending one (rules T2, T6, T7, S4).
 */
import { Context, type Effect } from "effect"
import type { View } from "../domain/Attachment.ts"
import type { AttachmentExpired, NotFound } from "../domain/Refusal.ts"
import type { StorageError } from "../ports/Storage.ts"

interface OfLine {
  readonly organizationId: string
  readonly iccid: string
}

export class Attachments extends Context.Service<
  Attachments,
  {
    /** Oldest first. */
    readonly list: (of: OfLine) => Effect.Effect<ReadonlyArray<View>, NotFound | StorageError>
    /** By plan id or attachment id; of several with the plan, the active one, else the newest (rule S4). */
    readonly get: (of: OfLine & { readonly id: string }) => Effect.Effect<View, NotFound | StorageError>
    readonly suspend: (
      of: OfLine & { readonly attachmentId: string }
    ) => Effect.Effect<void, NotFound | AttachmentExpired | StorageError>
  }
>()("simplan/Attachments") {}
