/** The entry point `fetch-apiserver`: a server inside your program, without a port. */
import { allFeatures } from '../../core/assembly/features/all-features.ts'
import type { ApiServer } from '../../core/server.ts'
import { createEmbedded } from './embedded.ts'
import type { EmbeddedOptions } from './embedded-options.ts'

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
export type { EmbeddedOptions } from './embedded-options.ts'

/**
 * Creates a server and resolves when it is ready:
 * `const server = await createApiServer({ store: memoryStore() })`, then `await server.fetch(new Request('http://x/api/v1/namespaces'))`.
 * By default all requests are authorized (see `authorizationModes`). Rejects with an OptionError, before anything starts, when an option is
 * invalid or unknown.
 */
export const createApiServer = (given: EmbeddedOptions): Promise<ApiServer> => createEmbedded(allFeatures, given)
