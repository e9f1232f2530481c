/**
 * Imports SIMs from a file: what would come of its rows, the import, and the rows that were
 * rejected as a file. An import that fails leaves the file chosen; a file may be imported again,
 * since SIMs that are there already stay.
 */
import { useState } from "preact/hooks"
import { Operator, SimImport } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Csv from "../Csv.ts"
import * as CsvText from "../../fields/CsvText.ts"
import { FileField } from "../FileField.tsx"
import { OfOrganization } from "../OfOrganization.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

type Report = Types.Data<"imports", "importSims">

type Message = Report["errors"][number]

type Difference = NonNullable<Report["differing"]>[number]

interface Chosen {
  readonly name: string
  readonly text: string
  readonly report: Report
  readonly isDone: boolean
}

const place: ReadonlyArray<View.Column<Omit<Message, "message">>> = [
  { title: "Line", of: ({ line, row }) => line ?? `row ${row}` },
  { title: "ICCID", of: ({ iccid }) => <View.Text>{iccid}</View.Text> }
]

const messages: ReadonlyArray<View.Column<Message>> = [
  ...place,
  { title: "What", of: ({ message }) => <View.Text>{message}</View.Text> }
]

const valuesOf = (of: Difference["stored"]) => (
  <View.Text>
    {Object.entries(of)
      .map(([name, value]) => `${name.replace("_", " ")}: ${value}`)
      .join(", ")}
  </View.Text>
)

const differences: ReadonlyArray<View.Column<Difference>> = [
  ...place,
  { title: "It is, and stays", of: ({ stored }) => valuesOf(stored) },
  { title: "The row has", of: ({ given }) => valuesOf(given) }
]

const summaryOf = ({ duplicates, error_count, imported, updated }: Report, isDone: boolean): string => {
  const [verb, all] = isDone ? ["were", "were"] : ["would be", "would be"]
  return [
    `${View.counted(imported, `SIM ${isDone ? "was" : "would be"}`, `SIMs ${verb}`)} imported`,
    `${updated} of those that are there ${all} completed`,
    `${View.counted(duplicates, "row names", "rows name")} a SIM that is there and stays as it is`,
    `${View.counted(error_count, "row", "rows")} ${isDone ? (error_count === 1 ? "was" : "were") : "would be"} rejected`
  ].join("; ")
}

/** A table of the first of them, with their number. */
const Listed = <Item,>({
  columns,
  count,
  items,
  title
}: {
  readonly title: string
  readonly count: number
  readonly items: ReadonlyArray<Item>
  readonly columns: ReadonlyArray<View.Column<Item>>
}) =>
  count === 0 ? null : (
    <>
      <h2>
        {title}: {count}
      </h2>
      {items.length < count && <p class="note">The first {items.length} of them.</p>}
      <View.Table label={title} columns={columns} items={items} empty="" />
    </>
  )

/** The rejected rows as they were in the file, with what is wrong with each. */
const rejected = ({ report, text }: Chosen): string => {
  const [header, ...rows] = Csv.parse(text)
  const byLine = new Map(rows.map((row) => [row.line, row]))
  return Csv.of(
    [...(header?.cells ?? []), "problem"],
    report.errors.map(({ line, message, row }) => {
      const found = (line === null ? undefined : byLine.get(line)) ?? rows[row - 1]
      return [...(header?.cells ?? []).map((_, at) => found?.cells[at] ?? ""), message]
    })
  )
}

const Outcome = ({ of }: { readonly of: Chosen }) => {
  const { isDone, report } = of
  return (
    <>
      <p role="status" data-summary>
        <View.Text>{of.name}</View.Text>: {summaryOf(report, isDone)}.
      </p>
      {report.error_count > 0 && (
        <p>
          <button type="button" onClick={() => View.download("rejected.csv", rejected(of))}>
            {report.errors.length < report.error_count
              ? `Download the first ${report.errors.length} rejected rows`
              : "Download the rejected rows"}
          </button>
        </p>
      )}
      <Listed title="Errors" count={report.error_count} items={report.errors} columns={messages} />
      <Listed
        title="Differences"
        count={report.differing_count ?? 0}
        items={report.differing ?? []}
        columns={differences}
      />
      <Listed title="Warnings" count={report.warning_count} items={report.warnings} columns={messages} />
    </>
  )
}

const Import = ({ of }: { readonly of: string }) => {
  const [chosen, choose] = useState<Chosen | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [typed, type] = useState("")
  const many = chosen === null ? 0 : chosen.report.imported + chosen.report.updated
  const toType = many > Operator.FEW ? String(many) : null

  const send = async (name: string, text: string, isDone: boolean): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const path = `/organizations/${encodeURIComponent(of)}/sims?dry_run=${!isDone}`
      const { data } = await Api.call<{ readonly data: Report }>("POST", path, { csv: text })
      choose({ name, text, report: data, isDone })
    } catch (error) {
      setFailure(Api.sentenceOf(error))
    }
    setBusy(false)
  }
  const take = async (file: File): Promise<void> => {
    choose(null)
    type("")
    await send(file.name, CsvText.text(new Uint8Array(await file.arrayBuffer())), false)
  }

  return (
    <>
      <p>
        A CSV file with the columns <code>iccid</code>, <code>label</code>, <code>is_esim</code> and perhaps{" "}
        <code>{SimImport.columnNames}</code>, in any order. What would come of it is shown first.
      </p>
      <FileField accept=".csv,text/csv" take={(file) => void take(file)} />
      <View.Failure>{failure}</View.Failure>
      {isBusy && <p class="empty">The server reads it …</p>}
      {chosen !== null && (
        <>
          {!chosen.isDone && toType !== null && <Task.Typed of={toType} value={typed} onChange={type} />}
          {!chosen.isDone && (
            <p class="actions">
              <button
                type="button"
                disabled={isBusy || many === 0 || !Task.isTyped(toType, typed)}
                onClick={() => void send(chosen.name, chosen.text, true)}
              >
                Import them
              </button>
              <button type="button" disabled={isBusy} onClick={() => choose(null)}>
                Cancel
              </button>
            </p>
          )}
          <Outcome of={chosen} />
        </>
      )}
    </>
  )
}

export default () => <OfOrganization title="Imports" Chosen={Import} />
