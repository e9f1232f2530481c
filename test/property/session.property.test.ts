/**
 * Sessions of operators' browsers (rule W14): whoever holds which of their cookies, whenever they
 * are sent, to whichever process, and whatever the clocks show.
 */
import { Deferred, Effect, Fiber } from "effect"
import * as fc from "fast-check"
import { AuditLog, OperatorSessions, Worker } from "simplan"
import { AuditEntry, Session } from "simplan/ports"
import { expect, it } from "vitest"
import * as Processes from "../scenarios/Processes.ts"

const { ASKING, OVERLAP } = Session
const END = 8 * 3_600_000

const step = fc.record({
  /** Which of the cookies is sent that were ever given out. */
  cookie: fc.nat(),
  after: fc.oneof(
    fc.nat(OVERLAP + 1),
    fc.nat(ASKING + 1),
    fc.constantFrom(0, 1, OVERLAP - 1, OVERLAP, ASKING - 1, ASKING)
  ),
  /** By how much the clock is set. */
  set: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.constantFrom(-600_000, -ASKING, -OVERLAP, -1, 600_000)),
  /** What becomes of the question that is open, before the cookie is sent. */
  answer: fc.constantFrom("none", "renewed", "kept", "unanswered", "kept, but unanswered", "ended")
})

it("W14: a cookie is renewed once, is sent again for seconds alone, and ends the session later", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let session: Session.Session = Session.begun({ sessionId: "s", endsAt: END })
      let now = 0
      // As they were kept last; the first one is not while it is as it was.
      const cookies: Array<string | null> = [null]
      // By cookie: when its successor was given out.
      const renewedAt = new Map<number, number>()
      const isNear = (at: number | null | undefined, span: number) => at != null && at - span < now && now < at + span
      for (const { after, answer, cookie, set } of steps) {
        now += after + set
        if (session.askedAt !== null && Session.isLive(session, now)) {
          if (answer === "renewed") {
            const next = `after ${session.renewals}`
            renewedAt.set(session.renewals, now)
            session = Session.renewed(session, next, now)
            cookies.push(next)
          }
          if (answer.startsWith("kept")) {
            const value = `kept ${now}`
            session = Session.kept(session, value)
            cookies[cookies.length - 1] = value
          }
          if (answer.endsWith("unanswered")) session = Session.unanswered(session)
          if (answer === "ended") session = Session.ended(session, now)
        }
        const sent = cookie % cookies.length
        const before = session
        const renewal = Session.renewal(session, sent, now)
        const replacedAt = renewedAt.get(sent)
        const isOver = before.endedAt !== null || now >= END
        // The cookies that do something are the present one, and for seconds the one before it.
        const isGood =
          !isOver && (replacedAt === undefined || (sent === before.renewals - 1 && isNear(replacedAt, OVERLAP)))
        const standing = isOver ? "over" : isGood ? "good" : "replaced"
        expect(Session.standing(before, sent, now)).toBe(standing)
        switch (renewal._tag) {
          case "Over":
            expect(isOver).toBe(true)
            break
          case "Renewed":
            expect([isGood, replacedAt === undefined]).toEqual([true, false])
            expect(renewal.cookie).toBe(cookies[sent + 1])
            break
          case "Asking":
            expect([isOver, sent]).toEqual([false, cookies.length - 1])
            // Nobody else asks.
            expect(isNear(before.askedAt, ASKING)).toBe(false)
            session = renewal.session
            expect(session.cookie).toBe(cookies[sent])
            expect(Session.renewal(session, sent, now)._tag).toBe("Wait")
            break
          case "Wait":
            expect([isOver, sent]).toEqual([false, cookies.length - 1])
            expect(isNear(before.askedAt, ASKING)).toBe(true)
            break
          case "Reused":
            expect([isGood, isOver]).toEqual([false, false])
            session = renewal.session
            // That ends it for whoever has the present cookie too.
            for (const [one] of cookies.entries()) expect(Session.standing(session, one, now)).toBe("over")
        }
      }
    }),
    { numRuns: 2_000 }
  )
})

it("W14: a cookie of no session, or that the session has not had yet, is over", () => {
  const session = Session.begun({ sessionId: "s", endsAt: END })
  expect(Session.standing(null, 0, 0)).toBe("over")
  expect(Session.standing(session, 1, 0)).toBe("over")
  expect(Session.renewal(session, 1, 0)).toEqual({ _tag: "Over" })
  expect([Session.standing(session, 0, END - 1), Session.standing(session, 0, END)]).toEqual(["good", "over"])
  const ended = Session.ended(session, 5)
  expect(Session.ended(ended, 9).endedAt).toBe(5)
})

