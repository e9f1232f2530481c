/**
 * H1: a command is carried out once after its commit, wherever a process dies and whatever the
 * telco does, and its outcome is notified.
 */
import { Effect, Latch } from "effect"
import { AuditLog, Commands, EventHandlers, RequestContext, Time, Webhooks, Worker } from "simplan"
import type { Command, Storage, WebhookEvent } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { beforeEach, describe, expect, it } from "vitest"
import * as Calls from "./Calls.ts"
import * as World from "./World.ts"

let world: World.World
let iccid: string
let planId: string
beforeEach(async () => {
  world = await World.make()
  const [first = ""] = await world.importSims(1)
  iccid = first
  planId = await world.createPlan()
})

const creation = (changes: object = {}): Command.Request => ({
  _tag: "CreateSubscription",
  planId,
  metadata: "order 7",
  iccid: null,
  activePeriod: null,
  ...changes
})

const submission = (request: Command.Request, idempotencyKey: string | null = null) =>
  Commands.Commands.use((of) => of.submit({ organizationId: world.organizationId, request, idempotencyKey }))

const submit = (request: Command.Request, idempotencyKey: string | null = null) =>
  world.run(submission(request, idempotencyKey))

const refused = (request: Command.Request, idempotencyKey: string | null = null) =>
  world.run(Effect.flip(submission(request, idempotencyKey)))

const outcome = async ({ commandId }: { readonly commandId: string }) =>
  (await world.run(Commands.Commands.use((of) => of.get({ organizationId: world.organizationId, commandId })))).outcome

const settled = ({ commandId }: { readonly commandId: string }) =>
  world.run(
    Effect.result(Commands.Commands.use((of) => of.settled({ organizationId: world.organizationId, commandId })))
  )

const messages = () => world.run(TelcoSimulator.TelcoSimulator.use((of) => of.messages))

