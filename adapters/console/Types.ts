/** What the API answers, by the types of the client: nothing of the client is loaded. */
import type { Client } from "simplan/client"

type Groups = Client.Promised

type Answered<Method> = Method extends (...given: never) => Promise<infer Answer> ? Exclude<Answer, string> : never

/** What an endpoint answers, by its group and its name. */
export type Answer<Group extends keyof Groups, Name extends keyof Groups[Group]> = Answered<Groups[Group][Name]>

/** What an endpoint answers to a dry run. */
export type Previewed<Group extends keyof Groups, Name extends keyof Groups[Group]> =
  Answer<Group, Name> extends infer Found extends { readonly preview?: unknown } ? Required<Found> : never

/** What an endpoint reads or makes. */
export type Data<Group extends keyof Groups, Name extends keyof Groups[Group]> =
  Answered<Groups[Group][Name]> extends { readonly data: infer Found } ? Found : never

/** One of a list. */
export type Item<Group extends keyof Groups, Name extends keyof Groups[Group]> =
  Data<Group, Name> extends ReadonlyArray<infer One> ? One : never
