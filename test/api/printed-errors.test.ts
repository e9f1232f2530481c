/**
 * The errors of `simplan/promise` that are printed from the catalogue of refusals: `npm run print`
 * writes them anew.
 */
import { readFileSync } from "node:fs"
import { Refusal } from "simplan"
import { Label, Withdrawal } from "simplan/ports"
import { expect, it } from "vitest"
import { Codes } from "../../adapters/fields/index.ts"
import { refusals } from "../domain/Refusals.ts"
import { documented, formatted } from "./Printed.ts"

const source = readFileSync(new URL("../../src/domain/Refusal.ts", import.meta.url), "utf8")

/** What the message says, or every error has. */
const OWN = new Set(["field", "message", "other"])

/** The types of the domain that hosts have by no name of their own. */
const types: Readonly<Record<string, string>> = {
  Label: Label.labels.map((label) => JSON.stringify(label)).join(" | "),
  "Withdrawal.Reason": Withdrawal.reasons.map((reason) => JSON.stringify(reason)).join(" | ")
}

const ofTag = (tag: string) => {
  const found = new RegExp(
    `((?:/\\*\\*(?:(?!\\*/)[^])*\\*/)\\n)export class ${tag} extends [^<]*<\\{([^]*?)\\}> \\{\\}`
  ).exec(source)
  const [, comment = "", body = ""] = found ?? []
  const meaning = comment
    .replace(/^ ?\/?\*+\/? ?/gm, "")
    .replaceAll("\n", " ")
    .replace("*/", "")
    .trim()
  const fields = Array.from(
    body.matchAll(/ {2}(\/\*\*.*?\*\/)\n {2}readonly (\w+)(\??): ([^\n]+)/g),
    ([, about, name, optional, type]) => ({
      about,
      name: name ?? "",
      optional: optional === "?",
      type: types[type ?? ""] ?? type ?? ""
    })
  ).filter(({ name }) => !OWN.has(name))
  return { fields, meaning, rule: /\(rules? (\w+)/.exec(meaning)?.[1] }
}

const codesOf = (tag: string): ReadonlyArray<Codes.Code> =>
  refusals.filter(({ _tag }) => _tag === tag).map(Refusal.code)

const resources = refusals.flatMap((refusal) => (refusal._tag === "NotFound" ? [refusal.resource] : []))

const printed = () => {
  const tags = [...new Set(refusals.map(({ _tag }) => _tag))]
  const codes = [...new Set(tags.flatMap(codesOf))].toSorted()
  const classes = tags.map((tag) => {
    const { fields, meaning } = ofTag(tag)
    const [first, ...more] = codesOf(tag)
    const status = first === undefined ? 0 : Codes.status(first)
    const names =
      more.length > 3 ? `\`${first}\` and the like` : [first, ...more].map((code) => `\`${code}\``).join(" or ")
    const base = status === 409 ? "ConflictError" : "SimplanError"
    const head = `${documented(`${meaning} ${names}, ${status}.`)}\nexport class ${tag}Error extends ${base}`
    const named = `  static {\n    this.prototype.name = "${tag}Error"\n  }`
    if (fields.length === 0) return `${head} {\n${named}\n}`
    const declared = fields.map(
      ({ about, name, optional, type }) =>
        `  ${about}\n  ${optional ? "declare " : ""}readonly ${name}${optional ? "?" : ""}: ${type}`
    )
    const details = fields.map(({ name, optional, type }) => `readonly ${name}${optional ? "?" : ""}: ${type}`)
    const sets = fields.map(({ name, optional }) =>
      optional
        ? `    if (details.${name} !== undefined) this.${name} = details.${name}`
        : `    this.${name} = details.${name}`
    )
    return `${head} {\n${named}\n\n${declared.join("\n")}\n\n  constructor(details: ErrorDetails & { ${details.join("; ")} }) {\n    super(details)\n${sets.join("\n")}\n  }\n}`
  })
  return { codes, classes, tags }
}

it("prints a class for each refusal, and the codes", async () => {
  const { classes, codes, tags } = printed()
  await expect(
    formatted(`/** Printed from the catalogue of refusals by \`npm run print\`. */

/** The stable names of refusals, for programs: the codes of the HTTP API (rule W1). */
export type RefusalCode =
${codes.map((code) => `  | "${code}"`).join("\n")}

/** A kind of thing that may not be there. */
export type Resource =
${resources.map((resource) => `  | "${resource}"`).join("\n")}
`)
  ).toMatchFileSnapshot("../../adapters/promise/errors/printed/RefusalCode.ts")
  await expect(
    formatted(`/** Printed from the catalogue of refusals by \`npm run print\`: the error of each refusal. */
import { ConflictError, type ErrorDetails, SimplanError } from "../SimplanError.ts"
import type { Resource } from "./RefusalCode.ts"

${classes.join("\n\n")}
`)
  ).toMatchFileSnapshot("../../adapters/promise/errors/printed/Refused.ts")
  await expect(
    formatted(`/** Printed from the catalogue of refusals by \`npm run print\`: the class of each refusal, by its tag. */
import * as Refused from "./Refused.ts"

export const classes = {
${tags.map((tag) => `  ${tag}: Refused.${tag}Error`).join(",\n")}
}
`)
  ).toMatchFileSnapshot("../../adapters/promise/errors/printed/RefusalClasses.ts")
})

it("prints the rule of each refusal", async () => {
  const { tags } = printed()
  const rules = tags.map((tag) => `  ${tag}: ${JSON.stringify(ofTag(tag).rule) ?? null}`)
  await expect(
    formatted(`/** Printed from the catalogue of refusals by \`npm run print\`: the first rule that each one names. */

export const refusalRules = {
${rules.join(",\n")}
}
`)
  ).toMatchFileSnapshot("../../adapters/timeline/play/printed/RefusalRules.ts")
})
