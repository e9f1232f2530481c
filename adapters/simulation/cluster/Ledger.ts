/**
 * A ledger of the leases and reservations that storage gives, kept beside it: who has what until
 * when, by the machine's time. It complains if storage gives something twice, takes a commit
 * under a lease that was lost or on an old version of a SIM, or lets an order begin anew under its
 * key while another attempt of it is there or is being undone (rule S5).
 */
import { Context, Effect } from "effect"
import { type Job, Jobs, Outbox, Storage } from "simplan/ports"
import type { SharedPorts } from "./Process.ts"

interface Lease {
  readonly token: string
  readonly until: number
}

/** A job or a delivery that was claimed. */
export interface Claimed {
  readonly id: string
  readonly organizationId: string
  readonly dueAt: number
  readonly at: number
  readonly token: string
}

export interface Ledger {
  readonly ports: Context.Context<SharedPorts>
  readonly complaints: ReadonlyArray<string>
  /** All that was claimed, in the order of the claims; what was claimed again is there again. */
  readonly claimed: ReadonlyArray<Claimed>
  /** How often work was asked for. */
  readonly claims: () => number
  /** How often it was asked who has jobs that are due. */
  readonly listings: () => number
  /** The leases of jobs that no commit has ended. */
  readonly heldJobs: () => ReadonlyArray<Jobs.JobLease>
  /** The events whose receiver was busy at the last attempt that was stored. */
  readonly busy: ReadonlySet<string>
  /** How often storage refused to change a SIM that somebody else had changed. */
  readonly conflicts: () => number
  /** How often it refused a commit whose lease was lost. */
  readonly refusals: () => number
  /** How many leases were renewed. */
  readonly renewals: () => number
}

const JOB = "job "

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** All ICCIDs that are mentioned in a value. */
const iccidsIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(iccidsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === "iccid" && typeof part === "string" ? [part] : iccidsIn(part)
  )
}