describe("H1: a command", () => {
  it("calls no telco until the engine carries it out, and then answers all who wait", async () => {
    const command = await submit(creation())
    expect(await world.telcoPackages()).toEqual([])
    expect(await outcome(command)).toEqual({ _tag: "Pending" })
    const waiting = [settled(command), settled(command)]
    await world.settle()
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ success: { kind: "Created", value: { metadata: "order 7", sim: { iccid } } } })
    }
    expect(await Calls.activePackages(world)).toHaveLength(1)
    expect(await settled(command)).toMatchObject({ _tag: "Success" })
  })

  it("is audited under the request that submitted it", async () => {
    const asking = { actor: "shop", address: "192.0.2.7", requestId: "request-1", reason: "stolen" }
    await world.run(Effect.provideService(submission(creation()), RequestContext.Current, asking))
    await world.settle()
    const all = { from: null, to: null, actor: "shop", action: null, resourceId: null }
    const query = { organizationId: world.organizationId, ...all, after: null, limit: 10 }
    const { items } = await world.run(AuditLog.AuditLog.use((log) => log.page(query)))
    expect(items).toMatchObject([{ ...asking, action: "subscription.create", iccid }])
  })

  it("with an idempotency key is one command, also when it has been carried out", async () => {
    const command = await submit(creation(), "order-7")
    expect(await submit(creation(), "order-7")).toEqual(command)
    await world.settle()
    expect(await submit(creation(), "order-7")).toEqual(command)
    await world.settle()
    expect(await Calls.activePackages(world)).toHaveLength(1)
    expect(await refused(creation({ metadata: "another" }), "order-7")).toMatchObject({ _tag: "IdempotencyKeyReused" })
    expect(await submit({ _tag: "SendSms", iccid, from: "shop", text: "hi" }, "order-7")).not.toEqual(command)
    expect(await refused(creation(), "")).toMatchObject({ _tag: "InvalidField", field: "idempotencyKey" })
  })

  it("is kept for 30 days after it was settled, and as long as it is pending (W12)", async () => {
    const command = await submit(creation())
    await world.settle()
    const forget = () => world.run(Worker.Worker.use((worker) => worker.forget))
    await world.advanceBy(30 * Time.DAY)
    await forget()
    expect(await outcome(command)).toMatchObject({ _tag: "Succeeded" })
    await world.advanceBy(1)
    await forget()
    expect(await settled(command)).toMatchObject({ failure: { _tag: "NotFound", resource: "command" } })
  })

  it.each([
    ["an unknown plan", { planId: "none" }, { _tag: "NotFound", resource: "plan" }],
    ["an unknown SIM", { iccid: "8900" }, { _tag: "NotFound", resource: "sim" }],
    ["long metadata", { metadata: "x".repeat(5_000) }, { _tag: "InvalidField", field: "metadata" }],
    ["metadata with NUL", { metadata: "a\0b" }, { _tag: "InvalidField", field: "metadata" }],
    ["a plan with a lone surrogate", { planId: "\ud83d" }, { _tag: "InvalidField", field: "planId" }],
    ["a SIM with NUL", { iccid: "89\0" }, { _tag: "InvalidField", field: "iccid" }],
    ["a period that is over", { activePeriod: { start: 0, end: 1 } }, { _tag: "InvalidField" }]
  ])("that names %s is refused at once", async (_, changes, refusal) => {
    expect(await refused(creation(changes))).toMatchObject(refusal)
  })

  it("that cannot be done is refused at once: organization, label, message, mobile plan", async () => {
    const [aqua = ""] = await world.importSims(1, "Aqua")
    expect(await refused(creation({ iccid: aqua }))).toMatchObject({ _tag: "LabelMismatch" })
    const sms = { _tag: "SendSms", iccid, from: "shop", text: "hi" } as const
    expect(await refused(sms)).toMatchObject({ _tag: "NotFound", resource: "subscription" })
    expect(await refused({ ...sms, text: "" })).toMatchObject({ _tag: "InvalidField", field: "message" })
    expect(await refused({ ...sms, text: "a\0b" })).toMatchObject({ _tag: "InvalidField", field: "message" })
    expect(await refused({ ...sms, iccid: "89\0" })).toMatchObject({ _tag: "InvalidField", field: "iccid" })
    expect(await refused(creation(), "a\0b")).toMatchObject({ _tag: "InvalidField", field: "idempotencyKey" })
    const plan = { _tag: "SetMobilePlan", apply: false, label: "Green", iccid: null } as const
    expect(await refused(plan)).toMatchObject({ _tag: "InvalidField", field: "iccid" })
    const unknown = { organizationId: "none", request: creation(), idempotencyKey: null }
    expect(await world.run(Effect.flip(Commands.Commands.use((of) => of.submit(unknown))))).toMatchObject({
      _tag: "NotFound",
      resource: "organization"
    })
  })

  it("that the telco refuses ends with the refusal, and nothing remains", async () => {
    await world.setFaults([{ fault: "refuse", on: "createPackage", times: 1, message: "no such profile" }])
    const command = await submit(creation())
    await world.settle()
    expect(await settled(command)).toMatchObject({ failure: { _tag: "TelcoRefused", message: "no such profile" } })
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("Free")
  })

  it("for which no SIM is left when it is carried out ends with the refusal", async () => {
    const commands = [await submit(creation()), await submit(creation())]
    await world.settle()
    const outcomes = await Promise.all(commands.map(outcome))
    expect(outcomes.map(({ _tag }) => _tag).toSorted()).toEqual(["Refused", "Succeeded"])
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })

  it.each(["unavailable", "answer lost"] as const)(
    "is tried again while the telco does not answer (%s), and ends with exactly one package",
    async (fault) => {
      await world.setFaults([{ fault, on: "createPackage", times: 3 }])
      const command = await submit(creation())
      await world.settle()
      expect(await outcome(command)).toEqual({ _tag: "Pending" })
      await world.advanceBy(20 * Time.SECOND)
      expect(await outcome(command)).toEqual({ _tag: "Pending" })
      await world.advanceBy(Time.HOUR)
      expect(await outcome(command)).toMatchObject({ _tag: "Succeeded" })
      expect(await Calls.activePackages(world)).toHaveLength(1)
    }
  )

  it("waits for a SIM that is being put into service", async () => {
    const commands = [await submit(creation({ iccid })), await submit(creation({ iccid }))]
    await world.setFaults([{ fault: "unavailable", on: "createPackage", times: 1 }])
    await world.settle()
    await world.advanceBy(Time.HOUR)
    for (const command of commands) expect(await outcome(command)).toMatchObject({ _tag: "Succeeded" })
    expect(await Calls.activePackages(world)).toHaveLength(2)
    expect(await Calls.attachments(world, iccid)).toHaveLength(2)
  })

  it("sends a message once, and sets a mobile plan, whether or not the telco answers", async () => {
    await Calls.create(world, { planId, iccid })
    await world.setFaults([
      { fault: "answer lost", on: "sendSms", times: 2 },
      { fault: "answer lost", on: "setMobilePlan", times: 2 }
    ])
    const sms = await submit({ _tag: "SendSms", iccid, from: "shop", text: "hi" })
    const plan = await submit({ _tag: "SetMobilePlan", apply: true, label: "Green", iccid })
    await world.advanceBy(Time.HOUR)
    expect(await outcome(sms)).toMatchObject({ answer: { kind: "Sms", value: { segments: 1 } } })
    expect(await outcome(plan)).toMatchObject({ answer: { kind: "MobilePlan", value: { iccid, applied: true } } })
    expect(await messages()).toHaveLength(1)
    expect((await Calls.sim(world, iccid)).mobilePlan).toEqual({ _tag: "Settled", applied: true })
    const again = await submit({ _tag: "SetMobilePlan", apply: true, label: "Green", iccid })
    await world.settle()
    expect(await outcome(again)).toMatchObject({ answer: { value: { applied: true } } })
  })
})

