/**
 * Who changed what: of an organization, or of what belongs to none, and as a file. What one request
 * has changed, as a bulk run does, is one row that opens.
 */
import { AuditEntry } from "simplan/ports"
import { Download } from "../Download.tsx"
import * as Filters from "../Filters.tsx"
import { Grouped } from "../List.tsx"
import * as Location from "../Location.ts"
import { Actor, Links, Name } from "../OfOrganization.tsx"
import * as Search from "../Search.tsx"
import type * as Types from "../Types.ts"
import * as View from "../View.tsx"
import * as Words from "../Words.ts"

type Entry = Types.Item<"audit", "list">

/** What one request did in the same way, newest first. */
type Run = readonly [Entry, ...ReadonlyArray<Entry>]

const isOfRun = (one: Entry, other: Entry): boolean =>
  one.request_id !== null &&
  one.request_id === other.request_id &&
  one.action === other.action &&
  one.actor === other.actor

/** The entries in a row of which one request has made all. */
const together = (entries: ReadonlyArray<Entry>): ReadonlyArray<Run> => {
  const runs: Array<[Entry, ...Array<Entry>]> = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last !== undefined && isOfRun(last[0], entry)) last.push(entry)
    else runs.push([entry])
  }
  return runs
}

/** The id of what was changed, and the SIM that it is about. */
const Resource = ({ entry: { iccid, resource_id }, of }: { readonly entry: Entry; readonly of: string }) =>
  iccid === null ? (
    <View.Id>{resource_id}</View.Id>
  ) : (
    <>
      <View.Link to={Search.simOf({ iccid, organization_id: of })}>{iccid}</View.Link>
      {resource_id !== iccid && (
        <>
          {" "}
          <View.Id>{resource_id}</View.Id>
        </>
      )}
    </>
  )

/** What it made of fields. That of a run opens with what the run was of. */
const Changed = ({ run }: { readonly run: Run }) =>
  run.length > 1 || run[0].changed.length === 0 ? (
    <View.Text>{null}</View.Text>
  ) : (
    <>
      {run[0].changed.map((one) => (
        <div key={one.field}>
          <View.Text>{AuditEntry.inWords(one)}</View.Text>
        </div>
      ))}
    </>
  )

const columns = (of: string) => (): ReadonlyArray<View.Column<Run>> => [
  { title: "When", of: ([{ created_at }]) => <View.Time at={created_at} /> },
  { title: "Who", of: ([{ actor }]) => <Actor by={actor} of={of} /> },
  { title: "What", of: ([{ action }]) => Words.action(action) },
  {
    title: "Of",
    of: (run) =>
      run.length === 1 ? (
        <Resource entry={run[0]} of={of} />
      ) : (
        <details>
          <summary>{run.length} by one request</summary>
          <ul class="choices sentences">
            {run.map((entry) => (
              <li key={entry.audit_entry_id}>
                <Resource entry={entry} of={of} /> {AuditEntry.allInWords(entry.changed)}
              </li>
            ))}
          </ul>
        </details>
      )
  },
  { title: "Changed", of: (run) => <Changed run={run} /> },
  { title: "Why", of: ([{ reason }]) => <View.Text>{reason}</View.Text> },
  { title: "Address", of: ([{ address }]) => address }
]

const FILE = [
  { name: "created_at", text: ({ created_at }: Entry) => created_at },
  { name: "actor", text: ({ actor }: Entry) => actor },
  { name: "action", text: ({ action }: Entry) => action },
  { name: "resource_id", text: ({ resource_id }: Entry) => resource_id },
  { name: "iccid", text: ({ iccid }: Entry) => iccid ?? "" },
  { name: "changed", text: ({ changed }: Entry) => AuditEntry.allInWords(changed) },
  { name: "reason", text: ({ reason }: Entry) => reason ?? "" },
  { name: "address", text: ({ address }: Entry) => address ?? "" },
  { name: "request_id", text: ({ request_id }: Entry) => request_id ?? "" }
]

const KINDS = [["", "any"], ...AuditEntry.actions.map((action) => [action, Words.action(action)] as const)] as const

export default () => {
  const chosen = Location.field("of")
  const list = chosen === "" ? "/audit" : `/organizations/${encodeURIComponent(chosen)}/audit`
  const asked = Object.entries({
    actor: Location.field("q"),
    action: Location.field("kind"),
    resource_id: Location.field("iccid"),
    from: Filters.instant("since"),
    to: Filters.instant("until")
  }).filter(([, value]) => value !== "")
  const path = asked.length === 0 ? list : `${list}?${new URLSearchParams(asked)}`
  return (
    <>
      <h1>Audit log</h1>
      {chosen === "" ? (
        <p>Changes of what belongs to no organization.</p>
      ) : (
        <>
          <p class="of">
            Of <Name of={chosen} />
          </p>
          <Links of={chosen} kind="ways tabs" />
        </>
      )}
      <Filters.Bar>
        <Filters.Input label="Only by" name="q" />
        <Filters.Choice label="What" name="kind" choices={KINDS} />
        <Filters.Input label="SIM, or id" name="iccid" />
        <Filters.Input label="Since (UTC)" name="since" isTime />
        <Filters.Input label="Until (UTC)" name="until" isTime />
      </Filters.Bar>
      <div class="listing">
        <p class="note">Newest first.</p>
        <Download name="audit.csv" path={path} columns={FILE} />
      </div>
      <Grouped
        label="Audit log"
        path={path}
        columns={columns(chosen)}
        together={together}
        empty="There are no such changes. Empty the filters, or choose an organization."
      />
    </>
  )
}
