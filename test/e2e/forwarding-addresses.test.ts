/** Where objects and names can't lead the server: addresses of this host, links and groups, and odd names and ports, on every proxied route. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Status } from '../../core/answers/status.ts'
import { type Api, apiOf } from '../support/api.ts'
import { type Daemon, startDaemon } from '../support/daemon.ts'
import { ownAddress } from '../support/node-agent/start.ts'

const namespace = '/api/v1/namespaces/default'

/** IP addresses that no proxy calls, in every notation that Go reads as one. */
const refusedAddresses = [
  ...['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '::', '169.254.169.254', 'fe80::1', '224.0.0.1', '239.1.1.1', 'ff02::1'],
  ...['ff0e::1', '255.255.255.255', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:169.254.169.254'],
  ...['::ffff:0.0.0.0', '::ffff:224.0.0.1', '::FFFF:127.0.0.1'],
]

/** What a node can report as its address besides: nothing that is called. */
const refusedHosts = [
  ...['localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.01', '[::1]', '127.0.0.1#', '127.0.0.1/x', '127.0.0.1?x'],
  ...[
    'a@127.0.0.1',
    '127.0.0.1:22',
    ' 127.0.0.1',
    '127.0.0.1 ',
    '１２７.0.0.1',
    '127。0。0。1',
    'fe80::1%lo',
    '::1%lo',
    '..',
    '',
    '*',
    '%31',
  ],
]

/** Names of a request for an object, all but the ones of its own port; `port`: that of a listener. */
const oddNames = (name: string, port: number) => [
  ...[
    `HTTP:${name}:${port}`,
    `ftp:${name}:${port}`,
    `file:${name}:`,
    `https::${port}`,
    `:${port}`,
    `a:b:${name}:${port}`,
    `http:${name}:${port}:1`,
  ],
  ...[`${name}:+${port}`, `${name}:-1`, `${name}:65536`, `${name}:99999999999999999999`, `${name}:${port + 65_536}`, `${name}:http`],
  ...[`${name}:${port}a`, `${name}:0x50`, `${name}:%20${port}`, `${name}:${port}%20`, `${name}:${port}%2F`, `${name}:${port}%23`],
  ...[`${name}:${port}%3F`, `${name}:${port}@127.0.0.1`, `${name}:%40127.0.0.1`, `${name}@127.0.0.1:${port}`, `127.0.0.1:${port}`],
  ...[
    `http:127.0.0.1:${port}`,
    `http:[::1]:${port}`,
    `localhost:${port}`,
    '.',
    '..',
    '%2e%2e',
    `..%2F${name}`,
    `${name}%2F..`,
    `${name}%00:${port}`,
  ],
  ...[`${name}%0d%0a:${port}`, `${name.toUpperCase()}:${port}`, `${name}.:${port}`, '*', '%', '%zz'],
]

const address = ownAddress()

describe('addresses and names that are not passed on', {
  skip: address === undefined && 'this host has no address but loopback',
  timeout: 3_600_000,
}, () => {
  let daemon: Daemon
  let api: Api
  let listener: Server
  let port = 0
  let connections = 0
  before(async () => {
    listener = createServer((request, response) => response.end(`reached ${request.url}`)).on('connection', () => connections++)
    listener.listen(0)
    await once(listener, 'listening')
    port = (listener.address() as { port: number }).port
    daemon = await startDaemon({ flags: ['--platform=kubernetes', '--nodeagent-preferred-address-types=InternalIP'] })
    api = apiOf(daemon.fetch)
    await place('good', address ?? '', 1)
  })
  after(async () => {
    listener?.close()
    listener?.closeAllConnections()
    await daemon?.stop()
  })

  /** A node, a pod and a service's endpoints with an address; resolves to the statuses of the pod's address and of the endpoints. */
  async function place(name: string, ip: string, agentPort = port): Promise<readonly [pod: number, endpoints: number]> {
    const created = await api.send('POST', '/api/v1/nodes', {
      metadata: { name },
      status: { addresses: [{ type: 'InternalIP', address: ip }], daemonEndpoints: { kubeletEndpoint: { Port: agentPort } } },
    })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    await api.create(`${namespace}/pods`, { metadata: { name }, spec: { nodeName: name, containers: [{ name: 'main', image: 'none' }] } })
    const pod = await api.patch(`${namespace}/pods/${name}/status`, { status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] } })
    await api.create(`${namespace}/services`, { metadata: { name }, spec: { ports: [{ name: 'web', port: 80 }] } })
    const endpoints = await api.send('POST', `${namespace}/endpoints`, {
      metadata: { name },
      subsets: [{ addresses: [{ ip, targetRef: { kind: 'Pod', namespace: 'default', name } }], ports: [{ name: 'web', port }] }],
    })
    return [pod.status, endpoints.status]
  }

  const routesTo = (name: string) => [
    ...[`/api/v1/nodes/${name}/proxy/x`, `/api/v1/nodes/http:${name}:${port}/proxy/x`, `/api/v1/nodes/https:${name}:${port}/proxy/x`],
    ...[`${namespace}/pods/${name}:${port}/proxy/x`, `${namespace}/pods/https:${name}:${port}/proxy/x`],
    ...[
      `${namespace}/services/${name}:80/proxy/x`,
      `${namespace}/services/${name}:web/proxy/x`,
      `${namespace}/services/https:${name}:web/proxy/x`,
    ],
  ]

  /** Asserts that a request is refused before anything is called. */
  async function refuse(path: string, statuses: readonly number[]): Promise<void> {
    for (const method of ['GET', 'POST']) {
      const before = connections
      const { status, body } = await api.send<Status>(method, path)
      assert.ok(statuses.includes(status), `${method} ${path}: ${status} ${JSON.stringify(body)}`)
      assert.equal(connections, before, `${method} ${path}`)
    }
  }

  test('an address of this host is called', async () => {
    for (const path of routesTo('good').filter((each) => !each.includes('https:') && !each.includes('nodes/good/'))) {
      const { status, body } = await api.get<unknown>(path)
      assert.deepEqual([status, body], [200, 'reached /x'], path)
    }
  })

  test('addresses that no proxy calls, of nodes, pods and services', async () => {
    for (const [at, ip] of refusedAddresses.entries()) {
      const [, endpoints] = await place(`ip-${at}`, ip)
      if (!ip.startsWith('239') && ip !== 'ff0e::1' && ip !== '255.255.255.255') assert.equal(endpoints, 422, ip)
      for (const path of routesTo(`ip-${at}`)) await refuse(path, path.includes('/services/') ? [404, 503] : [400])
    }
  })

  test('hosts of nodes that lead to this host, and what is no host', async () => {
    for (const [at, host] of refusedHosts.entries()) {
      const [pod] = await place(`host-${at}`, host)
      for (const path of routesTo(`host-${at}`)) await refuse(path, path.includes('/services/') ? [404, 503] : [400])
      assert.equal(pod, 422, host)
    }
  })

  test('odd names and ports', async () => {
    for (const name of oddNames('good', port))
      for (const prefix of ['/api/v1/nodes', `${namespace}/pods`, `${namespace}/services`])
        await refuse(`${prefix}/${name}/proxy/x`, [400, 404, 503])
    for (const [ports, message] of [
      ['65536', 'value out of range'],
      ['-1', 'invalid syntax'],
      ['1,x', 'invalid syntax'],
      ['', 'invalid syntax'],
    ] as const) {
      const { status, body } = await api.get<Status>(`${namespace}/pods/good/portforward?ports=${ports}`)
      assert.equal(status, 400)
      assert.equal(
        body.message,
        `cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(ports.split(',').at(-1))}: ${message}`,
      )
    }
  })
})
