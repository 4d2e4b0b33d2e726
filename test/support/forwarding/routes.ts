/** All ways on which a server passes requests on, each with a backend of its own that works on bytes. */

import { conditionOf, createService, type Material, material, registration, registrations } from '../aggregation.ts'
import { type Api, apiOf } from '../api.ts'
import { type Daemon, type DaemonOptions, readCredentials, startDaemon } from '../daemon.ts'
import { ownAddress } from '../node-agent/start.ts'
import { temporaryDirectory } from '../temporary.ts'
import { eventually } from '../wait.ts'
import { type RawBackend, startRawBackend } from './raw-backend.ts'

export interface Route {
  readonly name: string
  readonly backend: RawBackend
  /** The target of a request to the backend's path `/REST`; routes to one fixed path ignore it. */
  target(rest: string): string
  /** The backend's path of a target, without query; undefined: it is fixed. */
  readonly prefix: string | undefined
  /** Only requests to switch protocols are passed on. */
  readonly upgrades: boolean
  /** The client's request is passed on with its method, headers and body. */
  readonly relays: boolean
  /** Passed on to a server that gets the user in headers. */
  readonly aggregated: boolean
}

export interface Forwarding {
  readonly daemon: Daemon
  readonly api: Api
  readonly routes: readonly Route[]
  readonly material: Material
  close(): Promise<void>
}

const pods = '/api/v1/namespaces/default/pods'
const services = '/api/v1/namespaces/default/services'

/** An address of this host, which proxies may call. */
const own = ownAddress() ?? ''

/** Why tests with `startForwarding` can't run here; false: they can. */
export const cannotForward =
  own === '' ? 'this host has no address but loopback' : process.platform !== 'linux' && 'only Linux has all of 127.0.0.0/8'

/** `address`: that of the backends. The flags come last. */
export async function startForwarding(address = own, { flags = [], ...options }: DaemonOptions = {}): Promise<Forwarding> {
  const { path, remove } = temporaryDirectory('forwarding')
  const made = material(path)
  const tls = { cert: made.serving.certPem, key: made.serving.keyPem }
  const backends: RawBackend[] = []
  const start = async (where: string, secure: boolean) => {
    const backend = await startRawBackend(where, secure ? tls : undefined)
    backends.push(backend)
    return backend
  }
  const daemon = await startDaemon({
    ...options,
    flags: ['--platform=kubernetes', ...made.frontFlags, '--nodeagent-preferred-address-types=InternalIP', ...flags],
  })
  const api = apiOf(daemon.fetch)

  async function node(name: string): Promise<RawBackend> {
    const backend = await start(address, true)
    await api.create('/api/v1/nodes', {
      metadata: { name },
      status: { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: backend.port } } },
    })
    await api.create(pods, { metadata: { name }, spec: { nodeName: name, containers: [{ name: 'main', image: 'none' }] } })
    await api.patch(`${pods}/${name}/status`, { status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }] } })
    return backend
  }
  async function service(name: string, secure: boolean): Promise<RawBackend> {
    const backend = await start(address, secure)
    await api.create(services, { metadata: { name }, spec: { ports: [{ name: 'web', port: 80 }] } })
    const addresses = [{ ip: address, targetRef: { kind: 'Pod', namespace: 'default', name: 'node' } }]
    await api.create('/api/v1/namespaces/default/endpoints', {
      metadata: { name },
      subsets: [{ addresses, ports: [{ name: 'web', port: backend.port }] }],
    })
    return backend
  }
  async function aggregated(): Promise<RawBackend> {
    const backend = await start('0.0.0.0', true)
    await createService(api, 'echo', backend.port, address)
    const caBundle = Buffer.from(made.authority).toString('base64')
    await api.create(registrations, registration('echo', backend.port, 'echo.example.com/v1', { caBundle }))
    await eventually('the extension server', async () => (await conditionOf(api, 'v1.echo.example.com'))?.[0] === 'True')
    return backend
  }

  const below = (prefix: string) => ({
    prefix,
    target: (rest: string) => `${prefix}/${rest}`,
    upgrades: false,
    relays: true,
    aggregated: false,
  })
  const fixed = (target: string, upgrades: boolean) => ({
    ...{ prefix: undefined, target: () => target, upgrades, relays: upgrades, aggregated: false },
  })
  const agent = await node('node')
  const [nodePort, pod, securePod] = [await start(address, false), await start(address, false), await start(address, true)]
  const routes: readonly Route[] = [
    { name: 'nodes/proxy', backend: agent, ...below('/api/v1/nodes/node/proxy') },
    { name: 'nodes/proxy, another port', backend: nodePort, ...below(`/api/v1/nodes/http:node:${nodePort.port}/proxy`) },
    { name: 'pods/proxy', backend: pod, ...below(`${pods}/node:${pod.port}/proxy`) },
    { name: 'pods/proxy, https', backend: securePod, ...below(`${pods}/https:node:${securePod.port}/proxy`) },
    { name: 'services/proxy', backend: await service('plain', false), ...below(`${services}/plain:80/proxy`) },
    { name: 'services/proxy, https', backend: await service('secure', true), ...below(`${services}/https:secure:web/proxy`) },
    { name: 'an aggregated API', backend: await aggregated(), ...below('/apis/echo.example.com/v1'), prefix: '', aggregated: true },
    { name: 'pods/log', backend: await node('log'), ...fixed(`${pods}/log/log`, false) },
    { name: 'pods/log, followed', backend: await node('followed'), ...fixed(`${pods}/followed/log?follow=true`, false) },
    { name: 'pods/exec', backend: await node('exec'), ...fixed(`${pods}/exec/exec?command=true&stdout=true`, true) },
    { name: 'pods/attach', backend: await node('attach'), ...fixed(`${pods}/attach/attach?stdout=true`, true) },
    { name: 'pods/portforward', backend: await node('forward'), ...fixed(`${pods}/forward/portforward?ports=1`, true) },
  ]
  return {
    daemon,
    api,
    routes,
    material: made,
    async close() {
      await daemon.stop()
      for (const each of backends) each.close()
      remove()
    },
  }
}

export const credentialsOf = ({ kubeconfig }: Daemon) => readCredentials(kubeconfig)
