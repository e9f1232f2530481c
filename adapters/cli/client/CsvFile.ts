/**
 * Sends a CSV file in pieces of whole records, one after the other, so that a file of any size needs little memory, and the
 * progress counts what the server has taken.
 */
import { Effect, FileSystem, Stream } from "effect"
import { type CommandFailed, impossible, misused } from "../output/CommandFailed.ts"
import * as Progress from "../output/Progress.ts"
import * as CsvPieces from "./CsvPieces.ts"
import * as Files from "./Files.ts"

/** How much of the file is read at once, in bytes. */
const CHUNK = 256 * 1024
/** The longest record, in characters. More text without the end of a record means that a quote is not closed. */
const LONGEST_RECORD = 8 * 1024 * 1024

const unreadable = (path: string, reason: string): CommandFailed =>
  reason === "NotFound"
    ? misused(`FILE is ${JSON.stringify(path)}, but there is no such file.`)
    : Files.unreadable(path, reason)

/** The server's refusal of a piece that is no CSV, with the line of the file in place of that of the piece. */
export const lineOfFile = (message: string, linesAbove: number): string =>
  message.replace(/(malformed_csv.* of line )(\d+)/, (_, text, line) => `${text}${Number(line) + linesAbove}`)

/** Sends the pieces of the file; `take` sends one, and says what has been done so far. */
export const send = <E, R>(path: string, take: (piece: CsvPieces.Piece) => Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* Effect.mapError(files.stat(path), ({ reason }) => unreadable(path, reason._tag))
    if (type !== "File") return yield* misused(`FILE is ${JSON.stringify(path)}, but that is not a file.`)
    const progress = yield* Progress.make
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    let rest = CsvPieces.start
    let bytes = 0

    const sendPiece = Effect.fnUntraced(function* (piece: CsvPieces.Piece) {
      const done = yield* take(piece)
      yield* progress.update(size === 0n ? 1 : bytes / Number(size), done)
    })

    const consume = Effect.fnUntraced(function* (chunk: Uint8Array) {
      bytes += chunk.length
      const [next, piece] = CsvPieces.take(rest, decoder.decode(chunk, { stream: true }))
      rest = next
      if (rest.text.length > LONGEST_RECORD) {
        return yield* impossible(`Line ${rest.line} of ${path} or one after it has a quote that is never closed.`)
      }
      if (piece !== null) yield* sendPiece(piece)
    })

    const sendAll = Effect.gen(function* () {
      yield* files.stream(path, { chunkSize: CHUNK }).pipe(
        Stream.mapError(({ reason }) => unreadable(path, reason._tag)),
        Stream.runForEach(consume)
      )
      const last = CsvPieces.finish(rest)
      if (last !== null) yield* sendPiece(last)
    })
    yield* Effect.ensuring(sendAll, progress.finish)
  })
