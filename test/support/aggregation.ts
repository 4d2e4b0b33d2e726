/** Servers behind another one: certificates, registrations, and a server that says what it got. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { issue, issueAuthority, newKey, type Pair } from '../../runtimes/node/pki/issue.ts'
import type { Api } from './api.ts'
import { ownAddress } from './node-agent/start.ts'

const proxies = issueAuthority('proxies', newKey(), Date.now())
const servers = issueAuthority('extension-servers', newKey(), Date.now())

/** Of the namespace `default`. */
const names = ['kubernetes', 'echo', 'things', 'gone', 'hangs', 'wardle'].map((name) => `${name}.default.svc`)

export interface Material {
  readonly directory: string
  /** Path of a new file. */
  file(name: string, text: string): string
  /** Serving certificate of the servers behind, and its authority. */
  readonly serving: Pair
  readonly authority: string
  /** Flags of the front server. */
  readonly frontFlags: readonly string[]
  /** Flags of servers that trust it. */
  readonly trustFlags: readonly string[]
  /** Replaces the certificate of the front server. */
  renew(commonName: string): void
}

export const frontName = 'front-proxy-client'

/** Writes the files into a directory. */
export function material(directory: string): Material {
  const file = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const renew = (commonName: string) => {
    const { certPem, keyPem } = issue(proxies, { commonName }, Date.now())
    file('proxy.key', keyPem)
    file('proxy.crt', certPem)
  }
  renew(frontName)
  const trustFlags = [
    `--requestheader-client-ca-file=${file('proxies.crt', proxies.certPem)}`,
    `--requestheader-allowed-names=${frontName}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-uid-headers=X-Remote-Uid',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ]
  const serving = issue(servers, { commonName: 'extension-server', names: [...names, '127.0.0.1'] }, Date.now())
  return {
    directory,
    file,
    serving,
    authority: servers.certPem,
    frontFlags: [
      ...trustFlags,
      `--proxy-client-cert-file=${join(directory, 'proxy.crt')}`,
      `--proxy-client-key-file=${join(directory, 'proxy.key')}`,
      // Cluster IPs that this host has.
      '--service-cluster-ip-range=127.0.0.0/24',
    ],
    trustFlags,
    renew,
  }
}

/** A service at this host's port; ready endpoints have no meaning for its cluster IP but that there are some. */
export async function createService(api: Api, name: string, port: number, address = ownAddress() ?? '192.0.2.1'): Promise<void> {
  const metadata = { namespace: 'default', name }
  const ports = [{ port, protocol: 'TCP' }]
  await api.create('/api/v1/namespaces/default/services', { kind: 'Service', apiVersion: 'v1', metadata, spec: { ports } })
  await api.create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: '', port }],
  })
}

/** A registration of a group version at a service. */
export const registration = (service: string, port: number, groupVersion: string, more: object) => {
  const [group = '', version = ''] = groupVersion.split('/')
  return {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name: `${version}.${group}` },
    spec: {
      service: { namespace: 'default', name: service, port },
      group,
      version,
      groupPriorityMinimum: 1500,
      versionPriority: 20,
      ...more,
    },
  }
}

export const registrations = '/apis/apiregistration.k8s.io/v1/apiservices'

/** The condition of a registration: status, reason and message. */
export async function conditionOf(api: Api, name: string): Promise<readonly [status: string, reason: string, message: string] | undefined> {
  const { body } = await api.get<{ status?: { conditions?: { status: string; reason: string; message: string }[] } }>(
    `${registrations}/${name}`,
  )
  const condition = body.status?.conditions?.[0]
  return condition && [condition.status, condition.reason, condition.message]
}

/** What the echo server got. */
export interface Echo {
  readonly method: string
  readonly url: string
  /** CommonName of the client's certificate. */
  readonly caller: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

export interface EchoServer {
  readonly port: number
  /** Bytes that `/flood` has sent. */
  flooded(): number
  /** Requests in flight. */
  running(): number
  close(): void
}

const fieldsOf = (raw: readonly string[]) =>
  raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? '']] : []))

/** The echo server has no OpenAPI 3. */
const echoSwagger = {
  swagger: '2.0',
  info: { title: 'Echo', version: 'v1' },
  paths: {
    '/apis/echo.example.com/v1/any': {
      get: {
        operationId: 'getAny',
        produces: ['application/json'],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Any' } } },
      },
    },
  },
  definitions: { Any: { type: 'object', properties: { other: { description: 'Another one.', $ref: '#/definitions/Any' } } } },
}

/**
 * Answers with the request. Query parameters change that: `hang`, `flood`, `lines` (a line for each request to `/next`), `location` (a redirect),
 * `status`. It switches to the protocol `echo`.
 */
export async function startEchoServer({ serving }: Material): Promise<EchoServer> {
  let flooded = 0
  let running = 0
  const lines = new Set<(text: string) => void>()
  const sockets = new Set<Socket>()
  const server = createServer(
    { key: serving.keyPem, cert: serving.certPem, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://x')
      running++
      response.once('close', () => running--)
      if (pathname === '/openapi/v2') return void response.setHeader('content-type', 'application/json').end(JSON.stringify(echoSwagger))
      if (pathname.startsWith('/openapi')) return void response.writeHead(404).end()
      if (searchParams.has('hang')) return
      if (/^\/apis\/[^/]+\/v1$/.test(pathname)) {
        response.setHeader('content-type', 'application/json')
        const groupVersion = pathname.slice('/apis/'.length)
        return void response.end(
          JSON.stringify({
            kind: 'APIResourceList',
            apiVersion: 'v1',
            groupVersion,
            resources: [{ name: 'any', singularName: '', namespaced: false, kind: 'Any', verbs: ['get'] }],
          }),
        )
      }
      const location = searchParams.get('location')
      if (location !== null) return void response.writeHead(307, { location }).end()
      if (searchParams.has('lines')) {
        const write = (text: string) => void response.write(text)
        lines.add(write)
        response.once('close', () => lines.delete(write))
        return void response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      }
      const line = searchParams.get('line')
      if (line !== null) for (const write of lines) write(`${line}\n`)
      if (searchParams.has('flood')) {
        const chunk = Buffer.alloc(65_536)
        const more = () => {
          while (!response.destroyed) {
            flooded += chunk.length
            if (!response.write(chunk)) return void response.once('drain', more)
          }
        }
        return more()
      }
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.once('end', () => {
        const echo: Echo = {
          method: request.method ?? '',
          url: request.url ?? '',
          caller: String((request.socket as TLSSocket).getPeerCertificate().subject?.CN),
          fields: fieldsOf(request.rawHeaders),
          body: Buffer.concat(chunks).toString(),
        }
        response.writeHead(Number(searchParams.get('status') ?? 200), {
          ...{ 'content-type': 'application/json', 'x-kept': 'yes', connection: 'keep-alive, x-hop', 'x-hop': '1' },
          'access-control-allow-origin': '*',
        })
        response.end(JSON.stringify(echo))
      })
    },
  )
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('upgrade', (request, socket: TLSSocket) => {
    socket.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n')
    socket.write(`${JSON.stringify(fieldsOf(request.rawHeaders))}\n`)
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    flooded: () => flooded,
    running: () => running,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
