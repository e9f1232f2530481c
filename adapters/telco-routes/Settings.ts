/**
 * The settings of telcos and routes, by the kinds of telcos that there are. What one may have in
 * the settings file stands in its adapter (`FileSettings`); `TelcoFile` reads the file.
 */
import type { Result } from "effect"
import { FileSettings as Airalo } from "../telco-airalo/index.ts"
import { FileSettings as Es2plus } from "../telco-es2plus/index.ts"
import { FileSettings as EsimAccess } from "../telco-esim-access/index.ts"
import { FileSettings as EsimGo } from "../telco-esim-go/index.ts"
import { FileSettings as Http } from "../telco-http/index.ts"
import { FileSettings as Ocs } from "../telco-ocs/index.ts"
import { FileSettings as Simulator } from "../telco-simulator/index.ts"
import { FileSettings as Smpp } from "../telco-smpp/index.ts"
import type * as Routing from "./Routing.ts"

/** The kinds of telcos. */
export const kinds = {
  ocs: Ocs.kind,
  es2plus: Es2plus.kind,
  smpp: Smpp.kind,
  "esim-go": EsimGo.kind,
  "esim-access": EsimAccess.kind,
  airalo: Airalo.kind,
  simulator: Simulator.kind,
  http: Http.kind
}

/** The name of a kind of telco. */
export type Kind = keyof typeof kinds

/** Whether a value of the file names a kind. */
export const isKind = (text: unknown): text is Kind => typeof text === "string" && Object.hasOwn(kinds, text)

/** The kinds that sell eSIMs with their loads (rule I15). */
export const sellers: ReadonlyArray<Kind> = ["esim-go", "esim-access", "airalo", "simulator"]

/** The settings of one telco without its name. */
export type Unnamed = Result.Result.Success<ReturnType<ReturnType<(typeof kinds)[Kind]["decoder"]>>>

/** One telco of the file, by its kind. */
export type Telco = Unnamed & {
  /** The telco's name in the file. */
  readonly name: string
}

/** A telco of one kind. */
export type Of<K extends Kind> = Extract<Telco, { readonly kind: K }>

/** A file of telcos, checked. */
export interface Settings {
  /** Each name once. */
  readonly telcos: ReadonlyArray<Telco>
  /** In the order in which they are tried. */
  readonly routes: ReadonlyArray<Routing.Route>
}
