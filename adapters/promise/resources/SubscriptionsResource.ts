/**
 * Subscriptions, their plan attachments, and SMS to them.
 */
import { Effect, Schema, Stream } from "effect"
import { Attachments, History, Messages, Pauses, Replacements, Subscriptions } from "simplan"
import {
  Amount,
  Package,
  type Preview,
  Reason,
  Refusal,
  type Sim,
  SimHistory,
  type Subscription as SubscriptionRules,
  TextLimit
} from "simplan/ports"
import { Bulk, Copy, Webhooks } from "simplan/views"
import { Fields } from "../../fields/index.ts"
import * as Arguments from "../Arguments.ts"
import * as Methods from "../Methods.ts"
import type { Runtime } from "../Runtime.ts"
import * as CommandsResource from "./CommandsResource.ts"
import type * as Types from "../types/SubscriptionsTypes.ts"
import * as PlansResource from "./PlansResource.ts"

const attemptOf = Copy.toHost(Webhooks.ShortDeliveryAttempt)
const deliveryOf = Copy.toHost(Webhooks.HistoryDelivery)

const subscribedSim = ({ iccid, isEsim, label, lpa, simId }: Sim.Sim): Types.SubscribedSim => ({
  simId,
  iccid,
  label,
  isEsim,
  lpa
})

/** A subscription as the host gets it. */
export const shape = ({ sim, subscription }: SubscriptionRules.SubscriptionWithSim): Types.Subscription => ({
  organizationId: subscription.organizationId,
  subscriptionId: subscription.subscriptionId,
  metadata: subscription.metadata,
  createdAt: Arguments.toDate(subscription.createdAt),
  pausedAt: Arguments.toDateOrNull(sim.service.pausedAt),
  sim: subscribedSim(sim)
})

const created = (of: SubscriptionRules.Created): Types.CreatedSubscription => ({
  organizationId: of.sim.organizationId,
  subscriptionId: of.subscriptionId,
  attachmentId: of.attachmentId,
  metadata: of.metadata,
  createdAt: Arguments.toDate(of.createdAt),
  activationAt: Arguments.toDateOrNull(of.period?.activationAt ?? null),
  expirationAt: Arguments.toDateOrNull(of.period?.expirationAt ?? null),
  sim: subscribedSim(of.sim)
})

const previewedPackage = (one: Preview.PackageTimes): Types.PreviewedPackage => ({
  packageId: one.packageId,
  activationAt: Arguments.toDateOrNull(one.activationAt),
  expirationAt: Arguments.toDateOrNull(one.expirationAt)
})

const previewed = (packages: ReadonlyArray<Preview.PackageTimes>): ReadonlyArray<Types.PreviewedPackage> =>
  packages.map(previewedPackage)

const creationPreview = (of: Preview.OfCreation): Types.CreationPreview => ({
  created: created(of.created),
  packages: previewed(of.ordered),
  nextPackageAt: Arguments.toDateOrNull(of.nextPackageAt),
  ...(of.purchase !== undefined && {
    purchase: {
      load: of.purchase.load,
      priceLimit: of.purchase.limit === null ? null : Amount.decimal(of.purchase.limit),
      currency: of.purchase.limit?.currency ?? null
    }
  })
})

const replaced = (of: SubscriptionRules.Replaced): Types.ReplacedSubscription => ({
  ...shape(of),
  replacedIccid: of.replacedIccid
})

const replacementPreview = (of: Preview.OfReplacement): Types.ReplacementPreview => ({
  replaced: replaced(of.replaced),
  packages: of.ordered.map((one) => ({ ...previewedPackage(one), dataMegaBytes: one.dataMegaBytes })),
  cancelledPackages: previewed(of.cancelled)
})

const pausePreview = ({ isChanged, pausedAt }: Preview.OfPause): Types.PausePreview => ({
  isChanged,
  pausedAt: Arguments.toDateOrNull(pausedAt)
})

