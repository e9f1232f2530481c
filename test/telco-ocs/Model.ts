/**
 * A model in memory of the online charging system, behind its typed calls, which can do with each
 * call whatever a network and a busy system do. What it does happens apart from the caller: it goes
 * on when the caller is gone. Its clock may be another one than the caller's, its lists may be
 * behind, and its SIMs may be in use when they get a package.
 */
import { Clock, Effect, Fiber } from "effect"
import { CallFailure } from "../../adapters/telco-calls/index.ts"
import { Api } from "../../adapters/telco-ocs/index.ts"

type Name = keyof Api.Api["Service"]

/** What befalls one call. Times are in milliseconds. */
export type Fault =
  | {
      readonly kind:
        | "request lost"
        | "request cut"
        | "refused"
        | "traffic control"
        | "not reached"
        | "answer lost"
        | "answer cut"
    }
  | { readonly kind: "late" | "twice"; readonly after: number }

export interface Package extends Api.SubscriberPackage {
  readonly iccid: string
  readonly firstUsedAt: number | null
  /** Whether it was given for a window. */
  readonly hasWindow: boolean
}

export interface DeletedPackage extends Package {
  readonly deletedAt: number
}

export interface Options {
  /** What befalls the next call; null: it is done and answered. */
  readonly fault?: (call: Name) => Fault | null
  /** How long a request or an answer is under way, in milliseconds. */
  readonly latency?: () => number
  /** How much its clock is ahead of the caller's, in milliseconds. */
  readonly skew?: number
  /** How much the next list of packages is behind, in milliseconds. */
  readonly lag?: () => number
  /**
   * Whether a device is online with the SIM: a package without a window is activated when it is
   * given.
   */
  readonly isOnline?: (iccid: string) => boolean
  readonly zones?: ReadonlyArray<Api.Zone>
  /** How long a package lasts from its first use on, in milliseconds. */
  readonly period?: number
}

/** How long a caller waits for an answer, in milliseconds. */
const TIMEOUT = 10_000

const failure = (outcome: CallFailure.Outcome, message: string, retryAfterSeconds?: number) =>
  new CallFailure.CallFailure(
    retryAfterSeconds === undefined ? { outcome, message } : { outcome, message, retryAfterSeconds }
  )

type Done<A> = Effect.Effect<A, CallFailure.CallFailure>

const unescaped = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

