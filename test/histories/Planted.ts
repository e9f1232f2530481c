/**
 * Faults planted around the ports of a simulated service: small mistakes that an author could make.
 */
import { Context, Effect } from "effect"
import { Storage, Telco } from "simplan/ports"
import type * as Simulation from "../../adapters/simulation/Simulation.ts"

export type Around = NonNullable<Simulation.Options["around"]>

/** A storage some of whose operations are others. */
export const storing =
  (change: (storage: Storage.Storage["Service"]) => Partial<Storage.Storage["Service"]>): Around =>
  (ports) => {
    const storage = Context.get(ports, Storage.Storage)
    return Context.add(ports, Storage.Storage, { ...storage, ...change(storage) })
  }

/** A storage that changes commits before it writes them. */
const committing = (change: (commit: Storage.Commit) => Storage.Commit): Around =>
  storing((storage) => ({ commit: (commit) => storage.commit(change(commit)) }))

/** A telco some of whose operations are others. */
export const asking =
  (change: (telco: Telco.Telco["Service"]) => Partial<Telco.Telco["Service"]>): Around =>
  (ports) => {
    const telco = Context.get(ports, Telco.Telco)
    return Context.add(ports, Telco.Telco, { ...telco, ...change(telco) })
  }

/** Later packages are created a millisecond late: less than 12 h before they activate. */
const lateLead = committing((commit) => ({
  ...commit,
  jobs: {
    ...commit.jobs,
    put: (commit.jobs?.put ?? []).map(({ job, lease }) => ({
      job: job.work._tag === "CreatePackage" ? { ...job, dueAt: job.dueAt + 1 } : job,
      lease
    }))
  }
}))

/** No job follows the third occurrence. */
const brokenChain = committing((commit) => ({
  ...commit,
  jobs: {
    ...commit.jobs,
    put: (commit.jobs?.put ?? []).filter(({ job }) => job.work._tag !== "CreatePackage" || job.work.occurrence < 3)
  }
}))

/** Usage is the last reported total, not the highest. */
const forgottenReports = storing(({ simAggregates }) => ({
  simAggregates: {
    ...simAggregates,
    forReports: (query) =>
      Effect.map(simAggregates.forReports(query), (aggregates) =>
        aggregates.map(({ aggregate }) => ({ aggregate, seen: [] }))
      )
  }
}))

/** The last threshold notified is not stored. */
const forgottenThresholds = committing((commit) => ({
  ...commit,
  sims: (commit.sims ?? []).map(({ loaded, next: { attachments, ...next } }) => ({
    loaded,
    next:
      attachments === undefined
        ? next
        : {
            ...next,
            attachments: attachments.map((of) => ({
              ...of,
              attachment: { ...of.attachment, lastThresholdNotified: 0 }
            }))
          }
  }))
}))

/** A deleted subscription's SIM is free at once, and the telco never cancels its packages. */
const keptPackages = asking(() => ({ cancelPackage: () => Effect.void }))

/** The telco is not called for suspensions. */
const deafSuspensions = asking(() => ({ suspendPackage: () => Effect.void }))

/** A refusal of the telco counts as a success. */
const ignoredRefusals = asking((telco) => ({
  createPackage: (order) =>
    Effect.catchTag(telco.createPackage(order), "Telco.Refused", () =>
      Effect.succeed({ telcoPackageId: `telco-${order.packageId}`, activationAt: null, expirationAt: null })
    )
}))

/** Reads find the SIMs of other organizations. */
const openDoors: Around = (ports) => {
  const storage = Context.get(ports, Storage.Storage)
  return Context.add(ports, Storage.Storage, {
    ...storage,
    simAggregates: {
      ...storage.simAggregates,
      get: (of) =>
        Effect.flatMap(storage.simAggregates.get(of), (line) =>
          line !== null
            ? Effect.succeed(line)
            : Effect.gen(function* () {
                for (const { organizationId } of yield* storage.organizations.page({ after: null, limit: 100 })) {
                  const found = yield* storage.simAggregates.get({ organizationId, iccid: of.iccid })
                  if (found !== null) return found
                }
                return null
              })
        )
    }
  })
}

/** A SIM that is withdrawn stays in the stock. */
const keptStock = committing((commit) => ({
  ...commit,
  sims: (commit.sims ?? []).map(({ loaded, next }) => ({
    loaded,
    next:
      next.sim.allocation?._tag === "Withdrawn" && "subscription" in next === false
        ? { ...next, sim: { ...next.sim, allocation: { _tag: "Free" as const } } }
        : next
  }))
}))

/** Withdrawn SIMs are reserved as free ones are. */
const givenAway: Around = (ports) => {
  const storage = Context.get(ports, Storage.Storage)
  return Context.add(ports, Storage.Storage, {
    ...storage,
    sims: {
      ...storage.sims,
      reserve: (claim) =>
        Effect.gen(function* () {
          const { label, organizationId } = claim
          const page = { organizationId, label, isEsim: true, after: null, limit: 100 }
          const sim = (yield* storage.sims.page(page)).find(({ allocation }) => allocation._tag === "Withdrawn")
          return sim === undefined
            ? yield* storage.sims.reserve(claim)
            : { sims: [{ ...sim, allocation: { _tag: "Free" as const } }], shortage: null }
        })
    }
  })
}

export const faults: ReadonlyArray<readonly [what: string, around: Around]> = [
  ["later packages are created a millisecond late", lateLead],
  ["the chain of occurrences breaks after the third", brokenChain],
  ["reports are not recognized when they come again", forgottenReports],
  ["the threshold that was notified last is forgotten", forgottenThresholds],
  ["packages of deleted subscriptions are not cancelled", keptPackages],
  ["the telco is not called for suspensions", deafSuspensions],
  ["a refusal of the telco counts as a success", ignoredRefusals],
  ["another organization's lines are found", openDoors],
  ["a SIM that is withdrawn stays in the stock", keptStock],
  ["withdrawn SIMs are given away", givenAway]
]
