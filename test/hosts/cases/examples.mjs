// The examples that are packages of their own, each with simplan from the tarball: `npm run check`
// and `npm test` of each that has them. They are installed once, as workspaces, and find a
// PostgreSQL at DATABASE_URL.
import { spawn } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, delimiter, dirname, join } from "node:path"
import { createInterface } from "node:readline"
import * as Host from "../Host.mjs"
import { root } from "../Package.mjs"

const examples = join(root, "examples")

/** The names of the examples. */
export const parts = () =>
  readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(examples, entry.name, "package.json")))
    .map(({ name }) => name)

/** The release of Node for an example whose manifest asks for another one than this. */
const RELEASE = "24"

/** The environment of an example's scripts: with the Node that its manifest asks for. */
const environmentOf = ({ engines }) =>
  engines === undefined ? {} : { PATH: [dirname(Host.nodeOf(RELEASE)), process.env.PATH].join(delimiter) }

/**
 * Tools of the examples ask nobody but the registry. Prisma would fetch its schema engine from
 * elsewhere, which generates nothing: any program will do in its place.
 */
const offline = {
  CHECKPOINT_DISABLE: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath
}

/** A PostgreSQL for as long as the examples run. */
const startPostgres = async () => {
  const keeper = spawn(process.execPath, [join(root, "test", "setup", "databases", "postgres-keeper.mjs")], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => keeper.once("exit", resolve))
  const line = new Promise((resolve) => createInterface({ input: keeper.stdout }).once("line", resolve))
  const { error, url } = JSON.parse(await Promise.race([line, ended.then(() => '{"error":"PostgreSQL has ended"}')]))
  if (url === undefined) throw new Error(error)
  const stop = async () => {
    keeper.stdin.end()
    await ended
  }
  return { url, stop }
}

export const run = async (context) => {
  const found = context.parts ?? parts()
  if (found.length === 0) return
  const host = Host.make(context, "examples", { workspaces: found })
  const environments = new Map()
  for (const name of found) {
    const copy = join(host.directory, name)
    const filter = (path) => !["node_modules", "dist", ".next", "generated"].includes(basename(path))
    cpSync(join(examples, name), copy, { recursive: true, filter })
    const file = join(copy, "package.json")
    const manifest = JSON.parse(readFileSync(file, "utf8"))
    const dependencies = { ...manifest.dependencies, simplan: `file:${context.tarball}` }
    writeFileSync(file, JSON.stringify({ ...manifest, dependencies }, null, 2))
    environments.set(name, environmentOf(manifest))
  }
  // No example needs an install script; one of Prisma would fetch its engines.
  Host.install(host, "--ignore-scripts")
  const postgres = await startPostgres()
  const failures = []
  for (const name of found) {
    const since = performance.now()
    try {
      for (const script of ["check", "test"]) {
        const args = ["run", "--if-present", "--workspace", name, script]
        const env = { ...environments.get(name), ...offline, DATABASE_URL: postgres.url }
        host.run("npm", args, { env })
      }
      console.log(`     ${name} (${((performance.now() - since) / 1000).toFixed(1)} s)`)
    } catch (error) {
      failures.push({ name, error })
    }
  }
  await postgres.stop()
  if (failures.length === 0) return
  const listed = (describe) => failures.map(({ error, name }) => `${name}: ${describe(error)}`).join("\n")
  throw new Host.Failure(
    listed(({ message }) => message),
    listed(Host.summaryOf)
  )
}
