/**
 * Where SIMs of a label have service, by country: its networks, and the profiles that plans may be
 * for.
 */
import { Label } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Filters from "../Filters.tsx"
import * as Location from "../Location.ts"
import { OfOrganization } from "../OfOrganization.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Profile = Types.Item<"organizationCoverage", "list">

type Network = Profile["countries"][number]["operators"][number]

interface Country {
  readonly iso2: string
  readonly name: string
  readonly networks: ReadonlyMap<string, Network>
  readonly profiles: ReadonlyArray<Profile>
}

/** The countries of profiles, by name. */
const byCountry = (profiles: ReadonlyArray<Profile>): ReadonlyArray<Country> => {
  const found = new Map<string, Country>()
  for (const profile of profiles) {
    for (const { iso2, name, operators } of profile.countries) {
      const before = found.get(iso2)
      const networks = new Map([
        ...(before?.networks ?? []),
        ...operators.map((one) => [one.operator_id, one] as const)
      ])
      found.set(iso2, { iso2, name, networks, profiles: [...(before?.profiles ?? []), profile] })
    }
  }
  return [...found.values()].toSorted((left, right) => left.name.localeCompare(right.name))
}

const columns: ReadonlyArray<View.Column<Country>> = [
  { title: "Country", of: ({ iso2, name }) => <View.Text>{`${name} (${iso2})`}</View.Text> },
  {
    title: "Networks",
    of: ({ networks }) => (
      <View.Text>
        {[...networks.values()].map(({ name, supported_rats }) => `${name} (${supported_rats.join(", ")})`).join("; ")}
      </View.Text>
    )
  },
  {
    title: "Regions of plans",
    of: ({ profiles }) => <View.Text>{profiles.map(({ region_name }) => region_name).join("; ")}</View.Text>
  }
]

const Chosen = ({ of }: { readonly of: string }) => {
  const label = Location.field("label") || Label.labels[0]
  const region = Location.field("region")
  const country = Location.field("country").toUpperCase()
  const query = new URLSearchParams({ label, ...(region !== "" && { region_code: region }) })
  const path = `/organizations/${encodeURIComponent(of)}/coverage-profiles?${query}`
  const { data, failure } = View.useReading(path, () => Api.read<ReadonlyArray<Profile>>(path), null)
  const countries = byCountry(data ?? []).filter(({ iso2 }) => country === "" || iso2 === country)
  return (
    <>
      <div class="filters">
        <Filters.Choice
          label="Label"
          name="label"
          choices={Label.labels.map((one, at) => [at === 0 ? "" : one, one] as const)}
        />
        <Filters.Input label="Country, such as FR" name="country" />
        <Filters.Input label="Region code" name="region" />
      </div>
      <View.Failure>{failure}</View.Failure>
      {data === undefined ? (
        failure === null && <p class="empty">Reading …</p>
      ) : (
        <>
          <p data-summary>
            {countries.length} countries in {data.length} profiles.
          </p>
          <View.Table label="Coverage" columns={columns} items={countries} empty="There is no such coverage." />
        </>
      )}
    </>
  )
}

export default () => <OfOrganization title="Coverage" Chosen={Chosen} />
