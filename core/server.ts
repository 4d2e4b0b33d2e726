/** The entry point `fetch-apiserver/core`: a server is a fetch handler over a store. */

import type { ApiServer, StartingServer } from './assembly/api-server.ts'
import { allFeatures } from './assembly/features/all-features.ts'
import { createServer, opened, prepare } from './assembly/features/create.ts'
import { prepareServer } from './assembly/server.ts'
import { Shared } from './common/shared.ts'
import type { Written } from './controllers/wakes.ts'
import type { ResourceTable } from './objects/registry/served.ts'
import { createKeys } from './objects/storage/keys.ts'
import { allOptions, type ServerOptions, withDefaults } from './options/index.ts'
import type { HostPorts, OpenStores, Ports } from './ports.ts'

export type { ApiServer } from './assembly/api-server.ts'
export type { ServerOptions } from './options/index.ts'
export { OptionError } from './options/validate.ts'
export type * from './ports.ts'

/** Creates a server over the given ports; resolves when it is ready to serve. Rejects with an OptionError when an option is invalid. */
export const createApiServer = (ports: Ports, options: ServerOptions = {}): Promise<ApiServer> => createServer(allFeatures, ports, options)

/** Where a resource is in paths. */
export interface ResourcePlace {
  readonly plural: string
  readonly namespaced: boolean
}

/** An object by its place in the API. */
export interface ObjectPlace extends ResourcePlace {
  readonly group: string
  /** Of several, the first that discovery names. */
  readonly version: string
  readonly kind: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
}

/** A server of a family. */
export interface FamilyServer extends ApiServer {
  /** Starts controllers, timers and other work beside requests, of a server that continues a state. Later calls do nothing. */
  wake(): Promise<void>
  /** Starts the controllers among it to which one of these changes of the store gives work. */
  wakeAt(changes: readonly Written[]): Promise<void>
  /** Whether the work queues of controllers are empty. */
  isIdle(): boolean
  /** The resource of a kind; `apiVersion` as in objects. Undefined: this server does not serve it, or does not know yet. */
  placeOf(apiVersion: string, kind: string): ResourcePlace | undefined
  /** The object that a key of the store has; undefined: none that this server serves. */
  objectOf(key: string): ObjectPlace | undefined
}

/** Keys and tokens that a server of a family has of its own. What is made of them is shared by servers that get the same object. */
export type OwnCredentials = Pick<ServerOptions, 'serviceAccounts' | 'staticTokens'>

/** Servers with the same options, whose state differs. */
export interface ServerFamily {
  /**
   * Resolves when the server is ready to serve. `continues`: its store has the state of a server of this family, such as a snapshot of it; then
   * nothing is prepared, and what works beside requests starts at `wake`. `own` replaces options of the family.
   */
  start(ports: Ports, continues: boolean, own?: OwnCredentials): Promise<FamilyServer>
}

function objectOf(key: string, prefix: string, table: Pick<ResourceTable, 'all'>): ObjectPlace | undefined {
  for (const { definition } of table.all()) {
    const { storageKey, namespaced, group, version, kind, names } = definition
    if (storageKey === '' || !key.startsWith(`${prefix}/${storageKey}/`)) continue
    const object = createKeys(prefix, storageKey, namespaced).parse(key)
    return { ...object, group, version, kind, plural: names.plural, namespaced }
  }
  return undefined
}

/** Servers over stores of their own, which share what depends on the options alone. The options must be valid (`createApiServer` tells). */
export function createServerFamily(given: ServerOptions): ServerFamily {
  const options = withDefaults(given)
  const shared = new Shared(options)
  return {
    async start(ports, continues, own = {}) {
      // Each server counts for itself.
      const general = { ...options.general, metrics: given.metrics ?? allOptions.metrics.initial(options.general.platform) }
      const authentication = { ...options.authentication, ...own }
      const { start, ...server } = prepareServer(
        allFeatures,
        ports,
        opened(ports),
        { ...options, general, authentication },
        { shared, continues },
      )
      const { table } = await start()
      return {
        ...server,
        placeOf(apiVersion, kind) {
          const definition = table.ofKind(apiVersion, kind)?.definition
          return definition && { plural: definition.names.plural, namespaced: definition.namespaced }
        },
        objectOf: (key) => objectOf(key, options.storage.prefix, table),
      }
    },
  }
}

/**
 * Prepares a server for listeners that open before the store does, so that clients can ask what is missing. `open` opens the stores when the
 * server starts; the caller closes them. Throws an OptionError when an option is invalid.
 */
export const prepareApiServer = (ports: HostPorts, open: () => Promise<OpenStores>, options: ServerOptions): StartingServer =>
  prepare(allFeatures, 'prepareApiServer', ports, open, options)
