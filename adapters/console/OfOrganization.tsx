/**
 * The organization at hand, and the pages of what it has. It is the one that the URL names, else
 * the only one that the operator sees, else the last one in this tab, else the oldest.
 */
import type { ComponentType } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { AuditEntry } from "simplan/ports"
import * as Api from "./Api.ts"
import * as Location from "./Location.ts"
import type * as Types from "./Types.ts"
import * as View from "./View.tsx"

/** What an organization has, by the names of the pages. */
const pages = (): ReadonlyArray<readonly [page: string, title: string]> => [
  ["organization", "Summary"],
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

/** What the service has belongs to none. */
const Organization = ({ organization_id, organization_name }: Named) =>
  organization_id === AuditEntry.SERVICE ? (
    <>the service</>
  ) : (
    <>
      <View.Link to={{ page: "organization", of: organization_id }}>
        <View.Text>{organization_name}</View.Text>
      </View.Link>{" "}
      <View.Id>{organization_id}</View.Id>
    </>
  )

/** The column of a table whose rows are organizations'. */
export const organization = { title: "Organization", of: Organization }

/** What is kept of an organization is kept for who has read it. */
const readOf = (of: string): string => `${Api.operator.peek()?.name} ${of}`

/** The names that are known or being read, by who reads them: an organization keeps its name. */
const names = new Map<string, Promise<string>>()

const nameOf = (of: string): Promise<string> => {
  const key = readOf(of)
  const known = names.get(key)
  if (known !== undefined) return known
  const path = `/organizations/${encodeURIComponent(of)}`
  const name = Api.read<Types.Data<"organizations", "get">>(path).then((read) => read.name)
  names.set(key, name)
  name.catch(() => names.delete(key))
  return name
}

/** Its name; undefined until it is read. */
const useName = (of: string): string | undefined =>
  View.useReading(`name of ${of}`, async () => (of === "" ? undefined : nameOf(of)), null).data

/** An organization by its id, with its name once it is read. */
export const Name = ({ of }: { readonly of: string }) => {
  const name = useName(of)
  return (
    <>
      {name !== undefined && (
        <>
          <View.Link to={{ page: "organization", of }}>
            <View.Text>{name}</View.Text>
          </View.Link>{" "}
        </>
      )}
      <View.Id>{of}</View.Id>
    </>
  )
}

type Key = Types.Item<"organizations", "keys">

/** The names of keys by their ids, as they were read last, by who reads them and organization. */
const keys = new Map<string, Promise<ReadonlyMap<string, string>>>()

/** The name of a key. Keys that were made since their names were read are read again. */
const keyNameOf = async (of: string, key: string): Promise<string | undefined> => {
  const whose = readOf(of)
  const known = keys.get(whose)
  const found = (await known)?.get(key)
  if (found !== undefined) return found
  if (keys.get(whose) === known) {
    const read = Api.all<Key>(`/organizations/${encodeURIComponent(of)}/api-keys`).then(
      (all) => new Map(all.map(({ api_key_id, name }) => [api_key_id, name]))
    )
    keys.set(whose, read)
    read.catch(() => keys.delete(whose))
  }
  return (await keys.get(whose))?.get(key)
}

const ID = /^[0-9a-f-]{36}$/

const KeyName = ({ id, of }: { readonly id: string; readonly of: string }) => {
  const name = View.useReading(`name of key ${id}`, () => keyNameOf(of, id), null).data
  return (
    <>
      {name !== undefined && <View.Text>{name}</View.Text>} <View.Id>{id}</View.Id>
    </>
  )
}

/** Who did something in an organization: a name, or a key by its name, once it is read, and id. */
export const Actor = ({ by, of }: { readonly by: string | null; readonly of: string }) =>
  by !== null && ID.test(by) ? <KeyName id={by} of={of} /> : <View.Text>{by}</View.Text>

/** Where a tab keeps the organization that was at hand last. */
const KEPT = "simplan.organization"

/** The organization that the URL names, or the only one; empty if it names none. */
const named = (): string => Location.field("of") || (Api.operator.value?.organization_id ?? "")

/** Keeps the organization that the URL names at hand. */
export const keep = (): void => {
  const of = Location.field("of")
  if (of !== "") sessionStorage.setItem(KEPT, of)
}

/** The organization at hand; empty if there is none yet. */
export const atHand = (): string => named() || (sessionStorage.getItem(KEPT) ?? "")

type Listed = Types.Item<"organizations", "list">

/** How many organizations the switcher reads, and shows. */
const READ = 1_000
const SHOWN = 20

const readSome = async (): Promise<ReadonlyArray<Listed>> => {
  const found: Array<Listed> = []
  let after: string | null = ""
  while (after !== null && found.length < READ) {
    const page: Api.Page<Listed> = await Api.page<Listed>(
      `/organizations?page_size=100${after === "" ? "" : `&page=${encodeURIComponent(after)}`}`
    )
    found.push(...page.data)
    after = page.next_page
  }
  return found
}

const Choices = ({ close }: { readonly close: () => void }) => {
  const element = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState("")
  const { data, failure } = View.useReading("organizations to choose", readSome, null)
  useEffect(() => element.current?.showModal(), [])
  const asked = text.trim().toLowerCase()
  const fitting = (data ?? []).filter(
    ({ name, organization_id }) => name.toLowerCase().includes(asked) || organization_id === asked
  )
  const page = Location.field("page")
  const toOf = (of: string) => ({ page: pages().some(([known]) => known === page) ? page : "organization", of })
  const [first] = fitting
  return (
    <dialog ref={element} aria-labelledby="switch" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (first === undefined) return
          close()
          Location.go(toOf(first.organization_id))
        }}
      >
        <h2 id="switch">Organization</h2>
        <div class="field">
          <label htmlFor="switch-name">Its name, or its id</label>
          <input id="switch-name" type="search" onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </div>
        <View.Failure>{failure}</View.Failure>
        <ul class="choices" aria-label="Organizations that fit">
          {fitting.slice(0, SHOWN).map(({ name, organization_id }) => (
            // A click is heard here after the link has led there.
            <li key={organization_id} onClick={close} onKeyDown={() => undefined}>
              <View.Link to={toOf(organization_id)}>
                <View.Text>{name}</View.Text>
              </View.Link>
            </li>
          ))}
        </ul>
        {data !== undefined && fitting.length === 0 && <p class="empty">None has this name.</p>}
        {fitting.length > SHOWN && (
          <p class="note">{View.counted(fitting.length - SHOWN, "more fits", "more fit")}: type more of it.</p>
        )}
        {(data ?? []).length >= READ && (
          <p class="note">These are the oldest {READ.toLocaleString("en")}: the page of organizations has all.</p>
        )}
        <p class="pages">
          <button type="button" onClick={() => element.current?.close()}>
            Close
          </button>
        </p>
      </form>
    </dialog>
  )
}

