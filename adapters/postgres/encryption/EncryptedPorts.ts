/**
 * The ports with secrets, such as signing keys (rule W6), encrypted in the database and plain outside of it. Without a
 * key they are stored plain, and one that was encrypted nevertheless fails its read.
 */
import { Effect, Result } from "effect"
import {
  type Delivery,
  type Idempotency,
  type Outbox,
  type SimAggregate,
  Storage,
  type Subscription
} from "simplan/ports"
import { type Cipher, Undecryptable } from "./Secrets.ts"
import * as Secrets from "./Secrets.ts"

interface Ports {
  readonly storage: Storage.Storage["Service"]
  readonly outbox: Outbox.Outbox["Service"]
}

const undecryptable = (cause: unknown): Storage.StorageError =>
  new Storage.StorageError({
    message: cause instanceof Undecryptable ? cause.message : "A secret cannot be read",
    cause
  })

/** What has an outcome, with the outcome turned. */
const withOutcome =
  (turn: (outcome: Idempotency.Outcome) => Idempotency.Outcome) =>
  <A extends { readonly outcome: Idempotency.Outcome }>(one: A): A => ({ ...one, outcome: turn(one.outcome) })

type Recorded = Pick<Idempotency.IdempotencyRecord, "outcome">

/** A record of a request, with its outcome turned; what was interrupted has no secret. */
const unlessInterrupted =
  (turn: <A extends { readonly outcome: Idempotency.Outcome }>(one: A) => A) =>
  <A extends Recorded>(record: A): A => {
    const { outcome } = record
    return outcome._tag === "Interrupted" ? record : { ...record, ...turn({ outcome }) }
  }

/** The ports over ones that store secrets as they come. */
export const make = ({ outbox, storage }: Ports, cipher: Cipher): Ports => {
  const opened = <A, B>(read: Effect.Effect<A, Storage.StorageError>, open: (found: A) => B) =>
    Effect.flatMap(read, (found) => Effect.fromResult(Result.try({ try: () => open(found), catch: undecryptable })))
  const each =
    <A, B>(open: (one: A) => B) =>
    (found: ReadonlyArray<A>) =>
      found.map(open)
  const maybe =
    <A, B>(open: (one: A) => B) =>
    (found: A | null) =>
      found === null ? null : open(found)

  const openSim = Secrets.ofSim(cipher.decrypt)
  const openEndpoint = Secrets.ofEndpoint(cipher.decrypt)
  const openAggregate = (found: SimAggregate.SimAggregate) => ({ ...found, sim: openSim(found.sim) })
  const openSubscription = (found: Subscription.SubscriptionWithSim) => ({ ...found, sim: openSim(found.sim) })
  const sealSim = Secrets.ofSim(cipher.encrypt)
  const sealEndpoint = Secrets.ofEndpoint(cipher.encrypt)
  const openResult = withOutcome(Secrets.ofOutcome(cipher.decrypt))
  const sealResult = withOutcome(Secrets.ofOutcome(cipher.encrypt))
  const [openRecord, sealRecord] = [unlessInterrupted(openResult), unlessInterrupted(sealResult)]

  const sealed = (commit: Storage.Commit): Storage.Commit => {
    const { commands, idempotency, webhookEndpoints } = commit
    if ((commands ?? idempotency ?? webhookEndpoints) === undefined) return commit
    const { put, settled } = idempotency ?? {}
    return {
      ...commit,
      ...(commands && {
        commands: {
          ...(commands.put && { put: commands.put.map(sealResult) }),
          ...(commands.settled && { settled: commands.settled.map(sealResult) })
        }
      }),
      ...(webhookEndpoints && { webhookEndpoints: webhookEndpoints.map(sealEndpoint) }),
      ...(idempotency && {
        idempotency: {
          ...idempotency,
          ...(put && {
            put: put.map(({ record, ...replaced }) => ({ ...replaced, record: sealRecord(record) }))
          }),
          ...(settled && { settled: settled.map(sealRecord) })
        }
      })
    }
  }

  // One whose keys were tampered with stays behind, and holds up none of the others.
  const readable = (due: ReadonlyArray<Delivery.DueDelivery>) => {
    const found: Array<Delivery.DueDelivery> = []
    const problems: Array<string> = []
    for (const one of due) {
      try {
        found.push({ ...one, endpoint: openEndpoint(one.endpoint) })
      } catch (cause) {
        problems.push(undecryptable(cause).message)
      }
    }
    return Effect.as(
      Effect.forEach(problems, (problem) => Effect.logError(`a webhook cannot be signed: ${problem}`)),
      found
    )
  }

  const { commands, idempotencyRecords, simAggregates, sims, subscriptions, webhookEndpoints } = storage
  return {
    storage: {
      ...Storage.reads(storage),
      commit: (commit) => Effect.suspend(() => storage.commit(sealed(commit))),
      webhookEndpoints: {
        get: (of) => opened(webhookEndpoints.get(of), maybe(openEndpoint)),
        page: (query) => opened(webhookEndpoints.page(query), each(openEndpoint)),
        namedTypes: webhookEndpoints.namedTypes,
        failingSince: webhookEndpoints.failingSince,
        health: webhookEndpoints.health,
        failing: webhookEndpoints.failing
      },
      sims: {
        get: (of) => opened(sims.get(of), maybe(openSim)),
        import: (given, auditEntry) => Effect.suspend(() => sims.import(given.map(sealSim), auditEntry)),
        page: (query) => opened(sims.page(query), each(openSim)),
        reserve: (claim) => opened(sims.reserve(claim), (found) => ({ ...found, sims: found.sims.map(openSim) })),
        release: sims.release,
        stock: sims.stock,
        identities: sims.identities,
        smdpHistory: sims.smdpHistory
      },
      simAggregates: {
        get: (of) => opened(simAggregates.get(of), maybe(openAggregate)),
        forAttachment: (of) => opened(simAggregates.forAttachment(of), maybe(openAggregate)),
        forOccurrence: simAggregates.forOccurrence,
        forReports: simAggregates.forReports,
        owner: simAggregates.owner
      },
      subscriptions: {
        get: (of) => opened(subscriptions.get(of), maybe(openSubscription)),
        page: (query) => opened(subscriptions.page(query), each(openSubscription)),
        attachments: subscriptions.attachments
      },
      commands: {
        get: (of) => opened(commands.get(of), maybe(openResult)),
        page: (query) => opened(commands.page(query), each(openResult))
      },
      idempotencyRecords: { get: (of) => opened(idempotencyRecords.get(of), maybe(openRecord)) },
      virtualClock: storage.virtualClock,
      clockOffset: storage.clockOffset,
      watch: storage.watch,
      purge: storage.purge,
      purgeAudit: storage.purgeAudit,
      purgeEvents: storage.purgeEvents,
      ready: storage.ready,
      probe: storage.probe
    },
    outbox: {
      ...outbox,
      claim: (claim) => Effect.flatMap(outbox.claim(claim), readable)
    }
  }
}
