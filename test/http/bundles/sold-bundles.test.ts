/**
 * What suppliers sell, listed by operators.
 */
import { expect, it } from "vitest"
import * as World from "../World.ts"

const world = await World.forFile({ telcos: undefined })

const list = async (query = "") => world.admin("GET", `/telcos/simulator/bundles${query}`)
const codes = async (query: string): Promise<ReadonlyArray<string>> =>
  (await list(query)).body.data.map(({ code }: { readonly code: string }) => code)

it("the only telco sells without a settings file, and is read when it is first asked for", async () => {
  const sellers = async () => (await world.admin("GET", "/telcos/sellers")).body.data
  expect(await sellers()).toEqual([{ telco: "simulator", bundles: null, read_at: null, failure: null }])
  const { body } = await list()
  expect(body.data).toHaveLength(10)
  expect(body.data[0]).toEqual({
    code: "sim_1GB_7D_FR",
    name: "France, 1 GB, 7 days",
    kind: "any",
    countries: ["FR"],
    data_bytes: 1_073_741_824,
    days: 7,
    price: "1.80",
    currency: "USD",
    read_at: "2026-01-10T12:00:00.000Z"
  })
  expect(await sellers()).toMatchObject([{ bundles: 10, read_at: "2026-01-10T12:00:00.000Z" }])
})

it.each([
  ["?search=5gb", ["sim_5GB_30D_FR", "sim_5GB_30D_EU", "sim_5GB_30D_EU_TOPUP"]],
  ["?search=EUROPE%20%20more", ["sim_5GB_30D_EU_TOPUP"]],
  ["?search=france&country=fr", ["sim_1GB_7D_FR", "sim_5GB_30D_FR"]],
  ["?country=JP", ["sim_3GB_15D_ASIA", "sim_500MB_1D_JP", "sim_UNLIMITED_7D_JP"]],
  ["?country=&search=", expect.objectContaining({ length: 10 })],
  ["?country=ZZ", []]
])("%s finds %j", async (query, found) => {
  expect(await codes(query)).toEqual(found)
})

it("comes in pages that have each bundle once", async () => {
  const found: Array<string> = []
  let page: string | null = ""
  while (page !== null) {
    const { body } = await list(`?page_size=4${page === "" ? "" : `&page=${page}`}`)
    found.push(...body.data.map(({ code }: { readonly code: string }) => code))
    page = body.next_page
  }
  expect(found).toEqual(await codes(""))
})

it.each([
  ["?country=F", "country must be an ISO 2-letter country code"],
  ["?country=FRA", "country must be an ISO 2-letter country code"],
  ["?country=1A", "country must be an ISO 2-letter country code"],
  [`?search=${"x".repeat(256)}`, "search must have at most 255 characters"],
  ["?search=%00", "search must not contain NUL characters or lone surrogates"],
  ["?page_size=0", expect.stringMatching(/^page_size must/)],
  ["?page=x", "page must be a token that next_page gave"],
  ["?land=FR", expect.stringMatching(/^land is not a known query parameter/)]
])("%s is refused", async (query, message) => {
  expect(await list(query)).toMatchObject({ status: 400, body: { code: "invalid_field", message } })
})

it("a telco that sells nothing is 404", async () => {
  expect(await world.admin("GET", "/telcos/another/bundles")).toMatchObject({
    status: 404,
    body: { code: "telco_not_found" }
  })
})
