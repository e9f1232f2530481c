import { Effect } from "effect"
import * as fc from "fast-check"
import { CatalogueFile, StandardCatalogue } from "simplan/catalogue"
import { describe, expect, it } from "vitest"

const operator = { name: "Alpha", country: "FR", supported_rats: ["4G"], mcc_mnc: ["208-01"], labels: ["Green"] }
const profile = { label: "Green", region_name: "France", region_code: "FR", iso2_list: ["FR"] }
const countries = [{ iso2: "FR", iso3: "FRA", name: "France" }]

const complete = (file: unknown) => Effect.runPromise(CatalogueFile.complete(file))

const refusal = (file: unknown): Promise<string> =>
  Effect.runPromise(
    Effect.match(CatalogueFile.complete(file), {
      onSuccess: () => "accepted",
      onFailure: ({ field, message }) => `${field} ${message}`
    })
  )

const withOperator = (...changes: ReadonlyArray<object>) => ({
  operators: changes.map((change) => ({ ...operator, ...change })),
  profiles: []
})
const withProfile = (...changes: ReadonlyArray<object>) => ({
  operators: [operator],
  profiles: changes.map((change) => ({ ...profile, ...change }))
})

describe("A catalogue's file", () => {
  it("may leave out countries and ids, which are then those of the standard catalogue", async () => {
    const catalogue = await complete({ operators: [operator], profiles: [profile] })
    const standard = StandardCatalogue.catalogue()
    expect(catalogue.countries).toEqual(standard.countries)
    expect(catalogue.operators).toEqual([
      {
        operatorId: expect.stringMatching(/^[0-9a-f-]{14}5/),
        name: "Alpha",
        countryIso2: "FR",
        supportedRats: ["4G"],
        mccMnc: ["208-01"],
        labels: ["Green"]
      }
    ])
    const same = standard.profiles.find(({ label, regionCode }) => label === "Green" && regionCode === "FR")
    expect(catalogue.profiles).toEqual([{ ...same, regionName: "France" }])
  })

  it("may have names of 255 characters (W9)", async () => {
    const name = "😀".repeat(255)
    const file = {
      countries: [{ iso2: "FR", iso3: "FRA", name }],
      operators: [{ ...operator, name }],
      profiles: [{ ...profile, region_name: name, region_code: name }]
    }
    expect(await refusal(file)).toBe("accepted")
  })

  it("is checked in turns of the event loop, where it is large", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `Operator ${index}`)
    const file = withOperator(...names.map((name) => ({ name })))
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    try {
      expect((await complete(file)).operators.map(({ name }) => name)).toEqual(names)
    } finally {
      clearInterval(counting)
    }
    // Once in 500 operators.
    expect(turns).toBeGreaterThan(10)
    const wrong = withOperator(...names.map((name, index) => ({ name, country: index === 15_000 ? "fr" : "FR" })))
    expect(await refusal(wrong)).toContain("operators[15000].country must be an ISO 2-letter country code")
  })

  it("may be empty", async () => {
    expect(await refusal({ countries: [], operators: [], profiles: [] })).toBe("accepted")
  })

  it("is what the standard catalogue writes, as JSON, with or without the answer's envelope", async () => {
    const catalogue = StandardCatalogue.catalogue()
    const file: unknown = JSON.parse(JSON.stringify(CatalogueFile.toFile(catalogue)))
    expect(await complete(file)).toEqual(catalogue)
    expect(await complete({ error: false, data: file })).toEqual(catalogue)
  })

  it("reads back what was written, whatever the catalogue", async () => {
    const code = fc.constantFrom("FR", "DE", "US", "JP")
    const operators = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom("Alpha", "Beta", "Gamma ✓"),
        country: code,
        supported_rats: fc.subarray(["2G", "3G", "4G", "5G"], { minLength: 1 }),
        mcc_mnc: fc.subarray(["208-01", "310-260", "440-010"]),
        labels: fc.subarray(["Green", "Voilet", "Orange"])
      }),
      { selector: ({ country, name }) => `${country}${name}` }
    )
    await fc.assert(
      fc.asyncProperty(operators, async (all) => {
        const file = {
          operators: all,
          profiles: all
            .filter(({ labels }) => labels.length > 0)
            .flatMap(({ country, labels, name }) =>
              labels.map((label) => ({
                label,
                region_name: name,
                region_code: `${name}-${country}`,
                iso2_list: [country]
              }))
            )
        }
        const catalogue = await complete(file)
        const again = await complete(CatalogueFile.toFile(catalogue))
        expect(again).toEqual(catalogue)
      })
    )
  })
})

