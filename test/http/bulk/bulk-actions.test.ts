/**
 * Actions of operators on all subscriptions or SIMs that a filter takes (rule W15).
 */
import { Context, Effect, Layer } from "effect"
import { Subscriptions } from "simplan"
import { Operator, Storage } from "simplan/ports"
import { TelcoSimulator } from "simplan/telco-simulator"
import { describe, expect, it } from "vitest"
import * as Memory from "../../../adapters/memory/index.ts"
import * as Leaks from "../../setup/Leaks.ts"
import * as Inventory from "../Inventory.ts"
import * as World from "../World.ts"

/** Attachments that are gone when they are to be changed, as when another request was quicker. */
const gone = new Set<string>()

const withGone = (of: Storage.Storage["Service"]): Storage.Storage["Service"] => ({
  ...of,
  simAggregates: {
    ...of.simAggregates,
    forAttachment: (asked) =>
      gone.has(asked.attachmentId) ? Effect.succeed(null) : of.simAggregates.forAttachment(asked)
  }
})

const storage = Layer.flatMap(Memory.layer, (context) =>
  Layer.succeedContext(Context.add(context, Storage.Storage, withGone(Context.get(context, Storage.Storage))))
)

const world = await World.forFile({ storage })

const operator = async (name: string, role: string): Promise<Readonly<Record<string, string>>> => {
  const { body } = await world.admin("POST", "/operators", { name, role })
  Leaks.know(body.data.token)
  return { authorization: `Bearer ${body.data.token}` }
}

const support = await operator("Sup", "support")
const admin = await operator("Ada", "admin")
let numbers = 1

const deletes = (body: object): boolean => "action" in body && body.action === "delete"

/** An organization with so many subscriptions of a plan, a second apart. */
const sold = async (count: number) => {
  const first = numbers
  numbers += count + 10
  const { planId, tenant } = await Inventory.stock(world, first, count)
  const iccids = Array.from({ length: count }, (_, at) => World.iccid(first + at))
  for (const [at, iccid] of iccids.entries()) {
    const { status } = await tenant.post("/v3/subscription", { plan_id: planId, metadata: `order ${at}`, iccid })
    expect(status).toBe(201)
    await world.admin("POST", "/clock/advance", { by: "1 second" })
  }
  const path = `/admin/v1/organizations/${tenant.organizationId}/subscriptions`
  const call = (
    body: object,
    { accept = "application/json", query = "", headers = deletes(body) ? admin : support } = {}
  ) => world.fetch("POST", `${path}/actions${query}`, { body, headers: { ...headers, accept } })
  return {
    tenant,
    planId,
    iccids,
    call,
    act: async (body: object) => {
      const answer = await call(body)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.body.data.map(
        (one: { readonly iccid: string; readonly result: string; readonly code?: string }) => [
          one.iccid,
          one.code ?? one.result
        ]
      )
    },
    preview: async (body: object) => (await call(body, { query: "?dry_run=true" })).body,
    list: async (query: string) => {
      const { body } = await world.fetch("GET", `${path}?${query}`, { headers: support })
      return body.data.map((one: { readonly esim: { readonly iccid: string } }) => one.esim.iccid)
    },
    pausedAt: async (iccid: string) => (await tenant.get(`/v3/subscriptions/${iccid}`)).body.data.paused_at,
    entries: async (query: string) => {
      const { body } = await world.admin("GET", `/organizations/${tenant.organizationId}/audit?${query}`)
      return body.data
    }
  }
}

const download = (iccid: string) =>
  world.telco([
    {
      id: `downloaded ${iccid}`,
      type: "smdp_state",
      iccid,
      occurred_at: new Date(World.START - 3_600_000).toISOString(),
      state: "BPP Installation"
    }
  ])

