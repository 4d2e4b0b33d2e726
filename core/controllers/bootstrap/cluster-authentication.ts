/** Publishes how aggregated API servers authenticate their callers: a config map that all replicas merge their settings into. */
import type { Authorities, Bundle } from '../../access/authn/certificate/authorities.ts'
import { readBundle } from '../../access/authn/certificate/authorities.ts'
import type { FrontProxies } from '../../access/authn/request-header.ts'
import { follow } from '../../objects/watch/follow.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { writePem } from '../../schema/formats/pem.ts'
import { equal } from '../../schema/json/equal.ts'
import type { ControllerContext } from '../controller.ts'
import { core } from '../namespaced.ts'
import { createQueue } from '../queue.ts'
import { repeatEvery } from '../repeat.ts'

export interface ClusterAuthentication {
  /** Trusted client CAs. */
  readonly client?: Authorities
  readonly frontProxies?: FrontProxies
}

type Data = { readonly [key: string]: string }

const configMapName = 'extension-apiserver-authentication'
/** Milliseconds between checks of the config map, which also drop expired certificates. */
const interval = 60_000
/** Milliseconds for which expired certificates are kept, for clock skew. */
const leeway = 5 * 60_000

function textsOf(data: Data, key: string): string[] {
  const value: unknown = JSON.parse(data[key] || '[]')
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw new Error(`${key} is not a list of strings`)
  return value
}

const joined = (data: Data, key: string, own: readonly string[]) => ({
  [key]: JSON.stringify([...new Set([...textsOf(data, key), ...own])]),
})

/** Merges both bundles without duplicates and expired certificates. */
function joinedBundle(stored: string | undefined, own: Bundle | undefined, now: number): string {
  const certificates = [...(stored ? readBundle(stored).certificates : []), ...(own?.certificates ?? [])]
  const pems = certificates.filter(({ notAfter }) => notAfter > now - leeway).map(({ raw }) => writePem('CERTIFICATE', raw))
  return [...new Set(pems)].join('')
}

/**
 * Merges the stored data with this server's settings. `now` is in milliseconds. Throws an Error when the stored
 * data is malformed.
 */
export function clusterAuthenticationData(stored: Data, { client, frontProxies }: ClusterAuthentication, now: number): Data {
  const clientPem = joinedBundle(stored['client-ca-file'], client?.current(), now)
  const proxyPem = joinedBundle(stored['requestheader-client-ca-file'], frontProxies?.authorities.current(), now)
  const headers = frontProxies?.headers ?? { username: [], uid: [], group: [], extraPrefix: [] }
  const lists = {
    ...joined(stored, 'requestheader-username-headers', headers.username),
    ...joined(stored, 'requestheader-uid-headers', headers.uid),
    ...joined(stored, 'requestheader-group-headers', headers.group),
    ...joined(stored, 'requestheader-extra-headers-prefix', headers.extraPrefix),
    ...joined(stored, 'requestheader-allowed-names', frontProxies?.allowedNames ?? []),
  }
  return {
    ...(clientPem !== '' && { 'client-ca-file': clientPem }),
    ...(proxyPem !== '' && { ...lists, 'requestheader-client-ca-file': proxyPem }),
  }
}

/** Keeps the config map current; the returned function stops it. */
export function publishClusterAuthentication(given: ClusterAuthentication, context: ControllerContext): () => void {
  const { clock, logger, platform } = context
  const { store, client } = core(context, 'configmaps')
  const home = platform.namespaces.system
  const queue = createQueue({
    ...context,
    name: 'cluster-authentication',
    async work(key) {
      const found = await client.get(home, configMapName)
      const stored = (found?.['data'] ?? {}) as Data
      const data = clusterAuthenticationData(stored, given, clock.now())
      if (found !== undefined && equal(stored, data)) return
      const object: ApiObject = found ?? { kind: 'ConfigMap', apiVersion: 'v1', metadata: { namespace: home, name: configMapName } }
      await (found === undefined ? client.create(home, { ...object, data }) : client.update({ ...object, data }))
      logger.debug({ key }, 'authentication of aggregated API servers published')
    },
  })
  const look = () => queue.add(configMapName)
  const following = follow(store, clock, {
    listed: look,
    change({ entry }) {
      if (entry.namespace === home && entry.name === configMapName) look()
    },
  })
  const looks = repeatEvery(clock, interval, look)
  const stops = [given.client, given.frontProxies?.authorities].flatMap((each) => each?.onChange(look) ?? [])
  return () => {
    void looks.stop()
    for (const stop of stops) stop()
    following.close()
    queue.close()
  }
}
