/**
 * How many connections the operating system's limit of open files leaves to a server. Where the limit is reached, the
 * process can open neither a connection to its database nor a file, and new clients are shut out.
 */
import { readFileSync } from "node:fs"

/** What is kept for the database, telcos, webhooks and files: this many, or a quarter of the limit. */
const KEPT = 128
const PART_KEPT = 1 / 4

/** The limit of this process; undefined where the system does not show it. */
const limit = (): number | undefined => {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]
    return found === undefined ? undefined : Number(found)
  } catch {
    return undefined
  }
}

/** The most connections within the limit, and within `wanted`; 1 at least. */
export const connections = (wanted: number, files = limit()): number =>
  files === undefined ? wanted : Math.max(1, Math.min(wanted, files - Math.max(KEPT, Math.ceil(files * PART_KEPT))))