/** The command's events that a handler is given from now on. */
const published = async (types: ReadonlyArray<string> = ["command.done", "command.refused"]) => {
  const got: Array<WebhookEvent.WebhookEvent> = []
  await world.run(
    EventHandlers.EventHandlers.use((of) =>
      of.on({ name: "orders", types }, (event) => Effect.sync(() => got.push(event)))
    )
  )
  return got
}

const cancelling = ({ commandId }: { readonly commandId: string }) =>
  Commands.Commands.use((of) => of.cancel({ organizationId: world.organizationId, commandId }))

const cancel = (command: { readonly commandId: string }) => world.run(cancelling(command))

const idOf = ({ commandId }: { readonly commandId: string }) => `${world.organizationId}:${commandId}`

describe("H1 and E1: the outcome of a command", () => {
  it("is published once, in the commit of the outcome, to handlers and to webhooks that name it", async () => {
    const { organizationId } = world
    const hook = { organizationId, url: "https://acme.example/hooks", description: "" }
    const events = ["command.done", "command.refused"]
    await world.run(Webhooks.Webhooks.use((of) => of.create({ ...hook, events })))
    const got = await published()
    const commands = [await submit(creation()), await submit(creation({ metadata: "order 8" }))]
    await world.settle()
    const outcomes = await Promise.all(commands.map(outcome))
    expect(outcomes.map(({ _tag }) => _tag).toSorted()).toEqual(["Refused", "Succeeded"])
    const expected = commands.map((command, index) => {
      const data = { id: idOf(command), method: "subscriptions.create", metadata: `order ${7 + index}` }
      const refused = { code: "no_free_esim", message: "No free eSIM with label Green is left" }
      const settled = outcomes[index]
      if (settled?._tag !== "Succeeded" || settled.answer.kind !== "Created") {
        return { type: "command.refused", data: { ...data, ...refused } }
      }
      const { attachmentId, sim, subscriptionId } = settled.answer.value
      const done = { esim: sim.iccid, subscriptionId, attachmentId, hasActivationCode: sim.lpa !== null }
      return { type: "command.done", data: { ...data, ...done } }
    })
    const sorted = (payloads: ReadonlyArray<{ readonly type: string }>) =>
      payloads.toSorted((left, right) => (left.type < right.type ? -1 : 1))
    expect(sorted(got.map(({ payload }) => payload))).toEqual(sorted(expected))
    const sent = world.received.filter(({ type }) => type.startsWith("command."))
    expect(sorted(sent.map(({ data, type }) => ({ type, data })))).toEqual(sorted(expected))
  })

  it("of a message and of a mobile plan is published with its method", async () => {
    await Calls.create(world, { planId, iccid })
    await world.setFaults([{ fault: "refuse", on: "sendSms", times: 1, message: "no\0route" }])
    const got = await published()
    const sms = await submit({ _tag: "SendSms", iccid, from: "shop", text: "hi" })
    const plan = await submit({ _tag: "SetMobilePlan", apply: true, label: "Green", iccid })
    await world.settle()
    const refused = { code: "telco_refused", message: "The telco refused: no\uFFFDroute" }
    expect(got.map(({ payload }) => payload)).toEqual(
      expect.arrayContaining([
        { type: "command.refused", data: { id: idOf(sms), method: "messages.send", metadata: null, ...refused } },
        {
          type: "command.done",
          data: {
            ...{ id: idOf(plan), method: "wallet.setMobilePlan", metadata: null, esim: iccid },
            ...{ subscriptionId: null, attachmentId: null, hasActivationCode: null }
          }
        }
      ])
    )
    expect(got).toHaveLength(2)
  })

  it("costs nothing where no endpoint takes its type: no event", async () => {
    await published(["command.refused"])
    const commits: Array<Storage.Commit> = []
    world.beforeCommit(async (commit) => void commits.push(commit))
    await submit(creation())
    await world.settle()
    expect(commits.some(({ commands }) => commands?.settled !== undefined)).toBe(true)
    expect(commits.flatMap(({ events = [] }) => events)).toEqual([])
  })

  it.each([
    [1, "before"],
    [1, "after"],
    [2, "before"],
    [2, "after"]
  ] as const)("is published once where the process is killed at commit %i, %s it", async (at, when) => {
    const got = await published()
    const command = await submit(creation())
    const beginAndCrash = world.crashAt(at, when)
    await beginAndCrash(() => world.settle())
    await world.restart()
    const again = await published()
    await world.settle()
    await world.advanceBy(Time.HOUR)
    const ids = new Set([...got, ...again].map(({ eventId }) => eventId))
    expect(ids.size).toBe(1)
    expect([...got, ...again][0]?.payload).toMatchObject({ type: "command.done", data: { id: idOf(command) } })
  })
})

