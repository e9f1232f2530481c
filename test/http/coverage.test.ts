/**
 * Coverage profiles, custom regions and operators, field by field.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import { Storage } from "simplan/ports"
import { describe, expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import * as World from "./World.ts"

const world = await World.forFile()
const acme = await World.tenant(world)

const region = (fields: Readonly<Record<string, unknown>>) =>
  acme.post("/v3/coverage-profiles/custom-region", {
    region_name: "Alps",
    label: "Green",
    iso2_list: ["FR", "CH"],
    ...fields
  })

describe("coverage profiles", () => {
  it("are streamed, and filtered by region code and label", async () => {
    const all = await acme.get("/v3/coverage-profiles")
    expect(all.body.data.length).toBeGreaterThan(500)
    const { body } = await acme.get("/v3/coverage-profiles?region_code=FR&label=Blue")
    expect(body.data).toHaveLength(1)
    const [profile] = body.data
    expect(profile).toMatchObject({ label: "Blue", region_name: "France", region_code: "FR" })
    expect(profile.countries).toMatchObject([{ iso2: "FR", iso3: "FRA", name: "France" }])
    const [operator] = profile.countries[0].operators
    expect(Object.keys(operator)).toEqual(["operator_id", "name", "supported_rats", "mcc_mnc"])
    expect(operator.mcc_mnc[0]).toMatch(/^208-\d{2,3}$/)
    const one = await acme.get(`/v3/coverage-profiles/${profile.coverage_id}`)
    expect(one.body).toStrictEqual({ error: false, data: profile })
    expect((await acme.get("/v3/coverage-profiles?label=nope")).text).toBe('{"error":false,"data":[]}')
  })

  it("answer 404 for an unknown one", async () => {
    const none = await acme.get("/v3/coverage-profiles/nope")
    expect([none.status, none.body.code]).toEqual([404, "coverage_profile_not_found"])
  })
})

describe("custom regions", () => {
  it("are created with 200, and then are coverage profiles", async () => {
    const { body, status } = await region({})
    expect(status).toBe(200)
    expect(body).toStrictEqual({
      error: false,
      data: {
        coverage_id: expect.any(String),
        region_code: expect.any(String),
        region_name: "Alps",
        iso2_list: ["FR", "CH"]
      }
    })
    const found = await acme.get(`/v3/coverage-profiles/${body.data.coverage_id}`)
    expect(found.body.data).toMatchObject({ region_name: "Alps", label: "Green" })
  })

  it("answer 400 for a taken name, with the codes that are missing", async () => {
    const taken = await region({ region_name: " Alps ", iso2_list: ["IT"] })
    expect(taken.status).toBe(400)
    expect(taken.body).toStrictEqual({
      error: true,
      message: expect.stringContaining("region_name"),
      code: "region_name_taken",
      missing_iso2: []
    })
  })

  it("answer 400 for countries without operators", async () => {
    const uncovered = await region({ region_name: "Nowhere", iso2_list: ["FR", "XX", "AQ"] })
    expect(uncovered.status).toBe(400)
    expect(uncovered.body).toMatchObject({ error: true, code: "region_uncovered", missing_iso2: ["XX", "AQ"] })
  })

  it("answer 409 with the profile that has the same countries", async () => {
    const same = await region({ region_name: "Alps 2", iso2_list: ["CH", "FR"] })
    expect(same.status).toBe(409)
    expect(same.body).toStrictEqual({
      error: true,
      message: expect.any(String),
      code: "region_exists",
      existing_coverage: {
        coverage_id: expect.any(String),
        region_code: expect.any(String),
        region_name: "Alps",
        iso2_list: ["FR", "CH"]
      }
    })
    const standard = await region({ region_name: "Just France", iso2_list: ["FR"] })
    expect(standard.body.existing_coverage.region_code).toBe("FR")
  })

  it("of the same countries, asked for at once, are refused but for one", async () => {
    // Each of the two requests has found nothing alike before the other is written.
    const storage = Layer.effectContext(
      Effect.gen(function* () {
        const context = yield* Layer.build(Memory.layer)
        const { regions, ...memory } = Context.get(context, Storage.Storage)
        const bothAsked = yield* Deferred.make<void>()
        let asked = 0
        const like: typeof regions.like = (of) =>
          Effect.tap(regions.like(of), () =>
            ++asked < 2 ? Deferred.await(bothAsked) : Deferred.succeed(bothAsked, undefined)
          )
        return Context.add(context, Storage.Storage, Storage.Storage.of({ ...memory, regions: { ...regions, like } }))
      })
    )
    const racing = await World.start({ storage })
    try {
      const tenant = await World.tenant(racing)
      const names = ["Alps", "Bergen"]
      const answers = await Promise.all(
        names.map((region_name, index) => {
          const iso2_list = index === 0 ? ["FR", "CH"] : ["CH", "FR"]
          const label = index === 0 ? "Green" : "Blue"
          return tenant.post("/v3/coverage-profiles/custom-region", { region_name, label, iso2_list })
        })
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const [made, refused] = answers.toSorted((left, right) => left.status - right.status)
      expect(refused?.body.existing_coverage).toStrictEqual(made?.body.data)
    } finally {
      await racing.close()
    }
  })

  it.each([
    [{ label: "Violet" }, "label must be one of"],
    [{ region_name: "" }, "region_name must not be empty"],
    [{ iso2_list: [] }, "iso2_list must"],
    [{ iso2_list: ["FRA"] }, "iso2_list must"],
    [{ iso2_list: "FR" }, "iso2_list must be an array"],
    [{ iso2_list: ["FR", 1] }, "iso2_list[1] must be a string"]
  ])("refuse %j", async (fields, message) => {
    const refused = await region(fields)
    expect([refused.status, refused.body.code]).toEqual([400, "invalid_field"])
    expect(refused.body.message).toContain(message)
  })
})

describe("operators", () => {
  it("are listed by label and country", async () => {
    const { body } = await acme.get("/v3/operators?country=fr&label=Blue")
    expect(body.data.length).toBeGreaterThan(1)
    const [operator] = body.data
    expect(operator).toStrictEqual({
      operator_id: expect.any(String),
      name: expect.any(String),
      country: { iso2: "FR", iso3: "FRA", name: "France" },
      supported_rats: expect.arrayContaining(["5G"]),
      mcc_mnc: expect.any(Array),
      labels: expect.arrayContaining(["Blue"])
    })
    const one = await acme.get(`/v3/operators/${operator.operator_id}`)
    expect(one.body).toStrictEqual({ error: false, data: operator })
    expect((await acme.get("/v3/operators?country=XX")).body.data).toEqual([])
    const all = (await acme.get("/v3/operators")).body.data
    expect((await acme.get("/v3/operators?country=")).body.data).toEqual(all)
  })

  it.each(["FRANCE", "F", "F1", "%C3%9F%C3%9F", "FR,DE"])(
    "are not listed by what is no country code: %s",
    async (code) => {
      const { body, status } = await acme.get(`/v3/operators?country=${code}`)
      expect([status, body.code, body.message]).toEqual([
        400,
        "invalid_field",
        "country must be an ISO 2-letter country code"
      ])
    }
  )

  it("answer 404 for an unknown one", async () => {
    const none = await acme.get("/v3/operators/nope")
    expect([none.status, none.body.code]).toEqual([404, "operator_not_found"])
  })
})
