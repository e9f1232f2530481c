// Bundles of esbuild, in a folder without packages: the example of the README, an embedded
// database, the console, whose files are not there, and how much one import takes with it.
import { mkdirSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as Host from "../Host.mjs"

/** What the bundle of one import may have, minified, in bytes. */
const LARGEST = 60_000

const stored = `
import { createSimplan } from "simplan/promise"

const main = async () => {
  const simplan = createSimplan({ database: "./data", telco: "simulator" })
  const { name } = await simplan.organizations.create({ name: "Acme" })
  console.log(name)
  await simplan.close()
}
main()
`

const hosted = `
import { createSimplan } from "simplan/promise"

const main = async () => {
  const http = { groups: ["console", "health", "docs"], adminToken: "9f3a7c1e5b8d204f6ac97e13d05b82f4c6718e9da3b25f407ce1986bd40a37f2" }
  const logger = { debug: () => {}, info: () => {}, warn: console.log, error: console.log }
  const simplan = createSimplan({ database: "memory", telco: "simulator", logger, http })
  await simplan.ready()
  for (const path of ["/healthz", "/openapi.json", "/admin/v1/overview", "/admin/console"]) {
    console.log(path, (await simplan.handler(new Request("http://host" + path))).status)
  }
  await simplan.close()
}
main()
`

/** What a bundle says of the console, once, and what it serves. */
const SERVED = [
  "The files of the console are not beside this code, so /admin/console is 404, and all else is served. A bundle leaves them " +
    "out: keep simplan out of it, by --external:simplan of esbuild or its like",
  "/healthz 200",
  "/openapi.json 200",
  "/admin/v1/overview 401",
  "/admin/console 404"
].join("\n")

const FORMATS = { esm: "mjs", cjs: "cjs" }

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
  const pglite = ["node_modules", "@electric-sql", "pglite"]
  symlinkSync(join(host.directory, ...pglite), join(folder, "beside", ...pglite), "dir")
  host.write("stored.mjs", stored)
  host.write("hosted.mjs", hosted)
  for (const [format, ending] of Object.entries(FORMATS)) {
    const flags = [`--format=${format}`, "--external:@electric-sql/pglite"]
    const file = bundle("stored.mjs", `beside/stored.${ending}`, ...flags)
    rmSync(join(folder, "beside", "data"), { recursive: true, force: true })
    Host.expect(`The ${format} bundle with an embedded database prints`, node(file, join(folder, "beside")), "Acme")
    const served = node(bundle("hosted.mjs", `hosted.${ending}`, `--format=${format}`))
    Host.expect(`The ${format} bundle with the console prints`, served, SERVED)
  }
  const file = bundle("hosted.mjs", "../npm/hosted.cjs", "--format=cjs", "--external:simplan")
  const beside = node(file, host.directory)
  Host.expect("Beside the package the console is there", beside.split("\n").at(-1), "/admin/console 200")

  host.write("one.mjs", 'import { NotFoundError } from "simplan/promise"\nconsole.log(NotFoundError.prototype.name)\n')
  const one = bundle("one.mjs", "one.mjs", "--minify")
  Host.expect("The bundle of one import prints", node(one), "NotFoundError")
  const { size } = statSync(one)
  console.log(`     the bundle of one import has ${(size / 1000).toFixed(0)} kB`)
  if (size > LARGEST) throw new Error(`The bundle of one import has ${size} bytes, more than ${LARGEST}`)
}
