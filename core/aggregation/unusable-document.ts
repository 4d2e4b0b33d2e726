import { messageOf } from '../schema/message-of.ts'

/** A document of another server that can't be used; the message names its URL. */
export class UnusableDocument extends Error {
  override readonly name = 'UnusableDocument'
  constructor(url: string, cause: unknown) {
    super(`${url}: ${messageOf(cause)}`, { cause })
  }
}
