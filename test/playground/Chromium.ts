/**
 * A real Chromium for tests. Where there is none, Debian's package is installed if that is allowed; a test that needs a
 * browser is never skipped.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { promisify } from "node:util"
import { type Browser, chromium } from "playwright-core"

const run = promisify(execFile)

const path = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium"

const apt = (...args: ReadonlyArray<string>) =>
  run("apt-get", ["-q", "-y", "-o", "DPkg::Lock::Timeout=300", ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    maxBuffer: 64 * 1024 * 1024
  })

const install = async (): Promise<void> => {
  const advice = "install Debian's package chromium, or name a Chromium in CHROMIUM_PATH"
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    throw new Error(`${path} is missing and cannot be installed from here: ${advice}.`)
  }
  try {
    await apt("update")
    await apt("install", "--no-install-recommends", "chromium")
  } catch (error) {
    throw new Error(`${path} is missing and apt-get could not install it: ${advice}.`, { cause: error })
  }
}

/** How long a test's set-up may take that has to install the browser first. */
export const SET_UP = 600_000

export const launch = async (): Promise<Browser> => {
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
      "--disable-sync"
    ]
  })
}