/** By when all processes know what one of them has changed. */
const WITHIN = 5_000

/** Which session, in which process, and by the cookie before so many others of it. */
const where = {
  session: fc.nat(1),
  process: fc.nat(1),
  age: fc.oneof({ arbitrary: fc.constant(0), weight: 4 }, fc.constant(1), fc.nat(3))
}

/** What comes of the question that a renewal asks the provider. */
const answer = fc.constantFrom(
  "renewed",
  "renewed",
  "renewed",
  "lost",
  "silent",
  "silent, once something is kept",
  "its process dies",
  "its process dies, once something is kept",
  "its client goes away",
  "the session is ended meanwhile",
  "another process asks meanwhile"
)

const command = fc.oneof(
  { arbitrary: fc.record({ act: fc.constant("renew" as const), ...where, answer }), weight: 6 },
  // Two tabs at the same moment.
  {
    arbitrary: fc.record({
      act: fc.constant("renew twice" as const),
      ...where,
      other: fc.nat(1),
      answer: fc.constantFrom("renewed" as const, "lost" as const, "silent" as const)
    }),
    weight: 2
  },
  {
    arbitrary: fc.record({
      act: fc.constant("wait" as const),
      time: fc.oneof(
        fc.constantFrom(1, OVERLAP - 1, OVERLAP, ASKING - 1, ASKING),
        fc.nat(2 * OVERLAP),
        fc.nat(2 * ASKING),
        fc.nat(END / 2)
      )
    }),
    weight: 4
  },
  { arbitrary: fc.record({ act: fc.constant("check" as const) }), weight: 5 },
  fc.record({ act: fc.constant("set the clocks" as const), by: fc.constantFrom(-END, -600_000, -7_000, 7_000, END) }),
  fc.record({ act: fc.constant("end" as const), ...where }),
  fc.record({ act: fc.constant("forget" as const), ...where })
)

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never
type World = Awaited<ReturnType<typeof Processes.make>>

/**
 * A session, as the one who has watched it all knows it. `at` is of the time that goes on evenly.
 */
interface Watched {
  readonly sessionId: string
  readonly endsAt: number
  /** As they were kept last; null: the first one, as it was. */
  readonly cookies: Array<string | null>
  /** By cookie: when its successor was given out, and what the clocks showed then. */
  readonly replaced: Array<{ readonly at: number; readonly shown: number; readonly process: number }>
  over: { readonly at: number; readonly process: number | null } | null
  isEnded: boolean
  /** What the clocks showed when a process asked that has died since. */
  deadAskedAt: number | null
}

const SILENT = "nobody answers"

