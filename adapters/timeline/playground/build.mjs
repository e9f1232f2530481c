// Builds the playground: one HTML file with the page, the core and the simulation. The argument
// names the file.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, defaultClientConditions } from "vite"

const here = fileURLToPath(new URL(".", import.meta.url))
const root = fileURLToPath(new URL("../../..", import.meta.url))

const scenarios = () => {
  const directory = join(root, "examples", "simulate")
  const names = readdirSync(directory).filter((name) => name.endsWith(".json"))
  return names.map((name) => ({
    name: name.replace(/\.json$/, ""),
    scenario: JSON.parse(readFileSync(join(directory, name), "utf8"))
  }))
}

/** Refuses modules of Node. */
const boundary = {
  name: "playground-boundary",
  enforce: "pre",
  resolveId(id, importer) {
    if (id.startsWith("node:")) throw new Error(`The playground would need ${id}, which ${importer} imports.`)
  }
}

/** The page with its script, its style and the example scenarios inline. */
const inlined = (output) => {
  const file = (test) => output.find(({ fileName }) => test(fileName))
  const page = String(file((name) => name.endsWith(".html")).source)
  const script = file((name) => name.endsWith(".js")).code.replaceAll("</script", "<\\/script")
  const style = String(file((name) => name.endsWith(".css")).source)
  const examples = JSON.stringify(scenarios()).replaceAll("<", "\\u003c")
  const data = `<script type="application/json" id="scenarios">${examples}</script>`
  return page
    .replace(/\s*<script type="module"[^>]*><\/script>/, "")
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace("</body>", () => `${data}<script type="module">${script}</script></body>`)
}

const { output } = await build({
  configFile: false,
  root: here,
  logLevel: "warn",
  plugins: [boundary],
  resolve: { conditions: ["simplan-source", ...defaultClientConditions] },
  build: {
    write: false,
    modulePreload: false,
    target: "es2023",
    rolldownOptions: { treeshake: { moduleSideEffects: (id) => id.startsWith(here) } }
  }
})
const html = inlined(output)
const path = process.argv[2] ?? join(root, "dist", "playground.html")
mkdirSync(dirname(path), { recursive: true })
writeFileSync(path, html)
console.log(`${path} (${Math.round(Buffer.byteLength(html) / 1024)} kB): open it in a browser.`)
