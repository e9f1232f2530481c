// pnpm, which lets a package see nothing but its own dependencies: the example of the README.
import * as Host from "../Host.mjs"

const PNPM = "pnpm@12.21.0"

export const run = (context) => {
  const host = Host.make(context, "pnpm")
  host.run("npx", ["--yes", PNPM, "install", "--prefer-offline", "--store-dir", `${context.folder}/pnpm-store`])
  host.embeds()
}
