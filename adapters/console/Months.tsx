/** What pages of costs and usage share: a UTC month to choose, and a report of months as a file. */
import { UsageBook } from "simplan/ports"
import * as Api from "./Api.ts"
import * as Filters from "./Filters.tsx"
import * as Location from "./Location.ts"
import * as View from "./View.tsx"
import * as Words from "./Words.ts"

/** A UTC month, by its first instant, as the API names it: `2026-11`. */
export const text = UsageBook.textOfMonth

/** The month before. */
export const before = (month: number): number => UsageBook.monthOf(month - 1)

/** So many of the latest months, the one that is not over first. */
const latest = (count: number): ReadonlyArray<number> => {
  const months = [UsageBook.monthOf(Api.now())]
  for (let last = months[0]; last !== undefined && months.length < count; ) {
    last = before(last)
    months.push(last)
  }
  return months
}

/** The month of the address, of so many of the latest ones; the latest if it names none of them. */
export const chosen = (count: number): number => {
  const months = latest(count)
  return months.find((one) => text(one) === Location.field("month")) ?? UsageBook.monthOf(Api.now())
}

/** Chooses one of so many of the latest months. */
export const Choice = ({ count }: { readonly count: number }) => (
  <Filters.Choice
    label="Month (UTC)"
    name="month"
    choices={latest(count).map((one, at) => [at === 0 ? "" : text(one), Words.month(one)])}
  />
)

/** A button that gives the browser what the API has as a table. */
export const File = ({
  label,
  name,
  path
}: {
  readonly label: string
  readonly name: string
  readonly path: string
}) => (
  <View.Action
    label={label}
    does={async () => View.download(name, await Api.text(path, "text/csv"))}
    done={() => undefined}
  />
)
