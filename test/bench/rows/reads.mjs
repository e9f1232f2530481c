// Reading: one subscription, its plan attachments, a page of SIMs.
import { alternate, line, ratio, tail } from "../Comparison.mjs"
import * as Processes from "../Processes.mjs"
import * as Seed from "../Seed.mjs"

const key = `key=${Seed.keys[Seed.SERVED]}`

const both = async (bench, use) => {
  const url = bench.urlOf(bench.seeded)
  const servers = [await Processes.serve(url), await Processes.baseline(url)]
  try {
    return await use(...servers)
  } finally {
    for (const server of servers) await server.stop()
  }
}

const byIccid = (bench, path) => ({
  paths: { path: `${path}?${key}`, prefix: Seed.iccid(Seed.SERVED, 0).slice(0, 7), from: 1, to: bench.sims, count: 500 }
})

const compared = (bench, path, atLeast, p99) =>
  both(bench, async (ours, theirs) => {
    await bench.same(ours, theirs, path.replace("{iccid}", Seed.iccid(Seed.SERVED, 1)) + `?${key}`)
    const task = byIccid(bench, path)
    const { baseline, simplan } = await alternate(
      { simplan: { server: ours, task }, baseline: { server: theirs, task } },
      bench
    )
    bench.remember(`GET ${path}`, 1 / simplan.perSecond)
    return [
      ratio(`GET ${path}, 32 connections`, simplan, baseline, atLeast),
      ...(p99 === undefined ? [] : [tail("… its p99", simplan, baseline, p99)])
    ]
  })

export const subscription = (bench) => compared(bench, "/v3/subscriptions/{iccid}", 1, 1.5)

export const attachments = (bench) => compared(bench, "/v3/subscriptions/{iccid}/plan-attachments", 1)

export const sims = (bench) =>
  both(bench, async (ours, theirs) => {
    const first = `/v3/sims?page_size=50&${key}`
    const [{ import_sequence }] = await bench.query(
      bench.seeded,
      `select import_sequence from simplan.sim where organization_id = '${Seed.SERVED}' order by import_sequence desc offset 50 limit 1`
    )
    const last = `${first}&page=${Buffer.from(String(import_sequence)).toString("base64url")}`
    await bench.same(ours, theirs, first)
    await bench.same(ours, theirs, last)
    const of = (path) => ({ requests: [{ method: "GET", path }] })
    const results = await alternate(
      {
        simplan: { server: ours, task: of(first) },
        baseline: { server: theirs, task: of(first) },
        simplanLast: { server: ours, task: of(last) }
      },
      bench
    )
    bench.remember("GET /v3/sims", 1 / results.simplan.perSecond)
    return [
      ratio("GET /v3/sims?page_size=50", results.simplan, results.baseline, 0.9),
      line(`… its last page of ${bench.sims.toLocaleString("en")} SIMs`, {
        value: results.simplan.perSecond / results.simplanLast.perSecond,
        unit: "× the first",
        atMost: 1.2
      })
    ]
  })

/** `GET /v3/subscription` of all subscriptions: how long, and how much memory. */
export const stream = async (bench) => {
  const server = await Processes.serve(bench.urlOf(bench.seeded))
  try {
    // What any first request brings into memory is not the list's.
    for (let time = 0; time < 200; time++) {
      await (await fetch(`${server.url}/v3/subscriptions/${Seed.iccid(Seed.SERVED, 1)}?${key}`)).text()
    }
    const before = Processes.residentBytes(server.pid)
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, Processes.residentBytes(server.pid))
    }, 20)
    const began = performance.now()
    let items = 0
    let end = ""
    const response = await fetch(`${server.url}/v3/subscription?${key}`)
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      items += (end.slice(-16) + chunk).split('"subscription_id"').length - 1
      end = (end + chunk).slice(-16)
    }
    const seconds = (performance.now() - began) / 1000
    clearInterval(watch)
    if (items < bench.sims || !end.endsWith("]}")) throw new Error(`The list had ${items} items and ended with ${end}`)
    return [
      line(`GET /v3/subscription of ${items.toLocaleString("en")}: memory`, {
        value: (peak - before) / 2 ** 20,
        unit: "MB more",
        atMost: 100,
        note: `${seconds.toFixed(1)} s, whole`
      })
    ]
  } finally {
    await server.stop()
  }
}
