/** How fast connections to node agents are. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { apiOf } from '../support/api.ts'
import { type Daemon, type DaemonOptions, readCredentials } from '../support/daemon.ts'
import { ownAddress, registerAgent, startNodeAgent } from '../support/node-agent/start.ts'
import { within } from '../support/wait.ts'

const address = ownAddress()
const perSecond = 20_000
const sent = 30_000

/** Opens a connection to the agent that returns what it gets. Resolves to the socket after the head. */
async function echo({ port, kubeconfig }: Daemon) {
  const socket = connect({ host: '127.0.0.1', port, ...readCredentials(kubeconfig), ALPNProtocols: ['http/1.1'] })
  await within('the handshake', once(socket, 'secureConnect'))
  socket.write('GET /api/v1/nodes/agent/proxy/echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
  const [head] = (await within('the head', once(socket, 'data'))) as [Buffer]
  assert.match(head.toString('latin1'), /^HTTP\/1\.1 101 .*\r\n\r\n$/s)
  return socket
}

/** Empty on hosts with no address but loopback. */
export const rateFeatures = address !== undefined && {
  async 'upgraded connections as fast as permitted'({ start }: { start(options?: DaemonOptions): Promise<Daemon> }) {
    const agent = await startNodeAgent({ address })
    try {
      const daemon = await start({
        flags: [
          '--data-dir=:memory:',
          ...agent.flags,
          '--nodeagent-preferred-address-types=InternalIP',
          `--max-connection-bytes-per-sec=${perSecond}`,
        ],
      })
      await registerAgent(apiOf(daemon.fetch), agent)
      const socket = await echo(daemon)
      const began = performance.now()
      let [received, excess] = [0, 0]
      const all = new Promise<void>((resolve) => {
        socket.on('data', ({ length }: Buffer) => {
          received += length
          // In each tenth of a second, of which the first and the last have only begun.
          excess = Math.max(excess, received - perSecond * ((performance.now() - began) / 1000 + 0.2))
          if (received === sent) resolve()
        })
      })
      socket.write(Buffer.alloc(sent))
      await within('the echo', all)
      assert.equal(excess, 0, 'bytes that came too early')
      socket.destroy()
    } finally {
      agent.close()
    }
  },
}
