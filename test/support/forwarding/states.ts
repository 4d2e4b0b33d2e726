/** How far a forwarded request has come when something happens to it. */
import type { RawAnswer } from './raw-backend.ts'

/** The answer to a request to switch protocols. */
export const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n'

interface State {
  readonly name: string
  readonly answer: RawAnswer
  readonly upgrades: boolean
  /** What the client has received when the request is in this state. */
  readonly seen: RegExp
}

export const states: readonly State[] = [
  { name: 'no answer', answer: () => undefined, upgrades: false, seen: /^$/ },
  {
    name: 'a part of the answer',
    answer: (_request, socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\npart'),
    upgrades: false,
    seen: /part/,
  },
  { name: 'no answer to an upgrade', answer: () => undefined, upgrades: true, seen: /^$/ },
  {
    name: 'an upgraded connection',
    answer: (_request, socket) => {
      socket.write(switched)
      return true
    },
    upgrades: true,
    seen: /^HTTP\/1\.1 101 /,
  },
]
