/** `apiserver hosts`: the listener, the interface and the servers together. */
import { join } from 'node:path'
import { notFound } from '../../../core/answers/status.ts'
import { FlagError } from '../../../core/flags/flag.ts'
import { hostPort } from '../../../core/outgoing/url-parts.ts'
import type { Connection, Logger } from '../../../core/ports.ts'
import { LightRequest } from '../../../core/request/light-request.ts'
import { reasonOf } from '../../atomic-file.ts'
import { buildInfo } from '../build-info.ts'
import { nodeClock } from '../clock.ts'
import { createOutbound } from '../network/outbound.ts'
import { issue } from '../pki/issue.ts'
import { tokenKubeconfig } from '../pki/kubeconfig.ts'
import { localAddress } from '../start/address.ts'
import { openListener } from '../start/open-listener.ts'
import { Opened } from '../start/opened.ts'
import { authorityIn, publishAuthority, tokenIn } from './credentials.ts'
import { type Disk, openDisk } from './disk.ts'
import type { HostsFlags } from './flags.ts'
import { hostSuffix, pathPrefix, placeOf } from './front.ts'
import { memoryHome } from './home.ts'
import { servers } from './hosted.ts'
import { Hosts } from './hosts.ts'
import { clientError, createInterface, errorReply } from './interface.ts'
import { openApiDocument } from './openapi.ts'
import { noOutbound } from './outbound.ts'

/** Maximum bytes of a request's body: that of the server itself. */
const requestBytes = 3 * 1024 * 1024

export interface HostsServer {
  /** Such as `https://127.0.0.1:6443`. */
  readonly url: string
  close(): Promise<void>
}

/** Starts; rejects with a one-line error that names the flag that it is about. */
export async function startHosts(flags: HostsFlags, logger: Logger): Promise<HostsServer> {
  const opened = new Opened()
  try {
    const url = await startAll(flags, logger, opened)
    return { url, close: () => opened.close() }
  } catch (error) {
    await opened.close().catch(() => {})
    throw error
  }
}

async function startAll(flags: HostsFlags, logger: Logger, opened: Opened): Promise<string> {
  const clock = nodeClock
  const token = tokenIn(flags.get('token-file'))
  const directory = flags.get('data-dir') || undefined
  const disk = directory === undefined ? undefined : await openDirectory(directory, logger)
  if (disk) opened.add(() => disk.close())
  const authority = authorityIn(directory && join(directory, 'pki'), clock.now())
  const outbound = createOutbound()
  const hosts = new Hosts({
    clock,
    telemetry: { logger },
    outbound: flags.get('allow-outgoing') ? outbound : noOutbound,
    trusted: outbound,
    maxServers: flags.get('max-servers'),
    idleTimeout: flags.get('idle-timeout'),
    limits: { storedBytes: flags.get('max-stored-bytes'), requestsInFlight: flags.get('max-requests-inflight'), requestBytes },
    homeOf: disk?.homeOf ?? memoryHome,
  })
  opened.add(() => hosts.close())
  for (const { settings, home } of disk?.servers ?? []) hosts.add(settings, home)

  const bind = flags.get('bind-address')
  const address = localAddress(bind)
  const names = [...new Set([address, '127.0.0.1', 'localhost']), `*${hostSuffix}`]
  const { certPem: cert, keyPem: key } = issue(authority, { commonName: 'apiserver hosts', names }, clock.now())
  let url = ''
  const services = {
    hosts,
    urlOf: (name: string) => `${url}${pathPrefix}${name}`,
    kubeconfigOf: (name: string, secret: string, byHost: boolean) =>
      tokenKubeconfig({
        url: byHost ? url : `${url}${pathPrefix}${name}`,
        ...(byHost && { serverName: `${name}${hostSuffix}` }),
        authority: authority.certPem,
        name,
        user: 'admin',
        token: secret,
      }),
    document: () => openApiDocument(url, 'v1'),
  }
  const answer = createInterface(services, token, logger)

  async function handle(request: Request, connection: Connection): Promise<Response> {
    const place = placeOf(request, connection)
    if (place === undefined) return answer(request)
    try {
      const hosted = hosts.find(place.name)
      if (hosted === undefined) throw notFound(servers, place.name)
      LightRequest.retarget(request, place.target)
      return await hosted.handle(request, connection)
    } catch (error) {
      return errorReply(clientError(error, logger))
    }
  }

  const listener = await openListener({ address: bind, port: flags.get('secure-port'), cert, key, logger }, handle)
  opened.add(() => listener.close(0))
  url = `https://${hostPort(address, listener.port)}`
  publishAuthority(flags.get('ca-file'), authority)
  return url
}

async function openDirectory(path: string, logger: Logger): Promise<Disk> {
  const { gitCommit = '', buildDate = '' } = buildInfo()
  try {
    return await openDisk(path, { clock: nodeClock, logger, release: `${gitCommit} ${buildDate}` })
  } catch (error) {
    throw new FlagError(`--data-dir: ${path}: ${reasonOf(error)}`)
  }
}
