/** The pages of things that are an organization's: the one that the URL names, or the only one that the operator sees. */
import type { ComponentType } from "preact"
import * as Api from "./Api.ts"
import * as Location from "./Location.ts"
import * as View from "./View.tsx"

export const OfOrganization = ({
  Chosen,
  title
}: {
  readonly title: string
  readonly Chosen: ComponentType<{ readonly of: string }>
}) => {
  const of = Location.field("of") || (Api.operator.value?.organization_id ?? "")
  return (
    <>
      <h1>{title}</h1>
      {of === "" ? (
        <p>
          {title} are an organization's: choose it among the{" "}
          <View.Link to={{ page: "organizations" }}>organizations</View.Link>.
        </p>
      ) : (
        <Chosen of={of} />
      )}
    </>
  )
}
