// `examples/shop`, installed as its developer installs it: two processes of it under kill -9, with
// a supplier that loses answers and refuses orders, and its pages in a real browser.
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Host from "../Host.mjs"
import { root } from "../Package.mjs"

/** For 30 kills, and for what they leave: a purchase without an answer may wait for minutes. */
const TIMEOUT = 1_200_000

export const run = (context) => {
  const host = Host.make(context, "shop")
  cpSync(join(root, "examples", "shop"), host.directory, { recursive: true })
  const file = join(host.directory, "package.json")
  const manifest = JSON.parse(readFileSync(file, "utf8"))
  const dependencies = { ...manifest.dependencies, simplan: `file:${context.tarball}` }
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies }, null, 2))
  Host.install(host)
  const args = ["vitest", "run", "--config", "test/hosts/shop/vitest.config.ts"]
  Host.run(root, "npx", args, { env: { SHOP: host.directory }, timeout: TIMEOUT })
}
