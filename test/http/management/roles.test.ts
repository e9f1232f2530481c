/**
 * Roles of operators in the management API (rule W14): every route of the definition is called with
 * every role, by operators who are bound to an organization and by those who are not.
 */
import { Operator } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Roles from "../../../adapters/http/api/Roles.ts"
import * as Definition from "../Definition.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const own = await Inventory.stock(world, 1, 6)
const other = await Inventory.stock(world, 100, 6)
const ownId = own.tenant.organizationId
const otherId = other.tenant.organizationId

const UNKNOWN = "01900000-0000-7000-8000-000000000000"

interface Made {
  readonly name: string
  readonly ask: (method: string, path: string, body?: unknown) => Promise<World.Answer>
}

const operator = async (role: Operator.Role, organizationId: string | null): Promise<Made> => {
  const name = `${role}, ${organizationId ?? "all"}`
  const { body } = await world.admin("POST", "/operators", { name, role, organization_id: organizationId })
  const headers = { authorization: `Bearer ${body.data.token}` }
  return { name, ask: (method, path, sent) => world.fetch(method, `/admin/v1${path}`, { body: sent, headers }) }
}

const free = new Map<Operator.Role, Made>()
const bound = new Map<Operator.Role, Made>()
for (const role of Operator.roles) {
  free.set(role, await operator(role, null))
  bound.set(role, await operator(role, ownId))
}

const of = (operators: ReadonlyMap<Operator.Role, Made>, role: Operator.Role): Made =>
  operators.get(role) ?? expect.fail(`no operator is ${role}`)

const routes = Definition.routes.filter(({ path }) => path.startsWith("/admin/"))

const isOfOrganization = (path: string): boolean => path.startsWith("/admin/v1/organizations/:id")

/** The path with ids that nothing has, of an organization. */
const pathOf = (path: string, organizationId: string): string =>
  path
    .slice("/admin/v1".length)
    .replace("/organizations/:id", `/organizations/${organizationId}`)
    .replace("/telcos/:name", "/telcos/x")
    .replace(/:\w+/g, UNKNOWN)

const outcome = ({ body, status }: World.Answer): ReadonlyArray<unknown> => [status, body?.code]

