// `npm run test:hosts`: packs the package and uses it in fresh folders as hosts do. It needs the registry, as `npm ci` does.
// `npm run test:hosts -- pnpm bundles` runs only the cases that are named; `--keep` keeps their folders.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Package from "./Package.mjs"
import * as Bundles from "./cases/bundles.mjs"
import * as CommandLine from "./cases/command-line.mjs"
import * as EffectThree from "./cases/effect-3.mjs"
import * as Examples from "./cases/examples.mjs"
import * as Lint from "./cases/lint.mjs"
import * as Npm from "./cases/npm.mjs"
import * as OtherNodes from "./cases/nodes.mjs"
import * as OwnEffect from "./cases/effect.mjs"
import * as Pnpm from "./cases/pnpm.mjs"
import * as Small from "./cases/small.mjs"
import * as Types from "./cases/types.mjs"
import * as Yarn from "./cases/yarn.mjs"

const cases = {
  lint: Lint,
  npm: Npm,
  nodes: OtherNodes,
  "command-line": CommandLine,
  effect: OwnEffect,
  bundles: Bundles,
  types: Types,
  small: Small,
  "effect-3": EffectThree,
  pnpm: Pnpm,
  yarn: Yarn,
  examples: Examples
}

const given = process.argv.slice(2)
const keeps = given.includes("--keep")
const asked = given.filter((name) => name !== "--keep")
const unknown = asked.find((name) => !Object.hasOwn(cases, name))
if (unknown !== undefined) {
  console.error(`${unknown} is no case. The cases are ${Object.keys(cases).join(", ")}.`)
  process.exit(2)
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const folder = mkdtempSync(join(tmpdir(), "simplan-hosts-"))
let failed = 0
try {
  const packing = performance.now()
  const tarball = Package.pack(folder)
  console.log(`packed ${tarball} (${seconds(packing)})`)
  for (const [name, { run }] of Object.entries(cases)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    const since = performance.now()
    try {
      await run({ folder, tarball })
      console.log(`ok   ${name} (${seconds(since)})`)
    } catch (error) {
      failed++
      console.error(`FAIL ${name} (${seconds(since)})\n${error.stack}`)
    }
  }
} finally {
  if (keeps) console.log(`kept ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}
if (failed > 0) {
  console.error(`${failed} of the cases failed`)
  process.exit(1)
}
