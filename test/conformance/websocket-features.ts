/** Watches of clients that have nothing but WebSockets, such as browsers. */
import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { apiOf, configMap } from '../support/api.ts'
import { type Daemon, readCredentials } from '../support/daemon.ts'
import { type MessageReader, watchMessages, watchMessagesOverHttp2 } from '../support/watch-messages.ts'
import type { Furniture } from './furnish.ts'

const collection = '/api/v1/namespaces/default/configmaps'
const query = (name: string) => `${collection}?watch=true&timeoutSeconds=5&fieldSelector=metadata.name%3D${name}`
const large = 'x'.repeat(200_000)

export const websocketFeatures = {
  async 'watches over WebSockets'({ daemon, furniture }: { readonly daemon: Daemon; readonly furniture: Furniture }) {
    const { port, url, kubeconfig, fetch } = daemon
    const { ca } = readCredentials(kubeconfig)
    const token = furniture.tokens.administrator
    const carrier = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`
    const place = { host: '127.0.0.1', port, tls: { ca } }
    const session = connectHttp2(url, { ca })
    const ways: { readonly [name: string]: (path: string) => Promise<MessageReader> } = {
      http1: (path) => watchMessages(place, path, [carrier, 'base64.binary.k8s.io']),
      http2: (path) => watchMessagesOverHttp2(session, path, { authorization: `Bearer ${token}` }),
    }
    const api = apiOf(fetch)
    try {
      for (const [way, open] of Object.entries(ways)) {
        const name = `over-${way}`
        const reader = await open(query(name))
        await api.create(collection, configMap(name))
        assert.equal((await reader.event()).type, 'ADDED')
        const { body } = await api.patch(`${collection}/${name}`, { data: { large } })
        assert.deepEqual(await reader.event(), { type: 'MODIFIED', object: body })
        assert.deepEqual(await reader.rest(), [])
        assert.equal(await reader.closed, 1000)
      }
    } finally {
      session.destroy()
    }
  },
}
