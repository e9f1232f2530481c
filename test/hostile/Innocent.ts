/**
 * A client of another organization, at a steady pace on connections of its own: lists, single
 * things, creations and deletions. Requests are sent whether or not earlier ones were answered, so
 * that a pause of the server delays each of them; but never so many at once that a pause of seconds
 * makes them more than the limit of its key.
 */
import { Agent, type IncomingMessage, request } from "node:http"
import { field, list, text } from "../faults/Asking.ts"

export interface Answered {
  readonly what: string
  /** In ms. */
  readonly millis: number
  /** Why it is no answer that such a client may expect; undefined where it is one. */
  readonly failure: string | undefined
}

export interface Innocent {
  /**
   * What was answered since it was asked for the last time. Returns when all that was due by now is
   * answered.
   */
  readonly taken: () => Promise<ReadonlyArray<Answered>>
  readonly stop: () => Promise<void>
}

export interface Options {
  readonly url: string
  readonly key: string
  readonly planId: string
  /** SIMs of the organization that are free. */
  readonly iccids: ReadonlyArray<string>
}

/** A request is due every so many ms. */
const PACE = 40

/** Beyond so many without an answer none is sent: half of what a key may send in a second. */
export const MOST = 50

/** After how long without an answer a request has failed, in ms. */
const WAIT_LIMIT = 15_000

/** Every so many requests one has a new connection. */
const FRESH = 8

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly isFresh: boolean
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const start = ({ iccids, key, planId, url }: Options): Innocent => {
  const kept = new Agent({ keepAlive: true, maxSockets: 4 })
  const under = new Set<Promise<void>>()
  /** ICCIDs of subscriptions that were made, and those that may be made. */
  const made: Array<string> = []
  const free = [...iccids]
  let answers: Array<Answered> = []
  let turn = 0

  const ask = ({ body, isFresh, method, path }: Asked): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body)
      const type = sent === undefined ? {} : { "content-type": "application/json" }
      const agent = isFresh ? new Agent({ keepAlive: false }) : kept
      const take = (answer: IncomingMessage): void => {
        let text = ""
        answer.setEncoding("utf8").on("data", (part: string) => {
          text += part
        })
        answer.once("error", reject)
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: parsed(text) }))
      }
      const headers = { "x-api-key": key, ...type }
      const signal = AbortSignal.timeout(WAIT_LIMIT)
      request(url + path, { method, headers, agent, signal }, take)
        .once("error", reject)
        .end(sent)
    })

  const get = async (path: string, check: (body: unknown) => boolean, isFresh: boolean) => {
    const { body, status } = await ask({ method: "GET", path, isFresh })
    if (status !== 200) return `${status} ${JSON.stringify(body).slice(0, 200)}`
    return check(body) ? undefined : `another answer: ${JSON.stringify(body).slice(0, 200)}`
  }

  const create = async (isFresh: boolean) => {
    const iccid = free.shift()
    const sent = { plan_id: planId, metadata: "innocent", iccid }
    const { body, status } = await ask({ method: "POST", path: "/v3/subscription", body: sent, isFresh })
    if (status !== 201 || iccid === undefined) return `${status} ${JSON.stringify(body).slice(0, 200)}`
    made.push(iccid)
    return undefined
  }
  // Its SIM is free again only when the telco has confirmed it: others come first.
  const remove = async (isFresh: boolean) => {
    const iccid = made.shift()
    if (iccid === undefined) return undefined
    const { body, status } = await ask({ method: "DELETE", path: `/v3/subscriptions/${iccid}`, isFresh })
    free.push(iccid)
    return status === 200 ? undefined : `${status} ${JSON.stringify(body).slice(0, 200)}`
  }

  const works: ReadonlyArray<readonly [what: string, work: (isFresh: boolean) => Promise<string | undefined>]> = [
    ["list SIMs", (fresh) => get("/v3/sims?page_size=50", (body) => list(body, "data").length === 50, fresh)],
    ["create", create],
    ["read plan", (fresh) => get(`/v3/plans/${planId}`, (body) => JSON.stringify(body).includes(planId), fresh)],
    ["list plans", (fresh) => get("/v3/plans", (body) => list(body, "data").length > 0, fresh)],
    ["read SIM", (fresh) => get(`/v3/sims/${iccids[0]}`, (body) => text(body, "data", "iccid") === iccids[0], fresh)],
    ["delete", remove],
    ["stream", (fresh) => get("/v3/subscription", (body) => Array.isArray(field(body, "data")), fresh)]
  ]

  const work = async (): Promise<void> => {
    const began = performance.now()
    const [what, run] = works[turn % works.length] ?? ["nothing", () => Promise.resolve(undefined)]
    const isFresh = turn % FRESH === 0
    turn += 1
    const failure = await run(isFresh).catch((error: unknown) => String(error))
    answers.push({ what, millis: performance.now() - began, failure })
  }

  const timer = setInterval(() => {
    if (under.size >= MOST) return
    const one = work()
    under.add(one)
    one.finally(() => under.delete(one))
  }, PACE)

  return {
    taken: async () => {
      await Promise.all(under)
      const now = answers
      answers = []
      return now
    },
    stop: async () => {
      clearInterval(timer)
      await Promise.all(under)
      kept.destroy()
    }
  }
}
