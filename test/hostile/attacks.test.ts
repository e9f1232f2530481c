/**
 * The attacks that are made from the service's document: each route, limit and manner is among
 * them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Random from "../faults/Random.ts"
import * as Document from "../fuzz/Document.ts"
import { Pool } from "../fuzz/Pool.ts"
import * as World from "../http/World.ts"
import * as Attacks from "./Attacks.ts"
import * as Limits from "./Limits.ts"

let world: World.World
let document: Document.Document

beforeAll(async () => {
  world = await World.start({})
  document = await Document.read(world.url)
})
afterAll(() => world.close())

const choice = { withOperators: false, only: "" }

const take = (count: number, withOperators = false): ReadonlyArray<Attacks.Attack> => {
  const all: Array<Attacks.Attack> = []
  for (const one of Attacks.narrow(document, { ...choice, withOperators }, Random.make(1))) {
    if (all.push(one) >= count) break
  }
  return all
}

const requests = (name: string, group: Attacks.Group, seed = 1) => {
  const means = { document, pool: new Pool(() => false), random: Random.make(seed) }
  const attack = Attacks.broad(document, { ...choice, only: name }, Random.make(1)).find((one) => one.name === name)
  if (attack === undefined) throw new Error(`There is no route ${name}`)
  return Attacks.requests(means, { ...attack, groups: [group] })
}

const bodies = (name: string, group: Attacks.Group): ReadonlyArray<string> =>
  requests(name, group).map(({ body }) => (body === null ? "" : Buffer.from(body).toString()))

describe("attacks", () => {
  it("are on every route, and on others than the document's", () => {
    const names = Attacks.routesOf(document).map(Attacks.nameOf)
    expect(
      Attacks.broad(document, choice, Random.make(1))
        .map(({ name }) => name)
        .toSorted()
    ).toEqual(names.toSorted())
    expect(new Set(take(400).map(({ route }) => Attacks.nameOf(route)))).toEqual(new Set(names))
  })

  it("come to each group, manner and holder of a route", () => {
    const ways = new Set(
      take(6_000)
        .filter(({ route }) => Attacks.nameOf(route) === "POST /v3/plans")
        .map(({ groups, holders, manners }) => [...groups, ...manners, ...holders].join(" "))
    )
    expect(ways.size).toBe(5 * 5 * 3)
  })

  it("have an operator's token only where it is asked for", () => {
    const own = (withOperators: boolean) =>
      take(2_000, withOperators).some(({ holders, route }) => holders.includes("own") && !route.path.startsWith("/v3"))
    expect([own(false), own(true)]).toEqual([false, true])
  })

  it("have something to send on every route, and no more than they may", () => {
    const means = { document, pool: new Pool(() => false), random: Random.make(1) }
    for (const attack of Attacks.broad(document, choice, Random.make(1))) {
      for (const group of attack.groups) {
        const all = Attacks.requests(means, { ...attack, groups: [group] })
        expect(all.length, `${attack.name}, ${group}`).toBeGreaterThan(0)
        expect(all.length).toBeLessThanOrEqual(64)
      }
    }
  })

  it("follow from the seed", () => {
    expect(bodies("POST /v3/subscription", "limits")).toEqual(bodies("POST /v3/subscription", "limits"))
  })
})

describe("requests", () => {
  it("have texts of the longest length, and one character more", () => {
    const lengths = (group: Attacks.Group) =>
      bodies("POST /v3/subscription", group).map((body) => Array.from(String(JSON.parse(body).metadata ?? "")).length)
    expect(Math.max(...lengths("limits"))).toBe(4_096)
    expect(lengths("beyond")).toContain(4_097)
  })

  it("have lists of the most items, and one more", () => {
    const lengths = (group: Attacks.Group) =>
      bodies("POST /telco/v1/events", group).flatMap((body) => {
        const { events } = JSON.parse(body)
        return Array.isArray(events) ? [events.length] : []
      })
    expect(lengths("limits")).toContain(1_000)
    expect(lengths("beyond")).toContain(1_001)
  })

  it("have the largest of bodies, and announce larger ones", () => {
    const all = requests("POST /v3/plans", "bodies")
    const sizes = all.map(({ body }) => body?.length ?? 0)
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(Limits.LARGEST)
    expect(bodies("POST /v3/plans", "bodies").some((body) => body.startsWith("[[[["))).toBe(true)
  })

  it("have the rarer methods, versions, headers and encodings of HTTP", () => {
    const heads = requests("POST /v3/plans", "forms").map(({ head }) => head)
    for (const form of [
      "HEAD /v3/plans HTTP/1.1\r\n",
      "OPTIONS /v3/plans HTTP/1.1\r\n",
      "POST /v3/plans HTTP/1.0\r\n",
      "\r\nif-none-match: ",
      "\r\naccept: text/csv\r\n",
      "\r\naccept: application/x-ndjson\r\n",
      "\r\ncookie: a149=1\r\n",
      "\r\ncontent-encoding: gzip\r\n",
      "\r\ncontent-type: multipart/form-data; boundary=b\r\n",
      "\r\ntransfer-encoding: chunked\r\n"
    ])
      expect(
        heads.some((head) => head.includes(form)),
        form
      ).toBe(true)
  })

  it("are whole, and of another number each", () => {
    // Each seed draws some of what there is.
    const all = [1, 2, 3, 4, 5, 6].flatMap((seed) => requests("POST /v3/plans", "limits", seed))
    for (const { body, head } of all) {
      expect(head).toMatch(/^POST \/v3\/plans HTTP\/1\.1\r\n(?:.|\n|\r)*\r\n\r\n$/)
      expect(head).toContain(`content-length: ${body?.length}`)
    }
    expect(all.some(({ head }) => head.includes("@@number@@"))).toBe(true)
  })
})
