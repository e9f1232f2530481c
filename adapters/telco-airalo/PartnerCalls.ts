/**
 * The calls of `PartnerApi` as requests, and what is read of their answers. Whoever makes them says
 * how a request is made: `HttpPartnerApi` over HTTP, tests over a model in memory.
 */
import { Effect, Option, Schema } from "effect"
import { CallFailure } from "../telco-calls/index.ts"
import type * as Envelope from "./Envelope.ts"
import * as PartnerApi from "./PartnerApi.ts"
import * as Shapes from "./Shapes.ts"

/** The longest page of the catalogue, in bytes: texts for people are most of it. */
const LONGEST_PAGE = 16 * 1024 * 1024

/** How many countries or regions a page of the catalogue has, and how many orders one of theirs. */
const PAGE = { packages: 25, orders: 50 }

/** The most pages of a list that are read. */
const MOST_PAGES = 100

/** A request; its bodies are multipart but for those in JSON. */
export interface Request extends Envelope.Operation {
  /** Of HTTP. */
  readonly method: "GET" | "POST"
  /** After the address. */
  readonly path: string
  /** None unless given. */
  readonly query?: Readonly<Record<string, string>>
  /** The fields of a multipart body. */
  readonly form?: Readonly<Record<string, string>>
  /** A body in JSON. */
  readonly json?: unknown
  /** The longest answer, in bytes. */
  readonly longest?: number
}

type Call<A> = Effect.Effect<A, CallFailure.CallFailure>

/** Makes a request. Fails unless its answer is done. */
export type Ask = (request: Request) => Call<Envelope.Done>

/** Airalo says that it has done the call, but what it says of it cannot be read. */
const unreadable = (name: string) =>
  new CallFailure.CallFailure({
    outcome: "Unknown",
    isAnswered: true,
    message: `Airalo answers ${name}, but not as its documents say`
  })

/** What a part of an answer is; fails if it is not as the documents say. */
export const decoded = <S extends Schema.ConstraintDecoder<unknown>>(
  { name }: Request,
  schema: S,
  value: unknown
): Call<S["Type"]> =>
  Option.match(Schema.decodeUnknownOption(schema)(value), {
    onNone: () => Effect.fail(unreadable(name)),
    onSome: Effect.succeed
  })

