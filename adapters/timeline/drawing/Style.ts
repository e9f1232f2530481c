/**
 * The colours and type of a drawing, in light and dark. Every colour that means something is also said in words.
 */

/** The colours by day and by night. */
export const light = {
  ink: "#1d2330",
  muted: "#5a6376",
  ground: "#ffffff",
  rule: "#e3e7ee",
  guide: "#c9d0dc",
  "created-fill": "#dde3ed",
  "created-ink": "#39435a",
  "pending-fill": "#fde5b4",
  "pending-ink": "#5c3f00",
  "active-fill": "#c2ead5",
  "active-ink": "#0c4b2e",
  "suspended-fill": "#f8cccc",
  "suspended-ink": "#741919",
  "expired-fill": "#ececef",
  "expired-ink": "#5b5e68",
  "package-fill": "#d3e2fb",
  "package-line": "#2f63c9",
  "package-ink": "#173a7c",
  usage: "#0b6f83",
  throttled: "#c2410c",
  webhook: "#7038c8",
  bad: "#b42323"
} as const

export const dark: Readonly<Record<keyof typeof light, string>> = {
  ink: "#e8ebf2",
  muted: "#a0a9bb",
  ground: "#14171d",
  rule: "#2a303b",
  guide: "#465062",
  "created-fill": "#343c4b",
  "created-ink": "#d4dbe8",
  "pending-fill": "#54400f",
  "pending-ink": "#ffdf9e",
  "active-fill": "#17472f",
  "active-ink": "#b5f0d1",
  "suspended-fill": "#5c2123",
  "suspended-ink": "#ffcfcf",
  "expired-fill": "#262a32",
  "expired-ink": "#a9afbc",
  "package-fill": "#1f3357",
  "package-line": "#7ba6f7",
  "package-ink": "#cfe0ff",
  usage: "#4cc3d9",
  throttled: "#ff9d5c",
  webhook: "#b896f5",
  bad: "#ff8a8a"
}

const variables = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--tl-${name}:${value}`)
    .join(";")

const states = ["created", "pending", "active", "suspended", "expired"] as const

/** The style sheet of a drawing; all of it stays below the class `tl`. */
export const css: string = [
  `.tl{${variables(light)};color-scheme:light dark;font:11px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}`,
  `@media (prefers-color-scheme:dark){.tl{${variables(dark)}}}`,
  ".tl text{fill:var(--tl-ink)}",
  ".tl .tl-title{font-size:16px;font-weight:600}",
  ".tl .tl-muted{fill:var(--tl-muted)}",
  ".tl .tl-name{font-weight:600}",
  ".tl .tl-ground{fill:var(--tl-ground)}",
  ".tl .tl-rule{stroke:var(--tl-rule)}",
  ".tl .tl-guide{stroke:var(--tl-guide);stroke-dasharray:2 3}",
  ...states.flatMap((name) => [
    `.tl .tl-${name}{fill:var(--tl-${name}-fill)}`,
    `.tl text.tl-${name}-ink{fill:var(--tl-${name}-ink);font-weight:600;font-size:10px;letter-spacing:.02em}`
  ]),
  ".tl .tl-package{fill:var(--tl-package-fill);stroke:var(--tl-package-line)}",
  ".tl text.tl-package-ink{fill:var(--tl-package-ink)}",
  ".tl .tl-lead{fill:none;stroke:var(--tl-package-line);stroke-dasharray:3 2}",
  ".tl .tl-waiting{fill:none;stroke:var(--tl-pending-ink);stroke-dasharray:1 3;stroke-linecap:round}",
  ".tl .tl-stopped{opacity:.35}",
  ".tl .tl-missing{fill:none;stroke:var(--tl-bad);stroke-dasharray:4 3}",
  ".tl text.tl-missing-ink{fill:var(--tl-bad)}",
  ".tl .tl-usage{fill:none;stroke:var(--tl-usage);stroke-width:1.75;stroke-linejoin:round}",
  ".tl .tl-area{fill:var(--tl-usage);opacity:.12}",
  ".tl .tl-point{fill:var(--tl-ground);stroke:var(--tl-usage);stroke-width:1.5}",
  ".tl .tl-throttled{fill:none;stroke:var(--tl-throttled);stroke-width:2.25;stroke-linejoin:round}",
  ".tl .tl-threshold{stroke:var(--tl-throttled);stroke-dasharray:4 3;opacity:.7}",
  ".tl text.tl-speed{fill:var(--tl-throttled)}",
  ".tl text.tl-speed,.tl text.tl-muted{paint-order:stroke;stroke:var(--tl-ground);stroke-width:3px}",
  ".tl .tl-step{fill:var(--tl-ink)}",
  ".tl .tl-webhook{fill:var(--tl-webhook)}",
  ".tl .tl-bad{fill:none;stroke:var(--tl-bad);stroke-width:2;stroke-linecap:round}",
  ".tl .tl-thing:focus{outline:2px solid var(--tl-package-line);outline-offset:2px}"
].join("\n")
