/**
 * Every documented example of a request is accepted: its path, its parameters and each of its
 * bodies together, by a service that has what the samples name.
 */
import { describe, expect, it } from "vitest"
import * as Examples from "./Examples.ts"
import * as World from "../World.ts"

describe.each(Examples.operations)("$method $path", ({ method, operation, path }) => {
  const { parameters, requestBody } = operation
  const bodies = Examples.examplesOf(requestBody?.content)

  it.each(bodies.length === 0 ? [undefined] : bodies)("takes its example %#", async (body) => {
    const world = await World.start({ telcos: Examples.telcos() })
    try {
      const { key, of } = await Examples.prepare(world)
      const credentials = await Examples.credentialsOf(world, key, `${method} ${path}`)
      const { headers, url } = Examples.addressed(path, parameters, of)
      const send = (more: Readonly<Record<string, string>>) =>
        world.fetch(method, url, {
          headers: { ...credentials, ...headers, ...more, ...(body && { "content-type": body.type }) },
          ...(body && { raw: Examples.instead(body.text, of) })
        })
      const first = await send({})
      // The version of the example is another one, and the refusal names the one that is there.
      const present = first.status === 412 ? first.headers.get("etag") : null
      const answer = present === null ? first : await send({ "If-Match": present })
      expect([answer.status < 300, answer.text]).toEqual([true, answer.text])
      // Imports and reports refuse single rows in an answer of 200.
      expect([answer.body?.data?.errors ?? [], answer.body?.rejected ?? []]).toEqual([[], []])
    } finally {
      await world.close()
    }
  })
})
