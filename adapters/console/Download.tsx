/** A list of the API as a file that spreadsheets open. */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Csv from "./Csv.ts"
import * as View from "./View.tsx"

/** How many rows a file has at most. */
const MOST = 10_000

/** A column of a file. */
export interface FileColumn<Item> {
  readonly name: string
  /** Its cell in a file. */
  readonly text: (item: Item) => string
}

/** A button that reads the list page by page, and gives the browser its file. */
export const Download = <Item,>({
  columns,
  name,
  path
}: {
  readonly name: string
  /** The list, with its filters. */
  readonly path: string
  readonly columns: ReadonlyArray<FileColumn<Item>>
}) => {
  const [said, say] = useState("")
  const download = async (): Promise<void> => {
    const [list = "", query = ""] = path.split("?")
    const asked = new URLSearchParams(query)
    asked.set("page_size", "100")
    const rows: Array<ReadonlyArray<string>> = []
    let hasMore = true
    while (hasMore && rows.length < MOST) {
      const { data, next_page } = await Api.page<Item>(`${list}?${asked}`)
      rows.push(...data.map((item) => columns.map(({ text }) => text(item))))
      hasMore = next_page !== null
      asked.set("page", next_page ?? "")
      say(`${rows.length} are read …`)
    }
    const header = columns.map((column) => column.name)
    View.download(name, Csv.of(header, rows))
    const all = View.counted(rows.length, "row", "rows")
    say(hasMore ? `The file has the first ${all}.` : `The file has ${all}: all there are.`)
  }
  return (
    <>
      <View.Action label="Download as CSV" does={download} done={() => undefined} />
      <p role="status" data-file>
        {said}
      </p>
    </>
  )
}
