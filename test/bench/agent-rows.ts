/**
 * Rows for streams of node agents: bytes per second through the daemon, and through a bare TCP relay in its place, with the same clients, the
 * same agent and TLS up to it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Api, apiOf } from '../support/api.ts'
import { residentMiB } from '../support/memory.ts'
import { SpdyConnection } from '../support/node-agent/spdy.ts'
import { type NodeAgent, registerAgent, startNodeAgent } from '../support/node-agent/start.ts'
import { root } from '../support/root.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import type { Compare } from './api-rows.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import type { Row } from './row.ts'

/** Where a client connects to, and as whom. */
interface ServerAddress {
  readonly port: number
  readonly host: string
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string }
}

const megabyte = 1024 * 1024
const followers = 500

/** Passes connections on in a process of its own, as the daemon is one. */
async function startRelay(to: number): Promise<{ port: number; child: ChildProcess }> {
  const program = `import { connect, createServer } from 'node:net'
const server = createServer((near) => { const far = connect(${to}, '127.0.0.1'); near.pipe(far).pipe(near); for (const each of [near, far]) each.on('error', () => { near.destroy(); far.destroy() }) })
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(text), child }
}

/** Megabytes per second of a response, for a time. */
async function readRate({ port, host, tls }: ServerAddress, path: string, seconds: number): Promise<number> {
  const outgoing = request({ port, host, path, ...tls, agent: false, servername: '' }).end()
  const [incoming] = await once(outgoing, 'response')
  if (incoming.statusCode !== 200) throw new Error(`${path}: ${incoming.statusCode}`)
  let bytes = 0
  const began = performance.now()
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (performance.now() - began > seconds * 1000) break
  }
  outgoing.destroy()
  return bytes / megabyte / ((performance.now() - began) / 1000)
}

async function upgraded({ port, host, tls }: ServerAddress, path: string): Promise<Duplex> {
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' }
  const outgoing = request({ method: 'POST', port, host, path, headers, ...tls, agent: false, servername: '' }).end()
  const [, socket, head] = (await once(outgoing, 'upgrade')) as [unknown, Duplex, Buffer]
  if (head.length > 0) socket.unshift(head)
  return socket.on('error', () => undefined)
}

/** Megabytes per second that an echo returns through a forwarded port: every byte passes twice. */
async function forwardRate(server: ServerAddress, path: string, target: number, seconds: number): Promise<number> {
  const socket = await upgraded(server, path)
  const connection = new SpdyConnection(socket, true)
  const served = connection.serve().catch(() => undefined)
  const headers = { port: String(target), requestid: '1' }
  await connection.open({ ...headers, streamtype: 'error' })
  const stream = await connection.open({ ...headers, streamtype: 'data' })
  let bytes = 0
  stream.data = (chunk) => {
    bytes += chunk.length
  }
  const began = performance.now()
  const piece = Buffer.alloc(32 * 1024)
  while (performance.now() - began < seconds * 1000) {
    await stream.write(piece)
    // Lets the answers be read.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const rate = bytes / megabyte / ((performance.now() - began) / 1000)
  socket.destroy()
  await served
  return rate
}

/** Memory of the daemon with many followed logs, over what it has without. */
async function followedLogs(daemon: BenchDaemon, server: ServerAddress, path: string): Promise<Row> {
  const before = residentMiB(daemon.pid)
  const open = await Promise.all(
    Array.from({ length: followers }, async () => {
      const outgoing = request({ port: server.port, host: server.host, path, ...server.tls, agent: false, servername: '' })
        .on('error', () => undefined)
        .end()
      const [incoming] = await once(outgoing, 'response')
      await once(incoming, 'data')
      return outgoing
    }),
  )
  const used = residentMiB(daemon.pid) - before
  for (const each of open) each.destroy()
  return { name: `memory of ${followers} followed logs`, ours: `${used.toFixed(0)} MiB`, limit: '', aim: '' }
}

export async function agentRows(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const agent: NodeAgent = await startNodeAgent()
  const echo: Server = createServer((socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const target = (echo.address() as { port: number }).port
  const daemon = await startDaemon(port, [...agent.flags, '--data-dir=:memory:'])
  const relay = await startRelay(agent.port)
  const { fetch, close } = tlsFetch(daemon.url, daemon)
  try {
    const api: Api = apiOf(fetch)
    await registerAgent(api, agent, { containers: ['flood', 'quiet'] })
    const near: ServerAddress = { port, host: '127.0.0.1', tls: daemon }
    const { ca, client } = agent
    const far: ServerAddress = { port: relay.port, host: '127.0.0.1', tls: { ca, cert: client.certificate, key: client.key } }
    const pod = '/api/v1/namespaces/default/pods/runner'
    return [
      await compare(
        'followed log, MiB',
        '≥ 0.5',
        () => readRate(near, `${pod}/log?container=flood&follow=true`, seconds),
        () => readRate(far, '/containerLogs/default/runner/flood?follow=true', seconds),
      ),
      await compare(
        'port-forward of an echo, MiB',
        '≥ 0.5',
        () => forwardRate(near, `${pod}/portforward`, target, seconds),
        () => forwardRate(far, '/portForward/default/runner', target, seconds),
      ),
      await followedLogs(daemon, near, `${pod}/log?container=quiet&follow=true`),
    ]
  } finally {
    close()
    relay.child.kill()
    await daemon.stop()
    agent.close()
    echo.close()
  }
}