/** The ports with a ledger beside their storage. */
export const beside = (ports: Context.Context<SharedPorts>): Ledger => {
  const storage = Context.get(ports, Storage.Storage)
  const jobs = Context.get(ports, Jobs.Jobs)
  const outbox = Context.get(ports, Outbox.Outbox)
  const complaints: Array<string> = []
  const busy = new Set<string>()
  const leases = new Map<string, Lease>()
  const reservations = new Map<string, Lease>()
  /** The version of each SIM that a commit has written. */
  const versions = new Map<string, number>()
  const present = new Set<string>()
  /** By the id of a job, its organization. */
  const owners = new Map<string, string>()
  const final = new Set<string>()
  const attempts = new Map<string, number>()
  /** By the key of an order: the jobs of its attempts, and what each attempt is called. */
  const orders = new Map<string, Map<string, string>>()
  const claimed: Array<Claimed> = []
  let claims = 0
  let listings = 0
  let renewals = 0
  let conflicts = 0
  let refusals = 0

  const give = (id: string, organizationId: string, claim: Jobs.Claim, dueAt: number | null): void => {
    const held = leases.get(id)
    if (held !== undefined && held.until > claim.machineNow) complaints.push(`${id} was claimed while it was held`)
    if (final.has(id)) complaints.push(`${id} was claimed and is done`)
    if (dueAt === null || dueAt > claim.now) complaints.push(`${id} was claimed before it was due`)
    leases.set(id, { token: claim.token, until: claim.until })
    claimed.push({ id, organizationId, dueAt: dueAt ?? claim.now, at: claim.machineNow, token: claim.token })
  }
  const renew = (id: string, token: string, until: number): void => {
    renewals += 1
    if (leases.get(id)?.token === token) leases.set(id, { token, until })
  }
  const handBack = (id: string, token: string): void => {
    if (leases.get(id)?.token === token) leases.delete(id)
  }
  const end = (id: string, token: string): void => {
    if (leases.get(id)?.token !== token) complaints.push(`${id} was committed under a lease that was lost`)
    if (final.has(id)) complaints.push(`${id} was committed and was done before`)
    leases.delete(id)
  }
  const jobId = (of: { readonly jobId: string }) => `${JOB}${of.jobId}`
  const deliveryId = (of: { readonly deliveryId: string }) => `delivery ${of.deliveryId}`

  const attempted = ({ idempotencyKey, jobId, organizationId, work }: Job.Job): void => {
    if (work._tag === "CancelPackages") {
      const [attachmentId = ""] = work.packageIds[0]?.split(":") ?? []
      for (const jobs of orders.values()) if ([...jobs.values()].includes(attachmentId)) jobs.set(jobId, attachmentId)
    }
    if (work._tag !== "Provision" || idempotencyKey === null) return
    const order = `${organizationId} ${idempotencyKey}`
    const jobs = orders.get(order) ?? new Map<string, string>()
    for (const [other, attachmentId] of jobs) {
      if (present.has(other) && attachmentId !== work.attachmentId) {
        complaints.push(`the order under ${idempotencyKey} began anew while it had ${other}`)
      }
    }
    orders.set(order, jobs.set(jobId, work.attachmentId))
  }

  const committed = (commit: Storage.Commit): void => {
    for (const { job, lease } of commit.jobs?.put ?? []) {
      owners.set(job.jobId, job.organizationId)
      if (present.has(job.jobId)) continue
      attempted(job)
      present.add(job.jobId)
      // A message that was refused may be sent again under the same id.
      final.delete(jobId(job))
      if (lease !== null) leases.set(jobId(job), lease)
    }
    for (const of of commit.jobs?.finished ?? []) {
      end(jobId(of), of.token)
      final.add(jobId(of))
      present.delete(of.jobId)
      attempts.delete(of.jobId)
    }
    for (const of of commit.jobs?.retried ?? []) {
      end(jobId(of), of.token)
      // A request that goes on with its interrupted creation keeps the lease, and makes no new try
      // of the job. A telco that was not asked was not tried.
      const isTried = (of.lease ?? null) === null && of.waiting?.reason !== "held_back"
      const tries = isTried ? 1 : 0
      if (of.attempts !== (attempts.get(of.jobId) ?? 0) + tries) complaints.push(`${jobId(of)} was retried uncounted`)
      attempts.set(of.jobId, of.attempts)
      if (of.lease) leases.set(jobId(of), of.lease)
      if ((of.endedAt ?? null) !== null) final.add(jobId(of))
    }
    for (const of of commit.jobs?.reopened ?? []) {
      attempts.set(of.jobId, of.attempts)
      final.delete(jobId(of))
    }
    for (const of of commit.jobs?.resolved ?? []) {
      present.delete(of.jobId)
      attempts.delete(of.jobId)
    }
    for (const of of commit.jobs?.cancelled ?? []) {
      leases.delete(jobId(of))
      present.delete(of.jobId)
      attempts.delete(of.jobId)
    }
    for (const { delivery, token } of commit.deliveries?.settled ?? []) {
      end(deliveryId(delivery), token)
      if (delivery.status !== "Pending") final.add(deliveryId(delivery))
      if (delivery.responseStatus === 429 || delivery.responseStatus === 503) busy.add(delivery.eventId)
      else busy.delete(delivery.eventId)
    }
    for (const { loaded } of commit.sims ?? []) {
      const { iccid, version } = loaded.sim
      if (version < (versions.get(iccid) ?? 0)) complaints.push(`${iccid} was committed on an old version`)
      versions.set(iccid, version + 1)
    }
    for (const iccid of iccidsIn(commit)) reservations.delete(iccid)
  }

  const observed = ports.pipe(
    Context.add(Storage.Storage, {
      ...storage,
      commit: (commit) =>
        storage.commit(commit).pipe(
          Effect.tap(() => Effect.sync(() => committed(commit))),
          Effect.tapError((error) =>
            Effect.sync(() => {
              if (!(error instanceof Storage.Conflict)) return
              if (error.on === "version" && commit.sims !== undefined) conflicts += 1
              if (error.on === "lease") refusals += 1
            })
          )
        ),
      sims: {
        ...storage.sims,
        reserve: (claim) =>
          Effect.tap(storage.sims.reserve(claim), ({ sims }) =>
            Effect.sync(() => {
              for (const { iccid } of sims) {
                const held = reservations.get(iccid)
                if (held !== undefined && held.until > claim.machineNow) complaints.push(`${iccid} was reserved twice`)
                reservations.set(iccid, { token: claim.token, until: claim.until })
              }
            })
          ),
        release: (of) =>
          Effect.tap(storage.sims.release(of), () =>
            Effect.sync(() => {
              for (const { iccid, token } of of.reservations) {
                if (reservations.get(iccid)?.token === token) reservations.delete(iccid)
              }
            })
          )
      }
    }),
    Context.add(Jobs.Jobs, {
      ...jobs,
      partitions: (at) =>
        Effect.tap(jobs.partitions(at), () =>
          Effect.sync(() => {
            listings += 1
          })
        ),
      claim: (claim) =>
        Effect.tap(jobs.claim(claim), (given) =>
          Effect.sync(() => {
            claims += 1
            for (const job of given) give(jobId(job), job.organizationId, claim, job.dueAt)
          })
        ),
      renew: (of) =>
        Effect.tap(jobs.renew(of), () =>
          Effect.sync(() => {
            for (const lease of of.leases) renew(jobId(lease), lease.token, of.until)
          })
        ),
      handBack: (leases) =>
        Effect.tap(jobs.handBack(leases), () =>
          Effect.sync(() => {
            for (const one of leases) handBack(jobId(one), one.token)
          })
        )
    }),
    Context.add(Outbox.Outbox, {
      ...outbox,
      claim: (claim) =>
        Effect.tap(outbox.claim(claim), (given) =>
          Effect.sync(() => {
            claims += 1
            for (const { delivery } of given) {
              give(deliveryId(delivery), delivery.organizationId, claim, delivery.nextAttemptAt)
            }
          })
        ),
      renew: (of) =>
        Effect.tap(outbox.renew(of), () =>
          Effect.sync(() => {
            for (const lease of of.leases) renew(deliveryId(lease), lease.token, of.until)
          })
        ),
      handBack: (leases) =>
        Effect.tap(outbox.handBack(leases), () =>
          Effect.sync(() => {
            for (const one of leases) handBack(deliveryId(one), one.token)
          })
        )
    })
  )
  return {
    ports: observed,
    complaints,
    busy,
    claimed,
    claims: () => claims,
    listings: () => listings,
    heldJobs: () =>
      [...leases].flatMap(([id, { token }]) => {
        const jobId = id.slice(JOB.length)
        return id.startsWith(JOB) ? [{ organizationId: owners.get(jobId) ?? "", jobId, token }] : []
      }),
    conflicts: () => conflicts,
    refusals: () => refusals,
    renewals: () => renewals
  }
}
