/**
 * Sessions of operators' browsers over several processes (rule W14): which cookies are good, and
 * who knows of their end when.
 */
import { Deferred, Effect, Fiber } from "effect"
import { AuditLog, OperatorSessions, Time } from "simplan"
import { AuditEntry, Session } from "simplan/ports"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Processes from "../Processes.ts"

const WITHIN = 5 * Time.SECOND

let world: Awaited<ReturnType<typeof Processes.make>>
let one: ReturnType<typeof world.process>
let other: ReturnType<typeof world.process>
beforeEach(async () => {
  world = await Processes.make()
  one = world.process()
  other = world.process()
})
afterEach(() => world.close())

type Process = typeof one
type Sessions = OperatorSessions.OperatorSessions["Service"]

const ask = <A, E>(process: Process, use: (of: Sessions) => Effect.Effect<A, E>) =>
  process.run(OperatorSessions.OperatorSessions.use(use))

const cookie = (renewals: number, sessionId = "s") => ({ sessionId, renewals })

const begin = (sessionId = "s") => ask(one, (of) => of.begin({ sessionId, endsAt: Processes.START + 8 * Time.HOUR }))

const standing = (process: Process, renewals: number) => ask(process, (of) => of.standing(cookie(renewals)))

const renew = (process: Process, renewals: number, ...answers: ReadonlyArray<string | null>) => {
  const left = [...answers]
  return ask(process, (of) =>
    of.renew(cookie(renewals), () => {
      const next = left.shift()
      return next === undefined ? Effect.fail("nobody is to be asked") : Effect.succeed(next)
    })
  )
}

const bothMove = (millis: number) => {
  for (const process of [one, other]) process.move(millis)
}

const entries = () =>
  one.run(
    AuditLog.AuditLog.use((of) =>
      of.page({
        organizationId: AuditEntry.SERVICE,
        from: null,
        to: null,
        actor: null,
        action: null,
        resourceId: "s",
        after: null,
        limit: 9
      })
    )
  )

it("two tabs that renew one cookie, in two processes, have one answer; a stranger ends the session later", async () => {
  await begin()
  expect(await renew(one, 0, "second")).toBe("second")
  expect(await renew(other, 0)).toBe("second")
  expect([await standing(one, 0), await standing(other, 1)]).toEqual(["good", "good"])
  bothMove(Session.OVERLAP)
  expect([await standing(one, 0), await standing(one, 1)]).toEqual(["replaced", "good"])
  // An ordinary request by an old cookie ends nothing: it may have been on its way for long.
  expect(await standing(other, 1)).toBe("good")
  expect(await renew(other, 0)).toBe(null)
  expect([await standing(other, 0), await standing(other, 1)]).toEqual(["over", "over"])
  one.move(WITHIN)
  expect([await standing(one, 0), await standing(one, 1)]).toEqual(["over", "over"])
  expect(await renew(one, 1)).toBe(null)
  expect((await entries()).items.map(({ action }) => action).sort()).toEqual(["session.create", "session.delete"])
})

it("one process asks, and the other waits for what it learns", async () => {
  await begin()
  const [asked, answered] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const first = ask(one, (of) =>
    of.renew(cookie(0), () =>
      Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(answered)), Effect.as("second"))
    )
  )
  await Effect.runPromise(Deferred.await(asked))
  const second = renew(other, 0)
  expect([await standing(one, 0), await standing(other, 0)]).toEqual(["good", "good"])
  Deferred.doneUnsafe(answered, Effect.void)
  expect(await first).toBe("second")
  const moving = setInterval(() => bothMove(100), 1)
  expect(await second).toBe("second")
  clearInterval(moving)
})

it("whoever asks and is not answered leaves the cookie as it was, and so does one whose client goes away", async () => {
  await begin()
  const failed = await ask(one, (of) => Effect.flip(of.renew(cookie(0), () => Effect.fail("no answer"))))
  expect(failed).toBe("no answer")
  const [asked, answered] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const left = ask(one, (of) =>
    Effect.gen(function* () {
      const learning = Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(answered)))
      const fiber = yield* Effect.forkChild(of.renew(cookie(0), () => Effect.as(learning, "second")))
      yield* Deferred.await(asked)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(leaving)
    })
  )
  await left
  expect(await renew(other, 0)).toBe("second")
})

it("what was kept of a cookie is what all processes ask by next, whatever becomes of the question", async () => {
  await begin()
  for (const [process, known, kept] of [
    [one, null, "a"],
    [other, "a", "b"]
  ] as const) {
    const asked = await ask(process, (of) =>
      Effect.result(
        of.renew(cookie(0), (before, keep) => Effect.andThen(keep(kept), Effect.fail(`asked by ${before}`)))
      )
    )
    expect(asked).toMatchObject({ _tag: "Failure", failure: `asked by ${known}` })
  }
  expect(await ask(one, (of) => of.renew(cookie(0), (before) => Effect.succeed(before)))).toBe("b")
})

it("a process that dies while it asks holds up the session for seconds", async () => {
  await begin()
  const asked = Deferred.makeUnsafe<void>()
  void ask(one, (of) =>
    of.renew(cookie(0), () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
  ).catch(() => undefined)
  await Effect.runPromise(Deferred.await(asked))
  other.move(Session.ASKING)
  expect(await renew(other, 0, "second")).toBe("second")
})

it("a session whose operator has lost the role ends in all processes, and nothing brings it back", async () => {
  await begin()
  expect(await standing(other, 0)).toBe("good")
  expect(await renew(one, 0, null)).toBe(null)
  expect([await standing(one, 0), await standing(other, 0)]).toEqual(["over", "good"])
  other.move(WITHIN)
  expect(await standing(other, 0)).toBe("over")
  await ask(one, (of) => of.end({ sessionId: "s" }))
  expect((await entries()).items.map(({ action }) => action).sort()).toEqual(["session.create", "session.delete"])
})

it("a session that was ended stays so, however many others begin and end", async () => {
  await begin()
  await ask(one, (of) => of.end({ sessionId: "s" }))
  await ask(one, (of) =>
    Effect.forEach(
      Array.from({ length: 10_400 }, (_, index) => `other ${index}`),
      (sessionId) =>
        Effect.andThen(of.begin({ sessionId, endsAt: Processes.START + Time.HOUR }), of.end({ sessionId })),
      { discard: true, concurrency: 100 }
    )
  )
  bothMove(WITHIN)
  expect([await standing(one, 0), await standing(other, 0)]).toEqual(["over", "over"])
})

it("all processes have one key, which a second one does not replace", async () => {
  const keys = await Promise.all([one, other, one].map((process) => ask(process, (of) => of.key)))
  expect(new Set(keys).size).toBe(1)
  expect(Buffer.from(keys[0] ?? "", "base64").length).toBe(32)
})
