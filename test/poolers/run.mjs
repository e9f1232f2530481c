// The service behind poolers: `npm run test:poolers`.
//
// Debian's own PgBouncer, and that of the next Debian, whose package is unpacked with its
// libraries. What is missing is installed by apt, which needs Debian, root and the network; where
// it cannot be, this fails and says so.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fail, install, runs } from "../setup/debian.mjs"
import * as Long from "../setup/long.mjs"

const NEXT = "trixie"
/** What PgBouncer needs beside what each Debian has under another name. */
const LIBRARIES = ["libc6", "libcares2", "libevent-2.1-7t64", "libpam0g", "libssl3t64", "libsystemd0"]
const NOT_NEEDED = /^(?:debconf|dpkg|perl|tar|cdebconf)/

const must = (command, ...args) => {
  const { status, stderr, stdout } = runs(command, ...args)
  if (status !== 0) fail(`PgBouncer of ${NEXT} cannot be had: ${command} ${args.at(-1)}: ${stderr.trim()}`)
  return stdout
}

/** Unpacks the PgBouncer of the next Debian, and returns the command that runs it. */
const unpacked = (folder) => {
  for (const name of ["lists/partial", "cache/archives/partial", "sources", "packages", "root"])
    mkdirSync(join(folder, name), { recursive: true })
  const sources = readFileSync("/etc/apt/sources.list.d/debian.sources", "utf8")
  writeFileSync(join(folder, "sources", "next.sources"), sources.replace(/bookworm/g, NEXT))
  const apart = [
    ["Dir::Etc::sourcelist", "/dev/null"],
    ["Dir::Etc::sourceparts", join(folder, "sources")],
    ["Dir::State::lists", join(folder, "lists")],
    ["Dir::Cache", join(folder, "cache")]
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`])
  must("apt-get", ...apart, "update")
  const only = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map((name) => `--no-${name}`)
  const needed = must("apt-cache", ...apart, "depends", "--recurse", ...only, ...LIBRARIES)
    .split("\n")
    .filter((line) => /^\w/.test(line) && !NOT_NEEDED.test(line))
  const names = ["pgbouncer", ...new Set(needed)].join(" ")
  must("sh", "-c", `cd ${join(folder, "packages")} && apt-get ${apart.join(" ")} download ${names}`)
  const root = join(folder, "root")
  for (const name of readdirSync(join(folder, "packages"))) must("dpkg", "-x", join(folder, "packages", name), root)
  // The user that PgBouncer runs as reads it.
  must("chmod", "-R", "a+rX", folder)
  const libraries = join(root, "usr", "lib", `${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`)
  const [loader] = readdirSync(libraries).filter((name) => /^ld-linux.*\.so\.\d$/.test(name))
  return [join(libraries, loader ?? ""), "--library-path", libraries, join(root, "usr", "sbin", "pgbouncer")]
}

install("pgbouncer")
const folder = mkdtempSync(join(tmpdir(), "simplan-poolers-"))
try {
  const commands = [["/usr/sbin/pgbouncer"], unpacked(folder)]
  const builds = commands.map(([command, ...args]) => {
    const [, version] = /PgBouncer (\d+\.\d+)/.exec(must(command, ...args, "--version")) ?? fail("It is no PgBouncer")
    return { version, command: [command, ...args] }
  })
  await Long.run("poolers", {
    PATH: `${process.env.PATH}:/usr/sbin`,
    PGBOUNCER_BUILDS: JSON.stringify(builds)
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
