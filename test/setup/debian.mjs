// Programs of Debian that a script needs: installed by apt where they are missing. Where that
// cannot be, the script fails and says so.
import { spawnSync } from "node:child_process"

export const fail = (sentence) => {
  console.error(sentence)
  process.exit(1)
}

export const runs = (command, ...args) => spawnSync(command, args, { encoding: "utf8" })

export const has = (command) => runs("sh", "-c", `PATH=$PATH:/usr/sbin command -v ${command}`).status === 0

/** Installs the package of this name unless its command is there, which has the same name. */
export const install = (name) => {
  if (has(name)) return
  if (!has("apt-get")) fail(`${name} is not installed, and this machine has no apt-get to install it with`)
  if (process.getuid?.() !== 0) fail(`${name} is not installed, and only root can: apt-get install ${name}`)
  const apt = ["apt-get", "install", "-y", "--no-install-recommends", name]
  if (runs(...apt).status === 0) return
  runs("apt-get", "update")
  const { status, stderr } = runs(...apt)
  if (status !== 0) fail(`${name} cannot be installed on this machine: ${stderr.trim()}`)
}
