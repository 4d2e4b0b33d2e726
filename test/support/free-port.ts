/** Ports for servers that a test starts. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** Ports below the ephemeral range, so that no other process gets one of them by chance. */
const ports = { first: 10_240, count: 22_000 }
/** Each process starts at another port, so that it seldom tries a port of another one. */
let nextPort = process.pid * 64

/** A free TCP port of 127.0.0.1, which is returned only once, here and in other processes that call this function, until this one ends. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.first + (nextPort++ % ports.count)
    if ((await claim(port)) && (await isFree(port))) return port
  }
}

/**
 * Claims the port to the end of this process by holding the UDP port of the same number, so that no other process gets it before its server
 * listens on it. False: another process has it.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const held = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false)).bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
  if (held) socket.unref()
  else socket.close()
  return held
}

/** Whether nothing listens on this port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!free) return false
  server.close()
  await once(server, 'close')
  return true
}

/** Whether something accepts connections on this port of 127.0.0.1. */
export const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