/** The organization at hand, in the header of all pages: choosing another one stays on the page. */
export const Switcher = () => {
  const [isOpen, setOpen] = useState(false)
  const of = atHand()
  const name = useName(of)
  if (Api.operator.value?.organization_id != null)
    return (
      <View.Link to={{ page: "organization", of }}>
        <View.Text>{name ?? of}</View.Text>
      </View.Link>
    )
  return (
    <>
      <button
        type="button"
        class="switcher"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        aria-label={`Organization: ${name ?? "choose one"}`}
      >
        <View.Text>{name ?? "Organization"}</View.Text> <span aria-hidden="true">▾</span>
      </button>
      {isOpen && <Choices close={() => setOpen(false)} />}
    </>
  )
}

/** Puts an organization at hand if the URL names none. */
const First = () => {
  const { data, failure } = View.useReading(
    "the first organization",
    async () => atHand() || ((await Api.page<Listed>("/organizations?page_size=1")).data[0]?.organization_id ?? ""),
    null
  )
  useEffect(() => {
    if (data !== undefined && data !== "") Location.replace({ of: data })
  }, [data])
  if (data !== "") return failure === null ? <p class="empty">Reading …</p> : <View.Failure>{failure}</View.Failure>
  return (
    <p class="empty">
      There is no organization yet: <View.Link to={{ page: "organizations" }}>create one</View.Link>.
    </p>
  )
}

/** How much of the links before the current one stays in sight, in pixels. */
const INSET = 64

/** Links to all that an organization has. */
export const Links = ({ kind = "ways", of }: { readonly of: string; readonly kind?: string }) => {
  const element = useRef<HTMLSpanElement>(null)
  const at = Location.field("page")
  // The link of the page itself is in sight if they are wider than a phone.
  useEffect(() => {
    const [all, current] = [element.current, element.current?.querySelector("[aria-current]")]
    if (all !== null && current instanceof HTMLElement && current.offsetLeft + current.offsetWidth > all.clientWidth)
      all.scrollTo({ left: current.offsetLeft - INSET })
  }, [at])
  return (
    <span class={kind} ref={element}>
      {pages().map(([page, title]) => (
        <View.Link key={page} to={{ page, of }} current={at === page}>
          {title}
        </View.Link>
      ))}
    </span>
  )
}

export const OfOrganization = ({
  Chosen,
  title
}: {
  readonly title: string
  readonly Chosen: ComponentType<{ readonly of: string }>
}) => {
  const chosen = named()
  return (
    <>
      <h1>{title}</h1>
      {chosen === "" ? (
        <First />
      ) : (
        <>
          <p class="of">
            Of <Name of={chosen} />
          </p>
          <Links of={chosen} kind="ways tabs" />
          <Chosen key={chosen} of={chosen} />
        </>
      )}
    </>
  )
}
