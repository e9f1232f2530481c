/**
 * Jobs as they are stored: put, read, given back and gone when they are done. Those that wait
 * between two tries are listed with the reason, and those that have ended without success are
 * problems until they are reopened or resolved (rule S6).
 */
import { Effect } from "effect"
import type { Refusals, Waiting, Work } from "../../domain/Job.ts"
import { HOUR, MINUTE } from "../../domain/Time.ts"
import type * as Storage from "../../ports/Storage.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

export const cases: ReadonlyArray<World.Scenario> = [
  scenario(
    "a job is read as it is while it waits, is held, and is given back, and is gone when it is done",
    function* (world) {
      const { now, storage } = world
      const job = Rows.job(world)
      const { jobId } = job
      yield* Suite.equals("before it is put", yield* storage.jobs.get({ ...World.of(world), jobId }), null)
      yield* World.putJobs(world, [job])
      yield* Suite.equals("while it waits", yield* storage.jobs.get({ ...World.of(world), jobId }), job)
      const claim = World.claim(world)
      yield* world.jobs.claim(claim)
      yield* Suite.equals("while it is held", yield* storage.jobs.get({ ...World.of(world), jobId }), job)
      const { token } = claim
      yield* storage.commit({
        jobs: { retried: [{ ...World.of(world), jobId, token, dueAt: now + HOUR, attempts: 1 }] }
      })
      const later = { ...job, dueAt: now + HOUR, attempts: 1 }
      yield* Suite.equals("when it is given back", yield* storage.jobs.get({ ...World.of(world), jobId }), later)
      const again = World.claim(world, { now: now + HOUR })
      yield* world.jobs.claim(again)
      yield* storage.commit({ jobs: { finished: [{ ...World.of(world), jobId, token: again.token }] } })
      yield* Suite.equals("when it is done", yield* storage.jobs.get({ ...World.of(world), jobId }), null)
    }
  ),

  scenario("a job is not there for another organization, whatever is done with it", function* (world) {
    const { now, storage } = world
    const other = World.of(yield* World.neighbour(world))
    const jobs = [0, 1].map(() => Rows.job(world))
    const [held, ended] = [jobs[0]?.jobId ?? "", jobs[1]?.jobId ?? ""]
    const own = World.of(world)
    const stored = () => Effect.forEach([held, ended], (jobId) => storage.jobs.get({ ...own, jobId }))
    yield* World.putJobs(world, jobs)
    const { token, ...claim } = World.claim(world)
    yield* world.jobs.claim({ ...claim, token })
    const waiting = Rows.waiting(now)
    yield* storage.commit({
      jobs: {
        retried: [
          { ...own, jobId: held, token, dueAt: now + HOUR, attempts: 1, waiting, lease: { token, until: claim.until } },
          { ...own, jobId: ended, token, dueAt: now, attempts: 1, endedAt: now }
        ]
      }
    })
    const before = yield* stored()
    yield* Suite.equals("read", yield* storage.jobs.get({ ...other, jobId: held }), null)
    const leased = { ...other, jobId: held, token }
    const conflicts = {
      finished: ["lease", { finished: [leased] }],
      retried: ["lease", { retried: [{ ...leased, dueAt: now, attempts: 2 }] }],
      reopened: ["version", { reopened: [{ ...other, jobId: ended, endedAt: now, dueAt: now, attempts: 0 }] }],
      resolved: ["version", { resolved: [{ ...other, jobId: ended, endedAt: now }] }],
      cancelled: ["version", { cancelled: [{ ...other, jobId: held }] }]
    } as const
    for (const [what, [on, changes]] of Object.entries(conflicts)) {
      yield* World.conflicts(world, what, { jobs: changes }, on)
    }
    yield* storage.commit({ jobs: { hastened: [{ ...other, jobId: held, dueAt: now }] } })
    yield* world.jobs.renew({ leases: [leased], until: claim.until + HOUR })
    yield* world.jobs.handBack([leased])
    yield* Suite.equals("the jobs", yield* stored(), before)
    const over = { now: now + HOUR, machineNow: claim.until }
    yield* Suite.equals("held", (yield* world.jobs.pending({ ...over, machineNow: claim.until - 1 })).held, 1)
    yield* Suite.equals("held by then", (yield* world.jobs.pending(over)).held, 0)
    yield* storage.commit({
      jobs: { finished: [{ ...own, jobId: held, token }], resolved: [{ ...own, jobId: ended, endedAt: now }] }
    })
    yield* Suite.equals("the jobs in the end", yield* stored(), [null, null])
  }),

  scenario("every kind of work comes back from the queue as it was put", function* (world) {
    const iccid = world.iccid()
    const attachmentId = world.id()
    const works: ReadonlyArray<Work> = [
      { _tag: "Provision", iccid, attachmentId },
      { _tag: "CreatePackage", iccid, attachmentId, occurrence: 999 },
      { _tag: "SuspendPackages", iccid, attachmentId },
      { _tag: "CancelPackages", iccid, packageIds: [`${attachmentId}:0`, `${attachmentId}:1`], release: "Cancel" },
      { _tag: "CancelPackages", iccid, packageIds: [], release: null },
      { _tag: "SendSms", iccid, messageId: world.id(), from: "+46 70", text: "Hej! 👋\n'quoted' \"twice\" \\" },
      { _tag: "ChangeMobilePlan", iccid, changeId: world.id() },
      { _tag: "ReviewPackage", iccid, findingId: `ocs/missing/${attachmentId}:0` },
      {
        ...{ _tag: "ReviewPackage", iccid, findingId: `ocs/service/${iccid}` },
        sides: { ours: "paused", theirs: "ACTIVE" },
        correction: { _tag: "Service" }
      },
      { _tag: "ReviewAccount", telco: "go", findingId: "go/balance", sides: { ours: "200 USD", theirs: "1 USD" } },
      {
        ...{ _tag: "CorrectDifference", iccid, findingId: "ocs/unordered" },
        correction: { _tag: "Cancellation", packageId: "ocs/7" }
      },
      {
        _tag: "UsageDiffers",
        iccid,
        findingId: `ocs/usage/${iccid}/2026-11-03`,
        usage: { day: world.now, booked: 0, telco: Number.MAX_SAFE_INTEGER }
      },
      { _tag: "HandleEvent", iccid, handler: "mailer", deliveryId: `${attachmentId}:handler:mailer` },
      { _tag: "CheckStock", label: "Green" }
    ]
    const jobs = works.map((work, index) =>
      Rows.job(world, {
        jobId: `${attachmentId}:${index}`,
        work,
        dueAt: world.now - index,
        attempts: index,
        idempotencyKey: index % 2 === 0 ? null : `key ${index}`,
        origin:
          index % 2 === 0
            ? { actor: "admin", address: null, requestId: `request ${index}`, reason: index === 0 ? null : "stolen" }
            : null
      })
    )
    yield* World.putJobs(world, jobs)
    yield* Suite.equals("jobs", yield* world.jobs.claim(World.claim(world)), jobs.toReversed())
    yield* World.finishAll(world)
  }),

  scenario("a job is put unless one of its id is there, and comes back once that one is finished", function* (world) {
    const { storage } = world
    const job = Rows.job(world, { jobId: `${world.id()}:0` })
    const other = Rows.job(world, { dueAt: world.now + 1 })
    yield* World.putJobs(world, [job])
    yield* World.putJobs(world, [{ ...job, dueAt: world.now - HOUR, attempts: 5 }, other])
    const lease = { token: world.id(), until: world.machineNow + MINUTE }
    yield* storage.commit({ jobs: { put: [{ job, lease }] } })
    const claim = World.claim(world, { now: world.now + 1 })
    yield* Suite.equals("jobs", yield* world.jobs.claim(claim), [job, other])
    yield* World.putJobs(world, [{ ...job, attempts: 7 }])
    yield* storage.commit({
      jobs: { finished: [job, other].map(({ jobId }) => ({ ...World.of(world), jobId, token: claim.token })) }
    })
    yield* Suite.equals("jobs once they are finished", yield* world.jobs.claim(World.claim(world)), [])
    yield* World.putJobs(world, [{ ...job, attempts: 9 }])
    yield* Suite.equals("the job put anew", yield* world.jobs.claim(World.claim(world)), [{ ...job, attempts: 9 }])
    yield* World.finishAll(world)
  }),

  scenario(
    "a job that has ended is handed out to nobody, and is a problem until it is reopened or resolved",
    function* (world) {
      const { machineNow, now, storage } = world
      const jobs = [0, 1, 2].map((offset) => Rows.job(world, { createdAt: now + offset }))
      const [first, second, third] = [jobs[0]?.jobId ?? "", jobs[1]?.jobId ?? "", jobs[2]?.jobId ?? ""]
      yield* World.putJobs(world, jobs)
      const before = yield* storage.problems.count
      const page = { after: { createdAt: now - 1, id: "" }, limit: 2 }
      const giveBack = (given: { readonly refused?: Refusals; readonly endedAt?: number | null }) =>
        Effect.gen(function* () {
          const claim = World.claim(world)
          const claimed = yield* world.jobs.claim(claim)
          const retried = claimed.map(({ jobId }) => ({
            ...World.of(world),
            jobId,
            token: claim.token,
            dueAt: now,
            attempts: 1,
            ...given
          }))
          yield* storage.commit({ jobs: { retried } })
          return World.jobIds(claimed)
        })
      const refused = { times: 3, since: now, message: 'refusal 3 "\\' }
      yield* giveBack({ refused })
      yield* Suite.equals("problems after refusals", yield* storage.problems.page(page), [])
      yield* giveBack({ endedAt: now - 1 })
      const ended = jobs.map((job) => ({ ...job, attempts: 1, refused, endedAt: now - 1 }))
      yield* Suite.equals("problems, oldest first", yield* storage.problems.page(page), ended.slice(0, 2))
      const own = { organizationId: world.organizationId }
      yield* Suite.equals("its own", yield* storage.problems.page({ ...page, ...own, limit: 9 }), ended)
      const theirs = World.of(yield* World.neighbour(world))
      yield* Suite.equals("another's", yield* storage.problems.page({ ...page, ...theirs, limit: 9 }), [])
      const rest = yield* storage.problems.page({ after: { createdAt: now + 1, id: second }, limit: 10 })
      yield* Suite.equals("the next page, of this organization", rest[0], ended[2])
      yield* Suite.equals("how many there are more", (yield* storage.problems.count) - before, 3)
      yield* Suite.equals("one of them", yield* storage.jobs.get({ ...World.of(world), jobId: first }), ended[0])
      yield* Suite.equals(
        "one that is not there",
        yield* storage.jobs.get({ ...World.of(world), jobId: world.id() }),
        null
      )

      const at = { now, machineNow }
      const nothing = { due: 0, held: 0, oldestDueAt: null }
      yield* Suite.equals("jobs to be claimed", yield* world.jobs.claim(World.claim(world)), [])
      yield* Suite.equals(
        "of the organization",
        yield* world.jobs.claim(
          World.claim(world, {
            shares: [{ partitionId: world.organizationId, ...World.of(world), from: { dueAt: 0, id: "" }, limit: 9 }]
          })
        ),
        []
      )
      yield* Suite.equals("what is pending", yield* world.jobs.pending(at), { dueAt: null, held: 0 })
      yield* Suite.equals("the backlog", yield* world.jobs.backlog(at), nothing)
      const partitions = yield* world.jobs.partitions({ ...at, after: "", limit: 1_000 })
      yield* Suite.equals(
        "the organization among those with work",
        partitions.partitions.some(({ partitionId }) => partitionId === world.organizationId),
        false
      )
      yield* World.putJobs(world, [Rows.job(world, { jobId: first })])
      yield* Suite.equals(
        "the job, put once more",
        yield* storage.jobs.get({ ...World.of(world), jobId: first }),
        ended[0]
      )

      const reopened = { ...World.of(world), jobId: first, endedAt: now - 1, dueAt: now + 1, attempts: 0 }
      const resolved = { ...World.of(world), jobId: second, endedAt: now - 1 }
      const wrong = { reopened: [{ ...reopened, endedAt: now }], resolved: [resolved] }
      yield* World.conflicts(world, "reopening what ended at another time", { jobs: wrong }, "version")
      yield* storage.commit({ jobs: { reopened: [reopened], resolved: [resolved] } })
      yield* Suite.equals("the one that is left", yield* storage.problems.page(page), ended.slice(2))
      yield* Suite.equals("the resolved one", yield* storage.jobs.get({ ...World.of(world), jobId: second }), null)
      yield* World.conflicts(world, "reopening twice", { jobs: { reopened: [reopened] } }, "version")
      yield* World.conflicts(world, "resolving what is reopened", { jobs: { resolved: [reopened] } }, "version")
      yield* World.conflicts(world, "resolving twice", { jobs: { resolved: [resolved] } }, "version")
      yield* Suite.equals("what is due again", yield* world.jobs.claim(World.claim(world, { now: now + 1 })), [
        ...ended.slice(0, 1).map((job) => ({ ...job, dueAt: now + 1, attempts: 0, endedAt: null }))
      ])
      const work = { _tag: "CheckStock", label: "Green" } as const
      const other = { ...World.of(world), jobId: third, endedAt: now - 1, dueAt: now + 1, attempts: 0, work }
      yield* storage.commit({ jobs: { reopened: [other] } })
      yield* Suite.equals("other work", (yield* storage.jobs.get({ ...World.of(world), jobId: third }))?.work, work)
      yield* Suite.equals("how many there are in the end", yield* storage.problems.count, before)
      yield* World.finishAll(world)
    }
  ),

  scenario(
    "jobs between two tries are listed with the reason, counted by it, and tried sooner on request",
    function* (world) {
      const { now, organizationId, storage } = world
      const work = { _tag: "ChangeMobilePlan", iccid: world.iccid(), changeId: world.id() } as const
      const jobs = [0, 1, 2].map((offset) =>
        Rows.job(world, { createdAt: now + offset, ...(offset === 1 && { work }) })
      )
      const [first, second, third] = [jobs[0]?.jobId ?? "", jobs[1]?.jobId ?? "", jobs[2]?.jobId ?? ""]
      yield* World.putJobs(world, jobs)
      const list = (query: Partial<Storage.Keyset<Storage.CreatedCursor>> & Storage.WaitingFilter) =>
        Effect.map(
          World.items(storage.jobs.waiting({ after: null, limit: 10, organizationId, ...query })),
          World.jobIds
        )
      yield* Suite.equals("before any try", yield* list({}), [])

      const claim = World.claim(world)
      yield* world.jobs.claim(claim)
      const { token } = claim
      const busy: Waiting = { ...Rows.waiting(now - MINUTE), reason: "busy", telco: "a" }
      const due = { token, attempts: 1, dueAt: now + HOUR }
      yield* storage.commit({
        jobs: {
          retried: [
            { ...World.of(world), jobId: first, ...due, waiting: Rows.waiting(now) },
            { ...World.of(world), jobId: second, ...due, waiting: busy },
            { ...World.of(world), jobId: third, ...due }
          ]
        }
      })
      const [one, two] = yield* World.items(storage.jobs.waiting({ after: null, limit: 10, organizationId }))
      yield* Suite.equals("the first", one, {
        ...jobs[0],
        attempts: 1,
        dueAt: now + HOUR,
        waiting: Rows.waiting(now)
      })
      yield* Suite.equals("why the second waits", two?.waiting, busy)
      yield* Suite.equals("the first page", yield* list({ limit: 1 }), [first])
      yield* Suite.equals("the next", yield* list({ after: { createdAt: now, id: first } }), [second])
      yield* Suite.equals("of a kind", yield* list({ kind: "ChangeMobilePlan" }), [second])
      yield* Suite.equals("of a reason", yield* list({ reason: "unavailable" }), [first])
      yield* Suite.equals("of both", yield* list({ reason: "unavailable", kind: "ChangeMobilePlan" }), [])
      yield* Suite.equals("of a telco", yield* list({ telco: "a" }), [second])
      yield* Suite.equals("of a telco without a name", yield* list({ telco: "" }), [first])
      yield* Suite.equals("of another organization", yield* list({ organizationId: world.id() }), [])
      const counted = (yield* storage.overview.waitingJobs({ organizationId: null })).filter(
        ({ telco }) => telco === "a"
      )
      yield* Suite.equals("how many are busy", counted, [
        { kind: "ChangeMobilePlan", reason: "busy", telco: "a", count: 1, since: now - MINUTE, nextAt: now + HOUR }
      ])

      const hastened = [first, third, world.id()].map((jobId) => ({ ...World.of(world), jobId, dueAt: now + 1 }))
      yield* storage.commit({ jobs: { hastened } })
      yield* storage.commit({ jobs: { hastened: [{ ...World.of(world), jobId: first, dueAt: now + HOUR }] } })
      const again = World.claim(world, { now: now + 1 })
      yield* Suite.equals("what is due sooner", World.jobIds(yield* world.jobs.claim(again)), [first])
      yield* Suite.equals("while it is tried", yield* list({ reason: "unavailable" }), [first])
      yield* storage.commit({ jobs: { hastened: [{ ...World.of(world), jobId: first, dueAt: now }] } })
      const scheduled = { ...World.of(world), jobId: first, token: again.token, attempts: 2, dueAt: now + HOUR }
      yield* storage.commit({ jobs: { retried: [scheduled] } })
      yield* Suite.equals("those that still wait", yield* list({}), [second])
      yield* World.finishAll(world)
    }
  ),

  scenario("the jobs of a SIM that wait for their next try, or have ended, are read by the SIM", function* (world) {
    const { now, organizationId, storage } = world
    const other = yield* World.neighbour(world)
    const iccid = world.iccid()
    const about = (of: string, at: number) =>
      Rows.job(world, {
        createdAt: now + at,
        work: { _tag: "ChangeMobilePlan", iccid: of, changeId: world.id() }
      })
    const [untried, ended, waits] = [about(iccid, 0), about(iccid, 1), about(iccid, 2)]
    const elsewhere = about(world.iccid(), 3)
    const ofNone = Rows.job(world, { work: { _tag: "CheckStock", label: "Green" } })
    yield* World.putJobs(world, [untried, ended, waits, elsewhere, ofNone])
    const read = (of: Partial<Storage.OfOrganization & Storage.Keyset<Storage.CreatedCursor>> = {}, limit = 10) =>
      storage.jobs.ofSim({ organizationId, after: null, limit, ...of, iccid })
    yield* Suite.equals("before any try", yield* read(), [])
    const claim = World.claim(world)
    yield* world.jobs.claim(claim)
    const tried = { token: claim.token, attempts: 1, dueAt: now + HOUR }
    const waiting = Rows.waiting(now)
    const refused = { times: 1, since: now, message: "no" }
    yield* storage.commit({
      jobs: {
        retried: [
          { ...World.of(world), jobId: untried.jobId, ...tried },
          { ...World.of(world), jobId: ended.jobId, ...tried, refused, endedAt: now },
          { ...World.of(world), jobId: waits.jobId, ...tried, waiting },
          { ...World.of(world), jobId: elsewhere.jobId, ...tried, waiting },
          { ...World.of(world), jobId: ofNone.jobId, ...tried, waiting }
        ]
      }
    })
    const expected = [
      { ...ended, attempts: 1, dueAt: now + HOUR, refused, endedAt: now },
      { ...waits, attempts: 1, dueAt: now + HOUR, waiting }
    ]
    yield* Suite.equals("of the SIM", yield* read(), expected)
    yield* Suite.equals("the first", yield* read({}, 1), expected.slice(0, 1))
    const after = { createdAt: ended.createdAt, id: ended.jobId }
    yield* Suite.equals("the next", yield* read({ after }, 1), expected.slice(1))
    yield* Suite.equals("of another organization", yield* read({ organizationId: other.organizationId }), [])
    yield* storage.commit({ jobs: { resolved: [{ ...World.of(world), jobId: ended.jobId, endedAt: now }] } })
    yield* Suite.equals("once the problem is resolved", yield* read(), expected.slice(1))
    yield* World.finishAll(world)
  })
]
