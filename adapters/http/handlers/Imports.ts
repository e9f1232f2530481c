/**
 * Handlers of imports: SIMs and the catalogue.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Catalogue, Catalogues, Sims } from "simplan"
import { CatalogueFile } from "../../catalogue/index.ts"
import { Api } from "../api/Api.ts"
import type * as ImportsApi from "../api/ImportsApi.ts"
import * as SimImport from "../shapes/SimImport.ts"
import * as BodyBytes from "../wire/BodyBytes.ts"
import * as ErrorResponses from "../wire/ErrorResponses.ts"
import * as JsonBody from "../wire/JsonBody.ts"
import * as Responses from "../wire/Responses.ts"
import * as Text from "../wire/Text.ts"

type Report = typeof ImportsApi.ImportReportItem.Type

const catalogueItem = (catalogue: Catalogue.Catalogue) =>
  Responses.ok({ error: false, data: CatalogueFile.toFile(catalogue) })

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
          const rows = yield* SimImport.read(request)
          const report = yield* sims.importRows({ organizationId: Text.id(params.id), rows })
          return Responses.ok<Report>({
            error: false,
            data: {
              imported: report.imported,
              duplicates: report.duplicates,
              errors: report.errors,
              warnings: report.warnings
            }
          })
        }, ErrorResponses.handled)
      )
      .handleRaw(
        "replaceCatalogue",
        Effect.fnUntraced(function* ({ request }) {
          const { value } = yield* JsonBody.read(request, { limit: BodyBytes.IMPORT_LIMIT })
          const catalogue = yield* Effect.fromResult(CatalogueFile.complete(value))
          return catalogueItem(yield* catalogues.replace(catalogue))
        }, ErrorResponses.handled)
      )
      .handle(
        "catalogue",
        Effect.fnUntraced(function* () {
          return catalogueItem(yield* catalogues.current)
        }, ErrorResponses.handled)
      )
  })
)
