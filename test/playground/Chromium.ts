/**
 * A real Chromium for tests. If there is none, Debian's package is installed if that is allowed. A
 * test that needs a browser is never skipped.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Browser, chromium } from "playwright-core"

const run = promisify(execFile)

const path = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"

/** Two test files may install it at once: the second one waits for the first. */
const script = `test -x /usr/bin/chromium ||
  { apt-get -q update && apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends chromium; }`

const install = async (): Promise<void> => {
  const advice = "install Debian's package chromium, or name a Chromium in CHROMIUM_PATH"
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    throw new Error(`${path} is missing and cannot be installed from here: ${advice}.`)
  }
  try {
    await run("flock", [join(tmpdir(), "simplan-chromium.lock"), "sh", "-c", script], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      maxBuffer: 64 * 1024 * 1024
    })
  } catch (error) {
    throw new Error(`${path} is missing and apt-get could not install it: ${advice}.`, { cause: error })
  }
}

/** The time limit of a set-up that may install the browser, in milliseconds. */
export const SET_UP = 600_000

/** `args`: beside those that every test needs. */
export const launch = async (args: ReadonlyArray<string> = []): Promise<Browser> => {
  if (!existsSync(path)) await install()
  return chromium.launch({
    executablePath: path,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...args
    ]
  })
}
