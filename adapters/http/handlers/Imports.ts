/**
 * Handlers of imports: SIMs and the catalogue.
 */
import { Effect } from "effect"
import { Catalogues, Sims } from "simplan"
import type { Catalogue } from "simplan/ports"
import { CatalogueFile } from "../../catalogue/index.ts"
import * as ImportsApi from "../api/ImportsApi.ts"
import * as Endpoints from "../Endpoints.ts"
import type * as Auth from "../middleware/Auth.ts"
import * as SimImport from "./SimImport.ts"
import * as Body from "../wire/Body.ts"
import * as Responses from "../wire/Responses.ts"
import { Text } from "../../fields/index.ts"

const catalogueItem = (catalogue: Catalogue.Catalogue) => Responses.data(CatalogueFile.toFile(catalogue))

export const make = (guard: Auth.Guard<undefined>) =>
  Effect.gen(function* () {
    const sims = yield* Sims.Sims
    const catalogues = yield* Catalogues.Catalogues

    return Endpoints.group(ImportsApi.ImportsApi, guard, {
      importSims: Effect.fnUntraced(function* ({ params, request }) {
        const { lines, rows } = yield* SimImport.read(request)
        const report = yield* sims.importRows({ organizationId: Text.id(params.id), rows })
        const withLines = (messages: ReadonlyArray<Sims.RowMessage>) =>
          messages.map(({ iccid, message, row }) => ({ row, line: lines.of(row), iccid, message }))
        return Responses.data({
          imported: report.imported,
          updated: report.updated,
          duplicates: report.duplicates,
          errors: withLines(report.errors),
          error_count: report.errorCount,
          warnings: withLines(report.warnings),
          warning_count: report.warningCount
        })
      }),
      replaceCatalogue: Effect.fnUntraced(function* ({ request }) {
        const { value } = yield* Body.read(request, {
          limit: Body.CATALOGUE_LIMIT,
          mostValues: Body.MOST_VALUES_OF_CATALOGUE
        })
        const catalogue = yield* CatalogueFile.complete(value)
        return catalogueItem(yield* catalogues.replace(catalogue))
      }),
      catalogue: Effect.fnUntraced(function* () {
        return catalogueItem(yield* catalogues.current)
      })
    })
  })