describe("H1: a command that is cancelled", () => {
  it("before it begins is refused as cancelled, and nothing is done", async () => {
    const got = await published()
    const command = await submit(creation(), "order-7")
    await cancel(command)
    await cancel(command)
    expect(await settled(command)).toMatchObject({ failure: { _tag: "CommandCancelled" } })
    await world.settle()
    await world.advanceBy(Time.DAY)
    expect(await world.telcoPackages()).toEqual([])
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("Free")
    const data = { id: idOf(command), method: "subscriptions.create", metadata: "order 7" }
    const refusal = { code: "command_cancelled", message: "The command was cancelled before it began" }
    expect(got.map(({ payload }) => payload)).toEqual([{ type: "command.refused", data: { ...data, ...refusal } }])
    // The key goes on naming it.
    expect(await submit(creation(), "order-7")).toEqual(command)
    const all = { from: null, to: null, actor: null, action: "command.cancel", resourceId: null }
    const query = { organizationId: world.organizationId, ...all, after: null, limit: 10 }
    const { items } = await world.run(AuditLog.AuditLog.use((log) => log.page(query)))
    expect(items.map(({ resourceId }) => resourceId)).toEqual([command.commandId])
  })

  it("after an attempt has begun is refused, and goes on", async () => {
    const refused = (command: { readonly commandId: string }) => world.run(Effect.flip(cancelling(command)))
    await world.setFaults([{ fault: "unavailable", on: "createPackage", times: 1 }])
    const command = await submit(creation())
    await world.settle()
    expect(await outcome(command)).toEqual({ _tag: "Pending" })
    expect(await refused(command)).toMatchObject({ _tag: "CommandBegun", commandId: command.commandId })
    await world.advanceBy(Time.HOUR)
    expect(await outcome(command)).toMatchObject({ _tag: "Succeeded" })
    expect(await refused(command)).toMatchObject({ _tag: "CommandBegun" })
    expect(await refused({ commandId: "none" })).toMatchObject({ _tag: "NotFound", resource: "command" })
  })

  it("while a process is about to begin it is done by neither: that process's first commit fails", async () => {
    const command = await submit(creation())
    const [reached, cancelled] = [Latch.makeUnsafe(), Latch.makeUnsafe()]
    world.beforeCommit(async ({ jobs }) => {
      if (jobs?.finished?.[0]?.jobId !== `command:${command.commandId}`) return
      reached.openUnsafe()
      await Effect.runPromise(cancelled.await)
    })
    const working = world.settle()
    await Effect.runPromise(reached.await)
    await cancel(command)
    cancelled.openUnsafe()
    await working
    await world.advanceBy(Time.HOUR)
    expect(await settled(command)).toMatchObject({ failure: { _tag: "CommandCancelled" } })
    expect(await world.telcoPackages()).toEqual([])
    expect((await Calls.sim(world, iccid)).allocation._tag).toBe("Free")
    // The eSIM that it had reserved can be sold.
    const next = await submit(creation())
    await world.settle()
    expect(await outcome(next)).toMatchObject({ _tag: "Succeeded" })
  })
})

