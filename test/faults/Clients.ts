/**
 * Clients that live with the faults: each leads one subscription after another through its life,
 * and keeps the ledger.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, type Asked, ask, field, list, text } from "./Asking.ts"
import { type Fate, isSettled, type Kind, type Ledger, movedTo, type Operation, type Reports } from "./Ledger.ts"
import type { Random } from "./Random.ts"
import * as JsonText from "../../src/testing/JsonText.ts"

export interface Access {
  /** The address of some server, another one each time. */
  readonly url: (random: Random) => string
  readonly key: string
  readonly telcoToken: string
  readonly plans: { readonly simple: string; readonly daily: string }
  /** Waited for before each request; without it requests follow each other at once. */
  readonly pace?: () => Promise<void>
  /** Asks a server in place of `ask`. */
  readonly ask?: (url: string, asked: Asked) => Promise<Answer | null>
}

export const MEGABYTE = 1024 * 1024
const HOUR = 3_600_000

/**
 * The allowance of the plans, and the portions in which it is used: they cross 50, 80 and 100 %.
 */
export const ALLOWANCE = 100
const PORTIONS = [30, 30, 30, 30]
export const USED = PORTIONS.reduce((sum, portion) => sum + portion, 0) * MEGABYTE

/** What is used before a subscription is moved: no whole number of MB, and below all thresholds. */
const PART = 30 * MEGABYTE - 1

const refused = (code: string): Fate => ({ _tag: "Refused", code })

const TRIES = 5

/**
 * How long an outcome may take once all is well again, in milliseconds: what a dead or frozen
 * process held is taken over when its lease ends, and a telco that was away is asked again after a
 * while.
 */
const OUTCOME = 60_000

/** What an answer makes of an operation; undefined where it has to be asked again. */
const fateOf = (operation: Operation, answer: Answer): Fate | undefined => {
  const { body, status } = answer
  const code = text(body, "code")
  if (status >= 200 && status < 300) return { _tag: "Done", body }
  if (code === "request_in_progress" || code === "not_ready") return undefined
  // A top-up that the telco did not answer is still being undone.
  if ((operation.kind === "delete" || operation.kind === "replace") && code === "sim_busy") return undefined
  if (code === "telco_unavailable") return operation.kind === "sms" ? undefined : refused(code)
  if (operation.kind === "delete" && operation.isAdrift && status === 404) return { _tag: "Done", body: null }
  if (status >= 500 && code !== "telco_refused") return undefined
  return refused(code)
}

/** Whether an answer leaves it open what became of the request. */
const saysNothing = (answer: Answer | null): boolean =>
  answer === null ||
  (answer.status >= 500 && !["telco_refused", "telco_unavailable", "not_ready"].includes(text(answer.body, "code")))

/** Lets its callers go on one after another, at a steady pace: one each so many milliseconds. */
export const paced = (millis: () => number) => {
  let next = 0
  return async (): Promise<void> => {
    const now = performance.now()
    next = Math.max(now, next + millis())
    await sleep(next - now)
  }
}