describe("subscriptions", () => {
  it("are paused and resumed where the filter takes them, each with its audit entry", async () => {
    const { act, call, entries, iccids, pausedAt } = await sold(4)
    const [first = "", second = "", third = "", fourth = ""] = iccids
    await act({ action: "pause", search: "order 1" })
    expect(await Promise.all(iccids.map(async (iccid) => (await pausedAt(iccid)) !== null))).toEqual([
      false,
      true,
      false,
      false
    ])
    const headers = { ...support, "x-audit-log-reason": "unpaid%20bills" }
    const { body } = await call({ action: "pause", all: true }, { headers })
    expect(body.data.map((one: { readonly result: string }) => one.result)).toEqual([
      "changed",
      "unchanged",
      "changed",
      "changed"
    ])
    expect(await entries("action=subscription.pause")).toMatchObject([
      { actor: "Sup", reason: "unpaid bills", iccid: expect.any(String) },
      { actor: "Sup", reason: "unpaid bills" },
      { actor: "Sup", reason: "unpaid bills" },
      { actor: "Sup", reason: null, iccid: second }
    ])
    expect(await act({ action: "pause", status: "active" })).toEqual([])
    expect(await act({ action: "resume", status: "paused", label: "Green" })).toEqual(
      [first, second, third, fourth].map((iccid) => [iccid, "changed"])
    )
    expect(await act({ action: "resume", all: true })).toEqual(iccids.map((iccid) => [iccid, "unchanged"]))
  })

  it("are previewed: how many there are, and the first refusals; nothing is done", async () => {
    const { act, iccids, preview, tenant } = await sold(3)
    const [first = "", second = "", third = ""] = iccids
    await download(second)
    const before = (await tenant.get("/v3/subscription")).text
    const found = await preview({ action: "delete", all: true })
    expect(found).toMatchObject({
      error: false,
      data: [{ iccid: second, result: "refused", code: "esim_installed", message: expect.any(String) }],
      preview: { matching: 3, changed: 2, unchanged: 0, refused: 1, has_more: false, created_until: expect.any(String) }
    })
    expect((await tenant.get("/v3/subscription")).text).toBe(before)
    const paused = await preview({ action: "pause", search: "order 9" })
    expect(paused).toMatchObject({ data: [], preview: { matching: 0, changed: 0 } })
    // What is made after the preview is not deleted.
    const { created_until } = found.preview
    await world.admin("POST", "/clock/advance", { by: "1 second" })
    const more = { sims: Inventory.esims(200_000, 1) }
    await world.admin("POST", `/organizations/${tenant.organizationId}/sims`, more)
    const { status } = await tenant.post("/v3/subscription", { plan_id: await later(tenant), metadata: "" })
    expect(status).toBe(201)
    expect(await act({ action: "delete", created_until })).toEqual([
      [first, "changed"],
      [second, "esim_installed"],
      [third, "changed"]
    ])
    expect((await tenant.get("/v3/subscription")).body.data).toHaveLength(2)
    // What is done already is left out, or refused again.
    expect(await act({ action: "delete", created_until })).toEqual([[second, "esim_installed"]])
  })

  it("are deleted before the telco has answered", async () => {
    const { act, iccids, tenant } = await sold(2)
    const telco = (of: (one: TelcoSimulator.TelcoSimulator["Service"]) => Effect.Effect<void>) =>
      world.run(TelcoSimulator.TelcoSimulator.use(of))
    await telco((one) => one.setFaults([{ fault: "unavailable", on: "cancelPackage" }]))
    expect(await act({ action: "delete", all: true })).toEqual(iccids.map((iccid) => [iccid, "changed"]))
    expect((await tenant.get("/v3/subscription")).body.data).toEqual([])
    await telco((one) => one.clearFaults)
    await world.admin("POST", "/clock/advance", { by: "1 day" })
    expect((await tenant.get("/v3/sims?status=free")).body.data).toHaveLength(2)
  })

  it("have a plan suspended, which says which", async () => {
    const { act, call, iccids, list, planId, tenant } = await sold(3)
    const [first = "", second = "", third = ""] = iccids
    const other = await later(tenant)
    await tenant.post("/v3/subscription", { plan_id: other, metadata: "top-up", iccid: second })
    expect(await list(`plan_id=${other}`)).toEqual([second])
    const refused = await call({ action: "suspend", all: true })
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      400,
      "invalid_field",
      "plan_id must say which plan is suspended"
    ])
    expect(
      await act({ action: "suspend", plan_id: planId, created_after: new Date(World.START).toISOString() })
    ).toEqual((await list("label=Green")).map((iccid: string) => [iccid, "changed"]))
    const states = async (iccid: string) => {
      const { body } = await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)
      return body.data.map((one: { readonly state: string }) => one.state)
    }
    expect([await states(first), await states(second), await states(third)]).toEqual([
      ["SUSPENDED"],
      ["SUSPENDED", "PENDING_FOR_FIRST_USE"],
      ["SUSPENDED"]
    ])
    expect(await act({ action: "suspend", plan_id: planId })).toEqual([])
    expect(await list(`plan_id=${planId}`)).toEqual([])
  })

  it("of which a part is suspended, and another is not, say both", async () => {
    const { call, iccids, planId, tenant } = await sold(2)
    const [first = "", second = ""] = iccids
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "top-up", iccid: second })
    const attachments = async (iccid: string) =>
      (await tenant.get(`/v3/subscriptions/${iccid}/plan-attachments`)).body.data
    const [kept] = await attachments(second)
    for (const { plan_attachment_id } of [...(await attachments(first)), kept]) gone.add(plan_attachment_id)
    const { body } = await call({ action: "suspend", plan_id: planId })
    const why = { code: "subscription_not_found", message: expect.any(String) }
    expect(body.data).toMatchObject([
      { iccid: first, result: "refused", ...why },
      { iccid: second, result: "changed", ...why }
    ])
    expect((await attachments(second)).map((one: { readonly state: string }) => one.state).sort()).toEqual([
      "PENDING_FOR_FIRST_USE",
      "SUSPENDED"
    ])
    const table = await call({ action: "suspend", plan_id: planId }, { accept: "text/csv" })
    expect(table.text).toContain(",refused,subscription_not_found,")
  })

  it("are deleted by an admin, and by nobody of a lesser role, not even in a preview", async () => {
    const { call, iccids, list } = await sold(1)
    for (const query of ["", "?dry_run=true"]) {
      const refused = await call({ action: "delete", all: true }, { query, headers: support })
      expect([refused.status, refused.body.code, refused.body.message]).toEqual([
        403,
        "forbidden",
        "Forbidden: it takes the role admin"
      ])
    }
    expect(await list("")).toEqual(iccids)
    expect((await call({ action: "delete", all: true }, { headers: admin })).body.data).toHaveLength(1)
    expect(await list("")).toEqual([])
  })

  it("are listed by the same filters, page by page", async () => {
    const { act, iccids, list, tenant } = await sold(5)
    await act({ action: "pause", search: "order 3" })
    expect([await list("status=paused"), await list("label=Blue"), await list("label=nope")]).toEqual([
      [iccids[3]],
      [],
      []
    ])
    const path = `/organizations/${tenant.organizationId}/subscriptions`
    const read: Array<string> = []
    let page = ""
    do {
      const { body } = await world.admin("GET", `${path}?status=active&page_size=2${page && `&page=${page}`}`)
      expect(body.data.length).toBeLessThanOrEqual(2)
      read.push(...body.data.map((one: { readonly esim: { readonly iccid: string } }) => one.esim.iccid))
      page = body.next_page ?? ""
    } while (page !== "")
    expect(read).toEqual(iccids.filter((_, at) => at !== 3))
    const [, second] = (await world.admin("GET", path)).body.data
    expect(await list(`created_until=${second.created_at}`)).toEqual(iccids.slice(0, 2))
    expect(await list(`created_after=${second.created_at}`)).toEqual(iccids.slice(2))
    const reader = await operator(`Reader of ${tenant.organizationId}`, "read")
    const shortened = await world.fetch("GET", `/admin/v1${path}`, { headers: reader })
    expect(shortened.body.data[0].esim.lpa_string).toContain("…")
  })
})

