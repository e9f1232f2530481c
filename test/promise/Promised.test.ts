import { Data, Effect, Stream } from "effect"
import { Refusal } from "simplan"
import { describe, expect, it } from "vitest"
import { promised, toStream } from "../../adapters/promise/Promised.ts"

class Sad extends Data.TaggedError("Sad")<{ readonly why: string }> {}

let interrupted = 0
let closed = 0

const service = promised({
  double: (of: { readonly n: number }) => Effect.succeed(of.n * 2),
  answer: Effect.succeed(42),
  refuse: (of: { readonly id: string }) => Effect.fail(new Refusal.NotFound({ resource: "plan", id: of.id })),
  wait: (_: { readonly forever: true }) =>
    Effect.never.pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          interrupted += 1
        })
      )
    ),
  count: (of: { readonly to: number }) =>
    Stream.range(1, of.to).pipe(
      Stream.ensuring(
        Effect.sync(() => {
          closed += 1
        })
      )
    ),
  sink: Stream.fail(new Sad({ why: "rain" }))
})

describe("a promised service", () => {
  it("returns Promises of what its Effects give", async () => {
    const twice: number = await service.double({ n: 4 })
    expect(twice).toBe(8)
    expect(await service.answer()).toBe(42)
  })

  it("rejects with the refusal itself", async () => {
    const error: unknown = await service.refuse({ id: "p" }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Refusal.NotFound)
    expect(error).toMatchObject({ _tag: "NotFound", resource: "plan", id: "p" })
  })

  it("gives up a call on its signal", async () => {
    const controller = new AbortController()
    const call = service.wait({ forever: true }, { signal: controller.signal })
    controller.abort()
    await expect(call).rejects.toThrow()
    expect(interrupted).toBe(1)
  })

  it("returns AsyncIterables of its Streams, which can be read again", async () => {
    const numbers = service.count({ to: 3 })
    const read = async (): Promise<ReadonlyArray<number>> => {
      const seen: Array<number> = []
      for await (const number of numbers) seen.push(number)
      return seen
    }
    expect(await read()).toEqual([1, 2, 3])
    expect(await read()).toEqual([1, 2, 3])
  })

  it("ends the Stream where its reader stops", async () => {
    closed = 0
    for await (const number of service.count({ to: 1_000_000 })) {
      if (number === 3) break
    }
    expect(closed).toBe(1)
  })

  it("throws the Stream's error from the loop", async () => {
    const read = async (): Promise<void> => {
      for await (const _ of service.sink()) throw new Error("There is nothing in it")
    }
    await expect(read()).rejects.toMatchObject({ _tag: "Sad", why: "rain" })
  })
})

describe("a source", () => {
  const collect = <A>(stream: Stream.Stream<A, unknown>) => Effect.runPromise(Stream.runCollect(stream))

  async function* later(): AsyncGenerator<number> {
    yield 1
    await Promise.resolve()
    yield 2
  }

  it("is any iterable", async () => {
    expect(await collect(toStream([1, 2]))).toEqual([1, 2])
    expect(await collect(toStream(new Set([1, 2])))).toEqual([1, 2])
    expect(await collect(toStream(later()))).toEqual([1, 2])
  })

  it("fails the stream with what it throws", async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1
      throw new Sad({ why: "torn" })
    }
    await expect(collect(toStream(broken()))).rejects.toMatchObject({ why: "torn" })
  })
})
