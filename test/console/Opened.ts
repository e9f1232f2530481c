/**
 * The console opened in a real browser: a page for each test of a file, and what every page has to
 * hold. Whatever the browser complains about, and whatever the page asks another server for, fails
 * the test.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"
import * as World from "../http/World.ts"
import * as Chromium from "../playground/Chromium.ts"
import * as Leaks from "../setup/Leaks.ts"
import * as Built from "./Built.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The size of what is clicked is of WCAG 2.2 AA, and axe checks it only where it is asked to. */
const AXE =
  "axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations.map(({ help, nodes }) => help + ': ' + nodes.map(({ html }) => html).join(' ')))"

/** Of phones, tablets and desktops. */
const WIDTHS = [390, 768, 1024, 1440] as const

/** Where the page must not be wider than its window: at those, and between them. */
const ALL_WIDTHS = [390, 480, 600, 768, 900, 1024, 1180, 1280, 1440] as const
const SCHEMES = ["light", "dark"] as const

/** What is laid out is measured with the next frame. */
const FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

export interface Opened {
  readonly world: () => World.World
  readonly page: () => Page
  /** Opens a page of the console as the operator with the server's token. */
  readonly signIn: (query: string) => Promise<void>
  /** Opens it as an operator made for it. Gives the operator's name. */
  readonly signInAs: (role: "read" | "support" | "admin", query: string, organizationId?: string) => Promise<string>
  readonly heading: (name: string) => Promise<void>
  readonly region: (name: string) => Locator
  /** Clicks a button, and counts. */
  readonly click: (name: string, within?: Locator) => Promise<void>
  readonly clicks: () => number
  /**
   * Expects that axe finds nothing and that the page is no wider than the window, at all widths and
   * in both schemes.
   */
  readonly check: () => Promise<void>
  /** Complaints with such a text are expected. */
  readonly expectComplaint: (text: RegExp) => void
}

/** For the tests of a file. */
export const forFile = (setting: World.Setting, prepare: (world: World.World) => Promise<void>): Opened => {
  let [built, world, browser, page]: [Built.Built?, World.World?, Browser?, Page?] = []
  let complaints: Array<string> = []
  let [clicks, made] = [0, 0]

  const there = <A>(value: A | undefined): A => {
    if (value === undefined) throw new Error("Nothing is open yet")
    return value
  }

  beforeAll(async () => {
    built = Built.make()
    world = await World.start({ console: built.folder, ...setting })
    await prepare(world)
    browser = await Chromium.launch()
  }, Chromium.SET_UP)
  afterAll(async () => {
    await browser?.close()
    await world?.close()
    built?.remove()
  })
  beforeEach(async () => {
    const opened = await there(browser).newPage({ viewport: { width: 1280, height: 800 } })
    page = opened
    complaints = []
    clicks = 0
    opened.on("console", (message) => {
      // That a request is refused is written by the browser itself. Who asks first is not signed
      // in.
      const isRefusal = message.text().includes("status of 401") && message.location().url.includes("/admin/v1/")
      if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text())
    })
    opened.on("pageerror", (error) => complaints.push(error.message))
    opened.on("request", (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(there(world).url))
        complaints.push(request.url())
    })
  })
  afterEach(async () => {
    expect(complaints).toEqual([])
    await there(page).close()
  })

  const enter = async (token: string, query: string) => {
    await there(page).goto(`${there(world).url}/admin/console${query}`)
    await there(page).getByLabel("Your operator's token").fill(token)
    await there(page).getByRole("button", { name: "Sign in" }).click()
    await there(page).getByRole("searchbox", { name: "Search for SIMs" }).waitFor()
    clicks = 0
  }

  return {
    world: () => there(world),
    page: () => there(page),
    signIn: (query) => enter(World.ADMIN_TOKEN, query),
    signInAs: async (role, query, organizationId) => {
      made += 1
      const name = `${role} ${made}`
      const asked = { name, role, ...(organizationId !== undefined && { organization_id: organizationId }) }
      const { body } = await there(world).admin("POST", "/operators", asked)
      Leaks.know(body.data.token)
      await enter(body.data.token, query)
      return name
    },
    heading: (name) => there(page).getByRole("heading", { level: 1, name }).waitFor(),
    region: (name) => there(page).getByRole("region", { name, exact: true }),
    click: async (name, within) => {
      clicks += 1
      await (within ?? there(page)).getByRole("button", { name, exact: true }).click()
    },
    clicks: () => clicks,
    check: async () => {
      const opened = there(page)
      const before = opened.viewportSize()
      await opened.evaluate(axe)
      for (const width of WIDTHS) {
        await opened.setViewportSize({ width, height: 844 })
        await opened.evaluate(FRAME)
        for (const colorScheme of SCHEMES) {
          await opened.emulateMedia({ colorScheme })
          expect([width, colorScheme, await opened.evaluate(AXE)]).toEqual([width, colorScheme, []])
        }
      }
      for (const width of ALL_WIDTHS) {
        await opened.setViewportSize({ width, height: 844 })
        const isWider = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        expect([width, await opened.evaluate(isWider)]).toEqual([width, false])
      }
      await opened.emulateMedia({ colorScheme: null })
      if (before !== null) await opened.setViewportSize(before)
    },
    expectComplaint: (text) => {
      complaints = complaints.filter((one) => !text.test(one))
    }
  }
}
