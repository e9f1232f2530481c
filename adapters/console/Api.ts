/**
 * Calls of the management API, by the cookie of the session or the login of the host. Addresses are
 * relative to the page, so that they hold below any prefix.
 */
import * as Pages from "./Pages.ts"
import { signal } from "@preact/signals"
import { Operator } from "simplan/ports"
import type * as Types from "./Types.ts"

/** The operator that asks. */
export type WhoAmI = Types.Data<"serviceOperators", "whoami">

/** A page of a list. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_page: string | null
}

/** Who is signed in; null: nobody, undefined: not known yet. */
export const operator = signal<WhoAmI | null | undefined>(undefined)

/** Whether the session of who was signed in has ended. What the page has stays meanwhile. */
export const hasEnded = signal(false)

/** Whether operators may sign in with an identity provider. */
export const hasOpenId = document.querySelector('meta[name="sign-in"]') !== null

/** Whether the host of the service knows the caller, so that there is no token to sign in with. */
export const isHosts = document.querySelector('meta[name="login"]') !== null

/** The business clock: its time when it was read, and whether it stands still until it is moved. */
export type Clock = Types.Data<"clock", "read">

/** The business clock as it was read last; null: not yet. */
export const clock = signal<Clock | null>(null)

/** Reads the business clock. */
export const readClock = async (): Promise<void> => {
  clock.value = await read<Clock>("/clock")
}

/**
 * Now by the business clock, in milliseconds. What shows it is not drawn again by itself: a list
 * may have it in each row.
 */
export const now = (): number => {
  const read = clock.peek()
  return read?.virtual === true ? Date.parse(read.now) : Date.now()
}

/** Since when the server gives no answer; null while it does. */
export const lostSince = signal<number | null>(null)

/** A call that was refused, or that got no answer, with a sentence that says so. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Whether it may succeed later as it is: there was no answer, or the session has ended. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 0 || error.status === 401)

/** What a failed call says. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const LOST = "The server gives no answer. It is asked again every few seconds."

const WRONG = "This is no operator's token, or it has expired or was replaced. Check that all of it is there."

const answerOf = async (response: Response): Promise<Record<string, unknown>> => {
  const value: unknown = await response.json().catch(() => null)
  return typeof value === "object" && value !== null ? { ...value } : {}
}

/** What is sent with a call. */
interface Sent {
  readonly body?: unknown
  /** A file in place of a body. */
  readonly csv?: string
  readonly token?: string
  /** Makes the call safe to repeat. */
  readonly key?: string
  /** The version that an edit is of. */
  readonly ifVersion?: number
  readonly accept?: string
}

/** Why what is changed now is changed, for the audit log; empty if nobody says it. */
let reason = ""

/** Why what is done now is done; empty if nobody says it. */
export const reasonGiven = (): string => reason

/**
 * Does something with a reason, which goes along with each change. Nothing else is changed
 * meanwhile: it is said in a dialog.
 */
export const giving = async <Done>(given: string, work: () => Promise<Done>): Promise<Done> => {
  reason = given
  try {
    return await work()
  } finally {
    reason = ""
  }
}

/**
 * A segment by which a browser would ask for another address than the path names: a link to the
 * console may have one as an id.
 */
const DOTS = /\/\.{1,2}(?=[/?]|$)/

const fetched = async (path: string, sent: RequestInit): Promise<Response> => {
  if (DOTS.test(path)) throw new Refused(404, "route_not_found", "There is nothing of this name.")
  return fetch(`v1${path}`, { ...sent, credentials: "same-origin", cache: "no-store" }).catch(() => {
    lostSince.value ??= Date.now()
    throw new Refused(0, "lost", LOST)
  })
}

let renewal: Promise<boolean> | null = null

const renewed = async (): Promise<boolean> => {
  const response = await fetched("/renewed-session", { method: "POST" })
  if (response.status === 401) return false
  if (!response.ok) throw await refusalOf(response)
  const who = await fetched("/whoami", {})
  if (who.ok) operator.value = ((await who.json()) as { readonly data: WhoAmI }).data
  return who.ok
}

/** Has the identity provider asked again what the operator may do. Whether the session goes on. */
const renew = (): Promise<boolean> => {
  renewal ??= renewed().finally(() => {
    renewal = null
  })
  return renewal
}

const refusalOf = async (response: Response): Promise<Refused> => {
  const { code = "", message = `The server answered ${response.status}.` } = await answerOf(response)
  return new Refused(response.status, String(code), String(message))
}

