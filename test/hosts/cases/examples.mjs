// The examples that are packages of their own, each with simplan from the tarball: `npm run check` and `npm test` of each
// that has them. They are installed once, as workspaces.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import * as Host from "../Host.mjs"
import { root } from "../Package.mjs"

const examples = join(root, "examples")

const names = () =>
  readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(examples, entry.name, "package.json")))
    .map(({ name }) => name)

export const run = (context) => {
  const found = names()
  if (found.length === 0) return
  const host = Host.make(context, "examples", { workspaces: found })
  for (const name of found) {
    const copy = join(host.directory, name)
    const filter = (path) => !["node_modules", "dist", ".next"].includes(basename(path))
    cpSync(join(examples, name), copy, { recursive: true, filter })
    const file = join(copy, "package.json")
    const manifest = JSON.parse(readFileSync(file, "utf8"))
    const dependencies = { ...manifest.dependencies, simplan: `file:${context.tarball}` }
    writeFileSync(file, JSON.stringify({ ...manifest, dependencies }, null, 2))
  }
  Host.install(host)
  const failures = []
  for (const name of found) {
    const since = performance.now()
    try {
      for (const script of ["check", "test"]) {
        host.run("npm", ["run", "--if-present", "--workspace", name, script])
      }
      console.log(`     ${name} (${((performance.now() - since) / 1000).toFixed(1)} s)`)
    } catch (error) {
      failures.push(`${name}: ${error.message}`)
    }
  }
  if (failures.length > 0) throw new Error(failures.join("\n"))
}
