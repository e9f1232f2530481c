/** The catalogue, and what would change before it is replaced by a file. */
import { useState } from "preact/hooks"
import * as Api from "../Api.ts"
import * as CatalogueChanges from "../CatalogueChanges.ts"
import * as Conflicts from "../Conflicts.ts"
import { FileField } from "../FileField.tsx"
import * as Task from "../Task.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"

interface Answer extends Pick<Types.Answer<"imports", "catalogue">, "version"> {
  readonly data: CatalogueChanges.Catalogue
}

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
  { title: "Detail", of: ({ detail }) => <View.Text>{detail === "" ? null : detail}</View.Text> },
  {
    title: "Plans that use it",
    of: ({ plans }) => (plans === undefined ? null : plans > 0 ? <strong class="bad">{plans}</strong> : plans)
  }
]

const profiles: ReadonlyArray<View.Column<CatalogueChanges.Catalogue["profiles"][number]>> = [
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

const Replacement = ({ current, done }: { readonly current: Answer; readonly done: () => void }) => {
  const [chosen, choose] = useState<Chosen | null>(null)
  const [said, say] = useState("")
  const [failure, setFailure] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [typed, type] = useState("")
  const going = chosen?.changes.filter(({ what }) => what === "goes") ?? []
  const toType = going.length === 0 ? null : String(going.length)

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
  const replace = (file: unknown, isPreview: boolean): Promise<Answer> => {
    const sent = { body: file, ifVersion: current.version }
    return Api.call<Answer>("PUT", `/catalogue?dry_run=${isPreview}`, sent).catch((error: unknown) => {
      if (!Conflicts.isOfAnother(error)) throw error
      choose(null)
      done()
      throw new Error(REPLACED)
    })
  }
  const take = (file: File): Promise<void> =>
    attempt(async () => {
      choose(null)
      const catalogue = await parsed(file)
      const next = await replace(catalogue, true)
      const uses = await Api.read<ReadonlyArray<CatalogueChanges.Use>>("/catalogue/uses")
      type("")
      choose({ name: file.name, file: catalogue, changes: CatalogueChanges.of(current.data, next.data, uses) })
    })
  const act = (of: Chosen): Promise<void> =>
    attempt(async () => {
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
            {chosen.changes.length === 0
              ? "nothing would change."
              : `${View.counted(chosen.changes.length, "change", "changes")}${toType === null ? "" : `, ${toType} of what goes`}.`}
          </p>
          {toType !== null && <Task.Typed of={toType} value={typed} onChange={type} />}
          <p class="actions">
            <button
              type="button"
              disabled={isBusy || chosen.changes.length === 0 || !Task.isTyped(toType, typed)}
              onClick={() => void act(chosen)}
            >
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
  const read = View.useReading("catalogue", () => Api.call<Answer>("GET", "/catalogue"), null)
  const { again, data: current, failure } = read
  return (
    <>
      <h1>Catalogue</h1>
      <View.Failure>{failure}</View.Failure>
      {current === undefined ? (
        failure === null && <p class="empty">Reading …</p>
      ) : (
        <>
          <p>
            {current.data.countries.length} countries, {current.data.operators.length} operators,{" "}
            {current.data.profiles.length} standard profiles.
          </p>
          <button
            type="button"
            onClick={() =>
              View.download("catalogue.json", `${JSON.stringify(current.data, null, 2)}\n`, "application/json")
            }
          >
            Download it
          </button>
          {Api.allows("admin") && <Replacement current={current} done={again} />}
          <h2>Profiles</h2>
          <View.Table
            label="Profiles"
            columns={profiles}
            items={current.data.profiles.slice(0, SHOWN)}
            empty="There are none."
          />
        </>
      )}
    </>
  )
}
