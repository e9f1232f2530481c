/**
 * Rule E2: handlers of events in the process, on the virtual clock, and shared by processes.
 */
import { Effect, Layer } from "effect"
import { Clock, EventHandlers, Problems, Services, Worker } from "simplan"
import { Clocks, Delivery, Problem, Storage, type WebhookEvent } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as Ports from "./Ports.ts"
import { beforeEach, expect, it } from "vitest"
import * as World from "./World.ts"
import * as Tests from "../setup/Tests.ts"
import * as Calls from "./Calls.ts"

const DAY = 86_400_000

const STATE = "esim.smdp.stateChanged"

let world: World.World
let organizationId: string
beforeEach(async () => {
  world = await World.make()
  organizationId = world.organizationId
})

const on = (
  options: EventHandlers.Options,
  handle: (event: WebhookEvent.WebhookEvent) => Effect.Effect<unknown, unknown>
) => world.run(EventHandlers.EventHandlers.use((of) => of.on(options, handle)))

const subscribe = async () => {
  await world.importSims(1)
  const planId = await world.createPlan()
  await world.run(Calls.creation(world, { planId, start: World.START + DAY, end: World.START + 3 * DAY }))
}

/** The nth event about a SIM, named `<sim> <n>`. */
const event = (
  sim: string,
  n: number,
  of = organizationId,
  createdAt: number = World.START
): WebhookEvent.WebhookEvent => ({
  organizationId: of,
  eventId: `${sim} ${n}`,
  createdAt: createdAt + n,
  payload: { type: STATE, data: { sim, smdpStateChange: { state: "Enable", modificationResult: "Success" } } }
})

const happen = (events: ReadonlyArray<WebhookEvent.WebhookEvent>) =>
  world.run(Storage.Storage.use((of) => of.commit({ events })))

it("a handler is given what it names from its registration on, though no endpoint takes it", async () => {
  await subscribe()
  const got: Array<string> = []
  const types = ["subscription.created", "attachment.activated", "attachment.expired", STATE]
  await on({ name: "mailer", types }, ({ payload }) => Effect.sync(() => got.push(payload.type)))
  await world.settle()
  expect(got).toEqual([])
  await subscribe()
  await world.settle()
  expect(got).toEqual(["subscription.created"])
  // Of both attachments: also of the one that was there before.
  await world.advanceBy(DAY)
  expect(got.slice(1)).toEqual(["attachment.activated", "attachment.activated"])
  await world.advanceBy(2 * DAY)
  expect(got.slice(3)).toEqual(["attachment.expired", "attachment.expired"])
  expect(world.received).toEqual([])
})

it("one that fails is tried again by the steps of rule W7, and the SIM's next event waits for it", async () => {
  const attempts: Array<{ readonly at: number; readonly others: number }> = []
  const got: Array<string> = []
  await on({ name: "mailer", types: [STATE] }, ({ eventId }) =>
    Effect.gen(function* () {
      if (eventId !== "busy 0") return got.push(eventId)
      const { now: at } = yield* Effect.promise(() => world.run(Clock.Clock.use((of) => of.read)))
      attempts.push({ at, others: got.length })
      return yield* Effect.fail(new Error("no mail today"))
    })
  )
  const events = [0, 1].flatMap((n) => ["busy", "quiet"].map((sim) => event(sim, n)))
  await happen(events)
  await world.advanceBy(4 * DAY)
  expect(got).toEqual(["quiet 0", "quiet 1", "busy 1"])
  // No event about the SIM was handled before the last attempt.
  expect(attempts.slice(1).map(({ others }) => others)).toEqual(Delivery.retrySchedule.map(() => 2))
  const waits = attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? 0))
  Delivery.retrySchedule.forEach((step, index) => {
    expect(waits[index]).toBeGreaterThanOrEqual(step)
    expect(waits[index]).toBeLessThanOrEqual(step * (1 + Delivery.JITTER))
  })
})

const failedOf = async (name = "mailer") =>
  (await world.run(EventHandlers.EventHandlers.use((of) => of.failed({ name, after: null, limit: 10 })))).items

const problemsOf = async () =>
  (await world.run(Problems.Problems.use((of) => of.page({ after: null, limit: 10 })))).items

/** A handler that fails at some events, by its own schedule, and what it has handled. */
const failing = async (fails: Set<string>, options: Partial<EventHandlers.Options> = {}) => {
  const got: Array<string> = []
  const calls: Array<string> = []
  await on({ name: "mailer", types: [STATE], ...options }, ({ eventId }) =>
    Effect.suspend(() => {
      calls.push(eventId)
      return fails.has(eventId) ? Effect.fail(new Error(`no mail for ${eventId}`)) : Effect.succeed(got.push(eventId))
    })
  )
  return { got, calls }
}

