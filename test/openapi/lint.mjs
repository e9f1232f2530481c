// `npm run lint:openapi`: checks `/openapi.json` with Redocly (its rules "recommended") and
// Spectral ("spectral:oas"). Both come by npx, so that an installation is not 200 packages larger.
// Any error or warning is a failure.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { ensureBuilt, root } from "../../adapters/cli/build/build.mjs"

await ensureBuilt()
const { Document } = await import(pathToFileURL(join(root, "dist", "adapters", "http", "index.js")).href)

const directory = mkdtempSync(join(tmpdir(), "simplan-openapi-"))
const file = join(directory, "openapi.json")
const ruleset = join(directory, "ruleset.yaml")
writeFileSync(file, JSON.stringify(Document.document()))
// OpenAPI 3.1 lets `security` name the roles that a scheme of any kind needs; this rule knows the
// scopes of 3.0 alone.
writeFileSync(ruleset, 'extends: ["spectral:oas"]\nrules: { oas3-operation-security-defined: "off" }\n')

const run = (...command) => spawnSync("npx", ["--yes", ...command], { cwd: directory, stdio: "inherit" }).status

const failures = [
  run("@redocly/cli@2", "lint", "--extends=recommended", "--max-problems=1000", file),
  run("@stoplight/spectral-cli@6", "lint", "--fail-severity=hint", "--ruleset", ruleset, file)
].filter((status) => status !== 0)

rmSync(directory, { recursive: true })
process.exit(failures.length === 0 ? 0 : 1)