describe("A catalogue's file is refused by the field", () => {
  it.each<[unknown, string]>([
    [null, "catalogue must be"],
    ["text", "catalogue must be"],
    [{}, "operators must be given"],
    [{ operators: [] }, "profiles must be given"],
    [{ operators: [], profiles: [], operater: [] }, "operater is not a field of the catalogue"],
    [{ operators: {}, profiles: [] }, "operators must be array"],
    [withOperator({ name: undefined }), "operators[0].name must be"],
    [withOperator({ name: " x" }), "operators[0].name must be a name"],
    [withOperator({ name: "a\u0000b" }), "operators[0].name must be a name"],
    [withOperator({ name: "\ud800" }), "operators[0].name must be a name"],
    [withOperator({ name: "x".repeat(256) }), "operators[0].name must have at most 255 characters"],
    [withOperator({ name: "x".repeat(9_999_999) }), "operators[0].name must have at most 255 characters"],
    [
      { countries: [{ iso2: "FR", iso3: "FRA", name: "x".repeat(256) }], operators: [], profiles: [] },
      "countries[0].name"
    ],
    [withProfile({ region_name: "x".repeat(256) }), "profiles[0].region_name must have at most 255 characters"],
    [withProfile({ region_code: "x".repeat(256) }), "profiles[0].region_code must have at most 255 characters"],
    [withOperator({ name: "" }), "operators[0].name must be a name"],
    [withOperator({ country: "fr" }), "operators[0].country must be an ISO 2-letter country code"],
    [withOperator({ country: "QQ" }), "operators[0].country must be the code of one of the countries"],
    [withOperator({ supported_rats: [] }), "operators[0].supported_rats must be a list that is not empty"],
    [withOperator({ supported_rats: ["6G"] }), "operators[0].supported_rats[0] must be 2G, 3G, 4G or 5G"],
    [withOperator({ supported_rats: ["4G", "4G"] }), "operators[0].supported_rats must be a list without duplicates"],
    [withOperator({ mcc_mnc: ["20801"] }), "operators[0].mcc_mnc[0] must be a code of the form <mcc>-<mnc>"],
    [withOperator({ labels: ["Violet"] }), "operators[0].labels[0] must be"],
    [withOperator({ operator_id: "1" }), "operators[0].operator_id must be a UUID"],
    [withOperator({ colour: "red" }), "operators[0].colour is not a field of the catalogue"],
    [withOperator({}, { country: "DE" }, {}), "operators[2].name must not be another operator's"],
    [
      withOperator(
        { operator_id: "00000000-0000-4000-8000-000000000000" },
        { operator_id: "00000000-0000-4000-8000-000000000000", name: "Beta" }
      ),
      "operators[1].operator_id must not be another operator's"
    ],
    [withProfile({ label: "Blue" }), "profiles[0].iso2_list[0] must have an operator of the label Blue"],
    [withProfile({ iso2_list: ["FR", "AQ"] }), "profiles[0].iso2_list[1] must have an operator of the label Green"],
    [withProfile({ iso2_list: ["FR", "FR"] }), "profiles[0].iso2_list must be a list without duplicates"],
    [withProfile({ iso2_list: [] }), "profiles[0].iso2_list must be a list that is not empty"],
    [withProfile({}, { region_name: "Again" }), "profiles[1].region_code must not be another profile's"],
    [{ ...withProfile(), countries: [...countries, ...countries] }, "countries[1].iso2 must not be another country's"],
    [
      { ...withProfile(), countries: [...countries, { iso2: "DE", iso3: "FRA", name: "Germany" }] },
      "countries[1].iso3 must not be another country's"
    ],
    [{ ...withOperator({ country: "DE" }), countries }, "operators[0].country must be the code of one of the countries"]
  ])("%j", async (file, expected) => {
    expect(await refusal(file)).toContain(expected)
  })
})
