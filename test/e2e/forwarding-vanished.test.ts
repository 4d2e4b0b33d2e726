/**
 * Backends and clients that are gone without a word (their host has lost its power): on every route, in each state, both sides end in bounded
 * time. The server has a network of its own, whose links to this host are cut.
 */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { bundle } from '../support/daemon.ts'
import { type Link, type Network, noNetworks, openNetwork } from '../support/forwarding/network.ts'
import { openRaw } from '../support/forwarding/raw-client.ts'
import { type Forwarding, type Route, startForwarding } from '../support/forwarding/routes.ts'
import { states } from '../support/forwarding/states.ts'
import { eventually, within } from '../support/wait.ts'

/** Milliseconds of an idle machine: TCP asks after 15 s (backends) or 30 s (clients), and then once a second for 10 s. */
const limit = 60_000

describe('others that are gone without a word', {
  skip: noNetworks,
  timeout: 3_600_000,
}, () => {
  let network: Network
  let forwarding: Forwarding
  before(async () => {
    network = openNetwork(2)
    const [backends, clients] = network.links
    forwarding = await startForwarding(backends?.host, {
      command: [...network.command, process.execPath, bundle],
      host: clients?.inside ?? '',
      flags: ['--bind-address=0.0.0.0', `--advertise-address=${clients?.inside}`, '--enable-aggregator-routing'],
    })
  })
  after(async () => {
    for (const link of network?.links ?? []) link.mend()
    await forwarding?.close()
    network?.close()
  })

  /** A client for each route and state, when its request is there. */
  async function openAll() {
    const clients = []
    for (const state of states)
      for (const route of forwarding.routes.filter((each) => (state.upgrades ? each.relays : !each.upgrades))) {
        const { backend } = route
        const before = backend.requests.length
        let peer: Socket | undefined
        backend.answer = (request, socket) => {
          peer = socket
          return state.answer(request, socket)
        }
        const client = await openRaw(forwarding.daemon)
        const upgrade = state.upgrades ? '\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1' : ''
        // An aggregated API's other requests have a deadline.
        const watch = route.aggregated ? '?watch=true' : ''
        client.socket.write(`GET ${route.target('x')}${watch} HTTP/1.1\r\nHost: front${upgrade}\r\n\r\n`)
        const what = `${route.name}, ${state.name}`
        await eventually(what, async () => backend.requests.length > before && state.seen.test(client.received()))
        clients.push({ what, state, peer: peer as unknown as Socket, ...client })
      }
    return clients
  }

  const noConnections = (link: Link) =>
    eventually('the end of all connections', async () => {
      assert.deepEqual(network.connections(forwarding.daemon.pid, link.host), [])
      return true
    })

  async function works({ name, backend, target }: Route): Promise<void> {
    backend.answer = (_request, socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    // An aggregated API is asked again whether it is available.
    await eventually(name, async () => {
      assert.equal(await (await forwarding.daemon.fetch(target('x'), { signal: AbortSignal.timeout(10_000) })).text(), 'ok')
      return true
    })
  }

  test('backends', async () => {
    const [link] = network.links
    if (link === undefined) throw new Error('no link')
    const clients = await openAll()
    link.cut()
    for (const { what, state, socket, closed, received } of clients) {
      // The connection stays when the answer is an error of this server.
      if (state.seen.test('')) await eventually(`${what}: the answer`, async () => /^HTTP\/1\.1 50[03] /.test(received()), limit)
      else await within(`${what}: the end`, closed, limit)
      socket.destroy()
    }
    await noConnections(link)
    link.mend()
    for (const route of forwarding.routes.filter((each) => !each.upgrades)) await works(route)
  })

  test('clients', async () => {
    const [, link] = network.links
    if (link === undefined) throw new Error('no link')
    const clients = await openAll()
    link.cut()
    for (const { what, peer } of clients)
      await eventually(`${what}: the end at the backend`, async () => peer.resume().readableEnded || peer.destroyed, limit)
    await noConnections(link)
    for (const { socket } of clients) socket.destroy()
    link.mend()
  })
})
