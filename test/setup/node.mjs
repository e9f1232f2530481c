// Runs the whole suite on each supported release of Node: `npm run test:node`, or
// `npm run test:node -- 24` for one of them. The registry's package `node` has the releases; `npx`
// fetches it.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const RELEASES = ["22", "24"]

const root = fileURLToPath(new URL("../..", import.meta.url))
const asked = process.argv.slice(2)
const suite = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/setup/suites/everything.config.ts"]

for (const release of asked.length === 0 ? RELEASES : asked) {
  console.log(`\nNode ${release}`)
  const { status } = spawnSync("npx", ["--yes", "--package", `node@${release}`, "--", "node", ...suite], {
    cwd: root,
    stdio: "inherit"
  })
  if (status !== 0) {
    console.error(`The suite fails on Node ${release}`)
    process.exit(1)
  }
}
