/**
 * An SMSC on a real socket, made of the same library as the adapter: it keeps what it takes, puts
 * the segments of a message together as a phone does, and goes wrong as it is set.
 */
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import smpp, { type PDU, type Session } from "smpp"

/**
 * What it does with the next `submit_sm`. `accept`, and `double`: with two answers. `late`: takes
 * it, and answers after so many milliseconds. `lose`: takes it and never answers. `drop`: neither.
 * `cut`: takes it and cuts the connection. `unbind`: ends the session first, takes it and answers
 * then. `nack`: answers with a `generic_nack`. A number is the status that it is refused with.
 */
export type Behaviour =
  | "accept"
  | "double"
  | { readonly late: number }
  | "lose"
  | "drop"
  | "cut"
  | "unbind"
  | "nack"
  | number

/** A `submit_sm` that was taken. */
export interface Taken {
  readonly id: string
  readonly source: string
  readonly destination: string
  readonly dataCoding: unknown
  readonly esmClass: unknown
  readonly registeredDelivery: unknown
  /** Reference, number of segments and place of this one, from the header. */
  readonly concatenation: readonly [reference: number, total: number, place: number] | null
  readonly text: string
}

const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN)

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined

const concatenation = (header: unknown): Taken["concatenation"] => {
  const [first] = Array.isArray(header) ? header : []
  // Information element 0, 3 octets: an 8-bit reference.
  if (!(first instanceof Uint8Array) || first[0] !== 0 || first[1] !== 3 || first.length !== 5) return null
  return [number(first[2]), number(first[3]), number(first[4])]
}

const address = (pdu: PDU, of: "source" | "dest"): string =>
  [pdu[`${of}_addr_ton`], pdu[`${of}_addr_npi`], pdu[of === "source" ? "source_addr" : "destination_addr"]].join("/")

const taken = (pdu: PDU, id: string): Taken => {
  const content = pdu["short_message"]
  return {
    id,
    source: address(pdu, "source"),
    destination: address(pdu, "dest"),
    dataCoding: pdu["data_coding"],
    esmClass: pdu["esm_class"],
    registeredDelivery: pdu["registered_delivery"],
    concatenation: concatenation(property(content, "udh")),
    text: String(property(content, "message"))
  }
}

/** The texts that phones show: a message of several segments once all are there. */
const shown = (all: ReadonlyArray<Taken>): ReadonlyArray<string> => {
  const parts = new Map<string, Array<string>>()
  return all.flatMap(({ concatenation, destination, text }) => {
    if (concatenation === null) return [text]
    const [reference, total, place] = concatenation
    const key = `${destination} ${reference} ${total}`
    const known = parts.get(key) ?? []
    known[place - 1] = text
    parts.set(key, known)
    if (Object.keys(known).length < total) return []
    parts.delete(key)
    return [known.join("")]
  })
}

export const systemId = "simplan"
export const password = "s3cret-of-the-smsc"