it("what is given up is kept, and handled when it is replayed: one event, or all", async () => {
  const fails = new Set(["a 0", "b 0", "c 0"])
  const { calls, got } = await failing(fails, { waits: [60_000], maxAttempts: 3 })
  await happen(["a", "b", "c"].map((sim) => event(sim, 0)))
  await world.advanceBy(DAY)
  expect(calls).toHaveLength(9)
  const failed = await failedOf()
  expect(failed.map(({ event: { eventId } }) => eventId)).toEqual(["a 0", "b 0", "c 0"])
  expect(failed[0]?.delivery).toMatchObject({ attempts: 3, lastError: "no mail for a 0" })
  const replay = (eventId: string | null, name = "mailer") =>
    world.run(EventHandlers.EventHandlers.use((of) => of.replay({ name, eventId })))
  fails.clear()
  expect(await replay("b 0")).toEqual({ replayed: 1 })
  await world.settle()
  expect(got).toEqual(["b 0"])
  expect(await replay(null)).toEqual({ replayed: 2 })
  await world.settle()
  expect(got.toSorted()).toEqual(["a 0", "b 0", "c 0"])
  expect(await failedOf()).toEqual([])
  expect(await replay(null)).toEqual({ replayed: 0 })
  await expect(replay("a 0")).rejects.toMatchObject({ _tag: "NotFound", resource: "delivery" })
  await expect(replay(null, "nobody")).rejects.toMatchObject({ _tag: "NotFound", resource: "event handler" })
})

it("one gives up at once what it says is hopeless, and the SIM's next event goes on", async () => {
  const giveUp = (error: unknown) => error instanceof Error && error.message.endsWith("sim 0")
  const { calls, got } = await failing(new Set(["sim 0"]), { giveUp })
  await happen([0, 1].map((n) => event("sim", n)))
  await world.advanceBy(1)
  expect({ calls, got }).toEqual({ calls: ["sim 0", "sim 1"], got: ["sim 1"] })
  expect((await failedOf()).map(({ event: { eventId } }) => eventId)).toEqual(["sim 0"])
})

it("a SIM whose events wait for one that fails is among the problems until that is handled or given up", async () => {
  const fails = new Set(["mended 0", "poison 0"])
  const { got } = await failing(fails, { waits: [60_000], maxAttempts: 5 })
  const events = [0, 1].flatMap((n) => ["mended", "poison", "quiet"].map((sim) => event(sim, n)))
  await happen(events)
  await world.settle()
  expect(await problemsOf()).toEqual([])
  await world.advanceBy(80_000)
  const problems = await problemsOf()
  const found = problems.map(({ organizationId, refused, work }) => ({ organizationId, work, said: refused?.message }))
  for (const iccid of ["mended", "poison"]) {
    const work = expect.objectContaining({ _tag: "HandleEvent", iccid, handler: "mailer" })
    const said = expect.stringContaining(`no mail for ${iccid} 0`)
    expect(found).toContainEqual({ organizationId, work, said })
  }
  expect(found).toHaveLength(2)
  fails.delete("mended 0")
  await world.advanceBy(80_000)
  expect((await problemsOf()).map(({ work }) => "iccid" in work && work.iccid)).toEqual(["poison"])
  expect(got).toEqual(["quiet 0", "quiet 1", "mended 0", "mended 1"])
  await world.advanceBy(DAY)
  expect(await problemsOf()).toEqual([])
  expect(got.slice(4)).toEqual(["poison 1"])
  expect((await failedOf()).map(({ event: { eventId } }) => eventId)).toEqual(["poison 0"])
})

it("an operator has a problem's event handed out at once, or gives it up", async () => {
  const fails = new Set(["a 0", "b 0", "c 0"])
  const { calls, got } = await failing(fails, { waits: [1, DAY], maxAttempts: 100 })
  await happen([0, 1].flatMap((n) => ["a", "b", "c"].map((sim) => event(sim, n))))
  await world.advanceBy(1_000)
  expect(await problemsOf()).toHaveLength(3)
  const [a, b, c] = ["a", "b", "c"].map((sim) => ({ problemId: Problem.eventJobId(`${sim} 0:handler:mailer`) }))
  if (a === undefined || b === undefined || c === undefined) return expect.fail("three problems")
  calls.length = 0
  const problems = <A, E>(use: (of: Problems.Problems["Service"]) => Effect.Effect<A, E>) =>
    world.run(Problems.Problems.use(use))
  await problems((of) => of.retry(a))
  await world.settle()
  expect(calls).toEqual(["a 0"])
  expect(await problemsOf()).toHaveLength(3)
  fails.clear()
  await problems((of) => of.retry(b))
  await problems((of) => of.resolve(c))
  await world.settle()
  expect(got.filter((id) => id.startsWith("b"))).toEqual(["b 0", "b 1"])
  expect(got.filter((id) => id.startsWith("c"))).toEqual(["c 1"])
  expect((await failedOf()).map(({ delivery, event }) => [event.eventId, delivery.lastError])).toEqual([
    ["c 0", Delivery.RESOLVED]
  ])
  await expect(problems((of) => of.retry(c))).rejects.toMatchObject({ _tag: "NotFound", resource: "problem" })
  await world.run(EventHandlers.EventHandlers.use((of) => of.remove("mailer")))
  expect(await problemsOf()).toEqual([])
})

