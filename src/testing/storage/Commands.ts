/**
 * Commands: put once, settled once (rule H1).
 */
import { Effect } from "effect"
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

  scenario("every kind of command is told as it was put", (world) =>
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
