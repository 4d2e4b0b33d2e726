/**
 * Sockets that bring thousands of tiny chunks (RFC 9112 7.1) are read one after the other: `node:http` takes microseconds for each chunk, so that
 * what arrives of a socket at once may take as long as a hundred requests, and that of many sockets seconds.
 */
import type { Socket } from 'node:net'

/** Bytes of a chunk that counts as tiny, and how many of them are read in a turn. */
const [tiny, maxReads] = [256, 1_000]

/** In the order of their turns. */
const waiting = new Set<Socket>()

/**
 * Reads on, unless `node:http` has paused the socket because the client does not read its responses: it would fail an assertion, which ends the
 * process. It reads on by itself when the client has read.
 */
export function readOn(socket: Socket): void {
  if (!(socket as Socket & { readonly _paused?: boolean })._paused) socket.resume()
}

function next(): void {
  const [socket] = waiting
  if (socket === undefined) return
  waiting.delete(socket)
  readOn(socket)
  if (waiting.size > 0) setImmediate(next)
}

function waitForTurn(socket: Socket): void {
  if (waiting.has(socket)) return
  waiting.add(socket)
  // A microtask, as `node:http` resumes the socket in the ticks after what has been read, and libuv then reads on, up to 32 times.
  queueMicrotask(() => socket.pause())
  if (waiting.size === 1) setImmediate(next)
}

/** Call the returned function with the size of each chunk that the socket brings. */
export function readInTurns(socket: Socket): (size: number) => void {
  let count = 0
  return (size) => {
    if (size <= tiny && ++count % maxReads === 0) waitForTurn(socket)
  }
}
