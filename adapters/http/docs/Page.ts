/**
 * The page at `/docs`: the concepts, then the reference. It has no scripts and loads nothing. Its links are relative, so they
 * hold below a prefix.
 */
import type * as Json from "../openapi/JsonSchema.ts"
import * as Concepts from "./Concepts.ts"
import * as Reference from "./Reference.ts"

/** The content security policy of the page. */
export const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const css = `:root{color-scheme:light dark;--ink:#1d2330;--muted:#5a6376;--ground:#fff;--rule:#e3e7ee;--code:#f3f5f9;
--package:#c2ead5;--later:#dde3ed;--waiting:#fde5b4;--stopped:#f8cccc;--act:#2f63c9}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebf2;--muted:#a0a9bb;--ground:#14171d;--rule:#2a303b;--code:#1e232c;
--package:#17472f;--later:#343c4b;--waiting:#54400f;--stopped:#5c2123;--act:#7ba6f7}}
body{margin:0 auto;padding:1.5rem 1rem;max-width:960px;background:var(--ground);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
nav a{margin-right:1rem;white-space:nowrap}
a{color:var(--act)}
h2{margin-top:2.5rem;border-bottom:1px solid var(--rule)}
h5{margin:1rem 0 .25rem}
code,pre{background:var(--code);border-radius:3px;font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}
code{padding:.1em .3em;overflow-wrap:anywhere}
pre{padding:.75rem;overflow:auto;max-height:24rem}
table{width:100%;border-collapse:collapse;font-size:14px}
th,td{text-align:left;vertical-align:top;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--rule)}
@media (max-width:640px){td{overflow-wrap:anywhere}}
details{border-bottom:1px solid var(--rule);padding:.4rem 0}
summary{cursor:pointer}
svg{display:block;width:100%;max-width:720px;margin:.5rem 0 1rem;font:11px system-ui,sans-serif}
svg text.ink{fill:var(--ink)}svg text.muted{fill:var(--muted)}
.package{fill:var(--package)}.later{fill:var(--later)}.waiting{fill:var(--waiting)}.stopped{fill:var(--stopped)}
.axis,.guide{stroke:var(--muted)}.guide{stroke-dasharray:2 3}.act{fill:var(--act)}
.arrow{fill:none;stroke:var(--act);stroke-width:1.5}`

/** The page of a document. */
export const html = (document: Json.Record): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>simplan API</title>',
    `<style>${css}</style></head><body>`,
    "<header><h1>simplan API</h1><p>Subscription and plan management for eSIMs and physical SIM cards.</p><nav>",
    ...Concepts.chapters.map(({ id, title }) => `<a href="#${id}">${title}</a>`),
    '<a href="#reference">Reference</a><a href="docs/reference">Try it</a><a href="openapi.json">openapi.json</a>',
    "</nav></header><main>",
    ...Concepts.chapters.map(({ html, id, title }) => `<section><h2 id="${id}">${title}</h2>${html}</section>`),
    `<section><h2 id="reference">Reference</h2>${Reference.html(document)}</section>`,
    "</main></body></html>"
  ].join("\n")
