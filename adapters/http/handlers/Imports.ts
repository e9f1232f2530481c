/**
 * Handlers of imports: SIMs and the catalogue.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Catalogue, Catalogues, Sims } from "simplan"
import { CatalogueFile } from "../../catalogue/index.ts"
import * as Answer from "../Answer.ts"
import { Api } from "../api/Api.ts"
import type * as ImportsApi from "../api/ImportsApi.ts"
import * as Bytes from "../Bytes.ts"
import * as JsonBody from "../JsonBody.ts"
import * as SimRows from "../SimRows.ts"
import * as Text from "../Text.ts"

type Report = typeof ImportsApi.ImportReportItem.Type

const catalogueItem = (catalogue: Catalogue.Catalogue) =>
  Answer.ok({ error: false, data: CatalogueFile.toFile(catalogue) })

export const layer = HttpApiBuilder.group(
  Api,
  "imports",
  Effect.fnUntraced(function* (handlers) {
    const sims = yield* Sims.Sims
    const catalogues = yield* Catalogues.Catalogues

    return handlers
      .handleRaw(
        "importSims",
        Effect.fnUntraced(function* ({ params, request }) {
          const rows = yield* SimRows.read(request)
          const report = yield* sims.importRows({ organizationId: Text.id(params.id), rows })
          return Answer.ok<Report>({
            error: false,
            data: {
              imported: report.imported,
              duplicates: report.duplicates,
              errors: report.errors,
              warnings: report.warnings
            }
          })
        }, Answer.orError)
      )
      .handleRaw(
        "replaceCatalogue",
        Effect.fnUntraced(function* ({ request }) {
          const { value } = yield* JsonBody.read(request, { limit: Bytes.IMPORT_LIMIT })
          const catalogue = yield* Effect.fromResult(CatalogueFile.complete(value))
          return catalogueItem(yield* catalogues.replace(catalogue))
        }, Answer.orError)
      )
      .handle(
        "catalogue",
        Effect.fnUntraced(function* () {
          return catalogueItem(yield* catalogues.current)
        }, Answer.orError)
      )
  })
)
