/**
 * The pages of things that are an organization's: the one that the URL names, or the only one that
 * the operator sees.
 */
import type { ComponentType } from "preact"
import * as Api from "./Api.ts"
import * as Location from "./Location.ts"
import type * as Types from "./Types.ts"
import * as View from "./View.tsx"

/** What an organization has, by the names of the pages. */
const pages = (): ReadonlyArray<readonly [page: string, title: string]> => [
  ["sims", "SIMs"],
  ["stock", "Stock"],
  ...(Api.allows("admin") ? [["imports", "Imports"] as const] : []),
  ["subscriptions", "Subscriptions"],
  ["usage", "Usage"],
  ["plans", "Plans"],
  ["coverage", "Coverage"],
  ["deliveries", "Deliveries"],
  ["keys", "Keys"],
  ["endpoints", "Endpoints"],
  ["audit", "Audit log"]
]

export interface Named {
  readonly organization_id: string
  readonly organization_name: string
}

const Organization = ({ organization_id, organization_name }: Named) => (
  <>
    <View.Link to={{ page: "deliveries", of: organization_id }}>
      <View.Text>{organization_name}</View.Text>
    </View.Link>{" "}
    <code>{organization_id}</code>
  </>
)

/** The column of a table whose rows are organizations'. */
export const organization = { title: "Organization", of: Organization }

/** An organization by its id, with its name once it is read. */
export const Name = ({ of }: { readonly of: string }) => {
  const { data } = View.useReading(
    `name of ${of}`,
    () => Api.read<Types.Data<"organizations", "get">>(`/organizations/${encodeURIComponent(of)}`),
    null
  )
  return (
    <>
      {data !== undefined && (
        <>
          <View.Text>{data.name}</View.Text>{" "}
        </>
      )}
      <code>{of}</code>
    </>
  )
}

/** Links to all that an organization has. */
export const Links = ({ of }: { readonly of: string }) => (
  <span class="ways">
    {pages().map(([page, title]) => (
      <View.Link key={page} to={{ page, of }} current={Location.field("page") === page}>
        {title}
      </View.Link>
    ))}
  </span>
)

export const OfOrganization = ({
  Chosen,
  title
}: {
  readonly title: string
  readonly Chosen: ComponentType<{ readonly of: string }>
}) => {
  const chosen = Location.field("of") || (Api.operator.value?.organization_id ?? "")
  return (
    <>
      <h1>{title}</h1>
      {chosen === "" ? (
        <p>
          {title} are an organization's: choose it among the{" "}
          <View.Link to={{ page: "organizations" }}>organizations</View.Link>.
        </p>
      ) : (
        <>
          <p>
            Of <Name of={chosen} />: <Links of={chosen} />
          </p>
          <Chosen key={chosen} of={chosen} />
        </>
      )}
    </>
  )
}
