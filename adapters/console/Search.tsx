/** The search over all organizations: its field, which `/` leads to, and what was found. */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Location from "./Location.ts"
import type * as Types from "./Types.ts"

export type Hit = Types.Item<"search", "find">

export type Found = Types.Answer<"search", "find">

/** Finds SIMs. */
export const find = (text: string): Promise<Found> => Api.call<Found>("GET", `/search?q=${encodeURIComponent(text)}`)

/** The page of a hit's SIM. */
export const simOf = ({ iccid, organization_id }: Pick<Hit, "iccid" | "organization_id">) => ({
  page: "sim",
  of: organization_id,
  iccid
})

/** Goes to the SIM if one was found, and else to the list, which also says why nothing was. */
const open = async (text: string): Promise<void> => {
  const list = { page: "search", q: text }
  const found = await find(text).catch(() => null)
  const [only, ...others] = found?.data ?? []
  Location.go(only !== undefined && others.length === 0 ? simOf(only) : list)
}

export const Field = () => {
  const [text, setText] = useState(Location.field("page") === "search" ? Location.field("q") : "")
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== "") void open(text.trim())
        }}
      >
        <input
          type="search"
          aria-label="Search for SIMs"
          placeholder="ICCID, IMSI, number, order   /"
          data-search
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </search>
  )
}
