/**
 * What operators do all day, by the command line, against a real server.
 */
import { Effect, Layer } from "effect"
import { TelcoSimulator } from "simplan/telco-simulator"
import { WebhookSender } from "simplan/ports"
import { mkdirSync, writeFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import * as Inventory from "../http/Inventory.ts"
import * as World from "../http/World.ts"
import { inNewDirectory, simplan } from "./Terminal.ts"

inNewDirectory()

let stock: Inventory.Stock

/** The answer to every webhook. */
let status = 200

const sender = Layer.succeed(WebhookSender.WebhookSender, { send: () => Effect.sync(() => ({ status })) })

const world = await World.forFile({ sender })

const run = (...args: ReadonlyArray<string>) => simplan([...args, "--url", world.url, "--token", World.ADMIN_TOKEN])

const lines = (out: string) =>
  out
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const json = async (...args: ReadonlyArray<string>) => {
  const { code, err, out } = await run(...args, "--json")
  expect([code, err]).toEqual([0, ""])
  return lines(out)
}

/** Runs a command that reads `/v3`, with the key of the organization. */
const keyed = (...args: ReadonlyArray<string>) => simplan([...args, "--url", world.url, "--key", stock.tenant.key])

it("lists organizations and keys, revokes and rotates keys, and manages endpoints", async () => {
  expect(await run("org", "list")).toEqual({ code: 0, out: "", err: "There are none.\n" })
  await run("org", "create", "Acme")
  const [organization] = await json("org", "list")
  expect((await run("org", "list")).out).toMatch(/^organization_id +name +created_at\n\S+ +Acme +\S+Z\n$/)

  const [made] = await json("key", "create", "--name", "one")
  const [rotated] = await json("key", "rotate", made.api_key_id)
  expect(rotated.key).not.toBe(made.key)
  const [overlapping] = await json("key", "rotate", made.api_key_id, "--overlap-hours", "24")
  expect(overlapping.previous_key_until).toMatch(/^2026-\d\d-\d\dT/)
  await json("key", "revoke", made.api_key_id, "--org", organization.organization_id)
  const [key] = await json("key", "list")
  expect(key).toMatchObject({ api_key_id: made.api_key_id, revoked_at: expect.any(String) })

  const [endpoint] = await json("webhook", "add", "https://hooks.example.com/simplan")
  const id = endpoint.webhook_endpoint_id
  await json("webhook", "update", id, "--enabled", "false", "--description", "orders", "--event", "package.refused")
  expect(await json("webhook", "list")).toMatchObject([
    { enabled: false, description: "orders", events: ["package.refused"] }
  ])
  expect((await run("webhook", "list")).out).toMatch(/ enabled +pending +failing_since\n\S+ +false +0 +-\n$/)
  expect(await json("webhook", "rotate-key", id)).toMatchObject([{ webhook_endpoint_id: id }])
  await json("webhook", "remove", id)
  expect(await json("webhook", "list")).toEqual([])

  expect(await json("deliveries", "list")).toEqual([])
  expect(await run("deliveries", "replay", "none")).toMatchObject({
    code: 1,
    err: "The server refuses (404 delivery_not_found): Delivery not found.\n"
  })
})

it("shows the clock and the catalogue", async () => {
  expect((await run("clock", "show")).out).toMatch(/^now +2026-01-10T12:00:00(.000)?Z\nvirtual +true\n$/)
  const { out } = await run("catalogue")
  expect(out).toMatch(/^countries +\d+\noperators +\d+\n\nlabel +coverage_profiles +operators\n\w+ +\d+ +\d+\n/)
  const [whole] = await json("catalogue")
  expect(whole).toEqual((await world.admin("GET", "/catalogue")).body.data)
})

it("lists as many as it is asked for, and says where there are more", async () => {
  for (const name of ["Two", "Three"]) await run("org", "create", name)
  expect(await json("org", "list", "--limit", "2")).toHaveLength(2)
  expect(await json("org", "list", "--all")).toHaveLength(3)
  const cut = await run("org", "list", "--limit", "2")
  expect(cut.out.trim().split("\n")).toHaveLength(3)
  expect(cut.err).toBe("These are the first 2: --limit <number> or --all lists more.\n")
  expect(await run("org", "list", "--limit", "3")).toMatchObject({ err: "" })
})

describe("an organization's own", () => {
  beforeAll(async () => {
    stock = await Inventory.stock(world, 1, 30)
    const { organizationId } = stock.tenant
    const physical = { iccid: World.iccid(40), label: "Green", is_esim: false }
    await world.admin("POST", `/organizations/${organizationId}/sims`, { sims: [physical] })
    await stock.plan({
      name: "Weekly",
      recurring: true,
      nb_occurrence: 3,
      recurring_periodicity_type: "1",
      recurring_periodicity_frequency: 1
    })
    const metadata = "order \u001b[31m4711"
    await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata, iccid: World.iccid(1) })
  })

  it("SIMs of all organizations are found by what a customer names", async () => {
    const iccid = World.iccid(1)
    const [found, ...others] = await json("search", iccid)
    expect([found, others]).toEqual([
      expect.objectContaining({ iccid, matched: "iccid", organization_id: stock.tenant.organizationId }),
      []
    ])
    expect((await run("search", iccid)).out).toMatch(/^iccid +organization_\S+ +matched +status +plan_name +metadata/)
    for (const more of [[], ["--json"]]) {
      const none = await run("search", "nothing has this", ...more)
      expect(none).toEqual({ code: 1, out: "", err: "Nothing has this.\n" })
    }
    const many = await run("search", iccid.slice(0, 8))
    expect([many.out.trim().split("\n").length, many.err]).toEqual([21, "There are more: a longer text finds fewer.\n"])
  })

  it("SIMs are listed and shown", async () => {
    const first = World.iccid(1)
    expect((await keyed("sims", "list", "--limit", "1")).out).toBe(
      `iccid                label  is_esim  used  created_at            tags\n${first}  Green  true     true  2026-01-10T12:00:00Z  -\n`
    )
    expect(lines((await keyed("sims", "list", "--all", "--json")).out)).toHaveLength(31)
    expect(lines((await keyed("sims", "list", "--esim", "false", "--json")).out)).toMatchObject([
      { iccid: World.iccid(40) }
    ])
    expect((await keyed("sims", "list", "--label", "Red")).err).toBe("There are none.\n")

    const at = new Date(World.START).toISOString()
    await world.telco([{ id: "s", type: "smdp_state", iccid: first, occurred_at: at, state: "Enable" }])
    const shown = await keyed("sims", "show", first)
    expect(shown.out).toMatch(
      /^iccid +\d+\n(.+\n)+current_status +Enable\n\nSM-DP\+ states, oldest first:\nmodified_at /
    )
    expect(lines((await keyed("sims", "show", World.iccid(40), "--json")).out)).toMatchObject([
      { is_esim: false, current_status: null, state_history: [] }
    ])
    expect(await keyed("sims", "show", "1")).toEqual({
      code: 1,
      out: "",
      err: "The server refuses (404 sim_not_found): SIM not found.\n"
    })
  })

  it("an SMS is sent, by a key and by an operator", async () => {
    const sms = ["subscriptions", "send-sms", World.iccid(1), "--from", "Acme", "--message", "Welcome"]
    expect((await keyed(...sms)).out).toMatch(/^iccid +\d+\nmessage +.+\nsegments +1\n$/)
    const { organizationId } = stock.tenant
    expect(await json(...sms, "--org", organizationId)).toMatchObject([{ iccid: World.iccid(1), segments: 1 }])
    expect((await keyed(...sms.slice(0, -2))).code).toBe(2)
  })

  it("an eSIM is shown with its links and its QR code", async () => {
    const shown = await keyed("sims", "show", World.iccid(1), "--install")
    expect(shown.out).toMatch(
      /\napple +https:\/\/esimsetup\.apple\.com\/\S+\nandroid +https:\/\/esimsetup\.android\.com\/\S+\n/
    )
    expect(shown.out).toMatch(/(?:[█▀▄ ]{20,}\n){10,}/)
    expect((await keyed("sims", "show", World.iccid(1))).out).not.toContain("esimsetup")
  })

  it("subscriptions are paused and resumed", async () => {
    const tried = await keyed("subscriptions", "pause", World.iccid(1), "--dry-run")
    expect(tried.out).toMatch(/^changed +true\npaused_at +2026-/m)
    expect((await keyed("subscriptions", "show", World.iccid(1))).out).toMatch(/^paused_at +null$/m)
    const paused = await keyed("subscriptions", "pause", World.iccid(1))
    expect(paused).toMatchObject({ code: 0, err: "" })
    expect(paused.out).toContain("Subscription paused successfully")
    const shown = (await keyed("subscriptions", "show", World.iccid(1))).out
    expect(shown).toMatch(/^paused_at +2026-/m)
    const [{ plan_attachments }] = lines((await keyed("subscriptions", "show", World.iccid(1), "--json")).out)
    expect(plan_attachments[0].reason.message).toMatch(/The SIM has no service: the subscription has been paused since/)
    const resumed = await keyed("subscriptions", "resume", World.iccid(1), "--json")
    expect(lines(resumed.out)).toEqual([{ iccid: World.iccid(1), message: "Subscription resumed successfully" }])
    expect((await keyed("subscriptions", "show", World.iccid(1))).out).toMatch(/^paused_at +null$/m)
    expect((await keyed("subscriptions", "pause", World.iccid(2))).err).toMatch(/subscription_not_found/)
  })

  it("the history of a SIM is shown as far as it is asked for, or whole", async () => {
    const show = (...args: ReadonlyArray<string>) => keyed("subscriptions", "show", World.iccid(1), ...args)
    const history = async (...args: ReadonlyArray<string>) => lines((await show(...args, "--json")).out)[0].history
    const whole = await history("--all")
    expect(whole.length).toBeGreaterThan(3)
    expect(await history("--limit", "2")).toEqual(whole.slice(0, 2))
    const cut = await show("--limit", "1")
    expect(cut.err).toBe("These are the first 1 of the history: --limit <number> or --all lists more.\n")
    expect(cut.out.split("History, newest first:\n")[1]?.trim().split("\n")).toHaveLength(2)
    expect((await show("--all")).err).toBe("")
    expect((await show("--limit", String(whole.length))).err).toBe("")
  })

  it("the stock is shown, with levels that are set", async () => {
    expect((await keyed("sims", "stock")).out).toMatch(
      /^label +free +in_use +releasing +withdrawn +downloaded +lapsed +level/
    )
    await keyed("sims", "stock", "--level", "Green=2", "--level", "Red=7")
    const shown = async (...args: ReadonlyArray<string>) =>
      lines((await keyed("sims", "stock", ...args, "--json")).out).map(({ label, level }) => [label, level])
    expect(await shown()).toEqual([
      ["Green", 2],
      ["Red", 7]
    ])
    expect(await shown("--level", "Red=0")).toEqual([["Green", 2]])
    const ofOperator = await json("sims", "stock", "--level", "Green=3", "--org", stock.tenant.organizationId)
    expect(ofOperator).toMatchObject([{ label: "Green", level: 3 }])
    expect((await keyed("sims", "stock", "--level", "green=1")).err).toMatch(/give a label and a number/)
  })

  it("plans are listed", async () => {
    const found = await keyed("plans", "list")
    expect(found.out).toMatch(/^plan_id +plan_name +label +MB +days +recurring\n/)
    expect(found.out).toContain(stock.planId)
    for (const line of found.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
    expect(lines((await keyed("plans", "list", "--search", "week", "--json")).out)).toMatchObject([
      { plan_name: "Weekly" }
    ])
    expect((await keyed("plans", "list", "--archived", "true")).err).toBe("There are none.\n")
    expect((await keyed("plans", "list", "--country", "FR,DE")).err).toBe("There are none.\n")
  })

  it("plans are created, and sold by their names, the newest of several", async () => {
    const { coverage_id } = JSON.parse((await keyed("plans", "list", "--limit", "1", "--json")).out)
    const create = (name: string, ...args: ReadonlyArray<string>) =>
      keyed("plans", "create", name, "--coverage", coverage_id, "--MB", "5", "--days", "7", ...args, "--json")
    const recurring = ["--recurring", "true", "--nb-occurrence", "3", "--recurring-periodicity-type", "1"]
    await create("Sold")
    const newest = JSON.parse((await create("Sold", ...recurring, "--recurring-periodicity-frequency", "1")).out)
    await create("Sold too", "--alert-thresholds", "50,90")
    expect(lines((await keyed("plans", "list", "--search", "sold", "--json")).out)).toMatchObject([
      { data_mega_bytes: 5, period_days: 7, recurring: false },
      { plan_id: newest.plan_id, nb_occurrence: 3, recurring_periodicity_type: "1" },
      { plan_name: "Sold too", alert_thresholds: [50, 90] }
    ])
    const iccid = World.iccid(21)
    await keyed("subscriptions", "create", "Sold", "--iccid", iccid)
    expect(lines((await keyed("subscriptions", "show", iccid, "--json")).out)).toMatchObject([
      { plan_attachments: [{ plan: { _id: newest.plan_id } }] }
    ])
    expect(await keyed("subscriptions", "create", "sold", "--iccid", iccid)).toMatchObject({
      code: 1,
      err: 'No plan has the id or the name "sold": `simplan plans list` lists them.\n'
    })
    const many = await keyed("plans", "create", "Sold", "--coverage", coverage_id, "--MB", "many", "--days", "7")
    expect(many).toMatchObject({ code: 2, err: expect.stringContaining("data_MBs") })
    await keyed("subscriptions", "delete", iccid)
  })

  it("subscriptions are listed and shown, and what their metadata holds drives no terminal", async () => {
    const wide = await simplan(
      ["subscriptions", "list", "--url", world.url],
      { SIMPLAN_API_KEY: stock.tenant.key },
      false,
      200
    )
    expect(wide.out).toMatch(/^iccid +subscription_id +label +created_at +paused_at +metadata\n.+order {2}\[31m4711\n$/)
    expect(lines((await keyed("subscriptions", "list", "--json")).out)).toMatchObject([
      { metadata: "order \u001b[31m4711" }
    ])
    const shown = await keyed("subscriptions", "show", World.iccid(1))
    expect(shown.out).not.toContain("\u001b")
    expect(shown.out).toMatch(/\nlast_operator +null\n\nPlan attachments:\nplan_attachment_id +state /)
    expect(lines((await keyed("subscriptions", "show", World.iccid(1), "--json")).out)).toMatchObject([
      { esim: { iccid: World.iccid(1) }, last_operator: null, plan_attachments: [{ plan: { _id: stock.planId } }] }
    ])
    expect((await keyed("subscriptions", "show", World.iccid(2))).err).toMatch(
      /^The server refuses \(404 subscription_not_found\)/
    )
  })

  it("subscriptions are created, suspended and deleted, each previewed before", async () => {
    const iccid = World.iccid(2)
    const creation = ["subscriptions", "create", stock.planId, "--iccid", iccid, "--metadata", "order 1"]
    const preview = await keyed(...creation, "--dry-run")
    expect(preview).toMatchObject({ code: 0, err: "" })
    expect(preview.out).toMatch(/^subscription_id +0{8}-.+\n\nPackages:\npackage_id +activation_at/s)
    expect((await keyed("subscriptions", "show", iccid)).code).toBe(1)
    expect(lines((await keyed(...creation, "--json")).out)).toMatchObject([{ metadata: "order 1" }])

    const [{ plan_attachments }] = lines((await keyed("subscriptions", "show", iccid, "--json")).out)
    const [{ plan_attachment_id: id }] = plan_attachments
    const suspension = await keyed("subscriptions", "suspend", iccid, id, "--dry-run")
    expect(suspension.out).toMatch(/^message .*\nended_occurrences +0\n\nPackages:\n/)
    expect((await keyed("subscriptions", "suspend", iccid, id)).out).toMatch(/^message +Plan attachment suspended/)

    const deletion = lines((await keyed("subscriptions", "delete", iccid, "--dry-run", "--json")).out)
    expect(deletion).toMatchObject([{ preview: { downloaded: false, used: false, packages: [{}] } }])
    expect((await keyed("subscriptions", "show", iccid)).code).toBe(0)
    expect((await keyed("subscriptions", "delete", iccid)).out).toMatch(/^message +Subscription deleted/)
    expect((await keyed("subscriptions", "show", iccid)).code).toBe(1)
    expect((await keyed("subscriptions", "create", stock.planId, "--start", "tomorrow")).code).toBe(2)
    const [start, end] = ["2026-01-20T00:00:00.000Z", "2026-01-25T00:00:00.000Z"]
    const dated = await keyed(
      "subscriptions",
      "create",
      stock.planId,
      "--start",
      start,
      "--end",
      end,
      "--dry-run",
      "--json"
    )
    expect(lines(dated.out)).toMatchObject([{ metadata: "", activation_at: start, expiration_at: end }])
    const installed = await keyed("subscriptions", "create", stock.planId, "--install", "--dry-run")
    expect(installed.out).toMatch(/^apple +https:\/\/esimsetup\.apple\.com\//m)
  })

  it("usage is listed, of a SIM and of the organization, as a table, as JSON and as CSV", async () => {
    const report = { id: "u1", type: "usage", iccid: World.iccid(1), delta_bytes: 7, country_alpha_2: "SE" }
    await world.telco([{ ...report, occurred_at: new Date(World.START).toISOString() }])
    const day = new Date(World.START).toISOString().slice(0, 10)
    const ofSim = ["subscriptions", "usage", World.iccid(1), "--from", day, "--to", day, "--by", "day,country"]
    expect((await keyed(...ofSim)).out).toMatch(/^day +country_alpha_2 +used_bytes\n\S+ +SE +7\n$/)
    expect((await keyed(...ofSim, "--csv")).out).toBe(`day,country_alpha_2,used_bytes\r\n${day},SE,7\n`)
    expect(lines((await keyed("usage", "--by", "plan", "--json")).out)).toEqual([
      { plan_id: stock.planId, used_bytes: 7 }
    ])
    expect((await keyed("usage", "--from", day, "--by", "sim", "--csv")).out).toBe(
      `iccid,used_bytes\r\n${World.iccid(1)},7\n`
    )
    const both = ["usage", "--from", day, "--by", "country,day"]
    expect((await keyed(...both, "--csv")).out).toBe(`day,country_alpha_2,used_bytes\r\n${day},SE,7\n`)
    expect((await keyed("usage", "--from", day, "--by", "day,month")).err).toContain("by must be sim, or a list of")
    expect((await keyed("usage", "--to", "2020-01-01")).err).toBe("There are none.\n")
    expect((await keyed("usage", "--to", "2020-01-01", "--csv")).err).toBe("There is none.\n")
    expect((await keyed("usage", "--by", "week")).code).not.toBe(0)
  })

  it("a subscription moves to another eSIM, and shows before what would move", async () => {
    const iccid = World.iccid(20)
    await keyed("subscriptions", "create", stock.planId, "--iccid", iccid)
    const shown = await keyed("subscriptions", "replace", iccid, "--dry-run")
    expect(shown).toMatchObject({ code: 0, err: "" })
    expect(shown.out).toMatch(/Packages on the new SIM:\n.*data_mega_bytes/s)
    expect(shown.out).toContain("Packages that end on the old SIM:")
    const [moved] = lines((await keyed("subscriptions", "replace", iccid, "--json")).out)
    expect(moved).toMatchObject({ replaced_iccid: iccid })
    expect((await keyed("subscriptions", "show", iccid)).err).toMatch(/subscription_not_found/)
    expect((await keyed("sims", "show", iccid)).out).toMatch(/^withdrawn_reason +replaced$/m)
  })

  it("an operator's token takes the place of a key", async () => {
    const { organizationId: org } = stock.tenant
    const commands = [
      ["usage", "--by", "month,country,plan"],
      ["usage", "--by", "sim", "--csv"],
      ["subscriptions", "usage", World.iccid(1), "--by", "day,country"],
      ["subscriptions", "list", "--json"],
      ["subscriptions", "show", World.iccid(1)],
      ["sims", "list", "--all", "--json"],
      ["sims", "stock"],
      ["plans", "list"]
    ]
    for (const command of commands) {
      const own = await keyed(...command)
      expect([command, own.code]).toEqual([command, 0])
      expect([command, await run(...command, "--org", org)]).toEqual([command, own])
    }
    const creation = ["subscriptions", "create", stock.planId, "--dry-run", "--org", org]
    expect((await run(...creation)).code).toBe(0)
    const [usage = []] = commands
    const own = await keyed(...usage)
    const server = { SIMPLAN_URL: world.url, SIMPLAN_ADMIN_TOKEN: World.ADMIN_TOKEN }
    expect(await simplan([...usage, "--org", org], server)).toEqual(own)
    const others = await run("org", "list", "--json")
    const unnamed = await run(...usage)
    expect(unnamed).toMatchObject(lines(others.out).length === 1 ? own : { code: 2 })
    const { body } = await world.admin("POST", "/operators", { name: "Rea", role: "read" })
    const reading = [...usage, "--org", org, "--url", world.url, "--token", body.data.token]
    expect(await simplan(reading)).toEqual(own)
    const plan = ["plans", "create", "Mine", "--coverage", stock.coverageId, "--MB", "5", "--days", "7", "--org", org]
    expect(await run(...plan)).toMatchObject({ code: 0, out: expect.stringContaining("plan_id") })
    const { body: desk } = await world.admin("POST", "/operators", { name: "Desk", role: "support" })
    const made = await simplan([...plan, "--url", world.url, "--token", desk.data.token])
    expect(made).toMatchObject({ code: 1, err: expect.stringContaining("it takes the role admin") })
    const refused = await simplan([...usage, "--org", org, "--url", world.url, "--token", "simplan_operator_none"])
    expect(refused.err).toBe(`The server at ${world.url} refuses the token from --token.\n`)
    expect((await run(...usage, "--org", "none")).err).toContain("organization_not_found")
    expect((await keyed(...usage, "--token", World.ADMIN_TOKEN)).err).toContain("give either --key or --token")
  })

  it("key comes from the files of the server of the directory", async () => {
    const { key, organizationId } = stock.tenant
    mkdirSync(".simplan")
    const demos = { "memory:": { organizationId, apiKey: key } }
    writeFileSync(".simplan/credentials.json", JSON.stringify({ url: world.url, demos }))
    writeFileSync(".simplan/demo.key", `${key}\n`)
    expect((await simplan(["plans", "list", "--limit", "1"])).code).toBe(0)
    expect((await simplan(["plans", "list", "--org", organizationId])).code).toBe(0)
    expect(await simplan(["plans", "list", "--url", "https://elsewhere.example"])).toMatchObject({ code: 2 })
    expect(
      await simplan(["plans", "list", "--url", "https://elsewhere.example", "--org", organizationId])
    ).toMatchObject({ code: 2 })
    const wrong = await simplan(["plans", "list"], { SIMPLAN_API_KEY: "simplan_wrong" })
    expect(wrong).toEqual({
      code: 1,
      out: "",
      err: `The server at ${world.url} refuses the API key from SIMPLAN_API_KEY.\n`
    })
  })
})

it("filters deliveries, replays them, and sends a test event", async () => {
  const org = ["--org", stock.tenant.organizationId]
  const [endpoint] = await json("webhook", "add", "https://hooks.example.com/simplan", ...org)
  const id = endpoint.webhook_endpoint_id
  status = 500
  const tested = await run("webhook", "test", id, ...org)
  expect(tested).toMatchObject({ code: 0, out: `webhook_endpoint_id  ${id}\n` })
  await json("clock", "advance", "--by", "10 days")
  const failed = await json(
    "deliveries",
    "list",
    "--status",
    "failed",
    "--type",
    "endpoint.test",
    "--endpoint",
    id,
    ...org
  )
  expect(failed).toMatchObject([{ status: "failed", event: { type: "endpoint.test" } }])
  const [delivery] = failed
  expect(await json("deliveries", "list", "--to", delivery.created_at, ...org)).toEqual([])
  expect((await run("deliveries", "list", ...org)).out).toMatch(/^delivery_id +\S+\nstatus +failed\n/)
  const shown = await run("deliveries", "show", delivery.delivery_id, ...org)
  expect(shown.out).toMatch(/\nAttempts:\nnumber +at +duration_ms +response_status/)

  status = 200
  await json("webhook", "update", id, "--enabled", "true", ...org)
  expect((await run("deliveries", "replay", "--status", "failed", "--endpoint", id, ...org)).out).toBe("replayed  1\n")
  await json("clock", "advance", "--by", "1 second")
  expect(await json("deliveries", "list", "--status", "delivered", ...org)).toHaveLength(1)
  expect(await json("deliveries", "replay", delivery.delivery_id, ...org)).toMatchObject([{ status: "pending" }])
  expect(await json("deliveries", "replay", "--iccid", World.iccid(1), ...org)).toEqual([{ replayed: 0 }])
  expect(await run("deliveries", "replay", delivery.delivery_id, "--all", ...org)).toMatchObject({ code: 2 })
  await json("clock", "advance", "--by", "1 minute")
  expect((await json("deliveries", "replay", "--all", ...org))[0].replayed).toBeGreaterThan(0)
})

it("makes operators, gives them other tokens and deletes them", async () => {
  const org = ["--org", stock.tenant.organizationId]
  const [all] = await json("operator", "create", "Ada", "--role", "admin")
  const [one] = await json(
    ...["operator", "create", "Acme desk", "--role", "read", "--expires-at", "2027-01-01T00:00:00Z", ...org]
  )
  expect(one).toMatchObject({
    name: "Acme desk",
    role: "read",
    organization_id: stock.tenant.organizationId,
    expires_at: "2027-01-01T00:00:00.000Z"
  })
  const as = (token: string, ...args: ReadonlyArray<string>) => simplan([...args, "--url", world.url, "--token", token])
  expect((await as(one.token, "org", "list", "--json")).out).toContain(stock.tenant.organizationId)
  const refused = await as(one.token, "org", "create", "More")
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("it takes the role admin")])
  const shown = await run("operator", "create", "Bob", "--role", "support")
  expect(shown.err).toContain("The token is shown this once")
  expect(shown.out).toMatch(/\ntoken +simplan_\w+\n/)

  const [rotated] = await json("operator", "rotate", all.operator_id)
  for (const token of [all.token, rotated.token]) expect((await as(token, "operator", "list")).code).toBe(0)
  await json("operator", "delete", all.operator_id)
  expect((await as(rotated.token, "operator", "list")).code).toBe(1)
  const made = new Set(["Ada", "Acme desk", "Bob"])
  const listed = (await json("operator", "list")).filter(({ name }) => made.has(name))
  expect(listed.map(({ name, deleted_at }) => [name, deleted_at !== null])).toEqual([
    ["Ada", true],
    ["Acme desk", false],
    ["Bob", false]
  ])
  const aliased = await json("operator", "create", "Eve", "--role", "read", "--organization", org[1] ?? "")
  expect(aliased).toMatchObject([{ organization_id: stock.tenant.organizationId }])
})