/** Another plan of the organization. */
const later = async (tenant: World.Tenant): Promise<string> => {
  const { body } = await tenant.get("/v3/coverage-profiles?label=Green")
  return (await tenant.post("/v3/plans", Inventory.planBody(body.data[0].coverage_id))).body.plan_id
}

describe("SIMs", () => {
  const stocked = async (count: number) => {
    const first = numbers
    numbers += count + 10
    const { planId, tenant } = await Inventory.stock(world, first, count)
    const path = `/admin/v1/organizations/${tenant.organizationId}/sims/actions`
    const call = (body: object, query = "", accept = "application/json") =>
      world.fetch("POST", `${path}${query}`, {
        body,
        headers: { ...support, accept, "x-audit-log-reason": "bad batch" }
      })
    const found = async (query: string): Promise<ReadonlyArray<string>> =>
      (await tenant.get(`/v3/sims?page_size=100&${query}`)).body.data.map(
        (one: { readonly iccid: string }) => one.iccid
      )
    return { tenant, planId, iccids: Array.from({ length: count }, (_, at) => World.iccid(first + at)), call, found }
  }

  it("and subscriptions are listed by a tag in any case, and acted on by it (I14)", async () => {
    const { call, found, iccids, planId, tenant } = await stocked(4)
    const [first = "", second = "", third = "", fourth = ""] = iccids
    for (const [iccid, tags] of [
      [first, ["VIP", "Zürich"]],
      [second, ["vip"]],
      [third, ["VIP 2"]]
    ]) {
      expect((await tenant.call("PATCH", `/v3/sims/${iccid}`, { body: { tags } })).status).toBe(200)
    }
    expect(await found("tag=Vip")).toEqual([first, second])
    expect(await found("tag=%20z%C3%9CRICH%20&label=Green&status=free")).toEqual([first])
    expect(await found("tag=vi")).toEqual([])
    expect(await found("tag=")).toEqual([])
    expect((await tenant.get(`/v3/sims?tag=${"x".repeat(41)}`)).body.message).toMatch(/^tag must have at most 40/)
    for (const iccid of [first, third, fourth]) {
      await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid })
    }
    const sold = async (answer: Promise<World.Answer>) =>
      (await answer).body.data.map((one: { readonly esim: { readonly iccid: string } }) => one.esim.iccid)
    const path = `/organizations/${tenant.organizationId}/subscriptions`
    expect(await sold(tenant.get("/v3/subscription?tag=VIP"))).toEqual([first])
    expect(await sold(world.admin("GET", `${path}?tag=vip+2`))).toEqual([third])
    const { body } = await call({ action: "withdraw", reason: "lost", tag: "VIP" })
    expect(body.data).toMatchObject([
      { iccid: first, result: "refused", code: "sim_in_use" },
      { iccid: second, result: "changed" }
    ])
    const nothing = await world.fetch("POST", `/admin/v1${path}/actions`, {
      body: { action: "pause", tag: " " },
      headers: support
    })
    expect(nothing.body.data).toEqual([])
    // They stay with the SIM if its subscription moves.
    await tenant.post(`/v3/subscriptions/${first}/replace`, {})
    expect(await found("tag=vip")).toEqual([first, second])
  })

  it("are withdrawn and put back, or get another label, where the filter takes them", async () => {
    const { call, found, iccids, planId, tenant } = await stocked(4)
    const [first = "", ...others] = iccids
    await tenant.post("/v3/subscription", { plan_id: planId, metadata: "", iccid: first })
    const asked = { action: "withdraw", reason: "broken", all: true }
    const tried = await call(asked, "?dry_run=true")
    expect(tried.body).toMatchObject({
      data: [{ iccid: first, result: "refused", code: "sim_in_use", message: expect.any(String) }],
      preview: { matching: 4, changed: 3, unchanged: 0, refused: 1, has_more: false, created_until: expect.any(String) }
    })
    expect(await found("status=withdrawn")).toEqual([])
    const { body } = await call(asked)
    expect(body.data.map((one: { readonly result: string }) => one.result)).toEqual([
      "refused",
      "changed",
      "changed",
      "changed"
    ])
    expect(await found("status=withdrawn")).toEqual(others)
    const again = await call({ ...asked, status: "withdrawn" }, "", "application/x-ndjson")
    expect(
      again.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toEqual(others.map((iccid) => ({ iccid, result: "unchanged" })))
    const log = await world.admin("GET", `/organizations/${tenant.organizationId}/audit?action=sim.withdraw`)
    expect(log.body.data.map((one: { readonly reason: string }) => one.reason)).toEqual(Array(3).fill("bad batch"))

    expect((await call({ action: "restore", status: "withdrawn", is_esim: false })).body.data).toEqual([])
    const table = await call({ action: "restore", search: others[0] }, "", "text/csv")
    expect(table.text).toBe(`iccid,result,code,message\r\n${others[0]},changed,,\r\n`)
    expect(await found("status=free")).toEqual([others[0]])
    await call({ action: "set_label", new_label: "Blue", label: "Green", status: "free" })
    expect(await found("label=Blue")).toEqual([others[0]])
  })

  it("more than 50 of them take an admin; whoever may change a few is told how many they are", async () => {
    const { call, found, iccids, tenant } = await stocked(Operator.FEW + 1)
    const asked = { action: "withdraw", reason: "broken", all: true }
    expect((await call(asked, "?dry_run=true")).body.preview).toMatchObject({ matching: Operator.FEW + 1 })
    for (const accept of ["application/json", "application/x-ndjson", "text/csv"]) {
      const refused = await call(asked, "", accept)
      expect([refused.status, refused.body.message]).toEqual([403, "Forbidden: it takes the role admin"])
    }
    expect(await found("status=withdrawn")).toEqual([])
    const path = `/admin/v1/organizations/${tenant.organizationId}/sims`
    const few = { ...asked, search: undefined, status: "free" }
    await world.fetch("PATCH", `${path}/${iccids[0]}`, {
      body: { status: "withdrawn", reason: "lost" },
      headers: support
    })
    expect((await call(few)).body.data).toHaveLength(Operator.FEW)
    const all = await world.fetch("POST", `${path}/actions`, { body: { action: "restore", all: true }, headers: admin })
    expect(all.body.data).toHaveLength(Operator.FEW + 1)
    const ofSubscriptions = await sold(Operator.FEW + 1)
    expect((await ofSubscriptions.call({ action: "pause", all: true })).status).toBe(403)
    expect(await ofSubscriptions.list("status=paused")).toEqual([])
    expect(await ofSubscriptions.act({ action: "pause", search: "order 5" })).toHaveLength(2)
    const paused = await ofSubscriptions.call({ action: "pause", all: true }, { headers: admin })
    expect(paused.body.data).toHaveLength(Operator.FEW + 1)
  })

  it("are left out where they were imported after the preview", async () => {
    const { call, found, iccids, tenant } = await stocked(2)
    const asked = { action: "withdraw", reason: "lost", is_esim: true }
    const { created_until } = (await call(asked, "?dry_run=true")).body.preview
    await world.admin("POST", "/clock/advance", { by: "1 second" })
    const more = { sims: Inventory.esims(210_000, 1) }
    await world.admin("POST", `/organizations/${tenant.organizationId}/sims`, more)
    expect((await call({ ...asked, created_until })).body.data).toHaveLength(2)
    expect(await found("status=withdrawn")).toEqual(iccids)
  })

  it("are not acted on by a request that says too little, or too much", async () => {
    const { call, found } = await stocked(1)
    const refused: ReadonlyArray<readonly [body: object, message: string]> = [
      [{ action: "restore" }, "all must be true where nothing else says which"],
      [{ action: "restore", search: " " }, "search must not be blank"],
      [{ action: "withdraw", all: true }, "reason must be one of broken, lost"],
      [{ action: "set_label", all: true }, "new_label must say the label that is set"],
      [{ action: "restore", reason: "lost", all: true }, "reason must be absent unless SIMs are withdrawn"],
      [{ action: "set_label", new_label: "Pink", all: true }, "new_label must be one of"],
      [{ action: "restore", plan_id: "x", all: true }, "plan_id is not a known field"]
    ]
    for (const [body, message] of refused) {
      const answer = await call(body)
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        400,
        "invalid_field",
        expect.stringContaining(message)
      ])
    }
    expect(await found("status=free")).toHaveLength(1)
  })
})