const deletionPreview = (of: Preview.OfDeletion): Types.DeletionPreview => ({
  refusedBy: of.refusal === null ? null : Refusal.code(of.refusal),
  isDownloaded: of.isDownloaded,
  isActivated: of.isActivated,
  isUsed: of.isUsed,
  packages: previewed(of.cancelled)
})

const decodeCreation = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    planId: Arguments.Id,
    metadata: Schema.optional(Fields.storable(TextLimit.METADATA)),
    iccid: Schema.optional(Schema.NullOr(Arguments.Iccid)),
    activePeriod: Schema.optional(
      Schema.NullOr(
        Schema.Struct({
          start: Arguments.Instant,
          end: Schema.optional(Schema.NullOr(Arguments.Instant))
        })
      )
    )
  })
)

/** A subscription to create, checked. Throws an `InvalidFieldError`. */
export const creation = (method: string, request: unknown): Subscriptions.CreateRequest => {
  const { activePeriod, iccid = null, metadata = "", organizationId, planId } = decodeCreation(method, request)
  return {
    organizationId,
    planId,
    metadata,
    iccid,
    activePeriod:
      activePeriod === undefined || activePeriod === null
        ? null
        : {
            start: Arguments.toInstant(activePeriod.start),
            end: Arguments.toInstantOrNull(activePeriod.end)
          }
  }
}

/** Names the subscription of a SIM, checked. Throws an `InvalidFieldError`. */
export const named = Arguments.decoder(Schema.Struct({ ...Arguments.ofOrganization, iccid: Arguments.Iccid }))

const decodeNamed = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    iccid: Schema.optional(Arguments.Iccid),
    subscriptionId: Schema.optional(Arguments.Id)
  })
)

/** Names a subscription by its SIM or by its id, checked. Throws an `InvalidFieldError`. */
const namedAnyhow = (method: string, request: unknown) => {
  const { iccid, organizationId, subscriptionId } = decodeNamed(method, request)
  if (subscriptionId === undefined) return named(method, request)
  if (iccid === undefined) return { organizationId, subscriptionId }
  throw Arguments.invalid(method, "subscriptionId", "must be absent if there is an iccid", subscriptionId)
}

const ofHistory = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    iccid: Arguments.Iccid,
    acrossSims: Schema.optional(Arguments.Flag)
  })
)

