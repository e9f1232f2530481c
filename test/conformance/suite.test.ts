/**
 * The storage suite finds what is wrong: storages broken on purpose fail it, in the case that is
 * about the fault.
 */
import { Context, Effect, Exit, Layer } from "effect"
import { Jobs, Outbox, type Package, SimDifference, Storage } from "simplan/ports"
import * as Memory from "simplan/memory"
import { describe, expect, it } from "vitest"
import * as StorageSuite from "../../src/testing/StorageSuite.ts"

type Store = Storage.Storage["Service"]
type Queue = Jobs.Jobs["Service"]

interface Fault {
  readonly storage?: (storage: Store) => Partial<Store>
  readonly jobs?: (jobs: Queue) => Partial<Queue>
  readonly outbox?: (outbox: Outbox.Outbox["Service"]) => Partial<Outbox.Outbox["Service"]>
  /** The cases that must fail, others may. */
  readonly fails: ReadonlyArray<string>
  /** Whether the comparison with the reference finds it as well. */
  readonly differs: boolean
}

const broken = (fault: Fault): Layer.Layer<StorageSuite.Services> =>
  Layer.effectContext(
    Effect.map(Layer.build(Layer.fresh(Memory.layer)), (context) => {
      const storage = Context.get(context, Storage.Storage)
      const jobs = Context.get(context, Jobs.Jobs)
      const outbox = Context.get(context, Outbox.Outbox)
      return Context.make(Storage.Storage, { ...storage, ...fault.storage?.(storage) }).pipe(
        Context.add(Jobs.Jobs, { ...jobs, ...fault.jobs?.(jobs) }),
        Context.add(Outbox.Outbox, { ...outbox, ...fault.outbox?.(outbox) })
      )
    })
  )

// Commits, and after a conflict on one thing commits something else.
const evading =
  (
    on: Storage.Conflict["on"],
    evade: (commit: Storage.Commit) => Effect.Effect<Storage.Commit, Storage.StorageError>
  ) =>
  (storage: Store): Partial<Store> => ({
    commit: (commit) =>
      Effect.catchTag(storage.commit(commit), "Conflict", (conflict) =>
        conflict.on === on ? Effect.flatMap(evade(commit), storage.commit) : Effect.fail(conflict)
      )
  })

// Writes something else of the packages that a subscription takes along to another SIM (rule S8).
const moving =
  (changed: (pack: Package.Package) => Package.Package) =>
  (storage: Store): Partial<Store> => ({
    commit: (commit) => {
      const changes = commit.sims ?? []
      const { arriving } = SimDifference.moves(changes)
      const sims = changes.map((change) => {
        const { attachments = [] } = change.next
        const all = attachments.map((of) => ({ ...of, packages: of.packages.map(changed) }))
        return arriving.has(change) ? { ...change, next: { ...change.next, attachments: all } } : change
      })
      return storage.commit({ ...commit, sims })
    }
  })

