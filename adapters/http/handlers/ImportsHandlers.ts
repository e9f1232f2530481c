/**
 * Handlers of imports: SIMs and the catalogue. The inventory accepts or rejects each row of SIMs.
 */
import { Effect } from "effect"
import { Catalogues, Sims } from "simplan"
import { type Sim, SimImport } from "simplan/ports"
import { Copy, Coverage as Views } from "simplan/views"
import { CatalogueFile } from "../../catalogue/index.ts"
import { Fields } from "../../fields/index.ts"
import * as ImportsApi from "../api/ImportsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as OperatorAuth from "../middleware/OperatorAuth.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"
import * as Versions from "../wire/Versions.ts"
import * as RowFiles from "./RowFiles.ts"

const yes = new Set(["true", "1", "yes"])
const no = new Set(["false", "0", "no"])

const flag = (value: unknown): boolean | undefined => {
  if (typeof value !== "string" && typeof value !== "boolean" && typeof value !== "number") return undefined
  const text = String(value).trim().toLowerCase()
  return yes.has(text) ? true : no.has(text) ? false : undefined
}

/** The row that a record of the file or an object of the JSON body stands for. */
export const toRow = (record: unknown): Sims.ImportRow => {
  const column = (name: string): unknown => RowFiles.column(record, name)
  return SimImport.rowOf(
    { iccid: column("iccid"), label: column("label"), isEsim: flag(column("is_esim")) },
    (name) => column(SimImport.columns[name]),
    (name) => (name === "isEsim" ? "is_esim" : SimImport.columns[name])
  )
}

/** A row of an import. */
export const form: RowFiles.Form<Sims.ImportRow> = { required: ["iccid", "label", "is_esim"], toRow }

const kept = ({ isEsim, ...rest }: Sim.KeptFields) => ({
  ...rest,
  ...(isEsim === undefined ? {} : { is_esim: isEsim })
})

const catalogueItem = ({ index, version }: Catalogues.Versioned): typeof ImportsApi.CatalogueItem.Type => ({
  ...Responses.data(CatalogueFile.toFile(index)),
  version
})

const useToWire = Copy.toWire(Views.CatalogueUse)

/** The handlers. */
export const make = (guard: OperatorAuth.Guard) =>
  Effect.gen(function* () {
    const sims = yield* Sims.Sims
    const catalogues = yield* Catalogues.Catalogues

    return Endpoints.group(ImportsApi.ImportsApi, guard, {
      importSims: Effect.fnUntraced(function* ({ params, query, request }) {
        const { lines, rows } = yield* RowFiles.read(request, form)
        const dryRun = Fields.flag(query.dry_run) === true
        const report = yield* sims.importRows({ organizationId: params.id, rows, dryRun })
        const withLines = (messages: ReadonlyArray<Sims.RowMessage>) =>
          messages.map(({ iccid, message, row }) => ({ row, line: lines.of(row), iccid, message }))
        return Responses.data({
          imported: report.imported,
          updated: report.updated,
          duplicates: report.duplicates,
          ...(report.differingCount === 0
            ? {}
            : {
                differing: report.differing.map(({ given, iccid, row, stored }) => ({
                  row,
                  line: lines.of(row),
                  iccid,
                  stored: kept(stored),
                  given: kept(given)
                })),
                differing_count: report.differingCount
              }),
          errors: withLines(report.errors),
          error_count: report.errorCount,
          warnings: withLines(report.warnings),
          warning_count: report.warningCount
        })
      }),
      replaceCatalogue: Effect.fnUntraced(function* ({ ifVersion, query, request, respond }) {
        const { value } = yield* Body.read(request, {
          limit: Body.CATALOGUE_LIMIT,
          mostValues: Body.MOST_VALUES_OF_CATALOGUE
        })
        const catalogue = yield* CatalogueFile.complete(value)
        if (Fields.flag(query.dry_run) === true) return catalogueItem(yield* catalogues.preview(catalogue, ifVersion))
        const replaced = yield* catalogues.replace(catalogue, ifVersion)
        return Versions.tagged(respond(catalogueItem(replaced)), replaced.version)
      }),
      catalogueUses: () => Effect.map(catalogues.uses, (uses) => Responses.data(uses.map(useToWire))),
      catalogue: Effect.fnUntraced(function* ({ respond }) {
        const current = yield* catalogues.versioned
        return Versions.tagged(respond(catalogueItem(current)), current.version)
      })
    })
  })
