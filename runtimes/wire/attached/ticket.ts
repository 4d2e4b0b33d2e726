/**
 * How a client gets from a port to the server's Unix socket. It asks for a ticket over the port, with the certificates that the port wants. A ticket
 * is good for one connection and a few seconds. That the socket is reached, and both sides know the ticket, shows that they are on one machine.
 */
import { Buffer } from 'node:buffer'

/** The method that gives tickets away. Other servers do not have it. */
export const ticketMethod = '/apiserver.Attachment/Ticket'

export interface Ticket {
  /** Directory and name of the socket. */
  readonly directory: string
  readonly name: string
  /** What the client shows, and what the server answers: texts of as many characters. */
  readonly key: string
  readonly proof: string
  /** Address of the client's end of the connection. If the client has another one, a proxy is between them, which is not gone around. */
  readonly peer: string
  /** Maximum bytes of a message to the server. */
  readonly largest: number
}

/** Characters of a key. */
export const keyLength = 64

/** Address of one end of a connection; undefined: it is not known. An IPv4 address in an IPv6 one is the former. */
export const addressOf = (address: string | undefined, port: number | undefined): string | undefined =>
  address === undefined || port === undefined ? undefined : `${address.replace(/^::ffff:(\d+\.)/i, '$1')} ${port}`

export const writeTicket = (ticket: Ticket): Uint8Array => Buffer.from(JSON.stringify(ticket))

const isText = (value: unknown): value is string => typeof value === 'string'

/** @throws Error when it is none. */
export function readTicket(bytes: Buffer): Ticket {
  const ticket = JSON.parse(bytes.toString()) as Partial<Ticket>
  if (![ticket.directory, ticket.name, ticket.key, ticket.proof, ticket.peer].every(isText) || typeof ticket.largest !== 'number')
    throw new Error('malformed ticket')
  return ticket as Ticket
}
