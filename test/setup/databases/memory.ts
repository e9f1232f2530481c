import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder of Linux whose files are in memory. */
const MEMORY = "/dev/shm"
const NAME = "simplan-tests-"

/** In bytes; a run writes about 2 GB, and half of that is there at once. */
const LEAST = 8 * 1_073_741_824

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)

const hasRoom = (): boolean => {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= LEAST
}

/**
 * vitest's first global set-up: the files of tests are temporary ones in memory if there is room,
 * since making databases of a thousand files each, again and again, is what tests wait for. If
 * `TMPDIR` is set, they are where it says. What a run that was killed has left is removed by the
 * next.
 */
export default (): (() => void) => {
  if (!hasRoom()) return () => {}
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = /^simplan-tests-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(MEMORY, `${NAME}${process.pid}-`))
  // PostgreSQL runs as another user if root runs the tests.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  if (tmpdir() !== folder) throw new Error(`Temporary files are in ${tmpdir()}, though TMPDIR is ${folder}`)
  return () => rmSync(folder, { recursive: true, force: true })
}
