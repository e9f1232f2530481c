// The types and the examples, checked whole by the oldest and the newest TypeScript, as Node and as
// bundlers resolve them.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Host from "../Host.mjs"
import { manifest, root } from "../Package.mjs"

const COMPILERS = ["typescript-5.7", "typescript"]
const RESOLUTIONS = { node16: "node16", bundler: "esnext" }

/**
 * The examples in TypeScript, by their paths; those that are packages of their own have a compiler
 * of their own.
 */
const examples = () => {
  const directory = join(root, "examples")
  const paths = readdirSync(directory, { recursive: true }).map((path) => path.replaceAll("\\", "/"))
  const own = paths
    .filter((path) => path.endsWith("/package.json"))
    .map((path) => path.slice(0, -"package.json".length))
  const isShared = (path) => path.endsWith(".ts") && !own.some((folder) => path.startsWith(folder))
  return paths.filter(isShared).map((path) => [`examples/${path}`, readFileSync(join(directory, path), "utf8")])
}

const entries = Object.keys(manifest.exports).filter((name) => name !== "./package.json")

const consumer = `${entries.map((name, at) => `import * as entry${at} from "simplan${name.slice(1)}"`).join("\n")}

export const loaded = [${entries.map((_, at) => `entry${at}`).join(", ")}]
`

export const run = (context) => {
  const host = Host.shared(context)
  host.write("entries.ts", consumer)
  const files = ["entries.ts"]
  for (const [path, text] of examples()) {
    host.write(path, text)
    files.push(path)
  }
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
    host.write(`tsconfig.${moduleResolution}.json`, JSON.stringify({ compilerOptions, files }))
    for (const compiler of COMPILERS) {
      host.node(`node_modules/${compiler}/bin/tsc`, "-p", `tsconfig.${moduleResolution}.json`)
    }
  }
}
