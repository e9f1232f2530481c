/**
 * The cases of the telco suite in which calls are lost, late and refused, or data is used
 * (rule S8). Each one that has a hook of `Faults` is defined.
 */
import { Effect, Option } from "effect"
import { type Refused, Telco, type Unavailable } from "../../ports/Telco.ts"
import * as Suite from "../Suite.ts"
import {
  type Faults,
  type Operation,
  waitFor,
  freshKey,
  freshPackageId,
  isShared,
  repeated,
  type Subject,
  timesInOrder
} from "./Subject.ts"

type Case<R> = Suite.Case<Telco | R>
type Call<A> = Effect.Effect<A, Refused | Unavailable>
type Change<R> = (operation: Operation) => Effect.Effect<void, unknown, R>

/** How long a caller waits in these cases, in milliseconds. */
const WAIT_LIMIT = 50

/**
 * Asks once. No answer, or one that says so, leaves the outcome unknown; a refusal is none of a
 * lost call.
 */
const lost = <A>(what: string, call: Call<A>, waitLimit = WAIT_LIMIT): Effect.Effect<void, Suite.CaseFailed> =>
  Effect.matchEffect(Effect.timeoutOption(call, waitLimit), {
    onSuccess: () => Effect.void,
    onFailure: (error) =>
      error._tag === "Telco.Unavailable"
        ? Effect.void
        : Effect.fail(new Suite.CaseFailed({ message: `${what} that is lost was refused: ${error.message}` }))
  })

/** Cases about calls that the telco does, or does not do, without an answer. */
const unanswered = <R>(
  { can, iccid, observed, order }: Subject<R>,
  what: string,
  lose: Change<R>
): ReadonlyArray<Case<R>> => [
  {
    name: `a creation, its ${what} lost, comes again and makes one package`,
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* lose("createPackage")
      yield* lost("a creation", telco.createPackage(order(packageId)))
      const created = yield* repeated("creating", telco.createPackage(order(packageId)))
      yield* Suite.equals("the next answer", yield* telco.createPackage(order(packageId)), created)
      yield* observed("packages", 1, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: `a creation, its ${what} lost, that is cancelled leaves no package, and its key is spent`,
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* lose("createPackage")
      yield* lost("a creation", telco.createPackage(order(packageId)))
      yield* repeated("cancelling", telco.cancelPackage({ packageId, iccid }))
      yield* Suite.failsWith("creating it late", "Telco.Refused", telco.createPackage(order(packageId)))
      yield* observed("packages", 0, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: `a cancellation, its ${what} lost, comes again and leaves no package`,
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.createPackage(order(packageId))
      yield* lose("cancelPackage")
      yield* lost("a cancellation", telco.cancelPackage({ packageId, iccid }))
      yield* repeated("cancelling", telco.cancelPackage({ packageId, iccid }))
      yield* observed("packages", 0, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: `a suspension, its ${what} lost, comes again and succeeds`,
    effect: Effect.gen(function* () {
      if (can.suspension !== "package") return
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.createPackage(order(packageId))
      yield* lose("suspendPackage")
      yield* lost("a suspension", telco.suspendPackage({ packageId, iccid }))
      yield* repeated("suspending", telco.suspendPackage({ packageId, iccid }))
      yield* telco.cancelPackage({ packageId, iccid })
    })
  },
  {
    name: `a release of a profile, its ${what} lost, comes again and succeeds`,
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const release = telco.releaseProfile({ key: yield* freshKey, iccid })
      yield* lose("releaseProfile")
      yield* lost("a release", release)
      yield* repeated("releasing", release)
    })
  },
  {
    name: `a mobile plan, the ${what} of its change lost, is what the last change says`,
    effect: Effect.gen(function* () {
      if (!can.mobilePlans) return
      const telco = yield* Telco
      const key = yield* freshKey
      const apply = telco.setMobilePlan({ key: `${key}-1`, iccid, applied: true })
      yield* lose("setMobilePlan")
      yield* lost("a change", apply)
      yield* repeated("changing", apply)
      yield* observed("applied", true, ({ mobilePlan }) => mobilePlan(iccid))
      yield* telco.setMobilePlan({ key: `${key}-2`, iccid, applied: false })
      yield* apply
      yield* observed("applied", false, ({ mobilePlan }) => mobilePlan(iccid))
    })
  },
  {
    name: `a pause, where the telco can stop the service of a SIM, the ${what} of its change lost, is what the last change says`,
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      if (telco.setService === undefined) return
      const key = yield* freshKey
      const stop = telco.setService({ key: `${key}-1`, iccid, active: false })
      yield* lose("setService")
      yield* lost("a change", stop)
      yield* repeated("pausing", stop)
      yield* observed("in service", false, ({ service }) => service?.(iccid) ?? false)
      // A telco that may still do the lost call makes this one too, and has it asked for again.
      yield* Effect.ignore(telco.setService({ key: `${key}-2`, iccid, active: true }))
      yield* Effect.ignore(stop)
      yield* observed("in service", true, ({ service }) => service?.(iccid) ?? true)
    })
  }
]

