/**
 * What is printed from the views: the declarations that hosts read. `npm run print` writes them
 * anew.
 */
import * as Views from "simplan/views"
import type { View } from "simplan/views"
import { describe, expect, it } from "vitest"
import { documented, formatted } from "./Printed.ts"

const isView = (value: unknown): value is View.View =>
  typeof value === "object" && value !== null && "meaning" in value && "own" in value

const { View: _, ...others } = Views

/** The modules of `src/views` that have views. */
const modules = Object.entries<object>(others).filter(([, exported]) => Object.values(exported).some(isView))

const typeOf = (form: View.Form, isRequest: boolean): string => {
  switch (form._tag) {
    case "Text":
    case "Token":
    case "Id":
    case "Iccid":
    case "Resource":
    case "Limited":
      return "string"
    case "Label":
      return "Label"
    case "Json":
      return "Readonly<Record<string, unknown>>"
    case "UnixSeconds":
      return "Date"
    case "Instant":
      return isRequest ? "InstantInput" : "Date"
    case "Boolean":
      return "boolean"
    case "Integer":
    case "Number":
      return "number"
    case "OneOf":
      return form.name ?? literals(form.values)
    case "NullOr":
      return `${typeOf(form.of, isRequest)} | null`
    case "List":
      return `ReadonlyArray<${typeOf(form.of, isRequest)}>`
    case "Nested":
      return form.view.name
  }
}

const literals = (values: ReadonlyArray<string>): string => values.map((value) => JSON.stringify(value)).join(" | ")

/** The modules of types that several modules name. */
const owners: Readonly<Record<string, string>> = {
  EventType: "Events",
  OfOrganization: "Organizations",
  OfTelco: "Telcos",
  JobKind: "Jobs",
  Label: "../Label",
  WaitingReason: "Jobs"
}

/** The imports of the types that other modules have. */
const elsewhere = (module: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(owners).flatMap(([name, owner]) =>
      owner === module
        ? []
        : [[name, `import type { ${name} } from "${owner.startsWith(".") ? owner : `./${owner}`}.ts"`]]
    )
  )

/** The types of texts that have a name of their own, each once. */
const namedIn = (module: string, views: ReadonlyArray<View.View>): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  const visit = (form: View.Form, meaning: string): void => {
    if (form._tag === "NullOr" || form._tag === "List") visit(form.of, meaning)
    if (
      form._tag === "OneOf" &&
      form.name !== null &&
      (owners[form.name] ?? module) === module &&
      !found.has(form.name)
    ) {
      found.set(form.name, `${documented(`${meaning}.`)}\nexport type ${form.name} = ${literals(form.values)}`)
    }
  }
  for (const { fields } of views) for (const { kind, meaning } of Object.values(fields)) visit(kind.form, meaning)
  return [...found.values()]
}

const declared = ({ base, isRequest, meaning, name, own }: View.View): string => {
  const fields = Object.entries(own).map(
    ([name, { isOptional, kind, meaning }]) =>
      `${documented(`${meaning}.`)}\nreadonly ${name}${isOptional ? "?" : ""}: ${typeOf(kind.form, isRequest)}${
        isOptional ? " | undefined" : ""
      }`
  )
  const extended = base === null ? "" : ` extends ${base.name}`
  return `${documented(`${meaning}.`)}\nexport interface ${name}${extended} {\n${fields.join("\n")}\n}`
}

const PRINTED = "Printed from the views by `npm run print`"

/** The imports that a text uses, by their names. */
const imported = (text: string, imports: Readonly<Record<string, string>>): string =>
  Object.entries(imports)
    .flatMap(([name, line]) => (new RegExp(`\\b${name}\\b`).test(text) ? [line] : []))
    .join("\n")

describe.each(modules)("%s", (module, exported) => {
  const views = Object.values(exported).filter(isView)
  it("declares what hosts see and send", async () => {
    const text = [...namedIn(module, views), ...views.map(declared)].join("\n\n")
    const imports = imported(text, {
      InstantInput: 'import type { InstantInput } from "../Calls.ts"',
      ...elsewhere(module)
    })
    await expect(
      formatted(`/** ${PRINTED}: what hosts see and send. */
${imports}

${text}
`)
    ).toMatchFileSnapshot(`../../adapters/promise/types/printed/${module}.ts`)
  })
})
