// The console in the frameworks of the examples, with a login by cookies, read and written with the
// headers that browsers send. Next.js has its own test in its example.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Host from "../Host.mjs"
import { root } from "../Package.mjs"

/** What the examples of the frameworks install. */
const dependencies = () =>
  Object.assign(
    {},
    ...["express", "fastify", "hono", "koa", "nestjs"].map((name) => {
      const manifest = JSON.parse(readFileSync(join(root, "examples", name, "package.json"), "utf8"))
      const { simplan: _, ...others } = { ...manifest.dependencies, ...manifest.devDependencies }
      return others
    })
  )

export const run = (context) => {
  const file = "consoles.test.js"
  const text = readFileSync(join(root, "test/hosts/consoles", file), "utf8")
  const host = Host.make(context, "consoles", { dependencies: dependencies(), files: { [file]: text } })
  Host.install(host)
  host.node("--test", file)
}
