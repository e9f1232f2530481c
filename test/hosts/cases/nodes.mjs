// The releases of Node that hosts are on: the example of the README, and `require`.
import * as Host from "../Host.mjs"

const RELEASES = ["20", "22", "24"]

export const run = (context) => {
  const host = Host.shared(context)
  host.write("require.cjs", 'console.log(typeof require("simplan/promise").createSimplan)')
  for (const release of RELEASES) {
    const node = Host.nodeOf(release)
    host.embeds(node)
    const output = host.run(node, ["--no-warnings", "require.cjs"])
    Host.expect(`require on Node ${release} prints`, output.trim(), "function")
  }
}