describe("a request", () => {
  it("is refused where it says of no subscriptions, or something that is not known; nothing is done", async () => {
    const { call, iccids, pausedAt } = await sold(1)
    const refused: ReadonlyArray<readonly [body: object, message: string]> = [
      [{ action: "pause" }, "all must be true where nothing else says which"],
      [{ action: "delete", search: "" }, "search must not be blank"],
      [{ action: "delete", search: " ", label: "Green" }, "search must not be blank"],
      [{ action: "pause", all: false }, "all must be true where nothing else says which"],
      [{ action: "pause", lable: "Green" }, "lable is not a known field; did you mean label?"],
      [{ action: "explode", all: true }, "action must be one of pause, resume, suspend, delete"],
      [{ action: "pause", status: "gone" }, "status must be one of active, paused"],
      [{ action: "pause", created_after: "yesterday" }, "created_after must be"]
    ]
    for (const [body, message] of refused) {
      const answer = await call(body)
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        400,
        "invalid_field",
        expect.stringContaining(message)
      ])
    }
    expect(await pausedAt(iccids[0] ?? "")).toBeNull()
  })

  it("is answered as a table, or by lines of JSON", async () => {
    const { call, iccids } = await sold(2)
    await download(iccids[1] ?? "")
    const table = await call({ action: "delete", search: "order 1" }, { accept: "text/csv" })
    expect(table.text.split("\r\n").map((row) => row.split(",")[0])).toEqual(["iccid", iccids[1], ""])
    expect(table.text).toContain(",refused,esim_installed,")
    const lines = await call({ action: "pause", all: true }, { accept: "application/x-ndjson" })
    expect(
      lines.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
    ).toMatchObject(iccids.map((iccid) => ({ iccid, result: "changed" })))
  })
})