const faults: Readonly<Record<string, Fault>> = {
  "ignores the versions of SIMs": {
    storage: (storage) =>
      evading("version", (commit) =>
        Effect.map(
          Effect.forEach(commit.sims ?? [], ({ loaded, next }) =>
            Effect.map(storage.simAggregates.get(loaded.sim), (line) => ({
              loaded: { ...loaded, sim: { ...loaded.sim, version: line?.sim.version ?? loaded.sim.version } },
              next
            }))
          ),
          (sims) => ({ ...commit, sims })
        )
      )(storage),
    fails: [
      "a commit writes nothing whatever where a SIM's version is stale",
      "of many commits at once that saw the same SIM, one is made",
      "a claim raises the version, so that a commit with the one before conflicts"
    ],
    differs: true
  },
  "gives one SIM to several claims": {
    storage: (storage) => ({
      sims: {
        ...storage.sims,
        reserve: (claim) => storage.sims.reserve({ ...claim, machineNow: Number.MAX_SAFE_INTEGER })
      }
    }),
    fails: [
      "claims at once never get the same SIM, and none is refused for want of one",
      "free SIMs are given never used first, oldest import first, then the longest recycled"
    ],
    differs: true
  },
  "drops events": {
    storage: (storage) => ({ commit: (commit) => storage.commit({ ...commit, events: [] }) }),
    fails: ["an event goes to the endpoints that are enabled, there and take its type, and to no other"],
    differs: true
  },
  "writes events of a commit that conflicts": {
    storage: (storage) => ({
      commit: (commit) => Effect.tapError(storage.commit(commit), () => storage.commit({ events: commit.events ?? [] }))
    }),
    fails: ["a commit writes nothing whatever where a job's lease is another's"],
    differs: true
  },
  "writes plans of a commit that lost its lease": {
    storage: evading("lease", ({ plans = [] }) => Effect.succeed({ plans })),
    fails: [
      "a commit writes nothing whatever where a job that it finishes is not there",
      "a lease that is over hands the job over, and the old token changes nothing any more"
    ],
    differs: true
  },
  "hands out jobs that are held": {
    jobs: (jobs) => ({ claim: (claim) => Effect.andThen(jobs.release(claim), jobs.claim(claim)) }),
    fails: [
      "workers at once never get the same job, and together get all",
      "a job put with a lease is held from the start"
    ],
    differs: true
  },
  "hands back the jobs of all": {
    jobs: (jobs) => ({ handBack: () => jobs.release({ now: Number.MAX_SAFE_INTEGER }) }),
    fails: ["handing jobs back ends their leases where they are held with the token, and no others"],
    differs: false
  },
  "hands out jobs in no order": {
    jobs: (jobs) => ({ claim: (claim) => Effect.map(jobs.claim(claim), (claimed) => claimed.toReversed()) }),
    fails: ["jobs are claimed by due time and id, up to the limit, and not before they are due"],
    differs: true
  },
  "forgets the attempts of a job": {
    storage: (storage) => ({
      commit: (commit) => {
        const put = commit.jobs?.put?.map(({ job, lease }) => ({ job: { ...job, attempts: 0 }, lease }))
        return storage.commit(put === undefined ? commit : { ...commit, jobs: { ...commit.jobs, put } })
      }
    }),
    fails: ["every kind of work comes back from the queue as it was put"],
    differs: false
  },
  "loses the millisecond": {
    storage: (storage) => ({
      commit: (commit) =>
        storage.commit(
          commit.plans === undefined
            ? commit
            : {
                ...commit,
                plans: commit.plans.map((plan) => ({ ...plan, createdAt: plan.createdAt - (plan.createdAt % 1000) }))
              }
        )
    }),
    fails: ["instants round-trip to the millisecond, from the year 0 to 9999"],
    differs: true
  },
  "repeats the last row of a page": {
    storage: (storage) => ({
      sims: {
        ...storage.sims,
        page: (query) => storage.sims.page({ ...query, after: query.after === null ? null : query.after - 1 })
      }
    }),
    fails: ["pages of SIMs are complete and without repetition while SIMs come in"],
    differs: true
  },
  "takes a search for a pattern": {
    storage: (storage) => ({
      plans: {
        ...storage.plans,
        page: (query) => storage.plans.page({ ...query, search: query.search?.replaceAll("%", "") ?? null })
      }
    }),
    fails: ["plans are found by a part of the name, literally and in any case"],
    differs: true
  },
  "shows one organization what is another's": {
    storage: (storage) => ({
      simAggregates: {
        ...storage.simAggregates,
        get: (of) =>
          Effect.flatMap(
            storage.simAggregates.forReports({
              iccids: [{ iccid: of.iccid, since: 0, packageIds: [], reportIds: [] }],
              seenSince: 0
            }),
            ([found]) =>
              storage.simAggregates.get(
                found === undefined ? of : { ...of, organizationId: found.aggregate.sim.organizationId }
              )
          )
      }
    }),
    fails: ["an organization sees nothing of another's"],
    differs: true
  },
  "keeps the packages of a removed attachment": {
    storage: (storage) => ({
      commit: (commit) =>
        storage.commit({
          ...commit,
          sims: (commit.sims ?? []).map(({ loaded, next: { attachments: _, ...next } }) => {
            const attachments = loaded.attachments
            return { loaded, next: attachments === undefined ? next : { ...next, attachments } }
          })
        })
    }),
    fails: ["a removed attachment takes its packages along"],
    differs: true
  },
  "hands out what another process's handler has": {
    outbox: (outbox) => ({
      claimForHandler: (claim) => Effect.andThen(outbox.release(claim), outbox.claimForHandler(claim))
    }),
    fails: [
      "of a SIM's deliveries to a handler the next is handed out once the one before is settled",
      "a lease on a delivery to a handler ends, is renewed and handed back like any other"
    ],
    differs: false
  },
  "keeps handlers that are removed": {
    storage: (storage) => ({
      commit: ({ eventHandlers: { put = [] } = {}, ...commit }) => storage.commit({ ...commit, eventHandlers: { put } })
    }),
    fails: [
      "what handlers take counts among the types that are named, until they are removed",
      "what is due to a handler that is removed is given up, and an event with a pending one is not purged"
    ],
    differs: false
  },
  "forgets what was used of packages that move": {
    storage: moving((pack) => ({ ...pack, usedBytes: 0 })),
    fails: [
      "S8: a subscription that moves is on its new SIM, with its attachments and packages, and not on the old one"
    ],
    differs: true
  },
  "forgets the new ids of packages that move": {
    storage: moving((pack) => ({ ...pack, replacement: null })),
    fails: [
      "S8: a subscription that moves is on its new SIM, with its attachments and packages, and not on the old one"
    ],
    differs: true
  },
  "leaves what a commit takes from an entry of usage": {
    storage: (storage) => ({
      commit: (commit) => {
        const usage = commit.reports?.usage?.filter(({ bytes }) => bytes > 0) ?? []
        return storage.commit({ ...commit, reports: { ...commit.reports, usage } })
      }
    }),
    fails: [
      "bytes that a commit takes from one entry and adds to another leave nothing behind",
      "commits at once that move bytes between the same sums all count"
    ],
    differs: true
  },
  "forgets reports": {
    storage: (storage) => ({ commit: (commit) => storage.commit({ ...commit, reports: {} }) }),
    fails: ["reported aggregates are found for any organization, with what each one has seen"],
    differs: true
  }
}

