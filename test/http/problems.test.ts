/**
 * The list of problems: what the telco refuses again and again (rule S3).
 */
import { TelcoSimulator } from "simplan/telco-simulator"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Inventory from "./Inventory.ts"
import * as World from "./World.ts"

let world: World.World
let stock: Inventory.Stock

beforeAll(async () => {
  world = await World.start()
  stock = await Inventory.stock(world, 1, 3)
})

afterAll(() => world.close())

const telco = <A>(use: Parameters<typeof TelcoSimulator.TelcoSimulator.use<A, never, never>>[0]) =>
  world.run(TelcoSimulator.TelcoSimulator.use(use))

const problems = async (query = "") => (await world.admin("GET", `/problems${query}`)).body

const remove = async (iccid: string) => {
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  const { body } = await stock.tenant.get(`/v3/subscriptions/${iccid}`)
  expect((await stock.tenant.call("DELETE", `/v3/subscriptions/${iccid}`)).status).toBe(200)
  return `release:${body.data.subscription_id}`
}

it("has a cancellation that the telco refuses for the third time, and none that it cannot take", async () => {
  await telco((of) => of.setFaults([{ fault: "unavailable", on: "cancelPackage" }]))
  const unreachable = await remove(World.iccid(1))
  await world.admin("POST", "/clock/advance", { by: "1 hour" })
  expect((await problems()).data).toEqual([])

  await telco((of) => of.setFaults([{ fault: "refuse", on: "cancelPackage", message: "no such package" }]))
  const refused = await remove(World.iccid(2))
  expect((await problems()).data).toEqual([])
  await world.admin("POST", "/clock/advance", { by: "1 day" })
  const { data, next_page } = await problems()
  expect(next_page).toBeNull()
  expect(data.map((one: { readonly problem_id: string }) => one.problem_id)).toEqual([unreachable, refused])
  expect(data[1]).toEqual({
    problem_id: refused,
    kind: "CancelPackages",
    organization_id: stock.tenant.organizationId,
    iccid: World.iccid(2),
    since: new Date(World.START + 3_600_000).toISOString(),
    attempts: expect.any(Number),
    last_message: "no such package"
  })
  expect(data[1].attempts).toBeGreaterThanOrEqual(3)
  const first = await problems("?page_size=1")
  expect([first.data, (await problems(`?page_size=1&page=${first.next_page}`)).data]).toEqual([[data[0]], [data[1]]])
  expect((await world.fetch("GET", "/metrics")).text).toMatch(/^simplan_problems(?:\{[^}]*\})? 2$/m)
  expect((await world.fetch("GET", "/admin/v1/problems")).status).toBe(401)
})
