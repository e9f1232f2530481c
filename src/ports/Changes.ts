/**
 * What commits have changed of the things that processes keep in memory or wait for, so that those
 * can be notified.
 */
import type { Effect, Scope } from "effect"
import type { Instant } from "../domain/Time.ts"
import type { Commit } from "./storage/Commit.ts"

/** What processes keep in memory, or wait for, that commits have changed. */
export interface Changes {
  /** The earliest due time of the jobs that anyone may now do; null if there are none. */
  readonly jobsDueAt: Instant | null
  /**
   * The earliest next attempt of the deliveries that anyone may now make; null if there are
   * none.
   */
  readonly deliveriesDueAt: Instant | null
  /**
   * Whether a key or an operator's token was made, rotated or revoked: what is cached of both is to
   * be forgotten.
   */
  readonly apiKeys: boolean
  /** Whether the catalogue was replaced. */
  readonly catalogue: boolean
  /** Endpoints, or handlers: who takes which types of events. */
  readonly webhookEndpoints: boolean
  /** The ids of the commands that were settled; `any` if they are too many to be named. */
  readonly commands: ReadonlyArray<string> | "any"
}

/** The changes of a commit that no process needs to know. */
export const nothing: Changes = {
  jobsDueAt: null,
  deliveriesDueAt: null,
  apiKeys: false,
  catalogue: false,
  webhookEndpoints: false,
  commands: []
}

/** What may have happened while no notification could arrive. */
export const anything: Changes = {
  jobsDueAt: Number.NEGATIVE_INFINITY,
  deliveriesDueAt: Number.NEGATIVE_INFINITY,
  apiKeys: true,
  catalogue: true,
  webhookEndpoints: true,
  commands: "any"
}

/** How many commands are named at most. */
const NAMED_COMMANDS = 50

const named = (commands: Changes["commands"]): Changes["commands"] =>
  commands.length > NAMED_COMMANDS ? "any" : commands

const allOf = (left: Changes["commands"], right: Changes["commands"]): Changes["commands"] =>
  left === "any" || right === "any" ? "any" : right.length === 0 ? left : named([...left, ...right])

const earlier = (left: Instant | null, right: Instant | null): Instant | null =>
  left === null || (right !== null && right < left) ? right : left

/** Both together. */
export const and = (left: Changes, right: Changes): Changes => ({
  jobsDueAt: earlier(left.jobsDueAt, right.jobsDueAt),
  deliveriesDueAt: earlier(left.deliveriesDueAt, right.deliveriesDueAt),
  apiKeys: left.apiKeys || right.apiKeys,
  catalogue: left.catalogue || right.catalogue,
  webhookEndpoints: left.webhookEndpoints || right.webhookEndpoints,
  commands: allOf(left.commands, right.commands)
})

const some = (rows: ReadonlyArray<unknown> | undefined): boolean => rows !== undefined && rows.length > 0

const jobsDueAt = ({
  hastened = [],
  put = [],
  reopened = [],
  retried = []
}: NonNullable<Commit["jobs"]>): Instant | null => {
  let first: Instant | null = null
  for (const { job, lease } of put) if (lease === null && job.endedAt === null) first = earlier(first, job.dueAt)
  for (const { dueAt, endedAt = null } of retried) if (endedAt === null) first = earlier(first, dueAt)
  for (const { dueAt } of [...reopened, ...hastened]) first = earlier(first, dueAt)
  return first
}

const deliveriesDueAt = ({ replayed = [], settled = [] }: NonNullable<Commit["deliveries"]>): Instant | null => {
  let first: Instant | null = null
  for (const { delivery } of settled) first = earlier(first, delivery.nextAttemptAt)
  for (const { nextAttemptAt } of replayed) first = earlier(first, nextAttemptAt)
  return first
}

/** What a commit changes. */
export const of = ({
  apiKeys,
  catalogue,
  commands,
  deliveries,
  eventHandlers,
  events = [],
  jobs,
  operators,
  webhookEndpoints
}: Commit): Changes => {
  let sent = deliveries === undefined ? null : deliveriesDueAt(deliveries)
  for (const { createdAt } of events) sent = earlier(sent, createdAt)
  return {
    jobsDueAt: jobs === undefined ? null : jobsDueAt(jobs),
    deliveriesDueAt: sent,
    apiKeys: some(apiKeys) || some(operators),
    catalogue: catalogue !== undefined,
    webhookEndpoints: some(webhookEndpoints) || eventHandlers !== undefined,
    commands: named((commands?.settled ?? []).map(({ commandId }) => commandId))
  }
}

/** Whether there is nothing to publish. */
export const isNothing = (changes: Changes): boolean =>
  changes.jobsDueAt === null &&
  changes.deliveriesDueAt === null &&
  !changes.apiKeys &&
  !changes.catalogue &&
  !changes.webhookEndpoints &&
  changes.commands.length === 0

/** Calls the listener with what commits change, until the scope ends: `Storage.watch`. */
export type Watch = (listener: (changes: Changes) => void) => Effect.Effect<void, never, Scope.Scope>
