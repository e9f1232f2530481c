// `npm run test:hosts`: packs the package and uses it in fresh folders as hosts do. It needs the
// registry, as `npm ci` does. `npm run test:hosts -- pnpm examples/nextjs` runs only the cases that
// are named, and of a case that has parts only those; `--keep` keeps their folders.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Host from "./Host.mjs"
import * as Package from "./Package.mjs"
import * as Bundles from "./cases/bundles.mjs"
import * as CommandLine from "./cases/command-line.mjs"
import * as Consoles from "./cases/consoles.mjs"
import * as EffectThree from "./cases/effect-3.mjs"
import * as Examples from "./cases/examples.mjs"
import * as Injected from "./cases/injected.mjs"
import * as Lint from "./cases/lint.mjs"
import * as Modules from "./cases/modules.mjs"
import * as Mounts from "./cases/mounts.mjs"
import * as Npm from "./cases/npm.mjs"
import * as OtherNodes from "./cases/nodes.mjs"
import * as OwnEffect from "./cases/effect.mjs"
import * as Pnpm from "./cases/pnpm.mjs"
import * as Shop from "./cases/shop.mjs"
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
  modules: Modules,
  mounts: Mounts,
  injected: Injected,
  consoles: Consoles,
  small: Small,
  "effect-3": EffectThree,
  pnpm: Pnpm,
  yarn: Yarn,
  examples: Examples,
  shop: Shop
}

const given = process.argv.slice(2)
const keeps = given.includes("--keep")
const asked = given.filter((name) => name !== "--keep").map((name) => name.split("/"))
/** What may be asked for of a case. */
const partsOf = (name) => cases[name].parts?.() ?? []
const isKnown = ([name, part]) => Object.hasOwn(cases, name) && (part === undefined || partsOf(name).includes(part))
const unknown = asked.find((names) => !isKnown(names))
if (unknown !== undefined) {
  const known = Object.keys(cases).flatMap((name) => [name, ...partsOf(name).map((part) => `${name}/${part}`)])
  console.error(`${unknown.join("/")} is no case. The cases are ${known.join(", ")}.`)
  process.exit(2)
}

/** The parts of a case that are asked for; undefined for all of them. */
const askedOf = (name) => {
  const parts = asked.flatMap(([asking, part]) => (asking === name ? [part] : []))
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const folder = mkdtempSync(join(tmpdir(), "simplan-hosts-"))
const failures = []
try {
  const packing = performance.now()
  const tarball = Package.pack(folder)
  console.log(`packed ${tarball} (${seconds(packing)})`)
  for (const [name, { run }] of Object.entries(cases)) {
    if (asked.length > 0 && !asked.some(([asking]) => asking === name)) continue
    const since = performance.now()
    try {
      await run({ folder, tarball, parts: askedOf(name) })
      console.log(`ok   ${name} (${seconds(since)})`)
    } catch (error) {
      failures.push(`FAIL ${name}: ${Host.summaryOf(error)}`)
      console.error(`FAIL ${name} (${seconds(since)})\n${error.stack}`)
    }
  }
} finally {
  if (keeps) console.log(`kept ${folder}`)
  else rmSync(folder, { recursive: true, force: true })
}
// Last, because of a long log often only the end is kept.
if (failures.length > 0) {
  console.error(`${failures.length} of the cases failed\n${failures.join("\n")}`)
  process.exit(1)
}