/** All of an answer but its id and its time. */
const comparable = ({ headers, status, text }: World.Answer): string =>
  JSON.stringify([status, [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"), text])

it("every route of the management API says what it needs", () => {
  expect(routes.length).toBeGreaterThanOrEqual(35)
  const silent = routes.filter(({ endpoint }) => Roles.of(endpoint) === undefined)
  expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

it("whatever changes anything takes more than to read", () => {
  // Everybody may sign in and out.
  const changing = routes.filter(({ method, path }) => method !== "GET" && !path.endsWith("/session"))
  const needs = changing.map(({ endpoint }) => Roles.of(endpoint)?.role)
  expect(needs).not.toContain("read")
})

it("whatever deletes has the least role of that, but for the end of a session", () => {
  const deleting = routes.filter(({ method, path }) => method === "DELETE" && !path.endsWith("/session"))
  expect(deleting.length).toBeGreaterThanOrEqual(5)
  expect(new Set(deleting.map(({ endpoint }) => Roles.of(endpoint)?.role))).toEqual(new Set([Operator.ofDeletion]))
})

it("the document says so too, as the roles of the scheme", async () => {
  const { body } = await world.fetch("GET", "/openapi.json")
  const documented = routes.map(({ method, path }) => {
    const operation = body.paths[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()]
    return [method, path, operation.security, operation.description.includes(" Takes the role `")]
  })
  expect(documented).toEqual(
    routes.map(({ endpoint, method, path }) => [method, path, [{ adminToken: [Roles.of(endpoint)?.role] }], true])
  )
})

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, route) => {
  const { endpoint, method, path } = route
  const need = Roles.of(endpoint) ?? { role: "admin", bound: "none" }

  it.each(Operator.roles)("takes an operator of the role %s or refuses it", async (role) => {
    const answer = await of(free, role).ask(method, pathOf(path, ownId))
    if (Operator.allows(role, need.role)) {
      expect([401, 403]).not.toContain(answer.status)
      expect(answer.body?.code).not.toBe("route_not_found")
    } else {
      expect(outcome(answer)).toEqual([403, "forbidden"])
      expect(answer.body.message).toBe(`Forbidden: it takes the role ${need.role}`)
    }
  })

  it.each(Operator.roles)("shows an operator of the role %s who is bound nothing else", async (role) => {
    const { ask } = of(bound, role)
    const answer = await ask(method, pathOf(path, ownId))
    const isAllowed = Operator.allows(role, need.role)
    if (!isAllowed) expect(outcome(answer)).toEqual([403, "forbidden"])
    else if (need.bound === "none") expect(outcome(answer)).toEqual([404, "route_not_found"])
    else {
      expect([401, 403]).not.toContain(answer.status)
      expect(["route_not_found", "organization_not_found"]).not.toContain(answer.body?.code)
    }
    expect(answer.text).not.toContain(otherId)
    if (!isOfOrganization(path)) return
    const foreign = await ask(method, pathOf(path, otherId))
    expect(outcome(foreign)).toEqual(isAllowed ? [404, "organization_not_found"] : [403, "forbidden"])
    expect(comparable(foreign)).toBe(comparable(await ask(method, pathOf(path, UNKNOWN))))
  })
})

describe("an operator who is bound to an organization", () => {
  const support = of(bound, "support")

  const telco = (fault: "refuse" | "unavailable" | null) =>
    world.run(
      TelcoSimulator.TelcoSimulator.use((simulator) =>
        fault === null ? simulator.clearFaults : simulator.setFaults([{ fault, on: "cancelPackage" }])
      )
    )

  /**
   * Leaves a job of each organization that the telco does not take: one that waits, or a problem.
   */
  const leave = async (number: number, fault: "refuse" | "unavailable"): Promise<ReadonlyArray<string>> => {
    const ids: Array<string> = []
    for (const [{ planId, tenant }, first] of [
      [own, 0],
      [other, 99]
    ] as const) {
      const iccid = World.iccid(first + number)
      await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
      ids.push(`release:${(await tenant.get(`/v3/subscriptions/${iccid}`)).body.data.subscription_id}`)
      await telco(fault)
      await tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
      await telco(null)
    }
    await telco(fault)
    await world.admin("POST", "/clock/advance", { by: "1 day" })
    await telco(null)
    return ids
  }

  const idsIn = (answer: World.Answer, name: string) =>
    answer.body.data.map((one: Readonly<Record<string, unknown>>) => one[name])

  it("lists itself as the only organization, on one page", async () => {
    const listed = await support.ask("GET", "/organizations?page_size=1")
    expect([idsIn(listed, "organization_id"), listed.body.next_page]).toEqual([[ownId], null])
    const all = await of(free, "read").ask("GET", "/organizations?page_size=1")
    const later = await support.ask("GET", `/organizations?page=${encodeURIComponent(all.body.next_page)}`)
    expect(idsIn(later, "organization_id")).toEqual([])
  })

  it("sees, and tries again, only the jobs of its organization", async () => {
    const [mine = "", theirs = ""] = await leave(1, "unavailable")
    const all = idsIn(await of(free, "read").ask("GET", "/jobs"), "job_id")
    expect(all).toEqual(expect.arrayContaining([mine, theirs]))
    expect(idsIn(await support.ask("GET", "/jobs"), "job_id")).toEqual([mine])
    expect(idsIn(await support.ask("GET", `/jobs?organization_id=${ownId}`), "job_id")).toEqual([mine])
    expect(idsIn(await support.ask("GET", `/jobs?organization_id=${otherId}`), "job_id")).toEqual([])
    const retry = (id: string) => support.ask("POST", `/jobs/${encodeURIComponent(id)}/retry`)
    expect(outcome(await retry(theirs))).toEqual([404, "job_not_found"])
    expect(comparable(await retry(theirs))).toBe(comparable(await retry("release:none")))
    const many = async (body: unknown) => (await support.ask("POST", "/jobs/retry", body)).body.data.retried
    expect([await many({ organization_id: otherId }), await many({})]).toEqual([0, 1])
    expect((await retry(mine)).status).toBe(200)
    const { body } = await world.admin("GET", `/organizations/${ownId}/audit?actor=${encodeURIComponent(support.name)}`)
    expect(body.data.map(({ action }: { readonly action: string }) => action)).toEqual(["job.retry", "job.retry"])
  })

  it("sees, and ends, only the problems of its organization", async () => {
    const [mine = "", theirs = ""] = await leave(2, "refuse")
    const all = idsIn(await of(free, "read").ask("GET", "/problems"), "problem_id")
    expect(all).toEqual(expect.arrayContaining([mine, theirs]))
    const seen = idsIn(await support.ask("GET", "/problems"), "problem_id")
    expect(seen).toContain(mine)
    expect(seen).not.toContain(theirs)
    const ofOrganization = async ({ ask }: Made, id: string) =>
      idsIn(await ask("GET", `/problems?organization_id=${id}`), "problem_id")
    expect(await ofOrganization(of(free, "read"), otherId)).toEqual(all.filter((id: unknown) => !seen.includes(id)))
    expect([await ofOrganization(support, ownId), await ofOrganization(support, otherId)]).toEqual([seen, []])
    for (const does of ["retry", "resolve"]) {
      const on = (id: string) => support.ask("POST", `/problems/${encodeURIComponent(id)}/${does}`)
      expect(outcome(await on(theirs))).toEqual([404, "problem_not_found"])
      expect(comparable(await on(theirs))).toBe(comparable(await on("release:none")))
    }
    expect((await support.ask("POST", `/problems/${encodeURIComponent(mine)}/resolve?force=true`)).status).toBe(200)
    expect(idsIn(await of(free, "read").ask("GET", "/problems"), "problem_id")).toContain(theirs)
  })
})
