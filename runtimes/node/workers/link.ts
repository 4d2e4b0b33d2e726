import type { MessagePort } from 'node:worker_threads'
import type { Link } from '../../stores/message/protocol.ts'

/** A message port as the link of a message store. */
export const linkOf = (port: MessagePort): Link => ({
  send: (message) => port.postMessage(message),
  receive: (handle) => void port.on('message', handle),
})
