// Projects that are CommonJS, as `examples/modules.md` says: Node, three ways of TypeScript, and
// Jest, with modules as they are and with all of them made CommonJS.
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { join } from "node:path"
import * as Host from "../Host.mjs"

const folder = fileURLToPath(new URL("../modules", import.meta.url))

/** The compilers by how they resolve modules, each with what it needs. */
const compiled = {
  node10: ["typescript-5.7", { module: "commonjs", moduleResolution: "node10", skipLibCheck: true }],
  nodenext: ["typescript", { module: "nodenext", moduleResolution: "nodenext" }],
  bundler: ["typescript", { module: "commonjs", moduleResolution: "bundler" }]
}

export const run = (context) => {
  const { private: isPrivate, ...manifest } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
  const names = readdirSync(folder).filter((name) => name !== "manifest.json")
  const host = Host.make(context, "modules", {
    ...manifest,
    type: "commonjs",
    dependencies: {
      "@types/node": "22.19.3",
      "@swc/core": "^1.15.0",
      "@swc/jest": "^0.2.39",
      jest: "30.2.0",
      typescript: "7.0.2",
      "typescript-5.7": "npm:typescript@5.7.3"
    },
    files: Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]))
  })
  Host.install(host, "--ignore-scripts")
  Host.expect("CommonJS prints", host.node("shop.cjs").trim(), "Acme true")
  for (const [name, [compiler, options]] of Object.entries(compiled)) {
    const compilerOptions = {
      strict: true,
      target: "es2022",
      lib: ["ES2023", "DOM"],
      types: ["node"],
      outDir: name,
      ...options
    }
    host.write(`tsconfig.${name}.json`, JSON.stringify({ compilerOptions, files: ["shop.ts"] }))
    host.node(`node_modules/${compiler}/bin/tsc`, "-p", `tsconfig.${name}.json`)
    Host.expect(`${name} prints`, host.node(`${name}/shop.js`).trim(), "Acme function")
  }
  host.run("npm", ["test"])
  host.run("npx", ["--no-install", "jest", "--config", "jest.swc.json"])
}
