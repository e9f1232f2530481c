// Opens the PGlite adapter on the directory in argv, says so on standard output, and holds it until
// its input ends.
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { runnerImport } from "vite"

const { module } = await runnerImport(fileURLToPath(new URL("./holdPglite.ts", import.meta.url)), {
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  logLevel: "error",
  environments: { inline: { resolve: { conditions: ["simplan-source"], noExternal: [/^simplan/] } } }
})

const input = createInterface({ input: process.stdin })
await module.hold(
  process.argv[2],
  (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  new Promise((resolve) => input.once("close", resolve))
)
input.close()
