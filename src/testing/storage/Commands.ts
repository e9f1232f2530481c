/**
 * Commands: put once, settled once, cancelled before they begin, listed (rule H1).
 */
import { Effect } from "effect"
import * as Command from "../../domain/Command.ts"
import type { Request } from "../../domain/Command.ts"
import type { Outcome } from "../../domain/Idempotency.ts"
import { MINUTE } from "../../domain/Time.ts"
import * as Suite from "../Suite.ts"
import * as Rows from "./world/Rows.ts"
import * as World from "./world/World.ts"
import { scenario } from "./world/World.ts"

export const cases: ReadonlyArray<World.Scenario> = [
  scenario("a command is put with its job, or neither is", (world) =>
    Effect.gen(function* () {
      const { jobs, storage } = world
      const command = Rows.command(world)
      const { commandId } = command
      const put = { job: Rows.job(world, { work: { _tag: "RunCommand", commandId } }), lease: null }
      yield* Suite.equals("before", yield* storage.commands.get(command), null)
      yield* storage.commit({ commands: { put: [command] } })
      yield* Suite.equals("once it is put", yield* storage.commands.get(command), command)
      const again = { commands: { put: [Rows.command(world), command] }, jobs: { put: [put] } }
      yield* World.conflicts(world, "the same id again", again, "command")
      yield* Suite.equals("the jobs", yield* jobs.claim(World.claim(world)), [])
    })
  ),

  scenario("a command is settled once", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const command = Rows.command(world)
      const settle = (outcome: Outcome, settledAt: number) =>
        storage.commit({ commands: { settled: [{ ...command, outcome, settledAt }] } })
      const outcome: Outcome = { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Voilet" } }
      yield* settle(outcome, now)
      yield* Suite.equals("one that is not there is not settled", yield* storage.commands.get(command), null)
      yield* storage.commit({ commands: { put: [command] } })
      yield* settle(outcome, now + MINUTE)
      const settled = { ...command, outcome, settledAt: now + MINUTE }
      yield* Suite.equals("once it is settled", yield* storage.commands.get(command), settled)
      yield* settle({ _tag: "Succeeded", answer: { kind: "Done", value: null } }, now + 2 * MINUTE)
      yield* Suite.equals("settled again", yield* storage.commands.get(command), settled)
    })
  ),

  scenario("a job of which no attempt was given back is cancelled once, whoever holds it", (world) =>
    Effect.gen(function* () {
      const { jobs, now, storage } = world
      const [held, given] = [Rows.job(world), Rows.job(world)]
      const token = world.id()
      yield* storage.commit({ jobs: { put: [held, given].map((job) => ({ job, lease: null })) } })
      yield* Suite.equals("those claimed", (yield* jobs.claim(World.claim(world, { token }))).length, 2)
      const retried = [{ jobId: given.jobId, token, dueAt: now + MINUTE, attempts: 1 }]
      yield* storage.commit({ jobs: { retried } })
      const cancel = (jobId: string) => ({ jobs: { cancelled: [jobId] } })
      yield* World.conflicts(world, "one that has begun", cancel(given.jobId), "version")
      yield* storage.commit(cancel(held.jobId))
      yield* Suite.equals("the cancelled one", yield* storage.jobs.get(held.jobId), null)
      yield* Suite.equals("the other one", (yield* storage.jobs.get(given.jobId))?.attempts, 1)
      yield* World.conflicts(world, "again", cancel(held.jobId), "version")
      const finished = { jobs: { finished: [{ jobId: held.jobId, token }] } }
      yield* World.conflicts(world, "who held it", finished, "lease")
      const again = yield* jobs.claim(World.claim(world, { token, now: now + MINUTE }))
      yield* Suite.equals(
        "the other one, later",
        again.map(({ jobId }) => jobId),
        [given.jobId]
      )
      yield* storage.commit({ jobs: { finished: [{ jobId: given.jobId, token }] } })
    })
  ),

  scenario("commands are listed by how they stand, oldest first", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const outcomes: ReadonlyArray<Outcome> = [
        { _tag: "Pending" },
        { _tag: "Succeeded", answer: { kind: "Done", value: null } },
        { _tag: "Refused", refusal: { _tag: "NoFreeSim", message: "", label: "Voilet" } }
      ]
      const stored: Array<Command.Command> = []
      for (const at of [2, 0, 1, 2]) {
        for (const outcome of outcomes) {
          const pending = Rows.command(world, { createdAt: now + at })
          yield* storage.commit({ commands: { put: [pending] } })
          const settledAt = outcome._tag === "Pending" ? null : now + MINUTE
          if (settledAt !== null) yield* storage.commit({ commands: { settled: [{ ...pending, outcome, settledAt }] } })
          stored.push({ ...pending, outcome, settledAt })
        }
      }
      const theirs = Rows.command(world, { organizationId: (yield* World.neighbour(world)).organizationId })
      yield* storage.commit({ commands: { put: [theirs] } })
      stored.sort((a, b) => a.createdAt - b.createdAt || (a.commandId < b.commandId ? -1 : 1))
      for (const state of [null, ...Command.states]) {
        const expected = stored.filter((command) => state === null || Command.stateOf(command) === state)
        const read: Array<Command.Command> = []
        while (read.length < expected.length) {
          const last = read.at(-1)
          const after = last === undefined ? null : { createdAt: last.createdAt, id: last.commandId }
          const page = yield* storage.commands.page({ ...World.of(world), after, limit: 3, state })
          yield* Suite.holds(`a page of ${state ?? "all"}`, page.length > 0 && page.length <= 3)
          read.push(...page)
        }
        yield* Suite.equals(`those that are ${state ?? "there"}`, read, expected)
      }
    })
  ),

  scenario("every kind of command is read as it was put", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const iccid = world.iccid()
      const requests: ReadonlyArray<Request> = [
        {
          _tag: "CreateSubscription",
          planId: "p",
          metadata: 'Ü "100 %" \\',
          iccid,
          activePeriod: { start: now, end: null }
        },
        { _tag: "SendSms", iccid, from: "simplan", text: "Grüße\n€" },
        { _tag: "SetMobilePlan", apply: false, label: "Aqua", iccid: null }
      ]
      for (const request of requests) {
        const command = Rows.command(world, { request })
        yield* storage.commit({ commands: { put: [command] } })
        yield* Suite.equals("the command", yield* storage.commands.get(command), command)
      }
    })
  ),

  scenario("a command of that id is an organization's own", (world) =>
    Effect.gen(function* () {
      const { now, storage } = world
      const mine = Rows.command(world)
      const theirs = { ...mine, organizationId: (yield* World.neighbour(world)).organizationId }
      for (const command of [mine, theirs]) yield* storage.commit({ commands: { put: [command] } })
      const outcome: Outcome = { _tag: "Succeeded", answer: { kind: "Done", value: null } }
      yield* storage.commit({ commands: { settled: [{ ...theirs, outcome, settledAt: now }] } })
      yield* Suite.equals("mine", yield* storage.commands.get(mine), mine)
      yield* Suite.equals("theirs", yield* storage.commands.get(theirs), { ...theirs, outcome, settledAt: now })
    })
  )
]
