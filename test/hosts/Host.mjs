// A host: a package of its own in a fresh folder, with simplan installed from the tarball.
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { root } from "./Package.mjs"

/** The example of the README, which prints the activation code of an eSIM. */
export const example = readFileSync(join(root, "examples", "embed.ts"), "utf8")
export const printed = "LPA:1$smdp.example$ONE"

const TIMEOUT = 300_000

/** How much of the output of a command that failed is shown, in lines. */
const SHOWN = 60

const tail = (lines) => lines.slice(-SHOWN)

/**
 * What `node --test` says of a test that failed, as TAP: from its name to the end of its details.
 */
const tapFailures = (lines) =>
  lines.flatMap((line, from) => {
    if (!/^\s*not ok \d/.test(line)) return []
    const to = lines.findIndex((end, at) => at > from && /^\s*\.\.\.$/.test(end))
    const block = to < 0 ? [line] : lines.slice(from, to + 1)
    // What only has tests that failed is reported by these.
    return block.some((detail) => /failureType: 'subtestsFailed'/.test(detail)) ? [] : block
  })

/** Likewise, in the words for people: all of it is at the end. */
const specFailures = (lines) => {
  const from = lines.findLastIndex((line) =>
    /^\s*(?:✖ failing tests:|⎯+ Failed Tests|Summary of all failing tests)/.test(line)
  )
  return from < 0 ? [] : lines.slice(from)
}

/**
 * What an output says of the tests that failed, else its end. What npm says of its scripts names no
 * cause.
 */
const failuresIn = (output) => {
  const lines = output.split("\n").filter((line) => !/^npm (?:error|warn|ERR!)/.test(line))
  const found = [...tapFailures(lines), ...specFailures(lines)]
  return (found.length > 0 ? found.slice(0, SHOWN) : tail(lines)).join("\n")
}

/**
 * A command that did not end as it has to. `summary` is what is to be read last, where only the end
 * of a log is kept.
 */
export class Failure extends Error {
  constructor(message, summary) {
    super(message)
    this.summary = summary
  }
}

/** What to say last of an error. */
export const summaryOf = (error) => (error instanceof Failure ? error.summary : error.message)

/** Runs a command; gives its standard output. Throws what it wrote where it fails. */
export const run = (directory, command, args, { env = {}, fails = false, timeout = TIMEOUT } = {}) => {
  const { NO_COLOR, FORCE_COLOR, NODE_OPTIONS, ...inherited } = process.env
  // What npm tells its scripts is not for the package managers in the hosts.
  const own = Object.fromEntries(Object.entries(inherited).filter(([name]) => !/^(npm|pnpm|yarn|vitest)_/i.test(name)))
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    cwd: directory,
    encoding: "utf8",
    env: { ...own, NO_COLOR: "1", ...env },
    maxBuffer: 64e6,
    timeout
  })
  if (error !== undefined || (status !== 0) !== fails) {
    const ended = `${[command, ...args].join(" ")} ended with ${error?.message ?? status} in ${directory}`
    // Each has a tail of its own: a warning of many lines must not hide the other one.
    const outputs = [stdout, stderr].flatMap((output) => tail(output.trim().split("\n"))).join("\n")
    throw new Failure(`${ended}:\n${outputs}`, `${ended}:\n${failuresIn(`${stdout}${stderr}`.trim())}`)
  }
  return fails ? stderr : stdout
}

export const expect = (what, actual, expected) => {
  if (actual !== expected) throw new Error(`${what}: expected ${expected}, not ${actual}`)
}

/** A folder with a manifest and files; nothing is installed yet. */
export const make = ({ folder, tarball }, name, { dependencies = {}, files = {}, ...rest } = {}) => {
  const directory = join(folder, name)
  const write = (path, text) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const manifest = { name: `host-${name}`, version: "1.0.0", private: true, type: "module", ...rest }
  write(
    "package.json",
    JSON.stringify({ ...manifest, dependencies: { simplan: `file:${tarball}`, ...dependencies } }, null, 2)
  )
  write("embed.mjs", example)
  for (const [path, text] of Object.entries(files)) write(path, text)
  return {
    directory,
    write,
    run: (command, args, options) => run(directory, command, args, options),
    node: (...args) => run(directory, process.execPath, ["--no-warnings", ...args]),
    /** Runs the example of the README with this Node or with another. */
    embeds: (node = process.execPath) => {
      const output = run(directory, node, ["--no-warnings", "embed.mjs"])
      expect("The example of the README prints", output.trim(), printed)
    }
  }
}

/**
 * Installs by npm. What the registry does not have to be asked for again comes from npm's cache.
 */
export const install = (host, ...flags) =>
  host.run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", ...flags])

/**
 * A release of Node, which the registry has as the package `node`; gives the path of the program.
 */
export const nodeOf = (release) =>
  run(root, "npx", ["--yes", "--package", `node@${release}`, "--", "node", "-p", "process.execPath"]).trim()

let full

/**
 * A host that has all that simplan can use, its own `effect` among it, and the tools of hosts. It
 * is installed once, by npm.
 */
export const shared = (context) => {
  if (full === undefined) {
    const host = make(context, "npm", {
      dependencies: {
        "@types/node": "22.19.3",
        effect: "4.1.0",
        esbuild: "0.28.2",
        typescript: "7.0.2",
        "typescript-5.7": "npm:typescript@5.7.3"
      }
    })
    install(host)
    full = host
  }
  return full
}
