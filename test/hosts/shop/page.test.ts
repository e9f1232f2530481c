/**
 * The shop's pages in a real browser: from the order to the QR code, and to what is used. They are
 * accessible, and ask no other server for anything.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Chromium from "../../playground/Chromium.ts"
import * as Shop from "./Shop.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const AXE =
  "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ help, nodes }) => help + ': ' + nodes.map(({ html }) => html).join(' ')))"

const IS_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"

let [shop, browser]: [Shop.Shop?, Browser?] = []
beforeAll(async () => {
  shop = await Shop.open()
  browser = await Chromium.launch()
}, Chromium.SET_UP)
afterAll(async () => {
  await browser?.close()
  await shop?.close()
})

it("lead from an order to the QR code, and to what is used", async () => {
  if (shop === undefined || browser === undefined) throw new Error("Nothing is open")
  const { server } = shop
  const { url } = await shop.start()
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  const complaints: Array<string> = []
  page.on("console", (message) => complaints.push(message.text()))
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) complaints.push(request.url())
  })
  const check = async () => {
    expect(await page.evaluate(`${axe}; ${AXE}`)).toEqual([])
    expect(await page.evaluate(IS_WIDER)).toBe(false)
  }

  await page.goto(url)
  await check()
  await page.getByLabel("Your email address").fill("ada@example.com")
  await page.getByRole("button", { name: "Open a wallet" }).click()
  const buy = page.getByRole("button", { name: "Buy for 4.50 USD" })
  await buy.click()
  await page.getByRole("heading", { name: "The wallet has too little" }).waitFor()

  const [cookie] = await page.context().cookies()
  const customer = cookie?.value.split(".")[0] ?? ""
  await Shop.pay(() => url, { id: "1", customer, amount: "20" })
  await page.getByRole("link", { name: "Back to the shop" }).click()
  await page.getByText("Your wallet has 20.00, of which 0.00 are set aside.").waitFor()
  await check()

  await buy.click()
  // The page asks again by itself until the eSIM is there.
  await page.getByRole("heading", { name: "Install" }).waitFor({ timeout: 60_000 })
  await check()
  const [esim] = [...server.supplier.esims.values()]
  const code = `LPA:1$smdp.example.com$${esim?.matchingId}`
  await page.getByText(code, { exact: true }).waitFor()
  await page.locator(".code svg").waitFor()
  const linkOf = (name: string) => page.getByRole("link", { name }).getAttribute("href")
  const link = (host: string) => `https://${host}/esim_qrcode_provisioning?carddata=${encodeURIComponent(code)}`
  await expect.poll(() => linkOf("Install on iPhone")).toBe(link("esimsetup.apple.com"))
  await expect.poll(() => linkOf("Install on Android")).toBe(link("esimsetup.android.com"))
  const used = () => page.getByRole("progressbar").getAttribute("value")
  await expect.poll(used).toBe("0")

  // The phone is used, and the supplier says so.
  server.supplier.use(esim?.iccid ?? "", 300 * 1_048_576)
  const body = JSON.stringify({ iccid: esim?.iccid })
  const hint = await fetch(`${url}/esim/telco/suppliers/go/callbacks/${Shop.CALLBACKS}`, { method: "POST", body })
  expect(hint.status).toBeLessThan(300)
  await expect
    .poll(
      async () => {
        await page.reload()
        return used()
      },
      { timeout: 60_000, interval: 500 }
    )
    .toBe("300")
  await page.getByText("300 of 953 MB used").waitFor()
  await check()

  await page.goto(url)
  await page.getByText("Your wallet has 15.50, of which 0.00 are set aside.").waitFor()
  expect(shop.mails.size).toBe(1)
  // Another customer has neither the order nor its code.
  const order = await page.getByRole("link", { name: "esim_1GB_7D_GB_V2" }).getAttribute("href")
  const stranger = await browser.newPage()
  await stranger.goto(url)
  await stranger.getByLabel("Your email address").fill("eve@example.com")
  await stranger.getByRole("button", { name: "Open a wallet" }).click()
  await stranger.goto(`${url}${order}`)
  await stranger.getByRole("heading", { name: "There is no such page" }).waitFor()
  expect(complaints.filter((text) => !/status of 402/.test(text))).toEqual([])
})
