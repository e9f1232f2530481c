// Bundles of esbuild, in a folder without packages: the example of the README, an embedded database, and how much one
// import takes with it.
import { mkdirSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as Host from "../Host.mjs"

/** What the bundle of one import may have, minified, in bytes. */
const LARGEST = 60_000

const stored = `
import { createSimplan } from "simplan/promise"

const simplan = createSimplan({ database: "./data", telco: "simulator" })
const { name } = await simplan.organizations.create({ name: "Acme" })
console.log(name)
await simplan.close()
`

export const run = (context) => {
  const host = Host.shared(context)
  const folder = join(context.folder, "bundles")
  mkdirSync(join(folder, "beside", "node_modules", "@electric-sql"), { recursive: true })
  const bundle = (entry, name, ...flags) => {
    const file = join(folder, name)
    const args = [entry, "--bundle", "--platform=node", "--format=esm", "--log-level=error", ...flags]
    host.run("npx", ["--no-install", "esbuild", ...args, `--outfile=${file}`])
    return file
  }
  const node = (file, directory = folder) => Host.run(directory, process.execPath, ["--no-warnings", file]).trim()

  for (const flags of [[], ["--minify"]]) {
    const file = bundle("embed.mjs", `example${flags.join("")}.mjs`, ...flags)
    Host.expect(`The bundle ${flags.join(" ")} prints`, node(file), Host.printed)
  }

  // PGlite loads files that lie beside it, so that it stays a package.
  host.write("stored.mjs", stored)
  const file = bundle("stored.mjs", "beside/stored.mjs", "--external:@electric-sql/pglite")
  const pglite = ["node_modules", "@electric-sql", "pglite"]
  symlinkSync(join(host.directory, ...pglite), join(folder, "beside", ...pglite), "dir")
  Host.expect("The bundle with an embedded database prints", node(file, join(folder, "beside")), "Acme")

  host.write("one.mjs", 'import { NotFoundError } from "simplan/promise"\nconsole.log(NotFoundError.name)\n')
  const { size } = statSync(bundle("one.mjs", "one.mjs", "--minify"))
  console.log(`     the bundle of one import has ${(size / 1000).toFixed(0)} kB`)
  if (size > LARGEST) throw new Error(`The bundle of one import has ${size} bytes, more than ${LARGEST}`)
}