describe("10,000 subscriptions", () => {
  const MANY = 2_000

  it("are acted on in turns with others, and again from where a broken request has ended", async () => {
    const first = numbers
    numbers += MANY
    const { planId, tenant } = await Inventory.stock(world, first, 1)
    const { organizationId } = tenant
    await world.admin("POST", `/organizations/${organizationId}/sims`, { sims: Inventory.esims(first + 1, MANY - 1) })
    const creating = Array.from({ length: MANY }, (_, at) =>
      Subscriptions.Subscriptions.use((of) =>
        of.create({ organizationId, planId, metadata: "", iccid: World.iccid(first + at), activePeriod: null })
      )
    )
    await world.run(Effect.all(creating, { concurrency: 50 }))
    const other = await sold(3)
    const path = `${world.url}/admin/v1/organizations/${organizationId}/subscriptions/actions`
    const body = JSON.stringify({ action: "pause", status: "active" })
    const headers = {
      ...admin,
      "content-type": "application/json",
      accept: "application/x-ndjson",
      "x-audit-log-reason": "outage"
    }

    const breaking = new AbortController()
    const broken = await fetch(path, { method: "POST", headers, body, signal: breaking.signal })
    await broken.body?.getReader().read()
    breaking.abort()
    let isOver = false
    const again = fetch(path, { method: "POST", headers, body }).then(async (answer) => {
      const text = await answer.text()
      isOver = true
      return text.trimEnd().split("\n")
    })
    expect(await other.act({ action: "pause", all: true })).toHaveLength(3)
    expect(isOver).toBe(false)
    const left = await again
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(MANY)
    const { preview } = (
      await world.admin("POST", `/organizations/${organizationId}/subscriptions/actions?dry_run=true`, {
        action: "pause",
        all: true
      })
    ).body
    expect(preview).toMatchObject({ matching: MANY, unchanged: MANY, changed: 0, has_more: false })
    const log = await world.fetch("GET", `/admin/v1/organizations/${organizationId}/audit?action=subscription.pause`, {
      headers: { authorization: `Bearer ${World.ADMIN_TOKEN}`, accept: "application/x-ndjson" }
    })
    const entries = log.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(entries).toHaveLength(MANY)
    expect(new Set(entries.map(({ actor, reason }) => `${actor}: ${reason}`))).toEqual(new Set(["Ada: outage"]))
    expect(new Set(entries.map(({ iccid }) => iccid)).size).toBe(MANY)
  })
})
