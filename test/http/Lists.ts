/**
 * Worlds whose list of subscriptions is made up: as long as a test needs, and read page by page.
 */
import { Context, Effect, Stream } from "effect"
import { connect, type Socket } from "node:net"
import { Subscriptions } from "simplan"
import type { Storage } from "simplan/ports"
import * as Values from "../domain/Values.ts"
import * as World from "./World.ts"

/** A subscription of about 1 KB. */
export const item = (n: number) => ({
  subscription: {
    organizationId: "o",
    subscriptionId: `s${n}`,
    iccid: World.iccid(n),
    metadata: "x".repeat(1000),
    createdAt: World.START,
    status: "Live" as const
  },
  sim: Values.sim({
    organizationId: "o",
    simId: `sim${n}`,
    iccid: World.iccid(n),
    importSequence: n,
    lpa: null,
    createdAt: World.START,
    allocation: { _tag: "InService", subscriptionId: `s${n}` },
    version: 1
  })
})

type Item = ReturnType<typeof item>

/** The items of a page. */
export const PAGE = 100

export const page = (n: number): ReadonlyArray<Item> =>
  Array.from({ length: PAGE }, (_, index) => item(n * PAGE + index))

/**
 * A world for one test, whose list of subscriptions has `pages` pages; `read(n)` gives the n-th, or
 * fails.
 */
export const world = (
  pages: number,
  read: (n: number) => Effect.Effect<ReadonlyArray<Item>, Storage.StorageError> = (n) => Effect.sync(() => page(n)),
  setting: World.Setting = {}
): Promise<World.World> =>
  World.forTest({
    ...setting,
    replace: (context) => {
      const subscriptions = Context.get(context, Subscriptions.Subscriptions)
      const list = () =>
        Stream.range(0, pages - 1).pipe(Stream.rechunk(1), Stream.mapEffect(read), Stream.flattenIterable)
      return Context.add(
        context,
        Subscriptions.Subscriptions,
        Subscriptions.Subscriptions.of({ ...subscriptions, list })
      )
    }
  })

/** A connection that asks for a list, reads its beginning and then no more. */
export const stalled = async (url: string, key: string, path = "/v3/subscription"): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  socket.on("error", () => {})
  socket.write(`GET ${path}?key=${key} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await new Promise((resolve) => socket.once("readable", resolve))
  return socket
}
