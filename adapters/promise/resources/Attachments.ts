/**
 * Plan attachments.
 */
import { Effect, Schema, Stream } from "effect"
import { Attachments } from "simplan"
import { type Attachment, Package } from "simplan/ports"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as PlanShapes from "../shapes/Plans.ts"
import type * as Types from "../types/Subscriptions.ts"

const shape = ({ attachment, ...view }: Attachment.View): Types.Attachment => ({
  organizationId: attachment.organizationId,
  iccid: attachment.iccid,
  attachmentId: attachment.attachmentId,
  subscriptionId: attachment.subscriptionId,
  planId: attachment.planId,
  terms: PlanShapes.terms(attachment.terms),
  metadata: attachment.metadata,
  createdAt: Arguments.toDate(attachment.createdAt),
  state: view.state,
  activationAt: Arguments.toDateOrNull(view.activationAt),
  expirationAt: Arguments.toDateOrNull(view.expirationAt),
  suspendedAt: Arguments.toDateOrNull(attachment.suspendedAt),
  usedBytes: view.usedBytes,
  packages: view.packages.map((one) => ({
    packageId: Package.packageId(one.attachmentId, one.occurrence),
    activationAt: Arguments.toDateOrNull(one.activationAt),
    expirationAt: Arguments.toDateOrNull(one.expirationAt),
    usedBytes: one.usedBytes
  }))
})

const ofSim = { ...Arguments.ofOrganization, iccid: Arguments.Id }
const all = Arguments.decoder(Schema.Struct(ofSim))
const named = Arguments.decoder(Schema.Struct({ ...ofSim, id: Arguments.Id }))

/** Names an attachment to suspend, checked. Throws an `InvalidFieldError`. */
export const suspension = Arguments.decoder(Schema.Struct({ ...ofSim, attachmentId: Arguments.Id }))

const service = Attachments.Attachments

export const make = (runtime: Runtime): Types.Attachments => ({
  list: Methods.streaming(runtime, { name: "attachments.list", decode: all }, (of) =>
    Effect.flatMap(service, (attachments) =>
      Effect.map(attachments.list(of), (views) => Stream.fromIterable(views.map(shape)))
    )
  ),
  get: Methods.reading(runtime, { name: "attachments.get", decode: named }, (of) =>
    Effect.flatMap(service, (attachments) => Effect.map(attachments.get(of), shape))
  ),
  suspend: Methods.writing(runtime, { name: "attachments.suspend", decode: suspension }, (of) =>
    Methods.done(Effect.flatMap(service, (attachments) => attachments.suspend(of)))
  )
})
