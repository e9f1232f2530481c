/**
 * The names in the machine's hosts file. The file is read again when it has changed, which is noticed within a second.
 * A file that cannot be read counts as empty.
 */
import { readFileSync, statSync } from "node:fs"
import { isIP } from "node:net"

/** The machine's hosts file. */
export const PATH =
  process.platform === "win32" ? `${process.env["SystemRoot"]}\\System32\\drivers\\etc\\hosts` : "/etc/hosts"

/** How often the file is checked for a change, in milliseconds. */
const CHECK_INTERVAL = 1_000

export type HostsFile = (name: string) => ReadonlyArray<string>

const parse = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const addresses = new Map<string, ReadonlyArray<string>>()
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map((one) => one.toLowerCase())) {
      addresses.set(name, [...(addresses.get(name) ?? []), address])
    }
  }
  return addresses
}

/** The IP addresses that the file has for a name in lower case; empty if it has none. */
export const open = (path: string = PATH): HostsFile => {
  let checkedAt = Number.NEGATIVE_INFINITY
  let version = ""
  let addresses = parse("")
  // Synchronous: a file of a few lines, once a second, without a thread of the pool.
  const check = (): void => {
    const found = statSync(path, { throwIfNoEntry: false })
    const current = found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`
    if (current === version) return
    addresses = parse(found === undefined ? "" : readFileSync(path, "utf8"))
    version = current
  }
  return (name) => {
    const now = performance.now()
    if (now - checkedAt >= CHECK_INTERVAL) {
      checkedAt = now
      try {
        check()
      } catch {
        addresses = parse("")
      }
    }
    return addresses.get(name) ?? []
  }
}