describe("H1: the commands of an organization", () => {
  it("are listed by pages, and by how they stand", async () => {
    const commands = [await submit(creation()), await submit(creation())]
    await world.settle()
    const pending = await submit(creation())
    const page = (query: object) =>
      world.run(
        Commands.Commands.use((of) =>
          of.page({ organizationId: world.organizationId, state: null, after: null, limit: 2, ...query })
        )
      )
    const first = await page({})
    expect(first.items.map(({ commandId }) => commandId)).toEqual(commands.map(({ commandId }) => commandId))
    const second = await page({ after: first.next })
    expect(second).toMatchObject({ items: [{ commandId: pending.commandId }], next: null })
    const states = await Promise.all((["pending", "done", "refused"] as const).map((state) => page({ state })))
    expect(states.map(({ items }) => items.length)).toEqual([1, 1, 1])
    expect(states[0]?.items[0]?.commandId).toBe(pending.commandId)
  })
})

describe("H1: a process killed while it carries out a command", () => {
  it.each([
    [1, "before"],
    [1, "after"],
    [2, "before"],
    [2, "after"]
  ] as const)("at commit %i, %s it: there is exactly one package, whoever asks again", async (at, when) => {
    const command = await submit(creation(), "order-7")
    const beginAndCrash = world.crashAt(at, when)
    await beginAndCrash(() => world.settle())
    await world.restart()
    expect(await submit(creation(), "order-7")).toEqual(command)
    await world.settle()
    expect(await outcome(command)).toMatchObject({ _tag: "Succeeded", answer: { value: { sim: { iccid } } } })
    await world.advanceBy(2 * Time.DAY)
    expect(await Calls.activePackages(world)).toHaveLength(1)
    expect(await Calls.attachments(world, iccid)).toHaveLength(1)
  })

  it.each(["before", "after"] as const)("%s it gives a command another attempt", async (when) => {
    await world.setFaults([{ fault: "answer lost", on: "createPackage", times: 1 }])
    const command = await submit(creation())
    const beginAndCrash = world.crashAt(2, when)
    await beginAndCrash(() => world.settle())
    await world.restart()
    await world.advanceBy(Time.HOUR)
    expect(await outcome(command)).toMatchObject({ _tag: "Succeeded" })
    expect(await Calls.activePackages(world)).toHaveLength(1)
  })
})
