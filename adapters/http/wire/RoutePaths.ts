/**
 * The paths of the routes, matched exactly: as they are written, with no `;` parameters, no fragment, no trailing slash
 * and no percent-encoding of the fixed parts. Two paths that a proxy in front takes for different ones are never the same
 * route here. The values of path parameters may be percent-encoded.
 */

/** A method and a path such as `/v3/plans/:planId`. */
export interface Route {
  readonly method: string
  readonly path: string
}

export interface RoutePaths {
  /** Whether the router may look for the route of a request. It matches more than the exact path where it may not. */
  readonly admits: (method: string, url: string) => boolean
  /** The methods that the routes of a path take; none where there is no such path. */
  readonly methods: (url: string) => ReadonlyArray<string>
}

/** A path whose segments are not empty, and in which the router changes nothing. */
const PLAIN = /^(?:\/[^/%;#?]+)+(?:\?|$)/

const pathOf = (url: string): string => url.split("?", 1)[0] ?? url

const pattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/;#]+")}$`)

/** The paths of the routes. */
export const make = (routes: ReadonlyArray<Route>): RoutePaths => {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: pattern(path) }))
  const methods = (url: string): ReadonlyArray<string> => {
    const path = pathOf(url)
    return [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
  }
  return {
    methods,
    admits: (method, url) => PLAIN.test(url) || methods(url).includes(method === "HEAD" ? "GET" : method)
  }
}