it("shows who changed what", async () => {
  const org = ["--org", stock.tenant.organizationId]
  const entries = await json("audit", "--all", ...org)
  expect(entries.length).toBeGreaterThan(5)
  const replays = await json("audit", "--action", "delivery.replay", "--actor", "bootstrap", ...org)
  expect(replays.length).toBeGreaterThan(0)
  expect(replays.length).toBeLessThan(entries.length)
  const one = await json("audit", "--resource", World.iccid(1), "--to", "2026-01-11T00:00:00Z", ...org)
  expect(one.map((entry) => entry.iccid)).toContain(World.iccid(1))
  await json("key", "create", "--name", "reasoned", "--audit-reason", "für „Größe“", ...org)
  const [why] = await json("audit", "--limit", "1", ...org)
  expect(why).toMatchObject({ action: "api_key.create", reason: "für „Größe“" })
  const longer = await run("key", "create", "--name", "x", "--audit-reason", "x".repeat(501), ...org)
  expect([longer.code, longer.err]).toEqual([2, expect.stringContaining("a text of at most 500 characters")])
  expect((await run("audit", "--limit", "1", ...org)).out).toMatch(/^created_at +actor +action.*\n\S+Z +\S+ +\S+.*\n$/)
})

it("lists the work that waits for the telco, and has it tried now", async () => {
  expect(await run("jobs", "list")).toEqual({ code: 0, out: "", err: "There are none.\n" })
  const telco = TelcoSimulator.TelcoSimulator
  await world.run(telco.use((one) => one.setFaults([{ fault: "unavailable", on: "cancelPackage" }])))
  const iccid = World.iccid(3)
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  await stock.tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
  await json("clock", "advance", "--by", "1 hour")
  const [job] = await json("jobs", "list", "--reason", "unavailable", "--kind", "CancelPackages")
  expect(job).toMatchObject({ iccid, last_message: "The telco is out of reach" })
  expect((await run("jobs", "list")).out).toMatch(/^job_id +kind/)
  await world.run(telco.use((one) => one.clearFaults))
  expect(await run("jobs", "retry")).toMatchObject({ code: 2 })
  expect(await run("jobs", "retry", job.job_id, "--all")).toMatchObject({ code: 2 })
  expect(await json("jobs", "retry", job.job_id)).toEqual([{ job_id: job.job_id }])
  expect(await json("jobs", "retry", "--reason", "unavailable")).toEqual([{ retried: 1 }])
  await json("clock", "advance", "--by", "1 second")
  expect(await json("jobs", "list")).toEqual([])
  const none = await run("jobs", "retry", "--all", "--json")
  expect([JSON.parse(none.out), none.err]).toEqual([{ retried: 0 }, expect.stringContaining("What is being tried now")])
})

