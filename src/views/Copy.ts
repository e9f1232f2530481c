/**
 * Copies values of views: from the domain to the wire's form and to a host's, and from a request on
 * the wire to the domain. What is done to each field is found out once, when the copier is made.
 */
import * as Time from "../domain/Time.ts"
import * as View from "./View.ts"

type Copier = (value: unknown) => unknown

/** A form of values beside the domain's. */
interface Face {
  /** Null if it has no such field. */
  readonly nameOf: (name: string, field: View.AnyField) => string | null
  readonly instant: (instant: Time.Instant) => unknown
  /** An instant that the wire has in seconds. */
  readonly unixSeconds: (instant: Time.Instant) => unknown
}

const wire: Face = {
  nameOf: View.wireName,
  instant: Time.toIso,
  unixSeconds: (instant) => Math.floor(instant / 1_000)
}

const host: Face = {
  nameOf: (name) => name,
  instant: (instant) => new Date(instant),
  unixSeconds: (instant) => new Date(instant)
}

const ofInstants =
  (copy: Face["instant"]): Copier =>
  (value) =>
    typeof value === "number" ? copy(value) : value

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Null if the face has the value as the domain has it. */
const ofForm = (form: View.Form, face: Face): Copier | null => {
  switch (form._tag) {
    case "Instant":
      return ofInstants(face.instant)
    case "UnixSeconds":
      return ofInstants(face.unixSeconds)
    case "NullOr":
      return ofForm(form.of, face)
    case "List": {
      const copy = ofForm(form.of, face)
      return copy === null ? null : (value) => (Array.isArray(value) ? value.map((item) => copy(item)) : value)
    }
    case "Nested":
      return ofView(form.view, face)
    default:
      return null
  }
}

const ofView = ({ fields }: View.View, face: Face): Copier => {
  const copies = Object.entries(fields).flatMap(([name, field]) => {
    const to = face.nameOf(name, field)
    return to === null ? [] : [{ from: field.from ?? name, to, copy: ofForm(field.kind.form, face) }]
  })
  return (value) => {
    if (!isObject(value)) return value
    const copied: Record<string, unknown> = {}
    for (const { copy, from, to } of copies) copied[to] = copy === null ? value[from] : copy(value[from])
    return copied
  }
}

/** Makes a function that copies a value of the domain to the wire's form. */
export function toWire<Fields extends View.AnyFields>(
  view: View.View<Fields>
): (value: View.Domain<Fields>) => View.Wire<Fields>
export function toWire(view: View.View): (value: never) => unknown {
  return ofView(view, wire)
}

/** Makes a function that copies a value of the domain to the form that hosts get. */
export function toHost<Fields extends View.AnyFields>(
  view: View.View<Fields>
): (value: View.Domain<Fields>) => View.Host<Fields>
export function toHost(view: View.View): (value: never) => unknown {
  return ofView(view, host)
}

const ofWire = (form: View.Form): Copier | null => {
  switch (form._tag) {
    case "Instant":
      return (value) => (typeof value === "string" ? Time.fromIso(value) : value)
    // A parameter of a query is text.
    case "Integer":
      return Number
    case "Boolean":
      return (value) => value === true || value === "true"
    case "NullOr":
      return form.of._tag === "Instant" ? ofWire(form.of) : null
    default:
      return null
  }
}

/**
 * Makes a function that copies the fields of a body or of a query, which its schema has accepted,
 * to the domain's form. A field that is absent has its preset, or stays absent.
 */
export function fromWire<Fields extends View.AnyFields>(fields: Fields): (value: unknown) => View.Domain<Fields>
export function fromWire(fields: View.AnyFields): (value: unknown) => Readonly<Record<string, unknown>> {
  const copies = Object.entries(fields).flatMap(([name, field]) => {
    const from = View.wireName(name, field)
    return from === null ? [] : [{ from, to: field.from ?? name, copy: ofWire(field.kind.form), preset: field.preset }]
  })
  return (value) => {
    const copied: Record<string, unknown> = {}
    for (const { copy, from, preset, to } of copies) {
      const sent = isObject(value) ? value[from] : undefined
      const given = sent === undefined || copy === null ? sent : copy(sent)
      if (given !== undefined) copied[to] = given
      else if (preset !== undefined) copied[to] = preset
    }
    return copied
  }
}