/** The calls, over requests that somebody makes. */
export const make = (ask: Ask): PartnerApi.PartnerApi["Service"] => {
  /** The part of the answer that is what was asked for. */
  const get = <S extends Schema.ConstraintDecoder<unknown>>(request: Request, schema: S): Call<S["Type"]> =>
    Effect.flatMap(ask(request), (answer) => decoded(request, schema, answer.data))

  const isLastPage = (answer: Envelope.Done, page: number, rows: number, most: number): boolean => {
    const meta = Schema.decodeUnknownOption(Shapes.Page)(answer.meta)
    const last = Option.getOrNull(meta)?.last_page
    return typeof last === "number" ? page >= last : rows < most
  }

  /** All pages of a list, by what is made of each. */
  const pages = <S extends Schema.ConstraintDecoder<unknown>, A>(
    request: Request,
    most: number,
    schema: S,
    rowsOf: (page: S["Type"]) => { readonly count: number; readonly rows: ReadonlyArray<A> }
  ): Call<ReadonlyArray<A>> =>
    Effect.gen(function* () {
      const all: Array<A> = []
      for (let page = 1; page <= MOST_PAGES; page++) {
        const query = { ...request.query, limit: String(most), page: String(page) }
        const answer = yield* ask({ ...request, query })
        const { count, rows } = rowsOf(yield* decoded(request, schema, answer.data))
        all.push(...rows)
        if (count === 0 || isLastPage(answer, page, count, most)) return all
      }
      return yield* new CallFailure.CallFailure({
        outcome: "Unknown",
        isAnswered: true,
        message: `Airalo lists more than ${MOST_PAGES} pages for ${request.name}`
      })
    })

  /** What was ordered has to be what the answer is about: else it is unknown what was bought. */
  const ordered = (request: Request, kind: PartnerApi.Kind, { packageId }: PartnerApi.NewOrder) =>
    get(request, Shapes.Order).pipe(
      Effect.map(Shapes.orderFrom),
      Effect.filterOrFail(
        (order) => order.kind === kind && order.packageId === packageId,
        () => unreadable(request.name)
      )
    )

  const formOf = ({ packageId, reference }: PartnerApi.NewOrder) => ({
    package_id: packageId,
    description: reference
  })

  const ofSim = (iccid: string, what: string, name: string): Request => ({
    name,
    method: "GET",
    path: `sims/${encodeURIComponent(iccid)}/${what}`,
    isLimitedApart: true
  })

  return PartnerApi.PartnerApi.of({
    order: (order) => {
      const form = { quantity: "1", type: "sim", ...formOf(order) }
      return ordered({ name: "order", method: "POST", path: "orders", form }, "sim", order)
    },
    topUp: ({ iccid, ...order }) => {
      const form = { iccid, ...formOf(order) }
      return ordered({ name: "topUp", method: "POST", path: "orders/topups", form }, "topup", order)
    },
    ordersOf: (reference) => {
      const query = { include: "sims,status", "filter[description]": reference }
      const request: Request = { name: "ordersOf", method: "GET", path: "orders", query }
      return Effect.flatMap(
        pages(request, PAGE.orders, Schema.Array(Schema.Unknown), (rows) => ({
          count: rows.length,
          rows: rows.filter((row) => Shapes.referenceOf(row) === reference)
        })),
        (rows) => Effect.all(rows.map((row) => Effect.map(decoded(request, Shapes.Order, row), Shapes.orderFrom)))
      )
    },
    ordersBetween: ({ since, until }) => {
      // "Get order list": `Y-m-d - Y-m-d`.
      const days = [since, until].map((at) => new Date(at).toISOString().slice(0, 10)).join(" - ")
      const query = { include: "sims,status", "filter[created_at]": days }
      const request: Request = { name: "ordersBetween", method: "GET", path: "orders", query }
      return pages(request, PAGE.orders, Schema.Array(Shapes.Order), (rows) => ({
        count: rows.length,
        rows: rows.map(Shapes.orderFrom)
      }))
    },
    orderOf: (id) =>
      Effect.map(
        get(
          {
            name: "orderOf",
            method: "GET",
            path: `orders/${encodeURIComponent(id)}`,
            query: { include: "sims,status" }
          },
          Shapes.Order
        ),
        Shapes.orderFrom
      ),
    packagesOf: (iccid) =>
      Effect.map(get(ofSim(iccid, "packages", "packagesOf"), Shapes.SimPackages), Shapes.simPackagesFrom),
    usageOf: (iccid) => Effect.map(get(ofSim(iccid, "usage", "usageOf"), Shapes.Usage), Shapes.usageFrom),
    requestRefund: ({ iccid, notes, reason }) =>
      Effect.map(
        get(
          {
            name: "requestRefund",
            method: "POST",
            path: "refund",
            json: { iccids: [iccid], reason, notes },
            isLimitedApart: true,
            // "Refund request": access requires a contract amendment.
            isByContract: true
          },
          Shapes.Refund
        ),
        ({ refund_id }) => String(refund_id)
      ),
    packages: pages(
      { name: "packages", method: "GET", path: "packages", query: { include: "topup" }, longest: LONGEST_PAGE },
      PAGE.packages,
      Shapes.Packages,
      (page) => ({ count: Object.keys(page).length, rows: Shapes.packagesFrom(page) })
    ),
    balance: Effect.flatMap(get({ name: "balance", method: "GET", path: "balance" }, Shapes.Balance), (answer) => {
      const { amount, currency } = answer.balances.availableBalance
      const balance = Shapes.amountOf(amount, currency)
      return balance === null ? Effect.fail(unreadable("balance")) : Effect.succeed(balance)
    })
  })
}
