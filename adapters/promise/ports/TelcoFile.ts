/**
 * The telcos of a settings file, as `simplan serve` reads it. The journal of their calls, and the
 * books of simulated ones, are in the service's database. The modules are loaded when the service
 * starts.
 */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Storage, Telco } from "simplan/ports"
import type { Journal } from "../../telco-calls/index.ts"
import type { Routes } from "../../telco-routes/index.ts"
import * as Arguments from "../Arguments.ts"

/** Where the file is, and what the service is that its telcos are for. */
export interface Options {
  /** The file's path. */
  readonly file: string
  /** The schema of the service's tables. */
  readonly schema: string
  /** Whether the clock is virtual: then all telcos have to be simulators. */
  readonly isVirtual: boolean
}

/** Fails with an `InvalidFieldError` that has a line for each mistake in the file. */
export const layer = ({
  file,
  isVirtual,
  schema
}: Options): Layer.Layer<Telco.Telco | Routes.Routes, unknown, Journal.Journal | Storage.Storage> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { Routes, TelcoFile } = yield* Effect.promise(() => import("../../telco-routes/index.ts"))
      const settings = yield* Effect.mapError(TelcoFile.read(file, { isVirtual }), ({ message }) =>
        Arguments.invalid("createSimplan", "telco.file", `names settings that cannot be used:\n${message}`)
      )
      const { Books, SqlBooks } = yield* Effect.promise(() => import("../../telco-simulator/index.ts"))
      const database = yield* Effect.serviceOption(SqlClient.SqlClient)
      const isKept = settings.telcos.some(({ kind }) => kind === "simulator") && Option.isSome(database)
      const books = isKept
        ? Layer.provide(SqlBooks.layerIn(schema), Layer.succeed(SqlClient.SqlClient, database.value))
        : Books.layerMemory
      return Layer.provide(Routes.layer(settings), books)
    })
  )