/** A message is better lost than sent twice: the call that comes again may be refused. */
const message = <R>({ can, iccid, observed }: Subject<R>, lose: Change<R>): Case<R> => ({
  name: "a message, its answer lost, is not sent again",
  effect: Effect.gen(function* () {
    if (can.sms === null) return
    const telco = yield* Telco
    const messageId = yield* freshKey
    const sms = { messageId, iccid, from: can.sms.senders?.[0] ?? "Conformance", text: `Lost ${messageId}` }
    yield* lose("sendSms")
    yield* lost("a message", telco.sendSms(sms))
    yield* Effect.ignore(repeated("sending", telco.sendSms(sms)))
    yield* observed("messages", 1, ({ messages }) => messages(iccid, sms.text))
  })
})

/** How often a call is made that is to be done late, and how late that may be. */
const ATTEMPTS = 5
const LATEST = "10 seconds"

const late = <R>(
  { iccid, observed, order }: Subject<R>,
  doLate: (operation: Operation) => Effect.Effect<Effect.Effect<void, unknown, R>, unknown, R>,
  settle: Effect.Effect<void, unknown, R>
): ReadonlyArray<Case<R>> => [
  {
    name: "a creation that is done late, after it came again, makes one package",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      const done = yield* doLate("createPackage")
      yield* lost("a creation", telco.createPackage(order(packageId)))
      const created = yield* repeated("creating", telco.createPackage(order(packageId)))
      yield* Effect.andThen(done, settle)
      yield* Suite.equals("the next answer", yield* telco.createPackage(order(packageId)), created)
      yield* observed("packages", 1, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "a creation that is done late, after its cancellation, leaves no package",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const done = yield* doLate("createPackage")
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const packageId = yield* freshPackageId
        // On a busy machine the first call may end before it has left.
        yield* lost("a creation", telco.createPackage(order(packageId)), WAIT_LIMIT * 2 ** attempt)
        yield* repeated("cancelling", telco.cancelPackage({ packageId, iccid }))
        if (Option.isNone(yield* Effect.timeoutOption(done, LATEST))) continue
        yield* settle
        yield* Suite.failsWith("creating it again", "Telco.Refused", telco.createPackage(order(packageId)))
        return yield* observed("packages", 0, ({ packages }) => packages([packageId]))
      }
      return yield* new Suite.CaseFailed({ message: `${ATTEMPTS} calls of createPackage were not done late` })
    })
  }
]

const refused = <R>({ can, iccid, observed, order }: Subject<R>, refuse: Change<R>): ReadonlyArray<Case<R>> => [
  {
    name: "a refused creation stays refused by its key, makes no package, and hinders no other one",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const key = yield* freshKey
      yield* refuse("createPackage")
      const create = telco.createPackage(order(`${key}:0`))
      yield* Suite.failsWith("the first creation", "Telco.Refused", create)
      yield* Suite.failsWith("the same one again", "Telco.Refused", create)
      yield* telco.createPackage(order(`${key}:1`))
      yield* observed("packages", 1, ({ packages }) => packages([`${key}:0`, `${key}:1`]))
      yield* telco.cancelPackage({ packageId: `${key}:0`, iccid })
    })
  },
  {
    name: "a refused cancellation stays refused by its key, and may be done under another one",
    effect: Effect.gen(function* () {
      const telco = yield* Telco
      const packageId = yield* freshPackageId
      yield* telco.createPackage(order(packageId))
      yield* refuse("cancelPackage")
      const cancel = telco.cancelPackage({ packageId, iccid, key: `${packageId}/1` })
      yield* Suite.failsWith("the first cancellation", "Telco.Refused", cancel)
      yield* Suite.failsWith("the same one again", "Telco.Refused", cancel)
      yield* observed("packages", 1, ({ packages }) => packages([packageId]))
      yield* telco.cancelPackage({ packageId, iccid, key: `${packageId}/2` })
      yield* observed("packages", 0, ({ packages }) => packages([packageId]))
    })
  },
  {
    name: "a refused message stays refused by its id, and is not sent",
    effect: Effect.gen(function* () {
      if (can.sms === null) return
      const telco = yield* Telco
      const messageId = yield* freshKey
      const sms = { messageId, iccid, from: can.sms.senders?.[0] ?? "Conformance", text: `Refused ${messageId}` }
      yield* refuse("sendSms")
      yield* Suite.failsWith("the first sending", "Telco.Refused", telco.sendSms(sms))
      yield* Suite.failsWith("the same one again", "Telco.Refused", telco.sendSms(sms))
      yield* observed("messages", 0, ({ messages }) => messages(iccid, sms.text))
    })
  }
]

