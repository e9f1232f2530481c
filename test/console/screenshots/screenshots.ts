/**
 * Screenshots of the console, in a real browser: ten pages at three widths and in both schemes, to
 * be looked at, and three that `examples/console` keeps. `npm run screenshots` takes them.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import * as World from "../../http/World.ts"
import * as Chromium from "../../playground/Chromium.ts"
import * as Built from "../Built.ts"
import * as Scene from "./Scene.ts"

const kept = fileURLToPath(new URL("../../../examples/console", import.meta.url))

const { SCREENSHOTS_FOLDER: folder = kept, SCREENSHOTS_KEEP: keeps = "", SCREENSHOTS_ONLY: only = "" } = process.env

const WIDTHS = [390, 820, 1440] as const
const SCHEMES = ["light", "dark"] as const
const HEIGHTS: Readonly<Record<number, number>> = { 390: 844, 820: 1_180, 1440: 900 }

/** The size of those that are kept. */
const KEPT = { width: 1280, height: 860 }

interface Shown {
  readonly name: string
  readonly query: string
  readonly isKept?: true
}

const pages = ({ free, fresh, iccid, organizationId: of }: Scene.Scene): ReadonlyArray<Shown> => [
  { name: "overview", query: "", isKept: true },
  { name: "problems", query: "?page=problems" },
  { name: "search", query: "?page=search&q=order+20" },
  { name: "organization", query: `?page=organization&of=${of}` },
  { name: "sim", query: `?page=sim&of=${of}&iccid=${iccid}`, isKept: true },
  { name: "sim-fresh", query: `?page=sim&of=${of}&iccid=${fresh}` },
  { name: "sim-free", query: `?page=sim&of=${of}&iccid=${free}` },
  { name: "subscriptions", query: `?page=subscriptions&of=${of}` },
  { name: "usage", query: `?page=usage&of=${of}` },
  { name: "deliveries", query: `?page=deliveries&of=${of}`, isKept: true },
  { name: "audit", query: `?page=audit&of=${of}` }
]

const settled = async (page: Page): Promise<void> => {
  await page.locator("main h1").waitFor()
  await page.waitForLoadState("networkidle")
  await expect.poll(() => page.locator("main").innerText()).not.toContain("Reading …")
}

it("are taken", async () => {
  mkdirSync(folder, { recursive: true })
  const built = Built.make()
  const browser = await Chromium.launch()
  const world = await Scene.start(built.folder)
  try {
    const shown = pages(await Scene.play(world))
    const page = await browser.newPage({ viewport: KEPT, locale: "en-GB", timezoneId: "Europe/Paris" })
    await page.goto(`${world.url}/admin/console`)
    await page.getByLabel("Your operator's token").fill(World.ADMIN_TOKEN)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("button", { name: "Sign out" }).waitFor()
    for (const { isKept, name, query } of shown.filter((one) => only === "" || one.name === only)) {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHTS[width] ?? KEPT.height })
        await page.goto(`${world.url}/admin/console${query}`)
        await settled(page)
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme })
          await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
        }
      }
      if (isKept === true && keeps !== "") {
        await page.setViewportSize(KEPT)
        await page.emulateMedia({ colorScheme: "light" })
        await settled(page)
        await page.screenshot({ path: join(kept, `${name}.png`) })
      }
    }
  } finally {
    await browser.close()
    await world.close()
    built.remove()
  }
}, 600_000)
