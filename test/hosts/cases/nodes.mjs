// The releases of Node that hosts are on: the example of the README, and `require` of every entry
// point.
import * as Host from "../Host.mjs"
import { manifest } from "../Package.mjs"

const RELEASES = ["20", "22", "24"]

const required = `
const entries = ${JSON.stringify(Object.keys(manifest.exports).map((name) => `simplan${name.slice(1)}`))}
for (const entry of entries) if (Object.keys(require(entry)).length === 0) throw new Error(entry + " has nothing")
console.log(typeof require("simplan/promise").createSimplan)
`

export const run = (context) => {
  const host = Host.shared(context)
  host.write("require.cjs", required)
  for (const release of RELEASES) {
    const node = Host.nodeOf(release)
    host.embeds(node)
    const output = host.run(node, ["--no-warnings", "require.cjs"])
    Host.expect(`require on Node ${release} prints`, output.trim(), "function")
  }
}
