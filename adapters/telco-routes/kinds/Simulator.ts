/**
 * A simulated telco of the settings file. All of a service share its books, where packages have ids of their own.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { Telco } from "simplan/ports"
import { type Books, TelcoSimulator } from "../../telco-simulator/index.ts"
import type { Connected } from "../Connected.ts"
import type * as Settings from "../file/Settings.ts"

export const connect = ({ name }: Settings.Simulator): Effect.Effect<Connected, never, Books.Books | Scope.Scope> =>
  Effect.map(Layer.build(TelcoSimulator.layer()), (context) => ({
    name,
    kind: "simulator",
    telco: Context.get(context, Telco.Telco),
    checkTerms: () => Effect.void,
    zones: null,
    notifications: null,
    imsiOf: null,
    check: Effect.succeed([{ what: "simulator", works: true, message: "is part of this process" }]),
    missing: Effect.succeed([]),
    background: null
  }))
