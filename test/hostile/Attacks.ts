/**
 * Attacks made from the document: for each route requests at the limits of what it takes, beyond
 * them, with the worst of bodies, with headers of any kind and in the rarer forms of HTTP, by each
 * manner of reading, with a key and without.
 */
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import type { Document, Operation, Schema } from "../fuzz/Document.ts"
import type { Pool } from "../fuzz/Pool.ts"
import * as Requests from "../fuzz/Requests.ts"
import type { Random } from "../faults/Random.ts"
import type { Credential, Manner, Request } from "./Attacker.ts"
import * as Limits from "./Limits.ts"

export type Group = "limits" | "beyond" | "bodies" | "headers" | "forms"

/**
 * Whose credential an attack uses: its organization's key or the route's token, a wrong one, none.
 */
export type Holder = "own" | "wrong" | "none"

export interface Attack {
  readonly name: string
  readonly route: Route
  readonly groups: ReadonlyArray<Group>
  readonly manners: ReadonlyArray<Manner>
  readonly holders: ReadonlyArray<Holder>
}

export type Route = Pick<Operation, "method" | "path" | "parameters" | "body">

export const MANNERS: ReadonlyArray<Manner> = ["nothing", "drips", "slowly", "normally", "stalls"]

const GROUPS: ReadonlyArray<Group> = ["limits", "beyond", "bodies", "headers", "forms"]

/** What an attack sends at most: so many requests, of so many bytes together, again and again. */
const MOST = { requests: 64, bytes: 8 * Limits.LARGEST }

/** Paths that the document does not describe. */
const OTHERS: ReadonlyArray<Route> = ["/openapi.json", "/docs", "/docs/reference", "/none"].map((path) => ({
  method: "GET",
  path,
  parameters: [],
  body: null
}))