const ask = async (
  method: string,
  path: string,
  { accept, body, csv, ifVersion, key, token }: Sent
): Promise<Response> => {
  const headers = {
    ...(accept !== undefined && { accept }),
    ...(csv !== undefined && { "content-type": "text/csv" }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(key !== undefined && { "idempotency-key": key }),
    ...(ifVersion !== undefined && { "if-match": `"${ifVersion}"` }),
    ...(method !== "GET" && reason !== "" && { "x-audit-log-reason": encodeURIComponent(reason) }),
    ...(token !== undefined && { authorization: `Bearer ${token}` })
  }
  const sent = {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(csv !== undefined && { body: csv })
  }
  let response = await fetched(path, sent)
  lostSince.value = null
  if (response.ok) {
    hasEnded.value = false
    return response
  }
  let refusal = await refusalOf(response)
  // Nothing was done by a session that has to be renewed.
  if (hasOpenId && token === undefined && refusal.code === "token_invalid" && (await renew())) {
    response = await fetched(path, sent)
    if (response.ok) return response
    refusal = await refusalOf(response)
  }
  if (refusal.status === 401) {
    if (operator.value == null) operator.value = null
    else hasEnded.value = true
  }
  throw refusal
}

/** Asks the management API. Fails with `Refused`. */
export const call = async <Answer>(method: string, path: string, sent: Sent = {}): Promise<Answer> =>
  (await answerOf(await ask(method, path, sent))) as Answer

/** Reads a text, such as a picture, or what has that type where there are several. */
export const text = async (path: string, accept?: string): Promise<string> =>
  (await ask("GET", path, accept === undefined ? {} : { accept })).text()

const BROKEN = "The server broke off. What it has done stays: the same again goes on from there."

/** Posts something that is answered by lines of JSON. `see` gets them as they come. */
export const lines = async <Item>(
  path: string,
  body: object,
  see: (items: ReadonlyArray<Item>) => void
): Promise<void> => {
  const { body: answer } = await ask("POST", path, { body, accept: "application/x-ndjson" })
  const reader = answer?.pipeThrough(new TextDecoderStream()).getReader()
  const next = () =>
    reader?.read().catch(() => {
      throw new Refused(0, "broken", BROKEN)
    })
  let rest = ""
  for (let read = await next(); read?.done === false; read = await next()) {
    const whole = (rest + read.value).split("\n")
    rest = whole.pop() ?? ""
    see(whole.map((line) => JSON.parse(line)))
  }
}

/** A text that no other call has as its key. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Reads a thing. */
export const read = async <Data>(path: string): Promise<Data> => (await call<{ readonly data: Data }>("GET", path)).data

/** Reads a page of a list. */
export const page = <Item>(path: string): Promise<Page<Item>> => call<Page<Item>>("GET", path)

/** Reads all of a list, which is short. */
export const all = <Item>(path: string): Promise<ReadonlyArray<Item>> =>
  Pages.all<Item>((query) => page<Item>(`${path}?${query}`))

/** What came of one request of several. */
export interface Step {
  readonly next: string | null
}

/**
 * Does something to all that a filter takes, in as many requests as it needs. `see` gets what came
 * of each.
 */
export const doAll = async <Done extends Step>(
  path: string,
  filter: object,
  see: (done: Done) => void = () => undefined
): Promise<void> => {
  let after: string | null = null
  do {
    const body: object = after === null ? filter : { ...filter, after }
    const { data }: { readonly data: Done } = await call<{ readonly data: Done }>("POST", path, { body })
    see(data)
    after = data.next
  } while (after !== null)
}

/** Finds out who is signed in. */
export const identify = async (): Promise<void> => {
  const who = await read<WhoAmI>("/whoami")
  await readClock()
  operator.value = who
}

/** Exchanges a token for the cookie of a session. */
export const signIn = async (token: string): Promise<void> => {
  await call("POST", "/session", { token }).catch((error: unknown) => {
    throw error instanceof Refused && error.status === 401 ? new Refused(401, error.code, WRONG) : error
  })
  await identify()
}

/** Ends the session. */
export const signOut = async (): Promise<void> => {
  await call("DELETE", "/session")
  operator.value = null
  hasEnded.value = false
}

/** Up to how many SIMs the operator's role may change at once; null: any number. */
export const mostAtOnce = (): number | null => {
  const role = operator.value?.role
  return role === undefined ? 0 : Operator.mostAtOnce(role)
}

/** Whether the operator's role allows what takes `least`. */
export const allows = (least: Operator.Role): boolean => {
  const role = operator.value?.role
  return role !== undefined && Operator.allows(role, least)
}

/** Whether the operator may make plans of what telcos sell, which is of the whole service. */
export const makesOfBundles = (): boolean => allows("admin") && operator.value?.organization_id === null