it("what happens while no process has the handler is given to it later, and nothing once it is removed", async () => {
  const got: Array<string> = []
  const handle = ({ eventId }: WebhookEvent.WebhookEvent) => Effect.sync(() => got.push(eventId))
  await on({ name: "mailer", types: [STATE] }, handle)
  await world.stopAndStart()
  await happen([event("sim", 0)])
  await world.settle()
  expect(got).toEqual([])
  await on({ name: "mailer", types: [STATE] }, handle)
  await world.settle()
  expect(got).toEqual(["sim 0"])
  await world.run(EventHandlers.EventHandlers.use((of) => of.remove("mailer")))
  await happen([event("sim", 1)])
  await on({ name: "mailer", types: [STATE] }, handle)
  await happen([event("sim", 2)])
  await world.advanceBy(10)
  expect(got).toEqual(["sim 0", "sim 2"])
})

it("a handler for one organization is given nothing of another's", async () => {
  const got: Array<string> = []
  const options = { name: "mailer", types: [STATE], organizationId: organizationId }
  await on(options, ({ eventId }) => Effect.sync(() => got.push(eventId)))
  await happen([event("theirs", 0, "other"), event("ours", 0)])
  await world.settle()
  expect(got).toEqual(["ours 0"])
})

it("a handler with wrong options is refused", async () => {
  const options = { name: "mailer", types: [STATE] }
  const refused = (changes: Partial<EventHandlers.Options>) =>
    on({ ...options, ...changes }, () => Effect.void).then(
      () => "taken",
      (error: unknown) => (error instanceof Error && "field" in error ? error.field : error)
    )
  expect(await refused({ name: "a mailer" })).toBe("name")
  expect(await refused({ types: [] })).toBe("types")
  expect(await refused({ types: ["endpoint.test"] })).toBe("types")
  expect(await refused({ organizationId: "nobody" })).toMatchObject({ _tag: "NotFound" })
})

Tests.scoped(
  "processes share a handler: each event once, in order per SIM; a process without it takes none",
  function* () {
    // More than one process may have under way at once.
    const sims = [..."abcdefghijklmnopqrst"]
    const EACH = 4
    let committed = 0
    const ports = Ports.make(Clocks.system).pipe(Layer.provideMerge(Memory.layer))
    const context = yield* Layer.build(ports)
    const process = Layer.build(Layer.fresh(Services.layer).pipe(Layer.provide(Layer.succeedContext(context))))
    const got: Array<string> = []
    const by = new Set<number>()
    const underWay = new Set<string>()
    const complaints: Array<string> = []
    for (const number of [0, 1, 2]) {
      const services = yield* process
      const run = EventHandlers.EventHandlers.use((of) =>
        of.on({ name: "mailer", types: [STATE] }, ({ eventId }) =>
          Effect.gen(function* () {
            const sim = eventId.slice(0, 1)
            if (underWay.has(sim)) complaints.push(`two at once about ${sim}`)
            underWay.add(sim)
            by.add(number)
            yield* Effect.sleep(1 + ((eventId.charCodeAt(2) + number) % 3))
            underWay.delete(sim)
            got.push(eventId)
          })
        )
      )
      if (number < 2) yield* Effect.provideContext(run, services)
      yield* Effect.forkScoped(
        Effect.provideContext(
          Worker.Worker.use((of) => of.runForever),
          services
        )
      )
    }
    const storage = yield* Effect.provideContext(Storage.Storage, context)
    const now = Date.now() - 1_000
    // A process may be done with the first ones before the other one has polled.
    while (committed < EACH || by.size < 2) {
      for (let n = 0; n < EACH; n++) {
        yield* storage.commit({ events: sims.map((sim) => event(sim, committed, "organization", now)) })
        committed += 1
      }
      while (got.length < sims.length * committed) yield* Effect.sleep(5)
    }
    expect(complaints).toEqual([])
    for (const sim of sims) {
      const own = got.filter((id) => id.startsWith(sim))
      expect(own).toEqual(Array.from({ length: committed }, (_, n) => `${sim} ${n}`))
    }
    expect([...by].toSorted()).toEqual([0, 1])
  }
)