export const routesOf = ({ operations }: Document): ReadonlyArray<Route> => [...operations, ...OTHERS]

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`

/** Who may send to a route; operators are taken for attackers only where they are asked for. */
const holdersOf = ({ path }: Route, withOperators: boolean): ReadonlyArray<Holder> => {
  if (path.startsWith("/v3")) return ["own", "wrong", "none"]
  if (/^\/(admin|telco\/v1)/.test(path)) return withOperators ? ["own", "wrong", "none"] : ["wrong", "none"]
  return ["none"]
}

const shuffled = <A>(random: Random, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => [random.next(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)

const groupsOf = ({ body, method, parameters }: Route): ReadonlyArray<Group> =>
  GROUPS.filter(
    (group) =>
      (group !== "bodies" || method !== "GET") && (group !== "beyond" || parameters.length > 0 || body !== null)
  )

export interface Choice {
  readonly withOperators: boolean
  /** Part of the name of a route. */
  readonly only: string
}

const chosen = (document: Document, { only }: Choice): ReadonlyArray<Route> =>
  routesOf(document).filter((route) => nameOf(route).includes(only))

/** An attack on each route, by connections of all manners and holders together. */
export const broad = (document: Document, choice: Choice, random: Random): ReadonlyArray<Attack> =>
  shuffled(random, chosen(document, choice)).map((route) => ({
    name: nameOf(route),
    route,
    groups: groupsOf(route),
    manners: MANNERS,
    holders: holdersOf(route, choice.withOperators)
  }))

/**
 * Attacks of one group, manner and holder each, in rounds without an end: each round has every
 * route and group, and another manner and holder for it.
 */
export function* narrow(document: Document, choice: Choice, random: Random): Generator<Attack> {
  const cells = chosen(document, choice).flatMap((route) => {
    const holders = holdersOf(route, choice.withOperators)
    const isOpen = holders.includes("own")
    // Who has no key comes no further than the headers, whatever the body is.
    const groups = isOpen ? groupsOf(route).map((group) => [group]) : [groupsOf(route)]
    // Every other attack has a key.
    const weighed = isOpen ? holders.flatMap((one) => (one === "own" ? [one, one] : [one])) : holders
    return groups.map((groups) => {
      const ways = MANNERS.flatMap((manner) => weighed.map((holder) => ({ manner, holder })))
      return { route, groups, ways: shuffled(random, ways) }
    })
  })
  for (let round = 0; cells.length > 0; round++) {
    for (const { groups, route, ways } of shuffled(random, cells)) {
      const way = ways[round % ways.length]
      if (way === undefined) continue
      const of = groups.length === 1 ? groups[0] : "all"
      yield {
        name: `${nameOf(route)}, ${of}, read ${way.manner}, key ${way.holder}`,
        route,
        groups,
        manners: [way.manner],
        holders: [way.holder]
      }
    }
  }
}

export interface Keys {
  readonly apiKey: string
  readonly adminToken: string
  readonly telcoToken: string
}

/** The credential of a holder on a route. */
export const credentialOf = ({ path }: Route, holder: Holder, keys: Keys): Credential => {
  const [name, own] = path.startsWith("/admin")
    ? ["authorization: Bearer ", keys.adminToken]
    : path.startsWith("/telco")
      ? ["authorization: Bearer ", keys.telcoToken]
      : ["x-api-key: ", keys.apiKey]
  if (holder === "none") return { line: "", random: false }
  return holder === "own" ? { line: name + own, random: false } : { line: `${name}simplan_`, random: true }
}

interface Sent {
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string | null
  /** The route's by default. */
  readonly method?: string
  /** HTTP's; 1.1 by default. */
  readonly version?: string
  /** Lines of the head that may have a name again. */
  readonly lines?: ReadonlyArray<string>
}

const requestOf = (route: Route, sent: Sent): Request => {
  const { body = null, headers = {}, lines: more = [], method = route.method, target, version = "1.1" } = sent
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const length: Readonly<Record<string, string>> =
    bytes === null || "transfer-encoding" in headers ? {} : { "content-length": String(bytes.length) }
  const type = bytes === null ? {} : { "content-type": "application/json" }
  const all = { host: "localhost", ...type, ...length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return { head: [`${method} ${target} HTTP/${version}`, ...lines, ...more, "", ""].join("\r\n"), body: bytes }
}

const full = (piece: string, around: readonly [before: string, after: string] = ["", ""]): string => {
  const room = Limits.LARGEST - around[0].length - around[1].length
  return around[0] + piece.repeat(Math.floor(room / piece.length)) + around[1]
}

/** Bodies of the largest size, that are hard to read. */
const worstBodies = (base: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const fields = Object.keys(base)
  const inEach = fields.map((field) => {
    const rest = JSON.stringify({ ...base, [field]: 0 })
    return [rest.replace(`${JSON.stringify(field)}:0`, `${JSON.stringify(field)}:`), ""] as const
  })
  const deep = "[".repeat(Limits.LARGEST / 2)
  return [
    deep + "]".repeat(deep.length),
    full("["),
    full('{"a":'),
    full('"a":1,', ["{", '"b":1}']),
    `{${Array.from({ length: 70_000 }, (_, index) => `"k${index}":${index}`).join(",")}}`,
    full("0,", ["[", "0]"]),
    full("\\u0000", ['"', '"']),
    full("1", ["", ""]),
    full(" ", ["", "{}"]),
    full("\u{1f600}", ['{"name":"', '"}']).slice(0, Limits.LARGEST / 2),
    `${full("a", ['{"name":"', '"}'])} `,
    ...inEach.slice(0, 8).map(([rest]) => full("a", [`${rest.slice(0, rest.length - 1)}"`, '"}']))
  ]
}

const csv = { "content-type": "text/csv" }

const csvBodies: ReadonlyArray<string> = [
  full("a", ["iccid,label,is_esim,lpa\n", ""]),
  full('"', ["iccid,label,is_esim,lpa\n", ""]),
  full(",", ["iccid,label,is_esim,lpa\n", ""]),
  full("\n", ["iccid,label,is_esim,lpa\n", ""]),
  full("1,Green,true,L\n", ["iccid,label,is_esim,lpa\n", ""]),
  full('"8999999000000000000","Green","true","', ["iccid,label,is_esim,lpa\n", ""])
]

/** A small body that is large where it is unpacked. */
const packed = gzipSync(Buffer.alloc(16 * Limits.LARGEST, " "))