const reportedLater = <R>(
  { observed, order }: Subject<R>,
  reportTimes: (packageId: string) => Effect.Effect<void, unknown, R>
): Case<R> => ({
  name: "a package whose times the telco learns later stays the same package, with times in order",
  effect: Effect.gen(function* () {
    const telco = yield* Telco
    const packageId = yield* freshPackageId
    const first = yield* telco.createPackage(order(packageId))
    yield* reportTimes(packageId)
    const then = yield* telco.createPackage(order(packageId))
    yield* Suite.equals("the telco's package", then.telcoPackageId, first.telcoPackageId)
    yield* timesInOrder(then)
    yield* observed("packages", 1, ({ packages }) => packages([packageId]))
  })
})

const MEGABYTE = 1_048_576

const used = <R>(
  { can, iccid, order }: Subject<R>,
  use: (packageId: string, bytes: number) => Effect.Effect<void, unknown, R>
): Case<R> => ({
  name: "what was used of packages, where the telco can say, is read without a report, and is final once they are suspended",
  effect: Effect.gen(function* () {
    const { cancelPackage, createPackage, readUsage, suspendPackage } = yield* Telco
    if (readUsage === undefined || !isShared(can) || can.suspension !== "package" || can.cancellation !== "any") return
    const key = yield* freshKey
    const ids = [0, 1, 2, 3].map((occurrence) => `${key}:${occurrence}`)
    const [first = "", second = "", unused = "", gone = ""] = ids
    for (const id of ids) yield* createPackage(order(id))
    for (const [id, megaBytes] of [
      [first, 3],
      [second, 1],
      [first, 4],
      [gone, 1]
    ] as const) {
      yield* use(id, megaBytes * MEGABYTE)
    }
    yield* suspendPackage({ packageId: first, iccid })
    yield* cancelPackage({ packageId: gone, iccid })
    const read = (stopped: ReadonlyArray<string>) =>
      Effect.map(repeated("reading usage", readUsage({ iccid, stopped })), (all) =>
        (all ?? []).flatMap(({ packageId, usedBytes }) => {
          const isOwn = usedBytes > 0 && ids.includes(packageId) && packageId !== gone
          return isOwn ? [`${packageId} ${usedBytes}`] : []
        })
      )
    const expected = [`${first} ${7 * MEGABYTE}`, `${second} ${MEGABYTE}`]
    yield* Suite.equals("what was used", (yield* read([first])).toSorted(), expected)
    yield* use(second, MEGABYTE)
    yield* suspendPackage({ packageId: second, iccid })
    yield* suspendPackage({ packageId: unused, iccid })
    const then = [`${first} ${7 * MEGABYTE}`, `${second} ${2 * MEGABYTE}`]
    yield* Suite.equals("what was used until then", (yield* read([first, second, unused])).toSorted(), then)
  })
})

/** The cases that the hooks allow. */
export const cases = <R>(subject: Subject<R>, faults: Faults<R>): ReadonlyArray<Case<R>> => {
  const { doLate, loseAnswer, loseRequest, refuse, settle, reportTimes, use } = faults
  const effectOf =
    <A>(hook: (of: A) => Suite.Answer<void, R>) =>
    (of: A): Effect.Effect<void, unknown, R> =>
      Suite.answerOf(() => hook(of))
  const given: Array<Case<R>> = []
  if (loseRequest !== undefined) given.push(...unanswered(subject, "request", effectOf(loseRequest)))
  if (loseAnswer !== undefined) {
    const lose = effectOf(loseAnswer)
    given.push(...unanswered(subject, "answer", lose), message(subject, lose))
  }
  if (doLate !== undefined) {
    const begin = (operation: Operation) =>
      Effect.map(
        Suite.answerOf(() => doLate(operation)),
        waitFor
      )
    given.push(...late(subject, begin, settle === undefined ? Effect.void : waitFor(settle)))
  }
  if (refuse !== undefined) given.push(...refused(subject, effectOf(refuse)))
  if (reportTimes !== undefined) given.push(reportedLater(subject, effectOf(reportTimes)))
  if (use !== undefined) {
    given.push(used(subject, (packageId, bytes) => Suite.answerOf(() => use(packageId, bytes))))
  }
  return given
}
