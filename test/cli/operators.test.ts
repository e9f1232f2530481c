/**
 * What operators do all day, by the command line, against a real server.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Table from "../../adapters/cli/output/Table.ts"
import * as World from "../http/World.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()

let world: World.World

beforeAll(async () => {
  world = await World.start()
})

afterAll(() => world.close())

const run = (...args: ReadonlyArray<string>) => simplan([...args, "--url", world.url, "--token", World.ADMIN_TOKEN])

const json = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await run(...args, "--json")
  expect([code, err]).toEqual([0, ""])
  return out
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

it("lists organizations and keys, revokes and rotates keys, and looks after endpoints", async () => {
  expect(await run("org", "list")).toEqual({ code: 0, out: "", err: "There are none.\n" })
  await run("org", "create", "Acme")
  const [organization] = await json("org", "list")
  expect((await run("org", "list")).out).toMatch(/^organization_id +created_at +name\n\S+ +\S+Z +Acme\n$/)

  const [made] = await json("key", "create", "--name", "one")
  const [rotated] = await json("key", "rotate", made.api_key_id)
  expect(rotated.key).not.toBe(made.key)
  await json("key", "revoke", made.api_key_id, "--org", organization.organization_id)
  const [key] = await json("key", "list")
  expect(key).toMatchObject({ api_key_id: made.api_key_id, revoked_at: expect.any(String) })

  const [endpoint] = await json("webhook", "add", "https://hooks.example.com/simplan")
  const id = endpoint.webhook_endpoint_id
  await json("webhook", "update", id, "--enabled", "false", "--description", "orders")
  expect(await json("webhook", "list")).toMatchObject([{ enabled: false, description: "orders" }])
  expect(await json("webhook", "rotate-key", id)).toMatchObject([{ webhook_endpoint_id: id }])
  await json("webhook", "remove", id)
  expect(await json("webhook", "list")).toEqual([])

  expect(await json("deliveries", "list")).toEqual([])
  expect(await run("deliveries", "replay", "none")).toMatchObject({
    code: 1,
    err: "The server refuses (404 delivery_not_found): Delivery not found.\n"
  })
})

it("takes as many pages as it is asked for", async () => {
  for (const name of ["Two", "Three"]) await run("org", "create", name)
  expect(await json("org", "list", "--limit", "2")).toHaveLength(2)
})

it("fits a table to the terminal, and cuts the last columns first", () => {
  const rows = [{ id: "0123456789", name: "a rather long name", note: null }]
  expect(Table.of(rows, ["id", "name", "note"], 80)).toBe(
    "id          name                note\n0123456789  a rather long name  -"
  )
  const narrow = Table.of(rows, ["id", "note", "name"], 26).split("\n")
  expect(narrow).toEqual(["id          note  name", "0123456789  -     a rathe…"])
  for (const line of narrow) expect(line.length).toBeLessThanOrEqual(26)
})
