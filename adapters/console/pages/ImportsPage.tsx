/**
 * Imports SIMs from a file: what would come of its rows, the import, and the rows that were
 * rejected as a file. An import that fails leaves the file chosen; a file may be imported again,
 * since SIMs that are there already stay.
 */
import { useState } from "preact/hooks"
import { SimImport } from "simplan/ports"
import * as Api from "../Api.ts"
import * as Bulk from "../Bulk.ts"
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

/** What the rows have in place of what SIMs have, as the corrections of many SIMs take it. */
const differing = ({ report: { differing: rows = [] } }: Chosen): string =>
  Csv.of(
    ["iccid", "label", "lpa_string", "is_esim", "label_before", "lpa_string_before", "is_esim_before"],
    rows.map(({ given, iccid, stored }) => [
      iccid,
      ...[given, stored].flatMap(({ is_esim, label = "", lpa = "" }) => [label, lpa, String(is_esim ?? "")])
    ])
  )

type Correction = Types.Item<"organizationSims", "updateMany">

/** Corrects the SIMs to what the rows have; what a row has of another kind of SIM stays. */
const correction = (of: string, chosen: Chosen): Task.Task => {
  const path = `/organizations/${encodeURIComponent(of)}/sims/updates`
  const rows = (chosen.report.differing ?? []).flatMap(({ given: { label, lpa }, iccid }) =>
    label === undefined && lpa === undefined
      ? []
      : [{ iccid, ...(label !== undefined && { label }), ...(lpa !== undefined && { lpa_string: lpa }) }]
  )
  const correct = async (query: string): Promise<ReadonlyArray<Correction>> =>
    (await Api.call<{ readonly data: ReadonlyArray<Correction> }>("POST", `${path}${query}`, { body: { sims: rows } }))
      .data
  const counted = (results: ReadonlyArray<Correction>, result: Correction["result"]): number =>
    results.filter((one) => one.result === result).length
  return {
    title: "Correct the SIMs to these rows",
    about:
      "Their labels and activation codes would be those of the file. A SIM that a subscription has keeps its label.",
    preview: async () => {
      const results = await correct("?dry_run=true")
      const refused = results.filter(({ result }) => result === "refused")
      return [
        `${View.counted(counted(results, "corrected"), "SIM", "SIMs")} would be corrected.`,
        ...(refused.length === 0 ? [] : [`${View.counted(refused.length, "row", "rows")} would be refused:`]),
        ...refused.slice(0, REFUSED).map(({ iccid, message = "" }) => `${iccid}: ${message}`)
      ]
    },
    typed: () => Bulk.typedOfMany(rows.length),
    does: async () => {
      const results = await correct("")
      const refused = counted(results, "refused")
      return `${View.counted(counted(results, "corrected"), "SIM is", "SIMs are")} corrected${refused === 0 ? "" : `, ${refused} refused`}.`
    }
  }
}

/** How many refusals are shown. */
const REFUSED = 3

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

const Outcome = ({ of, organization }: { readonly of: Chosen; readonly organization: string }) => {
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
      {(report.differing_count ?? 0) > 0 && (
        <>
          <p>
            <button type="button" onClick={() => View.download("differing.csv", differing(of))}>
              {(report.differing ?? []).length < (report.differing_count ?? 0)
                ? `Download the first ${report.differing?.length} differing rows`
                : "Download the differing rows"}
            </button>
          </p>
          <Task.Buttons tasks={[correction(organization, of)]} again={() => undefined} />
        </>
      )}
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
  const toType = Bulk.typedOfMany(many)

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
          <Outcome of={chosen} organization={of} />
        </>
      )}
    </>
  )
}

export default () => <OfOrganization title="Imports" Chosen={Import} />