export const make = ({
  fault = () => null,
  latency,
  skew = 0,
  lag = () => 0,
  isOnline = () => false,
  zones = [
    { id: 27, name: "France" },
    { id: 28, name: "Europe" }
  ],
  period = 7 * 86_400_000
}: Options = {}) => {
  const packages = new Map<number, Package>()
  const deleted = new Map<number, DeletedPackage>()
  const templates: Array<Api.Template> = []
  const messages: Array<{ readonly imsi: string; readonly from: string; readonly text: string }> = []
  const mobilePlans = new Map<string, number | null>()
  /** The SIMs without service. A package that is given starts it again. */
  const suspended = new Set<string>()
  /** The SIMs that were removed there. */
  const removed = new Set<string>()
  /** How often each fault befell a call. */
  const faults = new Map<Fault["kind"], number>()
  let lastId = 400
  let calls = 0
  /** How many orders were done twice and answered. */
  let doubled = 0
  /** What became of packages, the latest last; null: it was deleted. */
  const changes: Array<{ readonly at: number; readonly id: number; readonly one: Package | null }> = []
  const put = (one: Package, at: number): void => {
    packages.set(one.id, one)
    changes.push({ at, id: one.id, one })
  }

  /** The packages as a list has them that is behind. */
  const listed = (now: number): ReadonlyArray<Package> => {
    const behind = lag()
    if (behind === 0) return [...packages.values()]
    const then = new Map<number, Package>()
    for (const { at, id, one } of changes) {
      if (at > now - behind) continue
      if (one === null) then.delete(id)
      else then.set(id, one)
    }
    return [...then.values()]
  }

  const under = latency === undefined ? Effect.void : Effect.suspend(() => Effect.sleep(latency()))
  const unknown = (message: string) => Effect.fail(failure("Unknown", message))
  const timedOut = Effect.andThen(Effect.sleep(TIMEOUT), unknown("no answer in time"))

  const apart = <A>(todo: Done<A>) => Effect.forkDetach(Effect.ignore(todo), { startImmediately: true })

  const answered = <A>(todo: Done<A>): Done<A> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(Effect.exit(Effect.andThen(under, todo)), { startImmediately: true })
      const exit = yield* Fiber.join(fiber)
      yield* under
      return yield* exit
    })

  /**
   * A call that does something: the system does it as the fault says, whether the caller waits or
   * not.
   */
  const send = <A>(name: Name, todo: Done<A>): Done<A> =>
    Effect.suspend((): Done<A> => {
      calls++
      const befalls = fault(name)
      if (befalls === null) return answered(todo)
      faults.set(befalls.kind, (faults.get(befalls.kind) ?? 0) + 1)
      switch (befalls.kind) {
        case "request lost":
          return timedOut
        case "refused":
          return Effect.andThen(under, Effect.fail(failure("Refused", "14 OPERATION_IMPOSSIBLE")))
        case "traffic control":
          return Effect.andThen(under, Effect.fail(failure("NotDone", "100 TRAFFIC_CONTROL_LIMIT_EXCEEDED", 1)))
        case "not reached":
          return Effect.fail(failure("NotDone", "connection refused"))
        case "answer lost":
          return Effect.andThen(apart(Effect.andThen(under, todo)), timedOut)
        case "request cut":
          return Effect.andThen(under, unknown("the connection was closed"))
        case "answer cut":
          return apart(Effect.andThen(under, todo)).pipe(
            Effect.andThen(under),
            Effect.andThen(unknown("the connection was closed"))
          )
        case "late":
          return Effect.andThen(apart(Effect.andThen(Effect.sleep(TIMEOUT + befalls.after), todo)), timedOut)
        case "twice":
          if (name === "affectPackage") doubled++
          return Effect.andThen(apart(Effect.andThen(Effect.sleep(befalls.after), todo)), answered(todo))
      }
    })

  /** Puts a package there, as the system does it. The system keeps whole seconds. */
  const place = (iccid: string, templateId: number, window: Api.Window | null, now: number): number => {
    const id = ++lastId
    suspended.delete(iccid)
    const seconds = (time: number) => Math.floor(time / 1000) * 1000
    const assignedAt = seconds(now + skew)
    const times = window ?? (isOnline(iccid) ? { start: assignedAt, end: assignedAt + period } : null)
    const one: Package = {
      id,
      iccid,
      firstUsedAt: null,
      templateId,
      templateName: templates.find((one) => one.id === templateId)?.name ?? null,
      assignedAt,
      activationAt: times === null ? null : seconds(times.start),
      expirationAt: times === null ? null : seconds(times.end),
      allowanceBytes: null,
      usedBytes: 0,
      isActive: true,
      isRecurring: false,
      hasWindow: window !== null
    }
    put(one, now)
    return id
  }

  const found = (id: number): Done<Package> =>
    Effect.suspend(() => {
      const one = packages.get(id)
      return one === undefined ? Effect.fail(failure("NotFound", "6 DB_NOT_FOUND")) : Effect.succeed(one)
    })

  /** What is read of a SIM, if it is there. */
  const ofSim = <A>(iccid: string, todo: Done<A>): Done<A> =>
    Effect.suspend(() => (removed.has(iccid) ? Effect.fail(failure("NotFound", "6 DB_NOT_FOUND")) : todo))

  const api = Api.Api.of({
    subscriber: (iccid) =>
      send(
        "subscriber",
        ofSim(
          iccid,
          Effect.sync(() => ({
            subscriberId: Number(iccid.slice(-6)),
            iccid,
            imsi: `20801${iccid.slice(-10)}`,
            msisdn: null,
            simId: 36904,
            isEsim: true,
            smdpServer: null,
            activationCode: null,
            network: null,
            status: suspended.has(iccid) ? "SUSPENDED" : "ACTIVE",
            mobilePlanId: mobilePlans.get(iccid) ?? null
          }))
        )
      ),
    subscribersBy: () =>
      send("subscribersBy", Effect.succeed({ subscribers: [], withoutCard: [], odd: [], hasMore: false, found: 0 })),
    packages: (iccid) =>
      send(
        "packages",
        ofSim(
          iccid,
          Effect.map(Clock.currentTimeMillis, (now) => listed(now).filter((one) => one.iccid === iccid))
        )
      ),
    affectPackage: ({ iccid, templateId, window }) =>
      send(
        "affectPackage",
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          templates.some(({ id, isDeleted }) => id === templateId && !isDeleted)
            ? Effect.sync(() => place(iccid, templateId, window, now))
            : Effect.fail(failure("NotFound", "6 DB_NOT_FOUND"))
        )
      ),
    setPackageStatus: (id, isActive) =>
      send(
        "setPackageStatus",
        Effect.zipWith(found(id), Clock.currentTimeMillis, (one, now) => put({ ...one, isActive }, now))
      ),
    deletePackage: (id) =>
      send(
        "deletePackage",
        Effect.zipWith(found(id), Clock.currentTimeMillis, (one, deletedAt) => {
          packages.delete(id)
          changes.push({ at: deletedAt, id, one: null })
          deleted.set(id, { ...one, deletedAt })
        })
      ),
    sendSms: (sms) =>
      send(
        "sendSms",
        Effect.sync(() => void messages.push({ ...sms, text: unescaped(sms.text) }))
      ),
    setMobilePlan: ({ iccid, mobilePlanId }) =>
      send(
        "setMobilePlan",
        Effect.sync(() => void mobilePlans.set(iccid, mobilePlanId))
      ),
    setSubscriberStatus: ({ iccid, isActive }) =>
      send(
        "setSubscriberStatus",
        Effect.sync(() => void (isActive ? suspended.delete(iccid) : suspended.add(iccid)))
      ),
    profileHistory: () => send("profileHistory", Effect.succeed([])),
    lastSeen: () => send("lastSeen", Effect.succeed(null)),
    usage: null,
    templates: send(
      "templates",
      Effect.sync(() => [...templates])
    ),
    createTemplate: ({ name }) =>
      send(
        "createTemplate",
        Effect.suspend(() => {
          if (templates.some((one) => one.name === name && !one.isDeleted))
            return Effect.fail(failure("Refused", "4 DB_DUPLICATE_ENTRY"))
          const template = { id: 9000 + templates.length, name, isDeleted: false }
          templates.push(template)
          return Effect.succeed(template)
        })
      ),
    zones: send("zones", Effect.succeed(zones))
  })

  /**
   * The subscriber uses data of a package; its first use begins a package without times. `isLate`:
   * it was used before the package was stopped, and is charged now.
   */
  const use = (id: number, bytes: number, now: number, isLate = false): void => {
    const one = packages.get(id)
    if (one === undefined || !(one.isActive || isLate)) return
    const at = now + skew
    const times = one.activationAt === null ? { activationAt: at, expirationAt: at + period } : {}
    put({ ...one, ...times, usedBytes: one.usedBytes + bytes, firstUsedAt: one.firstUsedAt ?? now }, now)
  }

  return {
    ...{ api, packages, deleted, templates, messages, mobilePlans, suspended, removed, faults, place, use },
    calls: () => calls,
    doubled: () => doubled
  }
}

export type Model = ReturnType<typeof make>
