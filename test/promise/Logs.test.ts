/**
 * Where the service logs: into the host's logger, or only to stderr: errors, and the
 * warnings of which `Logs.layer` says more.
 */
import { runInNewContext } from "node:vm"
import type { Options } from "simplan/promise"
import { afterEach, describe, expect, it, vi } from "vitest"
import { make, selling, telco } from "./World.ts"

const bug = new TypeError("bug in my adapter")

const broken = telco({
  createPackage: async () => {
    throw bug
  }
})

/** A call that fails by a bug of the telco's. */
const failing = async (options: Partial<Options>): Promise<void> => {
  const simplan = make({ telco: broken, ...options })
  const { organizationId, planId } = await selling(simplan)
  await expect(simplan.subscriptions.create({ organizationId, planId })).rejects.toMatchObject({ cause: bug })
  await simplan.close()
}

afterEach(() => {
  vi.restoreAllMocks()
})

const spies = () => {
  const silent = () => undefined
  const stdout = [vi.spyOn(console, "log"), vi.spyOn(console, "info"), vi.spyOn(console, "debug")]
  for (const spy of stdout) spy.mockImplementation(silent)
  return { stdout, error: vi.spyOn(console, "error").mockImplementation(silent) }
}

describe("logs", () => {
  it("of errors go to stderr by default, with the stack, and nothing to stdout", async () => {
    const { error, stdout } = spies()
    await failing({})
    expect(error.mock.calls[0]).toEqual([expect.stringContaining("simplan: telco.createPackage threw"), bug])
    for (const spy of stdout) expect(spy).not.toHaveBeenCalled()
  })

  it("are none with false", async () => {
    const { error, stdout } = spies()
    await failing({ logger: false })
    for (const spy of [error, ...stdout]) expect(spy).not.toHaveBeenCalled()
  })

  it("take the details first where the logger is pino's", async () => {
    const error = vi.fn()
    const pino = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error, bindings: () => ({}) }
    await failing({ logger: pino })
    expect(error).toHaveBeenCalledWith({ err: bug }, expect.stringContaining("telco.createPackage threw"))
  })

  it("of a logger that throws fail nothing", async () => {
    const broken = () => {
      throw new Error("no disk")
    }
    await failing({ logger: { debug: broken, info: broken, warn: broken, error: broken } })
    // A rejection that nobody handles would end the host's process.
    let lines = 0
    const late = async () => {
      lines += 1
      return broken()
    }
    const unhandled = vi.fn()
    process.on("unhandledRejection", unhandled)
    // The second one's promises are of another realm, as Jest's are.
    for (const write of [late, runInNewContext("async () => late()", { late })]) {
      lines = 0
      await failing({ logger: { debug: write, info: write, warn: write, error: write } })
      await new Promise((resolve) => setImmediate(resolve))
      expect(lines).toBeGreaterThan(0)
    }
    process.off("unhandledRejection", unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})
