/**
 * Subscriptions: a SIM in service, at most one per SIM at a time (rules S1, S3, S5), and how large
 * one may become (rule W9).
 */
import { Result } from "effect"
import type { Attachment, WithPackages } from "./Attachment.ts"
import { type InvalidField, SubscriptionFull } from "./Refusal.ts"
import type { Sim } from "./Sim.ts"
import * as TextLimit from "./TextLimit.ts"
import type { Instant } from "./Time.ts"

/**
 * `Pending`: invisible, until the telco's outcome is committed (rule S5). `Deleted`: kept as
 * history.
 */
export const statuses = ["Pending", "Live", "Deleted"] as const

/** `Live` is the only status of a subscription that clients see. */
export type Status = (typeof statuses)[number]

/** A SIM in service: at most one for a SIM that is pending or live (rule S1). */
export interface Subscription {
  /** The organization that owns it. */
  readonly organizationId: string
  /** An id that never changes. */
  readonly subscriptionId: string
  /** 18 to 20 digits (rule I1). */
  readonly iccid: string
  /** The first creation's text, up to 4,096 characters (rule W9). */
  readonly metadata: string
  /** Business time. */
  readonly createdAt: Instant
  /** Only a live one is visible. */
  readonly status: Status
}

/** Whether the subscription is there and shown. */
export const isLive = (of: Subscription | null | undefined): of is Subscription => of?.status === "Live"

/** Whether it is there and not shown yet: the telco's outcome is not committed (rule S5). */
export const isPending = (of: Subscription | null | undefined): of is Subscription => of?.status === "Pending"

/** Whether a decision deletes it. */
export const isDeleted = (of: Subscription | null | undefined): of is Subscription => of?.status === "Deleted"

/** How a live subscription stands, as lists are filtered by (rules S7 and L1). */
export const serviceStatuses = ["active", "paused"] as const

/**
 * `paused`: it has no service until it is resumed. `active`: it has, as far as its attachments give
 * it.
 */
export type ServiceStatus = (typeof serviceStatuses)[number]

/** How the live subscription of a SIM stands. */
export const serviceStatus = ({ service }: Pick<Sim, "service">): ServiceStatus =>
  service.pausedAt === null ? "active" : "paused"

/** A subscription with the SIM that is in service. */
export interface SubscriptionWithSim {
  /** Its status is `Live`. */
  readonly subscription: Subscription
  /** In its present state, not that of the creation. */
  readonly sim: Sim
}

/** The answer to a replacement (rule S8). */
export interface Replaced extends SubscriptionWithSim {
  /** The ICCID of the SIM that the subscription has left. */
  readonly replacedIccid: string
}

/** Rule W9: whether the texts of a creation are within their limits. */
export const checkTexts = (request: {
  readonly planId: string
  readonly iccid: string | null
  readonly metadata: string
}): Result.Result<void, InvalidField> =>
  Result.gen(function* () {
    yield* TextLimit.check("planId", request.planId, TextLimit.ID)
    if (request.iccid !== null) yield* TextLimit.check("iccid", request.iccid, TextLimit.ID)
    yield* TextLimit.check("metadata", request.metadata, TextLimit.METADATA)
  })

/**
 * The answer to a creation (rule S1). `metadata` is the request's, also if the plan was added to an
 * older subscription.
 */
export interface Created {
  /** The SIM's subscription, which may be older than this creation. */
  readonly subscriptionId: string
  /** The subscription's, in business time. */
  readonly createdAt: Instant
  /** As it was sent. */
  readonly metadata: string
  /** The id of the attachment that was made. */
  readonly attachmentId: string
  /** The one that was named, or the eSIM that was picked (rule S2). */
  readonly sim: Sim
  /**
   * The first package's times as the telco reported them, else as requested. Null if the request
   * had no active period. The expiry is null if neither the telco nor the request named one.
   */
  readonly period: { readonly activationAt: Instant; readonly expirationAt: Instant | null } | null
}

/**
 * The size of all attachments of a subscription, in bytes of JSON (rule W9). A decision about a SIM
 * reads all of them with their packages at once: it costs a few milliseconds at most, whoever asks
 * for many of them (rule W13).
 */
export const SIZE_LIMIT = 1_048_576

/** What an attachment takes without its texts, and what a package takes, in bytes. */
const ATTACHMENT = 1_024
const PACKAGE = 160

type Sized = Pick<Attachment, "metadata"> & {
  readonly terms: Pick<Attachment["terms"], "name" | "coverageId" | "regionCode" | "recurrence">
}

/** JSON writes a UTF-16 unit in 6 bytes at most. */
const atMost = (text: string): number => 2 + 6 * text.length

/** The bytes that JSON needs for a UTF-16 unit; half of a pair has two of its four. */
const bytesOfUnit = (unit: number): number => {
  if (unit < 0x20) return 6
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1
  return unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3
}

/** The bytes of the text in JSON. */
const bytes = (text: string): number => {
  let size = 2
  for (let at = 0; at < text.length; at++) size += bytesOfUnit(text.charCodeAt(at))
  return size
}

const sizeOfOne = ({ metadata, terms }: Sized, sizeOfText: (text: string) => number): number => {
  const texts = [metadata, terms.name, terms.coverageId, terms.regionCode]
  const occurrences = terms.recurrence?.occurrences ?? 1
  return texts.reduce((size, text) => size + sizeOfText(text), ATTACHMENT + PACKAGE * occurrences)
}

const sum = (attachments: ReadonlyArray<Sized>, sizeOfText: (text: string) => number): number =>
  attachments.reduce((size, attachment) => size + sizeOfOne(attachment, sizeOfText), 0)

/** The size of the attachments once all of their packages are there, in bytes. */
export const sizeOf = (attachments: ReadonlyArray<Sized>): number => sum(attachments, bytes)

/** Roughly the bytes that one attachment takes as it is stored, with its packages so far. */
export const storedSizeOf = ({ attachment, packages }: WithPackages): number =>
  ATTACHMENT + attachment.metadata.length + PACKAGE * packages.length

/** Rule W9: refuses attachments that are too large together. */
export const checkSize = (
  subscriptionId: string,
  attachments: ReadonlyArray<Sized>
): Result.Result<void, SubscriptionFull> =>
  // Texts are measured only if there are so many that it matters.
  sum(attachments, atMost) <= SIZE_LIMIT || sizeOf(attachments) <= SIZE_LIMIT
    ? Result.succeed(undefined)
    : Result.fail(new SubscriptionFull({ subscriptionId }))