it("lists what the telco refuses, has it asked again, and closes it", async () => {
  expect(await run("problems")).toEqual({ code: 0, out: "", err: "There are none.\n" })
  const fault = { fault: "refuse", on: "cancelPackage", message: "no such package" } as const
  await world.run(TelcoSimulator.TelcoSimulator.use((telco) => telco.setFaults([fault])))
  const iccid = World.iccid(2)
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  await stock.tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
  await json("clock", "advance", "--by", "1 day")
  expect(await json("problems")).toMatchObject([{ iccid, last_message: "no such package" }])
  const jobs = await run("jobs", "list")
  expect([jobs.out, jobs.err]).toEqual([
    "",
    expect.stringContaining("refuses for good is not tried again: see simplan problems.")
  ])
  const { out } = await run("problems")
  expect(out).toMatch(/^problem_id +iccid +last_message\n/)
  const [problem] = await json("problems")
  expect(await json("problems", "retry", problem.problem_id)).toEqual([{ problem_id: problem.problem_id }])
  await json("clock", "advance", "--by", "1 day")
  const [again] = await json("problems")
  expect(again.problem_id).toBe(problem.problem_id)
  expect(Date.parse(again.ended_at)).toBeGreaterThan(Date.parse(problem.ended_at))
  const listed = await run("problems", "resolve", problem.problem_id)
  expect(listed).toMatchObject({ code: 1, out: "" })
  expect(listed.err).toContain(`The telco still lists packages on the SIM ${iccid}`)
  expect(await json("problems", "resolve", "--force", problem.problem_id)).toEqual([{ problem_id: problem.problem_id }])
  expect(await json("problems")).toEqual([])
  const gone = await run("problems", "resolve", problem.problem_id)
  expect(gone).toMatchObject({ code: 1, out: "" })
  expect(gone.err).toContain("problem")
})

it("has the telco corrected by what is had here", async () => {
  const telco = TelcoSimulator.TelcoSimulator
  const fault = { fault: "refuse", on: "cancelPackage", message: "no such package" } as const
  await world.run(telco.use((one) => one.setFaults([fault])))
  const iccid = World.iccid(4)
  await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  await stock.tenant.call("DELETE", `/v3/subscriptions/${iccid}`)
  await json("clock", "advance", "--by", "1 day")
  const [{ problem_id }] = await json("problems")
  await world.run(telco.use((one) => one.clearFaults))
  expect(await json("problems", "correct", problem_id)).toEqual([{ problem_id }])
  await json("clock", "advance", "--by", "1 second")
  expect(await json("problems")).toEqual([])
  // The SIM is free again.
  const sold = await stock.tenant.post("/v3/subscription", { plan_id: stock.planId, metadata: "", iccid })
  expect(sold.status).toBe(201)
  const gone = await run("problems", "correct", problem_id)
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("404 problem_not_found")])
})