/**
 * What an address may be asked for as, though most clients never do; `usual` is a request that is
 * right.
 */
const formsOf = (usual: () => Omit<Sent, "target">, hasBody: boolean): ReadonlyArray<() => Omit<Sent, "target">> => {
  const tags = Array.from({ length: 1_000 }, (_, index) => `"${index}"`).join(", ")
  const headed = (headers: Readonly<Record<string, string>>) => () => ({ ...usual(), headers })
  const json = { "content-type": "application/json" }
  const part = '--b\r\ncontent-disposition: form-data; name="a"; filename="a.csv"\r\n\r\n'
  return [
    () => ({ method: "HEAD" }),
    () => ({ method: "OPTIONS", headers: { origin: "https://a.example", "access-control-request-method": "POST" } }),
    () => ({ method: "TRACE" }),
    () => ({ ...usual(), version: "1.0" }),
    () => ({ ...usual(), version: "1.0", headers: { connection: "keep-alive" } }),
    headed({ "if-none-match": tags }),
    headed({ "if-none-match": `W/${tags.replaceAll(", ", ", W/")}` }),
    headed({ range: `bytes=${"0-1,".repeat(3_000)}0-1` }),
    headed({ accept: "text/csv" }),
    headed({ accept: "application/x-ndjson" }),
    headed({ accept: "a/b;q=0.1,".repeat(1_200) }),
    headed({ upgrade: "websocket", connection: "upgrade" }),
    headed({ "content-length": "0", "transfer-encoding": "chunked" }),
    () => ({ ...usual(), lines: Array.from({ length: 150 }, (_, index) => `cookie: a${index}=1`) }),
    () => ({ body: packed, headers: { ...json, "content-encoding": "gzip" } }),
    () => ({ body: full(part), headers: { "content-type": "multipart/form-data; boundary=b" } }),
    () => ({ body: full("a=1&"), headers: { "content-type": "application/x-www-form-urlencoded" } }),
    () => ({
      body: `${"1\r\n \r\n".repeat(100_000)}0\r\n${"t: 1\r\n".repeat(1_000)}\r\n`,
      headers: { ...json, "transfer-encoding": "chunked" }
    }),
    ...(hasBody
      ? [
          () => ({
            body: `1;${"e".repeat(15_000)}\r\n{\r\n1\r\n}\r\n0\r\n\r\n`,
            headers: { ...json, "transfer-encoding": "chunked" }
          })
        ]
      : [])
  ]
}

/** What attacks are made with. */
export interface Means {
  readonly document: Document
  /** Names of the attacker's things. */
  readonly pool: Pool
  readonly random: Random
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** The requests of a group to a route; each is made when it is chosen. */
const requestsOf = ({ document, pool, random }: Means, route: Route, group: Group): ReadonlyArray<() => Request> => {
  const sample = (name: string, schema: Schema): unknown =>
    fc.sample(Requests.valid(document, route.path, name, schema), { numRuns: 1, seed: random.between(0, 2 ** 30) })[0]
  const inPath = new Map(
    route.parameters.flatMap(({ in: place, name, schema }) => (place === "path" ? [[name, schema] as const] : []))
  )
  const queries = route.parameters.filter((one) => one.in === "query")
  const hasKeys = route.parameters.some((one) => one.in === "header")

  const target = (values: Readonly<Record<string, unknown>> = {}, query: ReadonlyArray<string> = []): string => {
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      name in values ? Requests.encoded(values[name]) : Requests.encoded(sample(name, inPath.get(name) ?? {}))
    )
    return pool.fill(path, encodeURIComponent) + (query.length === 0 ? "" : `?${query.join("&")}`)
  }
  const json = (value: unknown): string => pool.fill(JSON.stringify(value), (name) => JSON.stringify(name).slice(1, -1))
  const send = (sent: Omit<Sent, "target">, at = target()): Request => requestOf(route, { target: at, ...sent })
  const base = (): unknown => (route.body === null ? null : sample("", route.body))
  const bodyOf = (value: unknown) => (route.body === null ? null : json(value))
  const usual = (): Omit<Sent, "target"> => ({ body: bodyOf(base()) })

