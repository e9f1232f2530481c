/**
 * The console: who is signed in, the way to each page, and whether the server answers.
 */
import type { ComponentType } from "preact"
import { render } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import * as Documents from "./Documents.ts"
import * as Keys from "./Keys.ts"
import * as Location from "./Location.ts"
import * as OfOrganization from "./OfOrganization.tsx"
import * as Sandbox from "./Sandbox.tsx"
import * as Search from "./Search.tsx"
import * as Times from "./Times.tsx"
import * as View from "./View.tsx"

interface Place {
  readonly name: string
  readonly title: string
  readonly load: () => Promise<{ readonly default: ComponentType }>
  readonly isShown?: () => boolean
  /** Whether another page leads there, and not the menu. */
  readonly isInner?: true
  /** Whether it is of the organization at hand. */
  readonly isOf?: true
}

const places: ReadonlyArray<Place> = [
  { name: "", title: "Overview", load: () => import("./pages/OverviewPage.tsx") },
  { name: "sim", title: "SIM", load: () => import("./pages/SimPage.tsx"), isInner: true },
  { name: "search", title: "Search", load: () => import("./pages/SearchResults.tsx"), isInner: true },
  { name: "problems", title: "Problems", load: () => import("./pages/ProblemList.tsx") },
  { name: "organizations", title: "Organizations", load: () => import("./pages/OrganizationsPage.tsx") },
  { name: "organization", title: "Organization", load: () => import("./pages/OrganizationPage.tsx"), isInner: true },
  { name: "sims", title: "SIMs", load: () => import("./pages/SimsPage.tsx"), isOf: true },
  {
    name: "imports",
    title: "Imports",
    load: () => import("./pages/ImportsPage.tsx"),
    isShown: () => Api.allows("admin"),
    isInner: true
  },
  { name: "stock", title: "Stock", load: () => import("./pages/StockPage.tsx"), isInner: true },
  { name: "plans", title: "Plans", load: () => import("./pages/PlansPage.tsx"), isInner: true },
  {
    name: "bundles",
    title: "Bundles",
    load: () => import("./pages/BundlesPage.tsx"),
    isInner: true,
    isShown: Api.makesOfBundles
  },
  { name: "coverage", title: "Coverage", load: () => import("./pages/CoveragePage.tsx"), isInner: true },
  { name: "keys", title: "Keys", load: () => import("./pages/KeysPage.tsx"), isInner: true },
  { name: "endpoints", title: "Endpoints", load: () => import("./pages/EndpointsPage.tsx"), isInner: true },
  { name: "subscriptions", title: "Subscriptions", load: () => import("./pages/SubscriptionsPage.tsx"), isOf: true },
  { name: "deliveries", title: "Deliveries", load: () => import("./pages/DeliveriesPage.tsx"), isOf: true },
  { name: "delivery", title: "Delivery", load: () => import("./pages/DeliveryPage.tsx"), isInner: true },
  { name: "usage", title: "Usage", load: () => import("./pages/UsagePage.tsx"), isOf: true },
  { name: "costs", title: "Costs", load: () => import("./pages/CostsPage.tsx") },
  {
    name: "audit",
    title: "Audit log",
    load: () => import("./pages/AuditPage.tsx"),
    isShown: () => Api.operator.value?.organization_id === null
  },
  {
    name: "catalogue",
    title: "Catalogue",
    load: () => import("./pages/CataloguePage.tsx"),
    isShown: () => Api.operator.value?.organization_id === null
  },
  {
    name: "operators",
    title: "Operators",
    load: () => import("./pages/OperatorsPage.tsx"),
    isShown: () => Api.allows("admin") && Api.operator.value?.organization_id === null
  }
]

/** Why the way back from the identity provider signed nobody in. */
const refusals = new Map(
  Object.entries({
    expired: "The sign-in took longer than ten minutes, or was begun in another browser. Begin again.",
    refused: "The identity provider did not sign you in. Begin again; the server's log has its reason.",
    no_role: "You are signed in at the identity provider, and it gives you no role here. Ask whoever runs it for one.",
    unreachable: "The identity provider gives no answer. Try again, or sign in with an operator's token."
  })
)

const SignIn = () => {
  const [failure, setFailure] = useState<string | null>(refusals.get(Location.field("sign_in")) ?? null)
  const [token, setToken] = useState("")
  const hasEnded = Api.hasEnded.value
  if (Api.isHosts)
    return (
      <p class="failure">
        You are not signed in where this console is served.{" "}
        {hasEnded
          ? "Sign in there, in another tab: this page goes on by itself, and what you have typed stays."
          : "Sign in there, and load it again."}
      </p>
    )
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    try {
      await Api.signIn(token.trim())
      View.refresh()
    } catch (error) {
      setFailure(Api.sentenceOf(error))
    }
  }
  return (
    <form class="sign-in" onSubmit={(event) => void submit(event)}>
      <h1>Sign in</h1>
      {hasEnded && <p>Your session has ended. Sign in to go on: what you have typed stays.</p>}
      {Api.hasOpenId && (
        <p>
          <a href="v1/sign-in" target={hasEnded ? "_blank" : undefined}>
            Sign in with the identity provider
          </a>
        </p>
      )}
      <label class="field">
        Your operator's token
        <input
          type="password"
          name="token"
          autocomplete="current-password"
          required
          value={token}
          onInput={({ currentTarget }) => setToken(currentTarget.value)}
        />
      </label>
      <button type="submit">Sign in</button>
      <View.Failure>{failure}</View.Failure>
      <p class="note">
        <code>simplan operator create NAME --role support</code> makes one. Where the server keeps its own, it is in{" "}
        <code>.simplan/admin.token</code>.
      </p>
    </form>
  )
}

