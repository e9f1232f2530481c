/**
 * The reads that most requests are: what they answer, whichever way a request has come in (see `Express`).
 */
import { Effect } from "effect"
import { Attachments, Sims, Subscriptions } from "simplan"
import * as Answer from "../Answer.ts"
import type * as SimsApi from "../api/SimsApi.ts"
import type * as SubscriptionsApi from "../api/SubscriptionsApi.ts"
import * as Cursor from "../Cursor.ts"
import * as AttachmentShapes from "../shapes/Attachments.ts"
import * as SimShapes from "../shapes/Sims.ts"
import * as SubscriptionShapes from "../shapes/Subscriptions.ts"

interface OfLine {
  readonly organizationId: string
  readonly iccid: string
}

/** How many SIMs a page has where it is not said. */
export const SIMS = 25

type SimQuery = Parameters<Sims.Sims["Service"]["page"]>[0]

export const make = Effect.gen(function* () {
  const subscriptions = yield* Subscriptions.Subscriptions
  const attachments = yield* Attachments.Attachments
  const sims = yield* Sims.Sims

  return {
    subscription: (of: OfLine) =>
      Effect.map(subscriptions.get(of), (found) =>
        Answer.ok<typeof SubscriptionsApi.SubscriptionItem.Type>({
          error: false,
          data: SubscriptionShapes.subscription(found)
        })
      ),
    attachments: (of: OfLine) =>
      Effect.map(attachments.list(of), (views) =>
        Answer.ok<typeof SubscriptionsApi.PlanAttachmentList.Type>({
          error: false,
          data: views.map(AttachmentShapes.attachment)
        })
      ),
    sims: (of: SimQuery) =>
      Effect.map(sims.page(of), (page) =>
        Answer.ok<typeof SimsApi.SimPage.Type>({
          error: false,
          data: page.items.map(SimShapes.sim),
          next_page: Cursor.ofSerial(page.next)
        })
      )
  }
})

export type Reads = Effect.Success<typeof make>
