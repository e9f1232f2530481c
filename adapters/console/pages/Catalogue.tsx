/** The catalogue, and what would change before it is replaced by a file. */
import { useState } from "preact/hooks"
import * as Api from "../Api.ts"
import * as CatalogueChanges from "../CatalogueChanges.ts"
import { FileField } from "../FileField.tsx"
import * as View from "../View.tsx"

type Catalogue = CatalogueChanges.Catalogue

interface Chosen {
  readonly name: string
  readonly file: unknown
  readonly changes: ReadonlyArray<CatalogueChanges.Change>
}

const SHOWN = 1_000

const changes: ReadonlyArray<View.Column<CatalogueChanges.Change>> = [
  { title: "What", of: ({ kind }) => kind },
  { title: "Name", of: ({ name }) => <View.Text>{name}</View.Text> },
  { title: "Change", of: ({ what }) => what },
  { title: "Detail", of: ({ detail }) => <View.Text>{detail === "" ? null : detail}</View.Text> }
]

const profiles: ReadonlyArray<View.Column<Catalogue["profiles"][number]>> = [
  { title: "Region", of: ({ region_name }) => <View.Text>{region_name}</View.Text> },
  { title: "Code", of: ({ region_code }) => <View.Text>{region_code}</View.Text> },
  { title: "Label", of: ({ label }) => label },
  { title: "Countries", of: ({ iso2_list }) => (iso2_list.length > 12 ? `${iso2_list.length}` : iso2_list.join(", ")) }
]

const NO_JSON = "The file is no JSON: it has to be a catalogue as the API answers it."

const REPLACED =
  "Somebody has replaced the catalogue meanwhile. Choose the file again to see what it would change in that one."

const parsed = async (file: File): Promise<unknown> => {
  const text = await file.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(NO_JSON)
  }
}

const replace = async (file: unknown, isPreview: boolean): Promise<Catalogue> =>
  (await Api.call<{ readonly data: Catalogue }>("PUT", `/catalogue?dry_run=${isPreview}`, { body: file })).data

const Replacement = ({ current, done }: { readonly current: Catalogue; readonly done: () => void }) => {
  const [chosen, choose] = useState<Chosen | null>(null)
  const [said, say] = useState("")
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setFailure(null)
    say("")
    try {
      await act()
    } catch (error) {
      setFailure(Api.sentenceOf(error))
    }
    setBusy(false)
  }
  const take = (file: File): Promise<void> =>
    attempt(async () => {
      choose(null)
      const catalogue = await parsed(file)
      const next = await replace(catalogue, true)
      choose({ name: file.name, file: catalogue, changes: CatalogueChanges.of(current, next) })
    })
  const act = (of: Chosen): Promise<void> =>
    attempt(async () => {
      if (CatalogueChanges.of(current, await Api.read<Catalogue>("/catalogue")).length > 0) {
        choose(null)
        done()
        throw new Error(REPLACED)
      }
      await replace(of.file, false)
      choose(null)
      say("The catalogue is replaced.")
      done()
    })

  return (
    <>
      <h2>Replace it</h2>
      <p>
        By a JSON file with its countries, operators and profiles. What would change is shown first; plans and
        attachments stay.
      </p>
      <FileField accept=".json,application/json" take={(file) => void take(file)} />
      <View.Failure>{failure}</View.Failure>
      <p role="status" data-done>
        {isBusy ? "The server reads it …" : said}
      </p>
      {chosen !== null && (
        <>
          <p data-summary>
            <View.Text>{chosen.name}</View.Text>:{" "}
            {chosen.changes.length === 0 ? "nothing would change." : `${chosen.changes.length} changes.`}
          </p>
          <p class="actions">
            <button type="button" disabled={isBusy || chosen.changes.length === 0} onClick={() => void act(chosen)}>
              Replace the catalogue
            </button>
            <button type="button" disabled={isBusy} onClick={() => choose(null)}>
              Cancel
            </button>
          </p>
          {chosen.changes.length > SHOWN && <p class="note">The first {SHOWN} of them.</p>}
          {chosen.changes.length > 0 && (
            <View.Table label="Changes" columns={changes} items={chosen.changes.slice(0, SHOWN)} empty="" />
          )}
        </>
      )}
    </>
  )
}

export default () => {
  const { again, data, failure } = View.useReading("catalogue", () => Api.read<Catalogue>("/catalogue"), false)
  return (
    <>
      <h1>Catalogue</h1>
      <View.Failure>{failure}</View.Failure>
      {data === undefined ? (
        failure === null && <p class="empty">Reading …</p>
      ) : (
        <>
          <p>
            {data.countries.length} countries, {data.operators.length} operators, {data.profiles.length} standard
            profiles.
          </p>
          {Api.allows("admin") && <Replacement current={data} done={again} />}
          <h2>Profiles</h2>
          <View.Table
            label="Profiles"
            columns={profiles}
            items={data.profiles.slice(0, SHOWN)}
            empty="There are none."
          />
        </>
      )}
    </>
  )
}
