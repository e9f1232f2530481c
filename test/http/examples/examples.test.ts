/**
 * Every documented example of a request is accepted: its path, its parameters and each of its
 * bodies together, by a service that has what the samples name. An ICCID and an id are one thing in
 * whatever way they are written (rules I1 and I13): the example is answered as it is when all its
 * ICCIDs are padded and all its ids are in capitals. The document names the operations, their
 * parameters and their bodies, so that a new route is among them.
 */
import { afterAll, describe, expect, it } from "vitest"
import { Samples } from "simplan/views"
import * as Examples from "./Examples.ts"
import * as World from "../World.ts"

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

const CAPITALS = /(?=[\d-]*[A-F])[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}/g

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[0-9a-f-]+)*$/

/** Ids that telcos may give too, those of jobs and problems, and a number of a zone. */
const taken = new Set([Samples.jobId, Samples.problemId, Samples.subscriberId, "report-1", "27"])

/** Names of parameters and fields that hold an ICCID or an id. */
const isNamed = (name: string): boolean => /^(?:id|iccid|.*_id|\w+Id)$/.test(name)

const written = (of: string): string => (ID.test(of) ? of.toUpperCase() : of)

/** What a client has written in place of the samples. */
const spelled = (of: Examples.Instead): Examples.Instead =>
  new Map([
    ...Array.from(of, ([sample, real]) => [sample, written(real)] as const),
    [Samples.iccid, `${Samples.iccid}F`]
  ])

/** The answer without what differs from service to service. */
const comparable = (of: World.Answer): unknown => [
  of.status,
  of.text
    .replace(UUID, "<id>")
    .replace(/(?:simplan|whsec)_[\w+/=]+/g, "<secret>")
    .replace(/"(next_page|next|ends_at|session_id|hint|duration_ms)":[^,}]+/g, '"$1":"<other>"')
    .replace(/"X-Request-Id[^"]*"/g, "")
]

type Operation = (typeof Examples.operations)[number]

type Body = ReturnType<typeof Examples.examplesOf>[number] | undefined

const open = async () => {
  const world = await World.start({ telcos: Examples.telcos(), beside: Examples.beside })
  return { world, ...(await Examples.prepare(world)) }
}

/** The service that is read. It has an event about the SIM. */
const opened = await open()
afterAll(() => opened.world.close())
const { now: occurred_at } = (await opened.world.admin("GET", "/clock")).body.data
const seen = { country_alpha_2: "SE", operator: "Telia", rat: "5G", imei: "1" }
await opened.world.telco([{ id: "seen", type: "location", iccid: Samples.iccid, occurred_at, ...seen }])

const ask = async (
  { method, operation, path }: Operation,
  body: Body,
  { key, world }: typeof opened,
  of: Examples.Instead
): Promise<World.Answer> => {
  const credentials = await Examples.credentialsOf(world, key, `${method} ${path}`)
  const { headers, url } = Examples.addressed(path, operation.parameters, of)
  const send = (more: Readonly<Record<string, string>>) =>
    world.fetch(method, url, {
      headers: { ...credentials, ...headers, ...more, ...(body && { "content-type": body.type }) },
      ...(body && { raw: Examples.instead(body.text, of) })
    })
  const first = await send({})
  const present = first.status === 412 ? first.headers.get("etag") : null
  return present === null ? first : await send({ "If-Match": present })
}

/** The answer of a service that was asked nothing else which changes anything. */
const answerOf = async (of: Operation, body: Body, spell: (of: Examples.Instead) => Examples.Instead) => {
  if (of.method === "GET") return ask(of, body, opened, spell(opened.of))
  const fresh = await open()
  try {
    return await ask(of, body, fresh, spell(fresh.of))
  } finally {
    await fresh.world.close()
  }
}

/**
 * The names and the examples of what a request holds: its parameters, and the fields of its body at
 * any depth.
 */
const held = (value: Examples.Json, name = ""): ReadonlyArray<readonly [name: string, value: string]> =>
  typeof value === "object" && value !== null
    ? Object.entries<Examples.Json>(value).flatMap(([key, inner]) => held(inner, Array.isArray(value) ? name : key))
    : [[name, String(value)]]

const heldBy = ({ operation }: (typeof Examples.operations)[number]) => [
  ...operation.parameters
    .filter((one: Examples.Json) => one.in !== "header")
    .map((one: Examples.Json) => [one.name, String(one.example)] as const),
  ...Examples.examplesOf(operation.requestBody?.content).flatMap(({ text, type }) =>
    type === "application/json"
      ? held(JSON.parse(text))
      : [["iccid", text.split("\n")[1]?.split(",")[0] ?? ""] as const]
  )
]

const isSpelled = (value: string): boolean => ID.test(value) || value === Samples.iccid || value === Samples.boughtIccid

describe.each(Examples.operations)("$method $path", (of) => {
  it("names by samples whatever it names by ids and ICCIDs", () => {
    const others = heldBy(of).filter(([name, value]) => isNamed(name) && !isSpelled(value) && !taken.has(value))
    expect(others).toEqual([])
  })

  const accepted = async (asked: Operation, body: Body) => {
    const plain = await answerOf(asked, body, (real) => real)
    expect([plain.status < 300, plain.text]).toEqual([true, plain.text])
    // Imports and reports refuse single rows in an answer of 200.
    expect([plain.body?.data?.errors ?? [], plain.body?.rejected ?? []]).toEqual([[], []])
    return plain
  }
  const same = async (asked: Operation, body: Body) => {
    const plain = await accepted(asked, body)
    const other = await answerOf(asked, body, spelled)
    expect(comparable(other)).toEqual(comparable(plain))
    expect(other.text.match(CAPITALS) ?? []).toEqual([])
    expect(other.text).not.toContain(`${Samples.iccid}F`)
    return plain
  }

  const bodies = Examples.examplesOf(of.operation.requestBody?.content)
  it.each(bodies.length === 0 ? [undefined] : bodies)("takes its example %#, however it is spelled", async (body) => {
    await (heldBy(of).some(([, value]) => isSpelled(value)) ? same : accepted)(of, body)
  })

  const parameters: ReadonlyArray<Examples.Json> = of.operation.parameters
  const filters = parameters.filter((one) => one.in === "query" && isSpelled(String(one.example)))
  it.each(filters)("finds by $name alone what it finds as ever", async ({ name }) => {
    const others = parameters
      .filter((one) => one.in === "path" || one.name === name)
      // The service's own log has nothing of an organization's resources.
      .map((one) => (of.path === "/admin/v1/audit" ? { ...one, example: Samples.serviceOperatorId } : one))
    const { body } = await same({ ...of, operation: { ...of.operation, parameters: others } }, undefined)
    expect(body.data.length).toBeGreaterThan(0)
  })
})