/** Two processes, their clocks, and their sessions. */
const watching = (world: World) => {
  const processes = [world.process(), world.process()]
  let at = 0
  let setBy = 0
  let given = 0
  const shown = () => Processes.START + at + setBy
  const watched: Array<Watched> = []
  const run = <A, E>(process: number, use: (of: OperatorSessions.OperatorSessions["Service"]) => Effect.Effect<A, E>) =>
    (processes[process] ?? expect.fail()).run(OperatorSessions.OperatorSessions.use(use))

  const wait = async (millis: number) => {
    at += millis
    for (const process of processes) await process.move(millis)
  }
  /** Has time go on until it is done. */
  const settled = async <A>(doing: Promise<A>): Promise<A> => {
    let isDone = false
    const done = doing.finally(() => {
      isDone = true
    })
    done.catch(() => undefined)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    while (!isDone) await wait(100)
    return done
  }

  const begin = async (process: number) => {
    const sessionId = `s${watched.length}`
    const endsAt = shown() + END
    await run(process, (of) => of.begin({ sessionId, endsAt }))
    watched.push({
      ...{ sessionId, endsAt, cookies: [null], replaced: [] },
      ...{ over: null, isEnded: false, deadAskedAt: null }
    })
  }

  const isOver = ({ endsAt, over }: Watched) => over !== null || shown() >= endsAt
  const end = (of: Watched, process: number) => {
    if (!isOver(of)) of.isEnded = true
    of.over ??= { at, process }
  }
  const next = (of: Watched) => `${of.sessionId}, cookie ${++given}`
  const renew = (of: Watched, process: number, cookie: string) => {
    of.replaced.push({ at, shown: shown(), process })
    of.cookies.push(cookie)
    of.deadAskedAt = null
  }
  const isNear = (then: number | undefined | null, span: number) => then != null && Math.abs(shown() - then) < span

  /** What a cookie may be to its session, in a process that has perhaps read it earlier. */
  const checkStanding = async (of: Watched, process: number, cookie: number) => {
    const standing = await run(process, ({ standing }) => standing({ sessionId: of.sessionId, renewals: cookie }))
    const about = [of.sessionId, process, cookie, standing]
    const knows = (what: { readonly at: number; readonly process: number | null }) =>
      what.process === process || at >= what.at + WITHIN
    if (of.over !== null && knows(of.over)) {
      expect(about).toEqual([...about.slice(0, 3), "over"])
      return
    }
    if (of.over !== null) return
    const [replaced, after] = [of.replaced[cookie], of.replaced[cookie + 1]]
    if (shown() >= of.endsAt) expect(about).toEqual([...about.slice(0, 3), "over"])
    else if (replaced === undefined) expect(about).toEqual([...about.slice(0, 3), "good"])
    else if (knows(after ?? replaced) && (after !== undefined || !isNear(replaced.shown, OVERLAP))) {
      expect(about).toEqual([...about.slice(0, 3), "replaced"])
    } else expect(["good", "replaced"]).toContain(standing)
  }

  const checkAll = async () => {
    for (const of of watched) {
      for (const process of processes.keys()) {
        for (const cookie of of.cookies.keys()) await checkStanding(of, process, cookie)
      }
    }
  }

  type Ask = Effect.Effect<string | null, string>
  type Keep = OperatorSessions.Keep

  /** Each question is asked by what was kept last. */
  const asking =
    (of: Watched, renewals: number, ask: Ask | ((keep: Keep) => Ask)) => (kept: string | null, keep: Keep) =>
      Effect.suspend(() => {
        expect(kept).toBe(of.cookies[renewals])
        return typeof ask === "function" ? ask(keep) : ask
      })

  const sent = async (of: Watched, process: number, renewals: number, ask: Ask | ((keep: Keep) => Ask)) => {
    const renewed = run(process, ({ renew }) =>
      Effect.result(renew({ sessionId: of.sessionId, renewals }, asking(of, renewals, ask)))
    )
    const result = await settled(renewed)
    return result._tag === "Success" ? result.success : typeof result.failure === "string" ? result.failure : "waits"
  }

  /** Renews a cookie that the process has to ask about. */
  const ask = async (
    of: Watched,
    process: number,
    cookie: number,
    given: typeof answer extends fc.Arbitrary<infer A> ? A : never
  ) => {
    const other = 1 - process
    const value = next(of)
    const first = Deferred.makeUnsafe<void>()
    const asked = Deferred.succeed(first, undefined)
    switch (given) {
      case "renewed": {
        expect(await sent(of, process, cookie, Effect.succeed(value))).toBe(value)
        renew(of, process, value)
        return
      }
      case "lost":
        expect(await sent(of, process, cookie, Effect.succeed(null))).toBe(null)
        end(of, process)
        return
      case "silent":
        expect(await sent(of, process, cookie, Effect.fail(SILENT))).toBe(SILENT)
        return
      case "silent, once something is kept":
        expect(
          await sent(of, process, cookie, (keep) => Effect.andThen(Effect.orDie(keep(value)), Effect.fail(SILENT)))
        ).toBe(SILENT)
        of.cookies[cookie] = value
        return
      case "its process dies":
      case "its process dies, once something is kept": {
        const isKept = given !== "its process dies"
        const never = asking(of, cookie, (keep) =>
          (isKept ? Effect.orDie(keep(value)) : Effect.void).pipe(Effect.andThen(asked), Effect.andThen(Effect.never))
        )
        run(process, ({ renew }) => renew({ sessionId: of.sessionId, renewals: cookie }, never)).catch(() => undefined)
        await Effect.runPromise(Deferred.await(first))
        of.deadAskedAt = shown()
        if (isKept) of.cookies[cookie] = value
        return
      }
      case "its client goes away": {
        const goOn = Deferred.makeUnsafe<void>()
        const slow = asked.pipe(Effect.andThen(Deferred.await(goOn)), Effect.as(value))
        await run(process, ({ renew }) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(renew({ sessionId: of.sessionId, renewals: cookie }, () => slow))
            yield* Deferred.await(first)
            const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
            yield* Deferred.succeed(goOn, undefined)
            yield* Fiber.join(leaving)
          })
        )
        renew(of, process, value)
        return
      }
      case "the session is ended meanwhile": {
        const ended = Effect.promise(() => run(other, ({ end }) => end({ sessionId: of.sessionId })))
        expect(await sent(of, process, cookie, Effect.as(ended, value))).toBe(null)
        end(of, other)
        // Nor is it good where the answer has come late.
        end(of, process)
        return
      }
      case "another process asks meanwhile": {
        const late = `${value}, which comes too late`
        const overtaken = Effect.promise(async () => {
          await wait(ASKING)
          const result = await run(other, ({ renew }) =>
            renew({ sessionId: of.sessionId, renewals: cookie }, () => Effect.succeed(value))
          )
          expect(result).toBe(value)
          renew(of, other, value)
        })
        const isLate = shown() + ASKING >= of.endsAt
        if (isLate) return
        expect(await sent(of, process, cookie, Effect.as(overtaken, late))).toBe(value)
      }
    }
  }

  /**
   * Whether a cookie is answered without a question, and what by; undefined: it is the present one
   * of a session that goes on.
   */
  const unasked = (of: Watched, process: number, cookie: number): string | null | undefined => {
    if (isOver(of)) return null
    if (cookie === of.cookies.length - 1) return undefined
    const isLast = cookie === of.cookies.length - 2
    if (isLast && isNear(of.replaced[cookie]?.shown, OVERLAP)) return of.cookies[cookie + 1] ?? null
    end(of, process)
    return null
  }

  const none = Effect.fail("nobody is to be asked")

  const perform = async (command: Command) => {
    switch (command.act) {
      case "wait":
        return wait(command.time)
      case "set the clocks":
        setBy += command.by
        for (const process of processes) process.setClock(command.by)
        return
      case "check":
        return checkAll()
    }
    const { age, process } = command
    const of = watched[command.session] ?? expect.fail()
    const cookie = Math.max(0, of.cookies.length - 1 - age)
    switch (command.act) {
      case "end":
        await run(process, ({ end }) => end({ sessionId: of.sessionId }))
        if (!isOver(of)) end(of, process)
        return
      case "forget":
        await (processes[process] ?? expect.fail()).run(Worker.Worker.use(({ forget }) => forget))
        for (const one of watched) if (shown() > one.endsAt) one.over ??= { at, process: null }
        return
      case "renew": {
        const expected = unasked(of, process, cookie)
        if (expected !== undefined) expect(await sent(of, process, cookie, none)).toBe(expected)
        else if (isNear(of.deadAskedAt, ASKING)) {
          const value = next(of)
          const result = await sent(of, process, cookie, Effect.succeed(value))
          if (result === value) renew(of, process, value)
          else expect(result).toBe(isOver(of) ? null : "waits")
        } else await ask(of, process, cookie, command.answer)
        return
      }
      case "renew twice": {
        const expected = unasked(of, process, cookie)
        if (expected === undefined && isNear(of.deadAskedAt, ASKING)) return
        let asked = 0
        const value = next(of)
        const slow = Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
          Effect.andThen(
            Effect.suspend(() => {
              asked += 1
              return command.answer === "silent"
                ? Effect.fail(SILENT)
                : Effect.succeed(command.answer === "lost" ? null : value)
            })
          )
        )
        const results = await Promise.all([process, command.other].map((one) => sent(of, one, cookie, slow)))
        if (expected !== undefined) {
          expect([results, asked]).toEqual([[expected, expected], 0])
          return
        }
        const result = command.answer === "silent" ? SILENT : command.answer === "lost" ? null : value
        expect(results).toEqual([result, result])
        if (command.answer !== "silent") expect(asked).toBe(1)
        if (command.answer === "renewed") renew(of, process, value)
        if (command.answer === "lost") end(of, process)
      }
    }
  }

  /** After all of it, and whatever the processes have remembered. */
  const check = async () => {
    await wait(WITHIN)
    await checkAll()
    for (const of of watched) {
      const { items } = await (processes[0] ?? expect.fail()).run(
        AuditLog.AuditLog.use(({ page }) =>
          page({
            ...{ organizationId: AuditEntry.SERVICE, resourceId: of.sessionId, limit: 9 },
            ...{ from: null, to: null, actor: null, action: null, after: null }
          })
        )
      )
      const actions = items.map(({ action }) => action).sort()
      expect(actions).toEqual(["session.create", ...(of.isEnded ? ["session.delete"] : [])])
    }
  }
  return { begin, check, perform }
}

it("W14: over several processes a session goes by its present cookie, and once it is over it stays so", () =>
  fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
      const world = await Processes.make()
      try {
        const { begin, check, perform } = watching(world)
        await begin(0)
        await begin(1)
        for (const one of commands) await perform(one)
        await check()
      } finally {
        await world.close()
      }
    }),
    { numRuns: 100 }
  ))