/** Above the page, which stays as it is below, and is not shown. */
const EndedSession = () => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog ref={element} aria-label="Sign in" onCancel={(event) => event.preventDefault()}>
      <SignIn />
    </dialog>
  )
}

/** The title of a tab: on the page of one SIM it names the SIM. */
const titleOf = ({ name, title }: Place): string =>
  `${name === "sim" ? `${title} ${Location.field("iccid")}` : title} – simplan console`

const Body = ({ place }: { readonly place: Place }) => {
  const [shown, show] = useState<{ readonly name: string; readonly Page: ComponentType } | null>(null)
  const title = titleOf(place)
  useEffect(() => {
    let isOver = false
    void place.load().then(({ default: Page }) => {
      if (!isOver) show({ name: place.name, Page })
    })
    return () => {
      isOver = true
    }
  }, [place])
  useEffect(() => {
    document.title = title
  }, [title])
  if (shown === null || shown.name !== place.name) return <p class="empty">Reading …</p>
  return (
    <>
      <a
        class="about"
        href={Documents.of(place.name)}
        target="_blank"
        rel="noreferrer"
        aria-label={`${place.title}, in the documents`}
      >
        Documents
      </a>
      <shown.Page />
    </>
  )
}

const Links = ({ places: shown }: { readonly places: ReadonlyArray<Place> }) => (
  <>
    {shown.map(({ isOf, name, title }) => (
      <View.Link
        key={name}
        to={{ page: name, of: isOf === true ? OfOrganization.atHand() : "" }}
        current={name === Location.field("page")}
      >
        {title}
      </View.Link>
    ))}
  </>
)

const SignOut = () =>
  Api.isHosts ? null : (
    <button type="button" onClick={() => void Api.signOut()}>
      Sign out
    </button>
  )

/** The way to each page: at the side of a wide screen, and else below the header, on a click. */
const Menu = ({ isOpen, places: shown }: { readonly places: ReadonlyArray<Place>; readonly isOpen: boolean }) => {
  const named = shown.filter(({ isInner }) => isInner !== true)
  return (
    <div class={isOpen ? "menu open" : "menu"} id="menu">
      <nav aria-label="Pages">
        <Links places={named.filter(({ isOf }) => isOf !== true)} />
        <hr />
        <Links places={named.filter(({ isOf }) => isOf === true)} />
        <hr />
        <Times.Switch />
        {isOpen && (
          <p class="account">
            <View.Text>{Api.operator.value?.name ?? ""}</View.Text> <SignOut />
          </p>
        )}
      </nav>
    </div>
  )
}

const Header = ({ isHidden, places: shown }: { readonly isHidden: boolean; readonly places: ReadonlyArray<Place> }) => {
  const [isOpen, setOpen] = useState(false)
  const operator = Api.operator.value
  const hidden = isHidden ? "hidden" : undefined
  // A way that was chosen closes it.
  const { value: query } = Location.query
  useEffect(() => setOpen(false), [query])
  return (
    <>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header class={hidden}>
        {operator != null && (
          <button
            type="button"
            class="opens"
            aria-label="Menu"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            <span aria-hidden="true">☰</span>
          </button>
        )}
        <strong>simplan</strong>
        {operator != null && (
          <>
            <OfOrganization.Switcher />
            <Search.Field />
            <span class="who">
              <span class="name" title={operator.name}>
                <View.Text>{operator.name}</View.Text>
              </span>{" "}
              ({operator.role})
              <SignOut />
            </span>
          </>
        )}
      </header>
      {operator != null && !isHidden && <Menu places={shown} isOpen={isOpen} />}
    </>
  )
}

const Lost = () => (
  <div role="status" class={Api.lostSince.value === null ? "" : "lost"}>
    {Api.lostSince.value !== null &&
      `No answer from the server since ${new Date(Api.lostSince.value).toISOString().slice(11, 19)} UTC: what is shown is from before. It is asked again by itself.`}
  </div>
)

const Console = () => {
  const asked = Location.field("page")
  const shown = places.filter(({ isShown = () => true }) => isShown())
  const place = shown.find(({ name }) => name === asked)
  const operator = Api.operator.value
  const isHidden = Api.hasEnded.value
  OfOrganization.keep()
  return (
    <>
      {isHidden && <EndedSession />}
      <Header isHidden={isHidden} places={shown} />
      <div class={operator == null ? "page" : "page beside"}>
        {operator != null && <Sandbox.Bar />}
        <Lost />
        <main id="page" tabIndex={-1} class={isHidden ? "hidden" : undefined}>
          {operator === undefined ? (
            <p class="empty">Reading …</p>
          ) : operator === null ? (
            <SignIn />
          ) : place === undefined ? (
            <>
              <h1>There is no such page</h1>
              <p>
                <View.Link to={{}}>To the overview</View.Link>
              </p>
            </>
          ) : (
            // What one operator has typed is not another one's.
            <Body key={`${place.name} ${operator.name}`} place={place} />
          )}
        </main>
      </div>
    </>
  )
}

const RETRY = 3_000

const begin = (): void => {
  Api.identify().catch((error: unknown) => {
    if (error instanceof Api.Refused && error.status === 401) return
    setTimeout(begin, RETRY)
  })
}

begin()
Keys.follow()
const root = document.getElementById("console")
if (root !== null) render(<Console />, root)
