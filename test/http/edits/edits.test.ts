/**
 * Edits of what somebody else edits at once (rule W16): `ETag` of what is read, and `If-Match` of
 * what is changed, over memory and over PostgreSQL.
 */
import { Redacted } from "effect"
import * as Memory from "simplan/memory"
import * as Postgres from "simplan/postgres"
import { afterAll, describe, expect, it } from "vitest"
import * as Databases from "../../setup/databases/Databases.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

const database = await Databases.create()
afterAll(database.drop)

const storages = {
  memory: Memory.layer,
  PostgreSQL: Postgres.layer({ url: Redacted.make(database.url), maxConnections: 4 })
} as const

/** What is edited: where it is read, and an edit that makes another thing of it each time. */
interface Edited {
  readonly path: string
  readonly method: "PATCH" | "PUT"
  readonly body: (turn: number) => object
}

describe.each(Object.entries(storages))("over %s", async (_, storage) => {
  const world = await World.forFile({ storage })
  const { tenant } = await Inventory.stock(world, 1, 8)
  const { organizationId } = tenant
  const sim = World.iccid(3)
  const managed = `/admin/v1/organizations/${organizationId}`
  const headers = { authorization: `Bearer ${World.ADMIN_TOKEN}` }
  const made = await world.admin("POST", `/organizations/${organizationId}/webhook-endpoints`, {
    url: "https://a.test"
  })
  const endpoint = `${managed}/webhook-endpoints/${made.body.data.webhook_endpoint_id}`
  const { body: catalogue } = await world.admin("GET", "/catalogue")

  const call = (method: string, path: string, body?: object, ifMatch?: string) =>
    world.fetch(method, path, {
      ...(body !== undefined && { body }),
      headers: {
        ...(path.startsWith("/v3") ? { "x-api-key": tenant.key } : headers),
        ...(ifMatch !== undefined && { "if-match": ifMatch })
      }
    })

  const label = (turn: number) => ({ label: turn % 2 === 0 ? "Blue" : "Red" })
  const edits: Readonly<Record<string, Edited>> = {
    "a SIM": { path: `/v3/sims/${sim}`, method: "PATCH", body: label },
    "a SIM, by an operator": { path: `${managed}/sims/${World.iccid(4)}`, method: "PATCH", body: label },
    "a webhook endpoint": { path: endpoint, method: "PATCH", body: (turn) => ({ description: `turn ${turn}` }) },
    "the catalogue": {
      path: "/admin/v1/catalogue",
      method: "PUT",
      body: (turn) => ({ ...catalogue.data, profiles: catalogue.data.profiles.slice(turn) })
    }
  }

  describe.each(Object.entries(edits))("%s", (name, { body, method, path }) => {
    const edit = (turn: number, ifMatch?: string) => call(method, path, body(turn), ifMatch)

    it("has a tag, which another edit makes another one", async () => {
      const first = await edit(1)
      const tag = first.headers.get("etag") ?? ""
      expect([first.status, tag]).toEqual([200, expect.stringMatching(/^"\d+"$/)])
      if (name !== "a webhook endpoint") {
        const read = await call("GET", path)
        expect([read.headers.get("etag"), read.body]).toEqual([tag, first.body])
      }
      const second = await edit(2, tag)
      expect([second.status, second.headers.get("etag")]).toEqual([200, `"${Number(tag.slice(1, -1)) + 1}"`])
    })

    it("is refused with the version that is there, where it names another one", async () => {
      const present = (await edit(3)).headers.get("etag") ?? ""
      for (const wrong of ['"0"', `W/${present}`, '"abc"', '"0", "999"']) {
        const refused = await edit(4, wrong)
        expect([refused.status, refused.body.code]).toEqual([412, "changed_meanwhile"])
        expect(refused.body.message).toContain(`its version is ${present.slice(1, -1)} now`)
        expect(refused.headers.get("etag")).toBe(present)
      }
      for (const malformed of ["7", '"a', ""]) expect((await edit(4, malformed)).body.code).toBe("invalid_field")
      expect((await edit(4, `"0", ${present}`)).status).toBe(200)
      expect((await edit(5, "*")).status).toBe(200)
      expect((await edit(6)).status).toBe(200)
    })

    it("passes once, where two at once name the same version", async () => {
      for (let turn = 10; turn < 16; turn += 2) {
        const tag = (await edit(turn)).headers.get("etag") ?? ""
        const both = await Promise.all([edit(turn + 1, tag), edit(turn + 3, tag)])
        expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
      }
    })
  })

  it("is checked by a dry run too", async () => {
    for (const path of [`/v3/sims/${sim}?dry_run=true`, "/admin/v1/catalogue?dry_run=true"]) {
      const method = path.startsWith("/v3") ? "PATCH" : "PUT"
      const body = path.startsWith("/v3") ? { label: "Green" } : catalogue.data
      expect((await call(method, path, body, '"0"')).body.code).toBe("changed_meanwhile")
      expect((await call(method, path, body)).status).toBe(200)
    }
  })

  it("has the version of each endpoint in the list, which rises though nothing of it is seen there", async () => {
    const version = async (): Promise<number> =>
      (await call("GET", `${managed}/webhook-endpoints`)).body.data[0].version
    const before = await version()
    const another = { url: "https://b.test" }
    const { version: first, ...kept } = (await call("POST", `${managed}/webhook-endpoints`, another)).body.data
    const listed = (await call("GET", `${managed}/webhook-endpoints`)).body.data
    expect(listed).toContainEqual(
      expect.objectContaining({ webhook_endpoint_id: kept.webhook_endpoint_id, version: first })
    )
    expect((await call("POST", `${endpoint}/rotate-key`)).body.data.version).toBe(before + 1)
    expect(await version()).toBe(before + 1)
    expect((await call("PATCH", endpoint, { description: "mine" }, `"${before}"`)).status).toBe(412)
  })

  it("is refused where what is changed has no versions", async () => {
    const levels = { levels: [{ label: "Green", level: 1 }] }
    const refused = await call("PUT", "/v3/sims/stock/levels", levels, '"1"')
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
    expect((await call("PUT", "/v3/sims/stock/levels", levels, "*")).status).toBe(200)
  })

  it("does not know a SIM of another organization, whatever its version", async () => {
    const { status } = await call("PATCH", `/v3/sims/${World.iccid(99)}`, { label: "Blue" }, '"0"')
    expect(status).toBe(404)
  })
})