  const atEdges = (side: "within" | "beyond"): ReadonlyArray<() => Request> => {
    const inQuery = queries.flatMap(({ name, schema }) => {
      const largest = name === "page_size" ? (side === "within" ? ["100", "25"] : ["101", "0"]) : []
      return [...largest, ...Limits.edges(document, schema)[side]].map(
        (value) => () => send(usual(), target({}, [`${name}=${Requests.encoded(value).slice(0, 12_000)}`]))
      )
    })
    const filled = Array.from(inPath).flatMap(([name, schema]) =>
      side === "within"
        ? []
        : Limits.edges(document, schema).beyond.map(
            (value) => () => send(usual(), target({ [name]: Requests.encoded(value).slice(0, 12_000) }))
          )
    )
    const inBody =
      route.body === null
        ? []
        : Limits.edges(document, route.body)[side].flatMap((value) => {
            // At its limit in a body that is right apart from it, where there is such a field.
            const whole = () => json(Array.isArray(value) ? value : { ...record(base()), ...record(value) })
            return [() => send({ body: whole() }), () => send({ body: json(value) })]
          })
    const keyed = hasKeys
      ? [side === "within" ? "k".repeat(246) : "k".repeat(247)].map(
          (key) => () => send({ ...usual(), headers: { "idempotency-key": `${key}@@number@@` } })
        )
      : []
    // Requests that are right cost the most.
    const right = side === "within" ? Array.from({ length: 16 }, () => () => send(usual())) : []
    return [...right, ...inQuery, ...filled, ...inBody, ...keyed]
  }

  switch (group) {
    case "limits":
      return atEdges("within")
    case "beyond":
      return atEdges("beyond")
    case "bodies": {
      const bodies = worstBodies(record(base())).map((body) => () => send({ body }))
      const chunked = () =>
        send({
          headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
          body: `${"1\r\n[\r\n".repeat(Limits.LARGEST)}0\r\n\r\n`
        })
      const announced = () => send({ headers: { "content-type": "application/json", "content-length": "99999999999" } })
      const rows = route.path.endsWith("/sims") ? csvBodies.map((body) => () => send({ body, headers: csv })) : []
      return [...bodies, chunked, announced, ...rows]
    }
    case "forms":
      return formsOf(usual, route.body !== null).map((make) => () => send(make()))
    case "headers": {
      const long = "a".repeat(14_000)
      const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`h-${index}`, "1"]))
      return [
        () => send({ ...usual(), headers: many }),
        () => send({ ...usual(), headers: { "x-request-id": long } }),
        () => send({ ...usual(), headers: { "idempotency-key": long } }),
        () => send({ ...usual(), headers: { "x-forwarded-for": "1.1.1.1,".repeat(1_500) } }),
        () => send({ ...usual(), headers: { "accept-encoding": "gzip, ".repeat(2_000) } }),
        () => send({ ...usual(), headers: { cookie: "a=1; ".repeat(2_500) } }),
        () => send({ ...usual(), headers: { "x-big": "a".repeat(20_000) } }),
        () => send({ ...usual(), headers: { expect: "100-continue" } }),
        () => send({ ...usual(), headers: { connection: "close" } }),
        () => send(usual(), target({}, [`a=${long}`])),
        () => send(usual(), target({}, ["a&".repeat(6_000)])),
        () => send(usual(), target({}, [`key=${"k".repeat(12_000)}`])),
        () => send(usual(), target({}, ["key=simplan_@@number@@"])),
        () => send({ body: full("a") })
      ]
    }
  }
}

/** The requests of an attack, in an order by chance, as many as it may have. */
export const requests = (means: Means, attack: Attack): ReadonlyArray<Request> => {
  const share = { requests: Math.floor(MOST.requests / attack.groups.length), bytes: MOST.bytes / attack.groups.length }
  return attack.groups.flatMap((group) => {
    const kept: Array<Request> = []
    let bytes = 0
    for (const make of shuffled(means.random, requestsOf(means, attack.route, group))) {
      if (kept.length >= share.requests || bytes >= share.bytes) break
      const one = make()
      kept.push(one)
      bytes += one.head.length + (one.body?.length ?? 0)
    }
    return kept
  })
}