/** An SMSC on a port of its own, until the scope ends; with a key and a certificate over TLS. */
export const serve = Effect.fnUntraced(function* (tls: { readonly key: string; readonly cert: string } | null) {
  const sessions = new Set<Session>()
  const bound = new Set<Session>()
  const all: Array<Taken> = []
  const behaviours: Array<Behaviour> = []
  const binds: Array<{ readonly systemId: unknown; readonly systemType: unknown; readonly version: unknown }> = []
  const answers: Array<PDU> = []
  const counts = { enquireLinks: 0, submits: 0, unbinds: 0, outstanding: 0, mostOutstanding: 0 }
  let [answersLinks, bindStatus] = [true, 0]

  const submit = (session: Session, pdu: PDU) => {
    counts.submits++
    counts.mostOutstanding = Math.max(counts.mostOutstanding, ++counts.outstanding)
    const id = `id-${counts.submits}`
    const behaviour = behaviours.shift() ?? "accept"
    const answer = (status = 0) => {
      counts.outstanding--
      session.send(pdu.response(status === 0 ? { message_id: id } : { command_status: status }))
    }
    if (typeof behaviour === "number") return answer(behaviour)
    if (behaviour === "drop") return
    if (behaviour === "nack") {
      session.send(new smpp.PDU("generic_nack", { sequence_number: pdu.sequence_number, command_status: 2 }))
      return
    }
    if (behaviour === "unbind") session.send(new smpp.PDU("unbind"))
    all.push(taken(pdu, id))
    if (behaviour === "lose") return
    if (behaviour === "cut") return session.destroy()
    if (typeof behaviour === "object") {
      setTimeout(answer, behaviour.late)
      return
    }
    answer()
    if (behaviour === "double") session.send(pdu.response({ message_id: `${id}-again` }))
  }

  const take = (session: Session) => (pdu: PDU) => {
    if (pdu.command === "deliver_sm_resp") answers.push(pdu)
    if (pdu.isResponse()) return
    if (pdu.command === "enquire_link") {
      counts.enquireLinks++
      if (answersLinks) session.send(pdu.response())
      return
    }
    if (pdu.command === "unbind") {
      counts.unbinds++
      session.send(pdu.response())
      return session.close()
    }
    if (pdu.command === "bind_transceiver") {
      binds.push({ systemId: pdu["system_id"], systemType: pdu["system_type"], version: pdu["interface_version"] })
      const isKnown = pdu["system_id"] === systemId && pdu["password"] === password
      const status = bindStatus !== 0 ? bindStatus : isKnown ? 0 : 0x0e
      session.send(pdu.response(status === 0 ? { system_id: "fake" } : { command_status: status }))
      if (status === 0) bound.add(session)
      return
    }
    if (pdu.command !== "submit_sm") return
    if (bound.has(session)) submit(session, pdu)
    else session.send(pdu.response({ command_status: 0x04 }))
  }

  const server = smpp.createServer(tls ?? {}, (session) => {
    sessions.add(session)
    session.on("error", () => session.destroy())
    session.on("close", () => {
      sessions.delete(session)
      bound.delete(session)
    })
    session.on("pdu", take(session))
  })
  const listen = (port: number) =>
    Effect.callback<number>((resume) => {
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    })
  const stop = Effect.callback<void>((resume) => {
    for (const session of sessions) session.destroy()
    server.close(() => resume(Effect.void))
  })
  const port = yield* Effect.acquireRelease(listen(0), () => stop)

  return {
    url: `${tls === null ? "smpp" : "smpps"}://${systemId}@127.0.0.1:${port}`,
    /** What was taken, segment by segment, and what phones have shown. */
    taken: all as ReadonlyArray<Taken>,
    shown: () => shown(all),
    binds: binds as ReadonlyArray<(typeof binds)[number]>,
    counts: counts as Readonly<typeof counts>,
    /** The answers to its own requests. */
    answers: answers as ReadonlyArray<PDU>,
    boundSessions: () => bound.size,
    /** What it does with the next submissions, in their order; accepts all others. */
    next: (...behaviour: ReadonlyArray<Behaviour>) => void behaviours.push(...behaviour),
    /** Whether it answers `enquire_link`. */
    answerLinks: (answers: boolean) => {
      answersLinks = answers
    },
    /** The status that binds are answered with; 0: by their password. */
    refuseBinds: (status: number) => {
      bindStatus = status
    },
    /** Sends a request to whoever is bound. */
    send: (command: string, fields: Readonly<Record<string, unknown>> = {}) => {
      for (const session of bound) session.send(new smpp.PDU(command, fields))
    },
    /** Writes octets to whoever is bound. */
    write: (octets: Buffer) => {
      for (const session of bound) session.socket.write(octets)
    },
    cut: () => {
      for (const session of sessions) session.destroy()
    },
    /** Stops to listen, and cuts every connection. */
    stop,
    /** Listens again, at the same port. */
    start: Effect.asVoid(Effect.suspend(() => listen(port)))
  }
})

export const make = serve(null)

export type FakeSmsc = Effect.Success<typeof make>
