/** The entry point `fetch-apiserver/testing`: a whole cluster API inside a test. */
export { OptionError } from '../../core/options/validate.ts'
export type { Change } from './changes.ts'
export type { TestClock } from './clock.ts'
export type { CustomDefinition, FromSchema } from './custom-types.ts'
export { eventually } from './eventually.ts'
export { expectNoWrites, expectObject } from './expect.ts'
export { type Exploration, ExplorationError, explore, type Finding } from './explore.ts'
export { ApiFailure, failure } from './failure.ts'
export type { AddedFault, Fault, Faults, Then } from './faults.ts'
export type { TestUser } from './identity.ts'
export type { Interceptor } from './interception.ts'
export type { Kinds } from './kinds.ts'
export type { ClientModule } from './kube-config.ts'
export { readManifests } from './manifests.ts'
export type { Applied, Draft, ObjectClient, PatchOptions, Query } from './objects.ts'
export type { Requests, SeenRequest } from './requests.ts'
export type { Selection } from './selection.ts'
export {
  type Fetch,
  type ListenOptions,
  type ObjectsOptions,
  type Port,
  type Snapshot,
  startTestServer,
  type TestObject,
  type TestServer,
  type TestServerOptions,
} from './server.ts'
export { readSnapshot, saveSnapshot } from './snapshot-file.ts'
export { type WatchEvent, watchPath } from './watch.ts'
export type {
  AccessQuestion,
  AdmissionAnswer,
  AdmissionRequest,
  IdentityWebhooks,
  MutatingWebhook,
  ReviewedObject,
  ValidatingWebhook,
  WebhookCall,
  WebhookFailure,
  WebhookFunctions,
  WebhookRule,
  Webhooks,
} from './webhook-types.ts'