const cases = StorageSuite.cases({ reference: Memory.layer, shrinkFor: 0 })

const isCompared = (name: string): boolean => name.startsWith("random")

/** The chosen cases that fail, one after another on one storage, until there are `enough`. */
const failing = (
  layer: Layer.Layer<StorageSuite.Services>,
  isMeant: (name: string) => boolean,
  enough = Number.POSITIVE_INFINITY
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(layer)
        const names: Array<string> = []
        for (const { effect, name } of cases) {
          if (!isMeant(name) || names.length >= enough) continue
          const exit = yield* Effect.exit(Effect.provideContext(effect, context))
          if (Exit.isFailure(exit)) names.push(name)
        }
        return names
      })
    )
  )

describe("The storage suite", () => {
  // The others are passed in memory.test.ts.
  it("passes a storage that is right in the cases that find the faults", async () => {
    const finding = new Set(Object.values(faults).flatMap(({ fails }) => fails))
    expect(await failing(Memory.layer, (name) => finding.has(name))).toEqual([])
  })

  for (const [what, fault] of Object.entries(faults)) {
    it(`fails a storage that ${what}`, async () => {
      const names = await failing(broken(fault), (name) => fault.fails.includes(name))
      expect(names.toSorted()).toEqual(fault.fails.toSorted())
    })
  }

  for (const [what, fault] of Object.entries(faults)) {
    if (!fault.differs) continue
    it(`sees that a storage that ${what} is unlike the reference`, async () => {
      expect(await failing(broken(fault), isCompared, 1)).toHaveLength(1)
    })
  }

  it("refuses to skip a case that it does not have", () => {
    const define = () =>
      StorageSuite.run("Any", Memory.layer, { describe, it }, { skip: { "no such case": "because" } })
    expect(define).toThrow('there is no case "no such case" to skip')
  })
})
