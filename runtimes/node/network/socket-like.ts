import { Duplex } from 'node:stream'

/** A stream of bytes with the methods that `node:http` calls on sockets; they do nothing. */
export class SocketLike extends Duplex {
  setKeepAlive(): this {
    return this
  }
  setNoDelay(): this {
    return this
  }
  setTimeout(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
}
