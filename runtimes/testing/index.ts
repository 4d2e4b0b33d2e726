/** The entry point `apiserver/testing`: a whole cluster API inside a test. */
export type { TestClock } from './clock.ts'
export type { TestUser } from './identity.ts'
export type { ClientModule } from './kube-config.ts'
export { readManifests } from './manifests.ts'
export {
  type Fetch,
  type Port,
  type Snapshot,
  startTestServer,
  type TestObject,
  type TestServer,
  type TestServerOptions,
} from './server.ts'
