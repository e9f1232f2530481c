/**
 * Stops a server while requests have arrived on connections that are kept: each of them has to be
 * answered.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import type { Member } from "../Cluster.ts"
import type { Stop } from "../Ledger.ts"
import * as Tenant from "../Tenant.ts"

const KEPT = 16

const health = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

/** A write, so that one that is lost is a creation that its client knows nothing of. */
const creation = (name: string): string => {
  const body = JSON.stringify({ name })
  const lines = [
    "POST /admin/v1/organizations HTTP/1.1",
    "Host: x",
    `Authorization: ${Tenant.admin.authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`
  ]
  return `${lines.join("\r\n")}\r\n\r\n${body}`
}

interface Kept {
  readonly socket: Socket
  /** Whether anything has come since the request was written. */
  readonly isAnswered: () => boolean
  readonly send: () => Promise<void>
  readonly closed: Promise<unknown>
}

/** A connection on which a request was answered; null if there is none. */
const open = async (url: string, index: number): Promise<Kept | null> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  const closed = new Promise((resolve) => socket.once("close", resolve))
  socket.on("error", () => {})
  let bytes = 0
  socket.on("data", (chunk) => {
    bytes += chunk.length
  })
  socket.write(health)
  const isOpen = await Promise.race([once(socket, "data").then(() => true), closed.then(() => false)])
  if (!isOpen) return null
  return {
    socket,
    isAnswered: () => bytes > 0,
    send: () => {
      bytes = 0
      return new Promise((resolve) => socket.write(creation(`stopped ${index}`), () => resolve()))
    },
    closed
  }
}

/**
 * Writes a whole request on each connection, stops the process by SIGTERM, and returns when it has
 * ended.
 */
export const whileAsked = async (member: Pick<Member, "name" | "url" | "end">): Promise<Stop> => {
  const opened = await Promise.all(Array.from({ length: KEPT }, (_, index) => open(member.url, index)))
  const kept = opened.filter((one) => one !== null)
  await Promise.all(kept.map(({ send }) => send()))
  await member.end()
  await Promise.all(kept.map(({ closed }) => closed))
  return { name: member.name, sent: kept.length, answered: kept.filter(({ isAnswered }) => isAnswered()).length }
}