export const make = (runtime: Runtime): Types.Subscriptions => ({
  create: Methods.writing(runtime, { name: "subscriptions.create", decode: creation }, (request) =>
    Methods.once(
      "Created",
      Effect.flatMap(Subscriptions.Subscriptions, (subscriptions) => subscriptions.create(request)),
      (answer) => Effect.succeed(created(answer))
    )
  ),
  previewCreate: Methods.reading(runtime, { name: "subscriptions.previewCreate", decode: creation }, (request) =>
    Effect.flatMap(Subscriptions.Subscriptions, (subscriptions) =>
      Effect.map(subscriptions.previewCreate(request), creationPreview)
    )
  ),
  settled: CommandsResource.settled(runtime, "subscriptions.settled", "Created", created),
  get: Methods.reading(runtime, { name: "subscriptions.get", decode: namedAnyhow }, (of) =>
    Effect.flatMap(Subscriptions.Subscriptions, (subscriptions) =>
      Effect.map("iccid" in of ? subscriptions.get(of) : subscriptions.find(of), shape)
    )
  ),
  list: Methods.streaming(runtime, Methods.method("subscriptions.list", Bulk.SubscriptionFilter), (of) =>
    Effect.map(Subscriptions.Subscriptions, (subscriptions) => Stream.map(subscriptions.list(of), shape))
  ),
  remove: Methods.writing(runtime, { name: "subscriptions.remove", decode: named }, (of) =>
    Methods.done(Effect.flatMap(Subscriptions.Subscriptions, (subscriptions) => subscriptions.remove(of)))
  ),
  previewRemove: Methods.reading(runtime, { name: "subscriptions.previewRemove", decode: named }, (of) =>
    Effect.flatMap(Subscriptions.Subscriptions, (subscriptions) =>
      Effect.map(subscriptions.previewRemove(of), deletionPreview)
    )
  ),
  replace: Methods.writing(runtime, { name: "subscriptions.replace", decode: named }, (of) =>
    Methods.once(
      "Replaced",
      Effect.flatMap(Replacements.Replacements, (replacements) => replacements.replace(of)),
      (answer) => Effect.succeed(replaced(answer))
    )
  ),
  previewReplace: Methods.reading(runtime, { name: "subscriptions.previewReplace", decode: named }, (of) =>
    Effect.flatMap(Replacements.Replacements, (replacements) =>
      Effect.map(replacements.previewReplace(of), replacementPreview)
    )
  ),
  history: Methods.paging(
    runtime,
    { name: "subscriptions.history", decode: ofHistory },
    Methods.byCreation,
    (of, page) => Effect.flatMap(History.History, (histories) => histories.page({ ...of, ...page })),
    ({ fact, iccid, position }: SimHistory.Located): Types.HistoryEntry => ({
      iccid,
      at: Arguments.toDate(position.createdAt),
      ...SimHistory.summary(fact),
      ...(fact._tag === "Event" && {
        deliveries: Webhooks.historyDeliveriesOf(fact).map(deliveryOf),
        attempts: SimHistory.attemptsOf(fact).map(attemptOf)
      })
    })
  ),
  pause: Methods.writing(runtime, { name: "subscriptions.pause", decode: named }, (of) =>
    Methods.done(Effect.flatMap(Pauses.Pauses, (pauses) => pauses.pause(of)))
  ),
  resume: Methods.writing(runtime, { name: "subscriptions.resume", decode: named }, (of) =>
    Methods.done(Effect.flatMap(Pauses.Pauses, (pauses) => pauses.resume(of)))
  ),
  previewPause: Methods.reading(runtime, { name: "subscriptions.previewPause", decode: named }, (of) =>
    Effect.flatMap(Pauses.Pauses, (pauses) => Effect.map(pauses.previewPause(of), pausePreview))
  ),
  previewResume: Methods.reading(runtime, { name: "subscriptions.previewResume", decode: named }, (of) =>
    Effect.flatMap(Pauses.Pauses, (pauses) => Effect.map(pauses.previewResume(of), pausePreview))
  ),
  lastOperator: Methods.reading(runtime, { name: "subscriptions.lastOperator", decode: named }, (of) =>
    Effect.flatMap(Subscriptions.Subscriptions, (subscriptions) =>
      Effect.map(subscriptions.lastOperator(of), (last) =>
        last === null
          ? null
          : {
              country: last.country,
              countryIso2: last.countryAlpha2,
              operator: last.operator,
              rat: last.rat,
              imei: last.imei,
              at: Arguments.toDate(last.at)
            }
      )
    )
  )
})

const reasonOf = (reason: Reason.Reason): Types.Reason => {
  const head = { code: Reason.codes[reason._tag], message: Reason.message(reason) }
  switch (reason._tag) {
    case "WaitsForStart":
    case "Over":
    case "Paused":
      return { ...head, at: Arguments.toDate(reason.at) }
    case "WaitsForFirstUse":
      return { ...head, ...(reason.pausedAt !== null && { pausedAt: Arguments.toDate(reason.pausedAt) }) }
    case "WaitsForOrder":
      return head
    case "DataUsed":
      return { ...head, ...(reason.nextAt !== null && { at: Arguments.toDate(reason.nextAt) }) }
    case "TelcoUnavailable": {
      const { nextTryAt, said: telcoMessage, since, tries } = reason
      return { ...head, tries, since: Arguments.toDate(since), nextTryAt: Arguments.toDate(nextTryAt), telcoMessage }
    }
    case "TelcoRefused":
      return { ...head, ...(reason.said !== null && { telcoMessage: reason.said }) }
    case "Suspended":
      return { ...head, at: Arguments.toDate(reason.at), ...(reason.by !== null && { by: reason.by }) }
  }
}

