/** The entry point `fetch-apiserver`: a server inside your program, without a port. */
import { validateServerOptions } from '../../core/options/index.ts'
import { portRows } from '../../core/options/ports.ts'
import type { Ports } from '../../core/ports.ts'
import { type ApiServer, createApiServer as create, type ServerOptions } from '../../core/server.ts'
import { consoleLogger, noFiles, webClock, webOutbound } from './ports.ts'

export type { Authenticator, TokenAuthenticator } from '../../core/access/authn/authenticator.ts'
export type { Authorizer } from '../../core/access/authz/authorizer.ts'
export type { AdmissionAttributes, AdmissionPlugin } from '../../core/admission/attributes.ts'
export type { TokenUser } from '../../core/options/authentication.ts'
export { OptionError } from '../../core/options/validate.ts'
export * from '../../core/ports.ts'
export type { ApiServer } from '../../core/server.ts'
export { type IndexedDbStoreOptions, indexedDbStore } from '../stores/indexed-db.ts'
export { memoryStore } from '../stores/memory.ts'
export type { SqlDatabase, SqlRow, SqlValue } from '../stores/sql/database.ts'
export { durableObjectDatabase } from '../stores/sql/durable-object.ts'
export { type SqliteConnection, sqliteDatabase } from '../stores/sql/sqlite.ts'
export { type SqlStoreOptions, sqlStore } from '../stores/sql.ts'

/** Options, the store, and optionally other ports. Defaults of the other ports use Web APIs only (no files, no client certificates). */
export type EmbeddedOptions = ServerOptions & Pick<Ports, 'store'> & Partial<Omit<Ports, 'store'>>

/**
 * Creates a server and resolves when it is ready:
 * `const server = await createApiServer({ store: memoryStore() })`, then `await server.fetch(new Request('http://x/api/v1/namespaces'))`.
 * By default all requests are authorized (see `authorizationModes`). Rejects with an OptionError, before anything starts, when an option is
 * invalid or unknown.
 */
export async function createApiServer(given: EmbeddedOptions): Promise<ApiServer> {
  validateServerOptions('createApiServer', given, portRows, ['store'])
  const { store, overrides, clock, files, outbound, telemetry, ...options } = given
  const ports: Ports = {
    store,
    ...(overrides && { overrides }),
    clock: clock ?? webClock,
    files: files ?? noFiles,
    outbound: outbound ?? webOutbound,
    telemetry: telemetry ?? { logger: consoleLogger },
  }
  return create(ports, options)
}
