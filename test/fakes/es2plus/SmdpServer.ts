/**
 * The model of an SM-DP+ behind ES2+: HTTPS on a socket, which requires a client certificate. Calls
 * can be lost, delayed, doubled and refused.
 */
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { Socket } from "node:net"
import * as Certificates from "./Certificates.ts"
import { type Answer, type Function, functions, type Options, Smdp } from "./Smdp.ts"

/** What befalls one call. */
export type Fault =
  /** The connection is cut: before the call is done, or after it. */
  | { readonly fault: "request lost" | "answer lost" }
  /** The call is done this much later, and never answered. */
  | { readonly fault: "late"; readonly millis: number }
  | { readonly fault: "twice" }
  | { readonly fault: "refused"; readonly subject: string; readonly reason: string; readonly status?: string }
  | { readonly fault: "http"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly fault: "garbled" }

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
  /** The name in the client's certificate. */
  readonly client: string
}

export interface SmdpServer {
  readonly url: string
  readonly smdp: Smdp
  readonly asked: Array<Asked>
  /** What befalls the next calls of each function, in order. */
  readonly faults: Map<Function, Array<Fault>>
  /** The root of the server's certificate and of the clients'. */
  readonly authority: Certificates.Authority
  readonly close: () => Promise<void>
}

const isFunction = (name: string): name is Function => functions.some((one) => one === name)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const headerOf = (answer: Answer) => ({
  functionExecutionStatus:
    "failed" in answer
      ? {
          status: "Failed",
          statusCodeData: { subjectCode: answer.failed[0], reasonCode: answer.failed[1], message: "the fake refuses" }
        }
      : { status: "Executed-Success" }
})

const bodyOf = (answer: Answer) => ({ header: headerOf(answer), ...("failed" in answer ? {} : answer) })

const reply = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { "content-type": "application/json", "x-admin-protocol": "gsma/rsp/v2.2.0" })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const commonName = (socket: Socket): string => {
  if (!("getPeerCertificate" in socket) || typeof socket.getPeerCertificate !== "function") return ""
  const certificate: { readonly subject?: { readonly CN?: string } } = socket.getPeerCertificate()
  return certificate.subject?.CN ?? ""
}

export const start = async (options: Options = {}): Promise<SmdpServer> => {
  const authority = Certificates.authority("Test root of simplan")
  const own = authority.issue({ name: "localhost", isServer: true })
  const smdp = new Smdp(options)
  const asked: Array<Asked> = []
  const faults: SmdpServer["faults"] = new Map()
  const timers = new Set<NodeJS.Timeout>()

  const perform = (name: Function, body: Asked["body"]): Answer => {
    const header = isRecord(body["header"]) ? body["header"] : {}
    const matchingId = textOf(body["matchingId"])
    const finalProfileStatusIndicator = textOf(body["finalProfileStatusIndicator"])
    return smdp.call(name, {
      iccid: (textOf(body["iccid"]) ?? "").replace(/F$/, ""),
      callId: textOf(header["functionCallIdentifier"]) ?? "",
      releaseFlag: body["releaseFlag"] === true,
      ...(matchingId !== undefined && { matchingId }),
      ...(finalProfileStatusIndicator !== undefined && { finalProfileStatusIndicator })
    })
  }

  const befall = (fault: Fault | undefined, name: Function, body: Asked["body"], response: ServerResponse): void => {
    switch (fault?.fault) {
      case undefined:
        reply(response, bodyOf(perform(name, body)))
        return
      case "twice":
        perform(name, body)
        reply(response, bodyOf(perform(name, body)))
        return
      case "request lost":
        response.destroy()
        return
      case "answer lost":
        perform(name, body)
        response.destroy()
        return
      case "late":
        timers.add(setTimeout(() => perform(name, body), fault.millis))
        return
      case "refused":
        reply(response, {
          header: {
            functionExecutionStatus: {
              status: fault.status ?? "Failed",
              statusCodeData: { subjectCode: fault.subject, reasonCode: fault.reason }
            }
          }
        })
        return
      case "http":
        response.writeHead(fault.status, fault.headers)
        response.end()
        return
      case "garbled":
        reply(response, "<html>")
        return
    }
  }

  const tls = { key: own.key, cert: own.certificate, ca: authority.certificate, requestCert: true }
  const server = createServer({ ...tls, rejectUnauthorized: true }, async (request, response) => {
    let text = ""
    for await (const part of request.setEncoding("utf8")) text += part
    const path = request.url ?? ""
    const name = path.replace("/gsma/rsp2/es2plus/", "")
    if (request.method !== "POST" || !isFunction(name)) {
      response.writeHead(404).end()
      return
    }
    const parsed: unknown = JSON.parse(text)
    const body = isRecord(parsed) ? parsed : {}
    asked.push({ path, headers: request.headers, body, client: commonName(request.socket) })
    befall(faults.get(name)?.shift(), name, body, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `https://127.0.0.1:${port}/gsma/rsp2/es2plus`,
    smdp,
    asked,
    faults,
    authority,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer)
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
