import type { Drained, DrainOptions } from '../filters/request-gate.ts'
import type { Connection } from '../ports.ts'

/** What a server offers. In a file of its own, so that its declarations lead to no part of a server. */
export interface ApiServer {
  /** Answers one request. Without a connection it is in-process. Never rejects: every failure is a Status. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** As `fetch`, for listeners: the response is a `Reply`, which is much cheaper than the built-in class (respond/reply.ts). */
  answer(request: Request, connection: Connection): Response | Promise<Response>
  /** Answers a request for a path below `/debug/` without authentication and authorization. */
  debug(request: Request): Promise<Response>
  /**
   * Begins a shutdown: `/readyz` fails from here on, and requests are answered as before. Resolves when the server is no longer among the
   * endpoints of its service, and its identity lease is deleted, after at most 20 s.
   */
  leave(): Promise<void>
  /** Ends watches, and waits for the requests in flight. */
  drain(options?: DrainOptions): Promise<Drained>
  /** Drains, which takes at most 10 s, and then ends background work. Later requests get 503. The store stays open: the caller owns it. */
  close(): Promise<void>
}

/** A server that is not started yet. It answers health checks, and everything else with 503. */
export interface StartingServer extends ApiServer {
  /** Opens the stores, and resolves when the server is ready to serve. Rejects when it can't start; then nothing is left behind. */
  start(): Promise<void>
}