/** Does it for each, several at once. */
const severally = async <A>(all: ReadonlyArray<A>, work: (one: A) => Promise<void>): Promise<void> => {
  const left = [...all]
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

export const make = (access: Access, ledger: Ledger, random: Random) => {
  // What has a key is written in another way each time it comes (rule W2).
  const written = (body: unknown, headers: Record<string, string> = {}) =>
    body === undefined || headers["idempotency-key"] === undefined
      ? { body, headers }
      : {
          body: JsonText.of(body, random.between(0, 2 ** 31)),
          headers: { ...headers, "content-type": "application/json" }
        }

  const send = async (path: string, method: string, given?: unknown, own?: Record<string, string>) => {
    await access.pace?.()
    ledger.requests += 1
    const { body, headers } = written(given, own)
    const answer = await (access.ask ?? ask)(`${access.url(random)}${path}`, {
      method,
      body,
      headers: { "x-api-key": access.key, ...headers }
    })
    if (answer === null) return null
    ledger.answers += 1
    if (answer.status === 500) ledger.problems.push(`${method} ${path} answered ${JSON.stringify(answer)}`)
    return answer
  }

  /** One try; whether its answer says what became of the operation. */
  const attempt = async (operation: Operation): Promise<boolean> => {
    const headers = operation.isKeyed ? { "idempotency-key": operation.name } : {}
    const answer = await send(operation.path, operation.method, operation.body, headers)
    operation.last = answer
    if (saysNothing(answer)) operation.isAdrift = true
    const fate = answer === null ? undefined : fateOf(operation, answer)
    if (fate === undefined) return false
    operation.fate = fate
    return true
  }

  /** As often as makes sense: what has no key is not asked again where it may have been done. */
  const perform = async (operation: Operation): Promise<Operation> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const isAnswered = await attempt(operation)
      if (isAnswered && !(operation.isKeyed && operation.fate._tag === "Refused" && !isSettled(operation))) break
      if (!operation.isKeyed) break
      await sleep(random.between(20, 300))
    }
    return operation
  }

  /** Reads; null where the faults do not let it. */
  const read = async (path: string): Promise<Answer | null> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await send(path, "GET")
      if (answer !== null && answer.status < 500) return answer
      await sleep(random.between(20, 300))
    }
    return null
  }

  const subscribe = (iccid: string | null, kind: Kind = iccid === null ? "subscribe" : "topUp") => {
    const isDaily = iccid === null && random.chance(0.3)
    // The first package of this one is due in some seconds: a job creates it.
    const start = new Date(Date.now() + 12 * HOUR + random.between(500, 4_000)).toISOString()
    return perform(
      ledger.open(kind, random.chance(0.8), { method: "POST", path: "/v3/subscription", iccid }, (name) => ({
        plan_id: isDaily ? access.plans.daily : access.plans.simple,
        metadata: name,
        ...(iccid === null ? {} : { iccid }),
        ...(isDaily ? { active_period: { start } } : {})
      }))
    )
  }

  const sms = (iccid: string) =>
    perform(
      ledger.open(
        "sms",
        random.chance(0.5),
        { method: "POST", path: `/v3/subscriptions/${iccid}/send-sms`, iccid },
        (name) => ({
          from: "Faults",
          message: name
        })
      )
    )

  const wallet = (iccid: string) =>
    perform(
      ledger.open("wallet", true, { method: "POST", path: "/v3/wallet/mobile-plan", iccid }, () => ({
        apply: random.chance(0.5),
        label: "Green",
        iccid
      }))
    )

  /** Pauses the subscription or resumes it, also where it is so already. */
  const pause = (iccid: string) => {
    const kind = random.chance(0.6) ? "pause" : "resume"
    const path = `/v3/subscriptions/${iccid}/${kind}`
    return perform(ledger.open(kind, true, { method: "POST", path, iccid }, () => undefined))
  }

  const suspend = async (iccid: string) => {
    const answer = await read(`/v3/subscriptions/${iccid}/plan-attachments`)
    const id = text(answer?.body, "data", 0, "plan_attachment_id")
    if (id === "") return null
    const path = `/v3/subscriptions/${iccid}/plan-attachments/${id}/suspend`
    return perform(ledger.open("suspend", true, { method: "POST", path, iccid }, () => undefined))
  }

  /** Moves the subscription to another SIM. */
  const replace = (iccid: string) => {
    const path = `/v3/subscriptions/${iccid}/replace`
    return perform(ledger.open("replace", true, { method: "POST", path, iccid }, () => undefined))
  }

  /**
   * Moves it while somebody tops it up: that comes before the move and goes along, or is refused.
   */
  const replaceBeside = async (iccid: string) => {
    const [moved, beside] = await Promise.all([replace(iccid), subscribe(iccid)])
    return isSettled(beside) ? moved : null
  }

  /**
   * Names the SIM that was left, also by a top-up that the telco did not take before the move,
   * under its key.
   */
  const nameLeft = async (iccid: string, failed: Operation | null): Promise<void> => {
    if (failed?.isKeyed) await attempt(failed)
    await Promise.all([subscribe(iccid, "named"), ...(random.chance(0.5) ? [wallet(iccid)] : [])])
  }

  const remove = (iccid: string) =>
    perform(
      ledger.open("delete", false, { method: "DELETE", path: `/v3/subscriptions/${iccid}`, iccid }, () => undefined)
    )

  const deliver = async (reports: Reports): Promise<void> => {
    const headers = { authorization: `Bearer ${access.telcoToken}` }
    const answer = await send("/telco/v1/events", "POST", { events: reports.events }, headers)
    if (answer?.status !== 200) return
    reports.isAcknowledged = true
    const rejected = list(answer.body, "rejected")
    if (rejected.length > 0) ledger.problems.push(`Reports were rejected: ${JSON.stringify(rejected)}`)
  }

  /** What a traveller does with the SIM: everything that causes an event. */
  const use = async (iccid: string, createdAt: string) => {
    const answer = await read(`/v3/subscriptions/${iccid}/plan-attachments`)
    const attachmentId = text(answer?.body, "data", 0, "plan_attachment_id")
    if (attachmentId === "") return
    const about = (name: string) => ({ id: `${attachmentId}-${name}`, iccid, occurred_at: createdAt })
    const reports: Reports = {
      events: [
        ...PORTIONS.map((portion, index) => ({
          ...about(String(index)),
          type: "usage",
          package_id: `${attachmentId}:0`,
          delta_bytes: portion * MEGABYTE
        })),
        { ...about("location"), type: "location", country_alpha_2: "FR", operator: "Orange", rat: "4G", imei: "1" },
        { ...about("smdp"), type: "smdp_state", state: "BPP Installation" }
      ],
      causes: [
        ...[50, 80, 100].map((threshold) => `${attachmentId} used ${threshold} %`),
        `${iccid} is in FR`,
        `${iccid} changed its profile`
      ],
      attachmentId,
      usedBytes: USED,
      isAcknowledged: false
    }
    ledger.reports.push(reports)
    await deliver(reports)
    if (random.chance(0.3)) await deliver(reports)
  }

  /**
   * Uses a part of the first package and loses the phone: the subscription moves. Null: what was
   * used is not taken yet.
   */
  const lose = async (iccid: string, createdAt: string) => {
    const answer = await read(`/v3/subscriptions/${iccid}/plan-attachments`)
    const attachmentId = text(answer?.body, "data", 0, "plan_attachment_id")
    const packageId = text(answer?.body, "data", 0, "packages", 0, "package_id")
    if (packageId === "") return null
    const about = { id: `${attachmentId}-part`, iccid, occurred_at: createdAt, package_id: packageId }
    const reports: Reports = {
      events: [{ ...about, type: "usage", delta_bytes: PART }],
      causes: [],
      attachmentId,
      usedBytes: PART,
      isAcknowledged: false
    }
    ledger.reports.push(reports)
    await deliver(reports)
    return reports.isAcknowledged ? replace(iccid) : null
  }

  /** A client whose subscription was acknowledged finds it, whichever server is asked. */
  const find = async (iccid: string, subscriptionId: string) => {
    const answer = await read(`/v3/subscriptions/${iccid}`)
    if (answer === null) return
    if (text(answer.body, "data", "subscription_id") !== subscriptionId) {
      ledger.problems.push(`${iccid} was acknowledged as ${subscriptionId}, and is ${JSON.stringify(answer)}`)
    }
  }

  const life = async (isOver: () => boolean) => {
    const { body, fate } = await subscribe(null)
    if (fate._tag !== "Done") {
      await sleep(random.between(20, 200))
      return
    }
    let iccid = text(fate.body, "esimdata", "iccid")
    const createdAt = text(fate.body, "created_at")
    const subscriptionId = text(fate.body, "subscription_id")
    await find(iccid, subscriptionId)
    const isSimple = field(body, "active_period") === undefined
    if (isSimple && random.chance(0.3)) return use(iccid, createdAt)
    const isLost = isSimple && random.chance(0.2)
    const topUp = (of: string) => subscribe(of)
    const steps = [sms, sms, topUp, wallet, suspend, pause, pause, replace, replaceBeside]
    let failed: Operation | null = null
    for (let left = random.between(isLost ? 1 : 0, 5); left > 0 && !isOver(); left--) {
      const isLastUse = isLost && left === 1
      const operation = isLastUse ? await lose(iccid, createdAt) : await random.pick(steps)(iccid)
      // What may still be on its way must not meet the SIM in its next life.
      if (operation === null || operation.fate._tag === "Open" || !isSettled(operation)) return
      if (operation.kind === "topUp" && operation.fate._tag === "Refused") failed = operation
      const next = movedTo(operation)
      if (next !== null) {
        const left = iccid
        iccid = next
        if (random.chance(0.7)) await nameLeft(left, failed)
        failed = null
        await find(iccid, subscriptionId)
      } else if (isLastUse) return
    }
    if (random.chance(0.6)) await remove(iccid)
  }

  return {
    /** Leads lives until asked to stop. */
    run: async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) await life(isOver)
    },
    /** Once all is quiet: asks again for all that is open and may be asked for again. */
    finish: async (): Promise<void> => {
      const isRepeatable = ({ isKeyed, kind }: Operation): boolean => isKeyed || kind === "delete"
      await severally(ledger.operations.filter(isRepeatable), async (operation) => {
        const until = Date.now() + OUTCOME
        while (!isSettled(operation) && Date.now() < until) {
          if (await attempt(operation)) operation.isAdrift = false
          else await sleep(100)
        }
      })
      await severally(ledger.reports, async (reports) => {
        for (let tries = 0; !reports.isAcknowledged && tries < 20; tries++) await deliver(reports)
      })
    },
    /** What has a key is answered again as it was answered. */
    repeat: async (): Promise<void> => {
      await severally(ledger.operations, async ({ body, fate, isKeyed, method, name, path }) => {
        if (!isKeyed || fate._tag !== "Done") return
        const answer = await send(path, method, body, { "idempotency-key": name })
        if (JSON.stringify(answer?.body) !== JSON.stringify(fate.body)) {
          ledger.problems.push(`${name} was answered ${JSON.stringify(fate.body)}, and now ${JSON.stringify(answer)}`)
        }
      })
    }
  }
}

export type Client = ReturnType<typeof make>
