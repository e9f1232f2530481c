// The types, checked whole by the oldest and the newest TypeScript, as Node and as bundlers resolve them.
import * as Host from "../Host.mjs"
import { manifest } from "../Package.mjs"

const COMPILERS = ["typescript-5.7", "typescript"]
const RESOLUTIONS = { node16: "node16", bundler: "esnext" }

const entries = Object.keys(manifest.exports).filter((name) => name !== "./package.json")

const consumer = `${entries.map((name, at) => `import * as entry${at} from "simplan${name.slice(1)}"`).join("\n")}

export const loaded = [${entries.map((_, at) => `entry${at}`).join(", ")}]
`

export const run = (context) => {
  const host = Host.shared(context)
  host.write("entries.ts", consumer)
  host.write("embed.ts", Host.example)
  for (const [moduleResolution, module] of Object.entries(RESOLUTIONS)) {
    const compilerOptions = {
      exactOptionalPropertyTypes: true,
      lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
      module,
      moduleResolution,
      noEmit: true,
      skipLibCheck: false,
      strict: true,
      target: "ES2022",
      types: ["node"]
    }
    host.write(
      `tsconfig.${moduleResolution}.json`,
      JSON.stringify({ compilerOptions, files: ["entries.ts", "embed.ts"] })
    )
    for (const compiler of COMPILERS) {
      host.node(`node_modules/${compiler}/bin/tsc`, "-p", `tsconfig.${moduleResolution}.json`)
    }
  }
}
