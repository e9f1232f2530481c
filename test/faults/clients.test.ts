/** The clients ask again where an answer is not final, and keep an answer that is. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import * as Clients from "./Clients.ts"
import { Ledger } from "./Ledger.ts"
import * as Random from "./Random.ts"

/**
 * What becomes of a deletion that is answered so, one answer after the other; the last answer
 * repeats.
 */
const finished = async (answers: ReadonlyArray<{ readonly status: number; readonly code?: string }>) => {
  let requests = 0
  const server = createServer((_, response) => {
    const answer = answers[Math.min(requests++, answers.length - 1)]
    response.writeHead(answer?.status ?? 500, { "content-type": "application/json" })
    response.end(answer?.code === undefined ? "{}" : JSON.stringify({ code: answer.code }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  try {
    const ledger = new Ledger()
    const operation = ledger.open(
      "delete",
      false,
      { method: "DELETE", path: "/", iccid: "8999902000000000001" },
      () => undefined
    )
    const url = `http://127.0.0.1:${port}`
    const plans = { simple: "", daily: "" }
    await Clients.make({ url: () => url, key: "", telcoToken: "", plans }, ledger, Random.make(1)).finish()
    return { fate: operation.fate, requests }
  } finally {
    server.close()
  }
}

describe("a deletion", () => {
  it("is repeated while the SIM is busy with the undo of a top-up", async () => {
    const busy = { status: 409, code: "sim_busy" }
    expect(await finished([busy, busy, { status: 200 }])).toMatchObject({ fate: { _tag: "Done" }, requests: 3 })
  })

  it("keeps a refusal that is final", async () => {
    const refused = { _tag: "Refused", code: "esim_installed" }
    expect(await finished([{ status: 409, code: "esim_installed" }])).toMatchObject({ fate: refused, requests: 1 })
  })
})
