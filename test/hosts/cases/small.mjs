// A host of Promises that leaves out the optional dependencies: how much is installed, what an
// import costs, and what is said of the packages that are not there.
import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import * as Host from "../Host.mjs"

/** Beside `effect`, in bytes: 13.6 MB, of which the package has 12.5. */
const LARGEST = 13_900_000
/**
 * Times the CPU that the import of `effect` takes: 1.00 to 1.13, by what the machine's neighbours
 * do, and 1.8 if it were of modules.
 */
const COSTLIEST = 1.3
/**
 * Times that CPU that a command takes which only says its version: 1.05, and 3 if it were of
 * modules.
 */
const COSTLIEST_COMMAND = 1.5
/** What the import adds to the process's memory, in bytes: 48 MB, and 76 if it were of modules. */
const MOST_MEMORY = 55_000_000

const sizeOf = (path) => {
  const status = lstatSync(path)
  if (!status.isDirectory()) return status.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

const measured = `
const before = process.memoryUsage.rss()
await import(process.argv[2])
const { system, user } = process.cpuUsage()
console.log(JSON.stringify({ cpu: user + system, memory: process.memoryUsage.rss() - before }))
`

const measuredCommand = `
process.argv[2] = "--version"
process.on("exit", () => {
  const { system, user } = process.cpuUsage()
  process.stdout.write("\\n" + JSON.stringify({ cpu: user + system }))
})
await import("./node_modules/simplan/dist/adapters/cli/main.js")
`

const scripts = {
  effect: ["measure.mjs", "effect"],
  simplan: ["measure.mjs", "simplan/promise"],
  command: ["command.mjs"]
}

/** The least of some runs, by turns, since what else the machine does only adds. */
const compare = (host, node, runs) => {
  const found = Object.entries(scripts).map(([name, script]) => ({ name, script, cpu: Infinity, memory: Infinity }))
  for (let run = 0; run < runs; run++) {
    for (const one of found) {
      const { cpu, memory = Infinity } = JSON.parse(
        host
          .run(node, ["--no-warnings", ...one.script])
          .trim()
          .split("\n")
          .at(-1)
      )
      one.cpu = Math.min(one.cpu, cpu)
      one.memory = Math.min(one.memory, memory)
    }
  }
  const [effect, simplan, command] = found
  return { ratio: simplan.cpu / effect.cpu, command: command.cpu / effect.cpu, memory: simplan.memory }
}

export const run = (context) => {
  const host = Host.make(context, "small", {
    files: { "measure.mjs": measured, "command.mjs": measuredCommand }
  })
  Host.install(host, "--omit=optional")
  host.embeds()

  const installed = join(host.directory, "node_modules")
  const beside = sizeOf(installed) - sizeOf(join(installed, "effect"))
  if (beside > LARGEST) throw new Error(`${beside} bytes are installed beside effect, more than ${LARGEST}`)

  const node = Host.nodeOf("22")
  const cost = compare(host, node, 7)
  // A machine that does much else disturbs short runs.
  const isCostly = cost.ratio > COSTLIEST || cost.command > COSTLIEST_COMMAND
  const again = isCostly ? compare(host, node, 15) : cost
  const ratio = Math.min(cost.ratio, again.ratio)
  const command = Math.min(cost.command, again.command)
  const memory = Math.min(cost.memory, again.memory)
  console.log(
    `     ${(beside / 1e6).toFixed(1)} MB beside effect; the import takes ${ratio.toFixed(2)} × that of effect, and ${(memory / 1e6).toFixed(0)} MB; a command takes ${command.toFixed(2)} ×`
  )
  if (ratio > COSTLIEST)
    throw new Error(`The import takes ${ratio.toFixed(2)} × that of effect, more than ${COSTLIEST}`)
  if (command > COSTLIEST_COMMAND)
    throw new Error(`A command takes ${command.toFixed(2)} × the import of effect, more than ${COSTLIEST_COMMAND}`)
  if (memory > MOST_MEMORY) throw new Error(`The import takes ${memory} bytes, more than ${MOST_MEMORY}`)

  const said = host.run("npx", ["--no-install", "simplan", "serve"], { fails: true }).trim().split("\n").at(-1)
  if (!/^simplan's command line needs the package (\S+), which is not installed: npm install \1$/.test(said)) {
    throw new Error(`The command line says of a missing package: ${said}`)
  }

  host.write("testing.mjs", 'import("simplan/testing").catch(({ message }) => console.log(message))')
  Host.expect(
    "The import of simplan/testing says",
    host.node("testing.mjs").trim(),
    "simplan/testing needs the package fast-check, which is not installed: npm install fast-check"
  )
}
