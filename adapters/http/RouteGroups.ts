/**
 * Groups of routes, of which a listener or a host serves some.
 *
 * - `v3`: the API of organizations.
 * - `admin`: the management API.
 * - `console`: the operator's console, with the management API that it asks.
 * - `telco`: the reports of the telco, and the notifications of telcos.
 * - `docs`: `/openapi.json`, `/docs` and `/docs/reference`, about the groups that are served.
 * - `metrics`: `/metrics`.
 * - `health`: `/healthz` and `/readyz`.
 */

/** The groups. */
export const groups = ["v3", "admin", "console", "telco", "docs", "metrics", "health"] as const

/** A part of the API that a listener may serve alone. */
export type Group = (typeof groups)[number]

/** What a listener for callers serves if operators have one of their own. */
export const callers: ReadonlyArray<Group> = ["v3", "telco", "docs", "health"]

/** What a listener for operators serves. */
export const operators: ReadonlyArray<Group> = ["admin", "console", "docs", "metrics", "health"]

const bySegment: Readonly<Partial<Record<string, Group>>> = {
  v3: "v3",
  admin: "admin",
  telco: "telco",
  docs: "docs",
  "openapi.json": "docs",
  metrics: "metrics",
  healthz: "health",
  readyz: "health"
}

/** Whether a path is of notifications of telcos, which are part of the group `telco`. */
export const isNotification = (path: string): boolean => /^\/telco\/(?:ocs|es2plus|suppliers)\//.test(path)

/**
 * Whether a path exists only if there are telcos of a settings file. Without any the comparisons
 * are an empty list, and the only telco may sell.
 */
export const isOfTelcos = (path: string): boolean =>
  isNotification(path) || /^\/admin\/v1\/telcos\/(?!(?:comparisons|sellers|[^/?]+\/bundles)(?:\?|$))/.test(path)

const isOfConsole = (path: string): boolean => /^\/admin\/console(?:[/?]|$)/.test(path)

/**
 * Whether these groups have a path without the prefix. The console comes with the management API.
 */
export const have = (groups: ReadonlyArray<Group>, path: string): boolean => {
  const group = ofPath(path)
  return group !== undefined && (groups.includes(group) || (group === "admin" && groups.includes("console")))
}

/** The group of a path without the prefix; undefined if it is in none. */
export const ofPath = (path: string): Group | undefined => {
  if (isOfConsole(path)) return "console"
  const [, segment = ""] = path.split(/[/?]/, 2)
  return Object.hasOwn(bySegment, segment) ? bySegment[segment] : undefined
}
