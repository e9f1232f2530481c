/**
 * Rule E2: handlers of events in the process, on the virtual clock, and shared by processes.
 */
import { Effect, Layer } from "effect"
import { Clock, EventHandlers, Services, Subscriptions, Worker } from "simplan"
import { Delivery, Storage, type WebhookEvent } from "simplan/ports"
import * as Memory from "simplan/memory"
import * as VirtualClock from "simplan/virtual-clock"
import * as Ports from "./Ports.ts"
import { afterEach, expect, it } from "vitest"
import * as World from "./World.ts"

const DAY = 86_400_000

const STATE = "esim.smdp.stateChanged"

let open: World.World | undefined
afterEach(() => open?.close())

const begin = async () => {
  open = await World.make()
  return open
}

const on = (
  world: World.World,
  options: EventHandlers.Options,
  handle: (event: WebhookEvent.WebhookEvent) => Effect.Effect<unknown, unknown>
) => world.run(EventHandlers.EventHandlers.use((of) => of.on(options, handle)))

const subscribe = async (world: World.World) => {
  const { organizationId } = world
  await world.importSims(1)
  const planId = await world.createPlan()
  const activePeriod = { start: World.START + DAY, end: World.START + 3 * DAY }
  await world.run(
    Subscriptions.Subscriptions.use((of) =>
      of.create({ organizationId, planId, iccid: null, metadata: "", activePeriod })
    )
  )
}

/** The nth event about a SIM, named `<sim> <n>`. */
const event = (organizationId: string, sim: string, n: number, createdAt: number): WebhookEvent.WebhookEvent => ({
  organizationId,
  eventId: `${sim} ${n}`,
  createdAt: createdAt + n,
  payload: { type: STATE, data: { sim, smdpStateChange: { state: "Enable", modificationResult: "Success" } } }
})

const happen = (world: World.World, events: ReadonlyArray<WebhookEvent.WebhookEvent>) =>
  world.run(Storage.Storage.use((of) => of.commit({ events })))

it("a handler is given what it names from its registration on, though no endpoint takes it", async () => {
  const world = await begin()
  await subscribe(world)
  const got: Array<string> = []
  const types = ["subscription.created", "attachment.activated", "attachment.expired", STATE]
  await on(world, { name: "mailer", types }, ({ payload }) => Effect.sync(() => got.push(payload.type)))
  await world.settle()
  expect(got).toEqual([])
  await subscribe(world)
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
  const world = await begin()
  const { organizationId } = world
  const attempts: Array<{ readonly at: number; readonly others: number }> = []
  const got: Array<string> = []
  await on(world, { name: "mailer", types: [STATE] }, ({ eventId }) =>
    Effect.gen(function* () {
      if (eventId !== "busy 0") return got.push(eventId)
      const { now: at } = yield* Effect.promise(() => world.run(Clock.Clock.use((of) => of.read)))
      attempts.push({ at, others: got.length })
      return yield* Effect.fail(new Error("no mail today"))
    })
  )
  const events = [0, 1].flatMap((n) => ["busy", "quiet"].map((sim) => event(organizationId, sim, n, World.START)))
  await happen(world, events)
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

it("what happens while no process has the handler is given to it later, and nothing once it is removed", async () => {
  const world = await begin()
  const { organizationId } = world
  const got: Array<string> = []
  const handle = ({ eventId }: WebhookEvent.WebhookEvent) => Effect.sync(() => got.push(eventId))
  await on(world, { name: "mailer", types: [STATE] }, handle)
  await world.stopAndStart()
  await happen(world, [event(organizationId, "sim", 0, World.START)])
  await world.settle()
  expect(got).toEqual([])
  await on(world, { name: "mailer", types: [STATE] }, handle)
  await world.settle()
  expect(got).toEqual(["sim 0"])
  await world.run(EventHandlers.EventHandlers.use((of) => of.remove("mailer")))
  await happen(world, [event(organizationId, "sim", 1, World.START)])
  await on(world, { name: "mailer", types: [STATE] }, handle)
  await happen(world, [event(organizationId, "sim", 2, World.START)])
  await world.advanceBy(10)
  expect(got).toEqual(["sim 0", "sim 2"])
})

it("a handler for one organization is given nothing of another's, and wrong options are refused", async () => {
  const world = await begin()
  const got: Array<string> = []
  const options = { name: "mailer", types: [STATE], organizationId: world.organizationId }
  await on(world, options, ({ eventId }) => Effect.sync(() => got.push(eventId)))
  await happen(world, [event("other", "theirs", 0, World.START), event(world.organizationId, "ours", 0, World.START)])
  await world.settle()
  expect(got).toEqual(["ours 0"])
  const refused = (changes: Partial<EventHandlers.Options>) =>
    on(world, { ...options, ...changes }, () => Effect.void).then(
      () => "taken",
      (error: unknown) => (error instanceof Error && "field" in error ? error.field : error)
    )
  expect(await refused({ name: "a mailer" })).toBe("name")
  expect(await refused({ types: [] })).toBe("types")
  expect(await refused({ types: ["endpoint.test"] })).toBe("types")
  expect(await refused({ organizationId: "nobody" })).toMatchObject({ _tag: "NotFound" })
})

it("processes share a handler: each event once, in order per SIM; a process without it takes none", () =>
  Effect.gen(function* () {
    // More than one process may have under way at once.
    const sims = [..."abcdefghijklmnopqrst"]
    const EACH = 4
    let committed = 0
    const ports = Ports.make(VirtualClock.system).pipe(Layer.provideMerge(Memory.layer))
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
    // A process may be done with the first ones before the other one has looked.
    while (committed < EACH || by.size < 2) {
      for (let n = 0; n < EACH; n++) {
        yield* storage.commit({ events: sims.map((sim) => event("organization", sim, committed, now)) })
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
  }).pipe(Effect.scoped, Effect.runPromise))