const attachmentOf = ({ attachment, ...view }: Attachments.Shown): Types.Attachment => ({
  organizationId: attachment.organizationId,
  iccid: attachment.iccid,
  attachmentId: attachment.attachmentId,
  subscriptionId: attachment.subscriptionId,
  planId: attachment.planId,
  terms: PlansResource.termsOf(attachment.terms),
  metadata: attachment.metadata,
  createdAt: Arguments.toDate(attachment.createdAt),
  state: view.state,
  reason: view.reason === null ? null : reasonOf(view.reason),
  activationAt: Arguments.toDateOrNull(view.activationAt),
  expirationAt: Arguments.toDateOrNull(view.expirationAt),
  suspendedAt: Arguments.toDateOrNull(attachment.suspendedAt),
  usedBytes: view.usedBytes,
  packages: view.packages.map((one) => {
    const assumedUsedBytes = Package.assumedUsedBytes(one)
    const packageId = Package.idOf(one)
    const usageAsOf = view.usageAsOf?.get(packageId)
    return {
      packageId,
      activationAt: Arguments.toDateOrNull(one.activationAt),
      expirationAt: Arguments.toDateOrNull(one.expirationAt),
      usedBytes: one.usedBytes,
      ...(usageAsOf !== undefined && { usageAsOf: Arguments.toDate(usageAsOf) }),
      ...(assumedUsedBytes !== null && { assumedUsedBytes })
    }
  })
})

const ofSim = { ...Arguments.ofOrganization, iccid: Arguments.Iccid }
const all = Arguments.decoder(Schema.Struct(ofSim))
const attachmentNamed = Arguments.decoder(Schema.Struct({ ...ofSim, id: Arguments.Id }))

/** Names an attachment to suspend, checked. Throws an `InvalidFieldError`. */
const suspension = Arguments.decoder(Schema.Struct({ ...ofSim, attachmentId: Arguments.Id }))

export const makeAttachments = (runtime: Runtime): Types.Attachments => ({
  list: Methods.streaming(runtime, { name: "attachments.list", decode: all }, (of) =>
    Effect.flatMap(Attachments.Attachments, (attachments) =>
      Effect.map(attachments.list(of), (views) => Stream.fromIterable(views.map(attachmentOf)))
    )
  ),
  get: Methods.reading(runtime, { name: "attachments.get", decode: attachmentNamed }, (of) =>
    Effect.flatMap(Attachments.Attachments, (attachments) => Effect.map(attachments.get(of), attachmentOf))
  ),
  suspend: Methods.writing(runtime, { name: "attachments.suspend", decode: suspension }, (of) =>
    Methods.done(Effect.flatMap(Attachments.Attachments, (attachments) => attachments.suspend(of)))
  ),
  previewSuspend: Methods.reading(runtime, { name: "attachments.previewSuspend", decode: suspension }, (of) =>
    Effect.flatMap(Attachments.Attachments, (attachments) =>
      Effect.map(attachments.previewSuspend(of), ({ endedOccurrences, suspended }) => ({
        packages: previewed(suspended),
        endedOccurrences
      }))
    )
  )
})

/** An SMS to send, checked. Throws an `InvalidFieldError`. The domain checks its length. */
export const sending = Arguments.decoder(
  Schema.Struct({
    ...Arguments.ofOrganization,
    iccid: Arguments.Iccid,
    from: Arguments.Text,
    text: Fields.storable(TextLimit.METADATA)
  })
)

/** The host's names of the fields that the domain names otherwise. */
export const smsFields = { message: "text" } as const

export const makeMessages = (runtime: Runtime): Types.Messages => ({
  settled: CommandsResource.settled(runtime, "messages.settled", "Sms", ({ segments }) => ({ segments })),
  send: Methods.writing(runtime, { name: "messages.send", decode: sending, fields: smsFields }, (sms) =>
    Methods.once(
      "Sms",
      Effect.flatMap(Messages.Messages, (messages) => messages.send(sms)),
      ({ segments }) => Effect.succeed({ segments })
    )
  )
})
