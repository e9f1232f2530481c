/**
 * Sessions of operators' browsers (rule W14): whoever holds which of their cookies, whenever they are sent.
 */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Session from "../../src/domain/Session.ts"

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
  /** What becomes of the question that is open, before the cookie is sent. */
  answer: fc.constantFrom("none", "renewed", "unanswered", "ended")
})

it("W14: a cookie is renewed once, is sent again for seconds alone, and ends the session later", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let session: Session.Session = Session.begun({ sessionId: "s", endsAt: END })
      let now = 0
      const cookies = ["first"]
      // By cookie: when its successor was given out.
      const renewedAt = new Map<number, number>()
      let hasEnded = false
      for (const { after, answer, cookie } of steps) {
        now += after
        if (session.askedAt !== null && Session.isLive(session, now)) {
          if (answer === "renewed") {
            const next = `after ${session.renewals}`
            renewedAt.set(session.renewals, now)
            session = Session.renewed(session, next, now)
            cookies.push(next)
          }
          if (answer === "unanswered") session = Session.unanswered(session)
          if (answer === "ended") session = Session.ended(session, now)
        }
        const sent = cookie % cookies.length
        const before = session
        const renewal = Session.renewal(session, sent, now)
        const replacedAt = renewedAt.get(sent)
        const isOver = before.endedAt !== null || now >= END
        if (hasEnded) expect(isOver).toBe(true)
        hasEnded = isOver
        // The cookies that do something are the present one, and for seconds the one before it.
        const isGood =
          !isOver && (replacedAt === undefined || (sent === before.renewals - 1 && now < replacedAt + OVERLAP))
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
            expect(sent).toBe(cookies.length - 1)
            // Nobody else asks.
            expect(before.askedAt === null || now >= before.askedAt + ASKING).toBe(true)
            session = renewal.session
            expect(Session.renewal(session, sent, now)._tag).toBe("Wait")
            break
          case "Wait":
            expect(sent).toBe(cookies.length - 1)
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
