/**
 * The routes of the operator's console: its page at `/admin/console`, and the files that the page
 * loads, from a folder that the build has filled. The names of those files have hashes of their
 * contents, so browsers keep them. The policy lets a browser run and load only what this server
 * sends, and no other page frames it.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type * as RateLimit from "../middleware/RateLimit.ts"
import * as Fixed from "./Fixed.ts"

const PAGE = "/admin/console"
const PAGE_WITH_SLASH = `${PAGE}/`
const FILES = `${PAGE}/assets`

/** Where the folder has the files that the page loads. */
const ASSETS = join("console", "assets")

// A bundle in CommonJS has none.
const here: string | undefined = import.meta.url

/**
 * The folder that the build of the package has filled; undefined if it runs from its sources,
 * and in a bundle.
 */
export const builtFolder = (): string | undefined => {
  if (here === undefined) return undefined
  const folder = join(dirname(fileURLToPath(here)), "..", "..", "console", "page")
  return existsSync(join(folder, "index.html")) ? folder : undefined
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8"
}

const typeOf = (name: string): string => {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`The console's file ${name} has no known type`)
  return type
}

interface File {
  readonly path: `/${string}`
  readonly content: Fixed.Fixed
}

/** What the page knows of the service before anybody has signed in. */
export interface About {
  /** Whether an identity provider signs operators in. */
  readonly hasOpenId: boolean
  /** Whether a host knows the caller, by a login of its own. */
  readonly isHosts: boolean
  /** Whether the telco is simulated. */
  readonly isSimulated: boolean
  /** Rules of the host that follow the console's own; null: none. */
  readonly style: string | null
}

/** The elements of the page that say so. */
const marks = {
  hasOpenId: '<meta name="sign-in" content="openid">',
  isHosts: '<meta name="login" content="host">',
  isSimulated: '<meta name="telco" content="simulated">'
} as const satisfies Readonly<Record<Exclude<keyof About, "style">, string>>

/**
 * The host's rules as a file: the policy lets no page have rules within. Files of the build have
 * hashes in their names.
 */
const STYLE = "host.css"

const pageAbout = (html: string, { hasOpenId, isHosts, isSimulated, style }: About): string =>
  html
    .replace(marks.hasOpenId, hasOpenId ? marks.hasOpenId : "")
    .replace(marks.isHosts, isHosts ? marks.isHosts : "")
    .replace(marks.isSimulated, isSimulated ? marks.isSimulated : "")
    .replace("</head>", style === null ? "</head>" : `<link rel="stylesheet" href="./console/assets/${STYLE}"></head>`)

const page = async (folder: string, about: About): Promise<File> => ({
  path: PAGE,
  content: await Fixed.make({
    bytes: Buffer.from(pageAbout(await readFile(join(folder, "index.html"), "utf8"), about)),
    contentType: "text/html; charset=utf-8",
    caching: "private, no-cache",
    headers: { "content-security-policy": policy, "referrer-policy": "same-origin" }
  })
})

const asset = async (folder: string, name: string): Promise<File> => ({
  path: `${FILES}/${name}`,
  content: await Fixed.make({
    bytes: await readFile(join(folder, ASSETS, name)),
    contentType: typeOf(name),
    caching: "public, max-age=31536000, immutable"
  })
})

const styles = async (style: string): Promise<File> => ({
  path: `${FILES}/${STYLE}`,
  content: await Fixed.make({
    bytes: Buffer.from(style),
    contentType: typeOf(STYLE),
    caching: "private, no-cache"
  })
})

const filesOf = async (folder: string, about: About): Promise<ReadonlyArray<File>> => {
  const names = await readdir(join(folder, ASSETS))
  const ofHost = about.style === null ? [] : [styles(about.style)]
  return Promise.all([page(folder, about), ...names.map((name) => asset(folder, name)), ...ofHost])
}

/** What the paths of the routes look like. */
export const paths = [PAGE, PAGE_WITH_SLASH, `${FILES}/:name`] as const

// The page's addresses are relative to the path without a slash. So is this one, which holds below
// any prefix.
const withoutSlash = HttpServerResponse.empty({ status: 308, headers: { location: "../console" } })

/**
 * Adds a route that leads to another one, within the limit of the client's address. `to` is
 * relative, so that it holds below any prefix.
 */
export const leading = (path: `/${string}`, to: string, limited: RateLimit.AddressLimit) =>
  HttpRouter.use((router) =>
    router.add(
      "GET",
      path,
      limited(Effect.succeed(HttpServerResponse.empty({ status: 307, headers: { location: to } })))
    )
  )

/** Adds the routes, within the limit of the client's address. The folder is read once. */
export const layer = (folder: string, about: About, limited: RateLimit.AddressLimit) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => filesOf(folder, about)),
      (files) =>
        HttpRouter.use((router) =>
          Effect.andThen(
            Effect.forEach(files, ({ content, path }) => router.add("GET", path, limited(Fixed.answer(content))), {
              discard: true
            }),
            router.add("GET", PAGE_WITH_SLASH, limited(Effect.succeed(withoutSlash)))
          )
        )
    )
  )
