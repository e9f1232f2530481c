/**
 * `adapters/first-supplier.md` as a newcomer does it: its commands run in their order, as they are
 * printed, against the fake of eSIM Go. Only the addresses of the supplier and the server differ.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Blocks from "../documents/Blocks.ts"
import * as Documents from "../documents/Documents.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as SupplierServer from "../telco-esim-go/SupplierServer.ts"

vi.setConfig({ testTimeout: 120_000 })

const processes = ServerProcess.forEachTest()

const page = Documents.read("adapters/first-supplier.md")
const SERVE = "SIMPLAN_TELCO_FILE=telcos.json npx simplan serve\n"

/** Runs commands as a terminal does, with what is typed into it; answers what they printed. */
const terminal = (commands: ReadonlyArray<string>, typed = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const cwd = processes.cwd()
    const env = { ...process.env, PATH: `${join(cwd, "bin")}:${process.env["PATH"]}` }
    const child = spawn("bash", ["-euo", "pipefail", "-c", commands.join("\n")], { cwd, env })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
    child.once("close", (code) =>
      code === 0 ? resolve(out) : reject(new Error(`It ends with ${code}:\n${out}${err}`))
    )
    child.stdin.end(typed)
  })

it("takes a newcomer from a key to a QR code", async () => {
  const fake = await SupplierServer.start({ now: () => Date.now() })
  processes.closing.push(fake.close)
  Leaks.know(SupplierServer.KEY)
  const cwd = processes.cwd()
  const { main } = await BuiltCopy.shared()
  mkdirSync(join(cwd, "bin"))
  writeFileSync(join(cwd, "bin/npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(join(cwd, "bin/npx"), 0o755)

  const blocks = Blocks.of(page).flatMap(({ language, text }) => (language === "sh" ? [text] : []))
  const started = blocks.indexOf(SERVE)
  const local = `"kind": "esim-go", "url": "${fake.url}"`
  const before = blocks.slice(0, started).map((text) => text.replace('"kind": "esim-go"', local))
  const checked = await terminal(before, `${SupplierServer.KEY}\n`)
  for (const { language, text } of Blocks.of(page)) {
    // The widths of the columns are those of what is found.
    const rows = language === "text" ? text.trimEnd().split("\n") : []
    for (const row of rows) expect(checked).toContain(row.split(/ {2,}/).at(-1))
  }
  expect(fake.supplier.orders).toEqual([])

  const env = { SIMPLAN_TELCO_FILE: "telcos.json", ESIM_GO_KEY: SupplierServer.KEY }
  const address = (await processes.start({ env }).listening).replace("http://", "")
  const after = blocks.slice(started + 1).map((text) => text.replaceAll("localhost:3000", address))
  const done = await terminal(after)
  const [order] = fake.supplier.orders
  expect(fake.supplier.orders).toHaveLength(1)
  expect(done).toContain(`"iccid":"${order?.iccid}"`)
  expect(done).toContain(`LPA:1$smdp.example.com$${order?.matchingId}`)
  expect(done).toMatch(/data_mega_bytes +953/)
  expect(done).toContain("PENDING_FOR_FIRST_USE")
  expect(done).toContain("▄▄▄▄▄")
  expect(readFileSync(join(cwd, "qr.svg"), "utf8")).toMatch(/^<svg /)
  Leaks.watch({ what: "the page's commands", text: () => checked + done })
})
