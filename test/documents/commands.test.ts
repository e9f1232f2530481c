/**
 * The blocks of shell in documents run, against a server of their own. `npm` only has to know the
 * script, and a server is not started a second time. Of transcripts (`text`) the commands have to
 * be understood. `test/telco-routes/first-supplier.test.ts` runs those of its page.
 */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as BuiltCopy from "../cli/BuiltCopy.ts"
import * as ServerProcess from "../cli/server/ServerProcess.ts"
import * as Blocks from "./Blocks.ts"
import * as Documents from "./Documents.ts"

const processes = ServerProcess.forEachTest()

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const { scripts } = JSON.parse(readFileSync(`${Documents.root}package.json`, "utf8"))

/** The programs that blocks call by name. */
const programs = (main: string): Readonly<Record<string, string>> => ({
  simplan: `[ "$1" = serve ] && set -- serve --help
exec "${process.execPath}" "${main}" "$@"`,
  npx: `[ "$1" = simplan ] || exit 9
shift
exec simplan "$@"`,
  node: `[ "$1" = dist/adapters/cli/main.js ] || exit 9
shift
exec simplan "$@"`,
  npm: `case "$*" in
  ci|"install simplan"|"install @electric-sql/pglite") exit 0 ;;
  "run "*) shift ;;
esac
case " ${Object.keys(scripts).join(" ")} " in *" $1 "*) ;; *) echo "There is no script $1" >&2; exit 9 ;; esac`
})

const shell = (script: string, cwd: string): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { ...process.env, PATH: `${join(cwd, "bin")}:${process.env["PATH"]}` }
    const child = spawn("bash", ["-euo", "pipefail", "-c", script], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
    child.once("close", (code) => resolve({ code, out, err }))
  })

/** Pages whose commands need a supplier. */
const elsewhere = ["adapters/first-supplier.md"]

const blocksIn = (language: string) =>
  Documents.paths
    .filter((path) => !elsewhere.includes(path))
    .flatMap((path) =>
      Blocks.of(Documents.read(path)).flatMap((block) =>
        block.language === language ? [{ where: `${path}:${block.line}`, text: block.text }] : []
      )
    )

it("run, and are understood by the server", async () => {
  const cwd = processes.cwd()
  const { main } = await BuiltCopy.shared()
  mkdirSync(join(cwd, "bin"))
  for (const [name, script] of Object.entries(programs(main))) {
    writeFileSync(join(cwd, "bin", name), `#!/usr/bin/env bash\n${script}\n`)
    chmodSync(join(cwd, "bin", name), 0o755)
  }
  symlinkSync(`${Documents.root}examples`, join(cwd, "examples"))
  const address = (await processes.start({}).listening).replace("http://", "")

  const scripts = blocksIn("sh")
  expect(scripts.length).toBeGreaterThan(5)
  for (const { text, where } of scripts) {
    const { code, err, out } = await shell(text.replaceAll("localhost:3000", address), cwd)
    expect({ where, code, err: code === 0 ? "" : err }).toEqual({ where, code: 0, err: "" })
    // There is no problem to be retried.
    const refusals = [...out.matchAll(/"code":"(\w+)"/g)].map(([, refusal]) => refusal)
    expect({ where, refusals: refusals.filter((refusal) => refusal !== "problem_not_found") }).toEqual({
      where,
      refusals: []
    })
    if (where.startsWith("README") && text.includes("/v3/subscription")) expect(out).toMatch(/"lpa_string":"LPA:1\$/)
  }

  const transcripts = blocksIn("text").flatMap(({ text, where }) =>
    Array.from(text.matchAll(/^\$ (.+)$/gm), ([, command = ""]) => ({ where, command }))
  )
  expect(transcripts.length).toBeGreaterThan(3)
  for (const { command, where } of transcripts) {
    const { code, err } = await shell(command, cwd)
    // What the transcript is about need not be there.
    const understood = code === 0 || (code === 1 && /_not_found\)|^Nothing has this\./.test(err))
    expect({ where, command, err: understood ? "" : err }).toEqual({ where, command, err: "" })
  }
}, 300_000)
