/**
 * Operators over the wire: their tokens, their names in the audit log, and what is refused
 * (rule W14).
 */
import { expect, it } from "vitest"
import * as Leaks from "../../setup/Leaks.ts"
import * as World from "../World.ts"

const world = await World.forFile()
const acme = await World.tenant(world)

const create = async (changes: object = {}) => {
  const answer = await world.admin("POST", "/operators", { name: "Ada", role: "admin", ...changes })
  if (answer.status === 201) Leaks.know(answer.body.data.token)
  return answer
}

const asking = (token: string, method: string, path: string, body?: unknown) =>
  world.fetch(method, `/admin/v1${path}`, { body, headers: { authorization: `Bearer ${token}` } })

const status = async (token: string, path = "/organizations") => (await asking(token, "GET", path)).status

it("a token is shown once, and again only another one", async () => {
  const made = await create()
  expect(made.status).toBe(201)
  const { token, ...shown } = made.body.data
  expect(token).toMatch(/^simplan_\w{49}$/)
  expect(shown).toEqual({
    operator_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Ada",
    role: "admin",
    organization_id: null,
    hint: token.slice(-4),
    previous_token_until: null,
    created_at: new Date(World.START).toISOString(),
    expires_at: null,
    deleted_at: null
  })
  expect((await world.admin("GET", "/operators")).body.data).toEqual([shown])
  const path = `/operators/${shown.operator_id}`
  const rotated = await world.admin("POST", `${path}/rotate`)
  Leaks.know(rotated.body.data.token)
  expect(rotated.body.data).toMatchObject({
    operator_id: shown.operator_id,
    previous_token_until: new Date(World.START + 24 * 3_600_000).toISOString()
  })
  expect([await status(token), await status(rotated.body.data.token)]).toEqual([200, 200])
  const deleted = await world.admin("DELETE", path)
  expect([deleted.status, deleted.body.data.deleted_at]).toEqual([200, new Date(World.START).toISOString()])
  expect([await status(token), await status(rotated.body.data.token)]).toEqual([401, 401])
  expect((await world.admin("DELETE", path)).text).toBe(deleted.text)
  expect((await world.admin("POST", `${path}/rotate`)).body.code).toBe("operator_not_found")
})

it("a page has as many as are asked for", async () => {
  const names = ["one", "two", "three"]
  for (const name of names) await create({ name })
  const first = await world.admin("GET", "/operators?page_size=2")
  expect(first.body.data).toHaveLength(2)
  const rest = await world.admin("GET", `/operators?page=${encodeURIComponent(first.body.next_page)}`)
  const all = [...first.body.data, ...rest.body.data].map(({ name }: { readonly name: string }) => name)
  expect(all.slice(-3)).toEqual(names)
})

it("an operator's token is good for the management API alone, and ends when it expires", async () => {
  const expires_at = new Date(World.START + 60_000).toISOString()
  const { token } = (await create({ name: "Bob", role: "read", expires_at })).body.data
  expect(await status(token)).toBe(200)
  expect((await world.fetch("GET", `/v3/sims?key=${token}`)).status).toBe(401)
  const events = { body: { events: [] }, headers: { authorization: `Bearer ${token}` } }
  expect((await world.fetch("POST", "/telco/v1/events", events)).status).toBe(401)
  for (const wrong of [acme.key, World.TELCO_TOKEN, `${token}x`, token.toLowerCase(), "x"]) {
    expect(await status(wrong)).toBe(401)
  }
  await world.admin("POST", "/clock/advance", { by: "1 minute" })
  expect(await status(token)).toBe(401)
})

it("audit entries name the operator, and whoever has the server's token bootstrap", async () => {
  const { token } = (await create({ name: "Eve <b>" })).body.data
  const made = await asking(token, "POST", `/organizations/${acme.organizationId}/api-keys`, { name: "by Eve" })
  const path = `/organizations/${acme.organizationId}/audit`
  const [entry] = (await world.admin("GET", `${path}?actor=${encodeURIComponent("Eve <b>")}`)).body.data
  expect(entry).toMatchObject({
    actor: "Eve <b>",
    action: "api_key.create",
    resource_id: made.body.data.api_key_id
  })
  const own = (await world.admin("GET", "/audit?actor=bootstrap&action=operator.create")).body.data
  expect(own[0]).toMatchObject({ actor: "bootstrap", resource_type: "operator" })
})

it.each([
  [{ name: "" }, 400, "invalid_field"],
  [{ name: "x".repeat(256) }, 400, "invalid_field"],
  [{ name: "Bootstrap" }, 400, "invalid_field"],
  [{ role: "owner" }, 400, "invalid_field"],
  [{ role: undefined }, 400, "invalid_field"],
  [{ organization: "x" }, 400, "invalid_field"],
  [{ expires_at: "2026-01-10T12:00:00Z" }, 400, "invalid_field"],
  [{ expires_at: "soon" }, 400, "invalid_field"],
  [{ organization_id: "none" }, 404, "organization_not_found"],
  [{ name: "two" }, 409, "operator_name_taken"]
])("a creation with %j is refused", async (changes, expected, code) => {
  const answer = await create({ name: "Zoe", ...changes })
  expect([answer.status, answer.body.code]).toEqual([expected, code])
})

it("an operator whose id is unknown is not found", async () => {
  for (const id of ["none", "%00", "01900000-0000-7000-8000-000000000000"]) {
    expect((await world.admin("DELETE", `/operators/${id}`)).body.code).toBe("operator_not_found")
  }
})
