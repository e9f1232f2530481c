/**
 * Reads the routes of a settings file: each names telcos that are there and can do what it asks of them, and is taken by
 * some SIM.
 */
import { Result } from "effect"
import type { JsonLines } from "../../json-lines/index.ts"
import * as Routing from "../Routing.ts"
import * as Mistakes from "./Mistakes.ts"
import type * as Settings from "./Settings.ts"
import * as Shape from "./Shape.ts"

/** Why a telco cannot be taken for a capability; undefined if it can. */
const unable = (telcos: Readonly<Record<string, unknown>>, name: string, capability: Shape.Capability) => {
  if (!Object.hasOwn(telcos, name)) return "names a telco that is not among telcos"
  const telco = telcos[name]
  const kind: unknown = typeof telco === "object" && telco !== null && "kind" in telco ? telco.kind : undefined
  // A kind that is wrong is a mistake of its own.
  if (!Shape.isKind(kind)) return undefined
  const able: ReadonlyArray<Shape.Capability> = Shape.kinds[kind]
  return able.includes(capability)
    ? undefined
    : `names a telco of the kind ${kind}, which only takes ${able.join(", ")}`
}

const routeOf = (
  telcos: Readonly<Record<string, unknown>>,
  { label, organization_id, packages, profiles, sms }: Shape.Route,
  index: number
): Mistakes.Found<Settings.Route> => {
  const at: JsonLines.Path = ["routes", index]
  const named: ReadonlyArray<readonly [Shape.Capability, string | undefined]> = [
    ["packages", packages],
    ["sms", sms],
    ["profiles", profiles]
  ]
  const mistakes = named.flatMap(([capability, name]): ReadonlyArray<Mistakes.Mistake> => {
    const message = name === undefined ? undefined : unable(telcos, name, capability)
    return message === undefined ? [] : [{ path: [...at, capability], message }]
  })
  if (mistakes.length > 0) return Result.fail(mistakes)
  return Result.succeed({
    label: label ?? null,
    organizationId: organization_id ?? null,
    telcos: { packages, sms: sms ?? packages, profiles: profiles ?? packages }
  })
}

/** The mistake of each route that is never taken. */
const unreachable = (routes: ReadonlyArray<Settings.Route>): ReadonlyArray<Mistakes.Mistake> =>
  routes.flatMap((route, index) => {
    const earlier = routes.slice(0, index).findIndex((one) => Routing.covers(one, route))
    return earlier < 0
      ? []
      : [{ path: ["routes", index], message: `is never taken, because routes[${earlier}] takes all of its SIMs` }]
  })

/** Reads the routes. */
export const read = ({ routes, telcos }: typeof Shape.File.Type): Mistakes.Found<ReadonlyArray<Settings.Route>> => {
  if (routes.length === 0) return Mistakes.wrong(["routes"], "must have a route")
  const found = Mistakes.all(routes.map((route, index) => routeOf(telcos, route, index)))
  return Result.flatMap(found, (list) => {
    const mistakes = unreachable(list)
    return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(list)
  })
}
