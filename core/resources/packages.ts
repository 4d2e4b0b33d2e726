import type { Message } from '../schema/model.ts'
import * as admission from './admission/index.ts'
import * as admissionregistration from './admissionregistration/index.ts'
import * as admissionregistrationV1alpha1 from './admissionregistration/v1alpha1/index.ts'
import * as admissionregistrationV1beta1 from './admissionregistration/v1beta1/index.ts'
import * as apidiscovery from './apidiscovery/index.ts'
import * as apiextensions from './apiextensions/index.ts'
import * as apiregistration from './apiregistration/index.ts'
import * as apps from './apps/index.ts'
import * as authentication from './authentication/index.ts'
import * as authorization from './authorization/index.ts'
import * as autoscaling from './autoscaling/index.ts'
import * as autoscalingV1 from './autoscaling/v1/index.ts'
import * as batch from './batch/index.ts'
import * as certificates from './certificates/index.ts'
import * as certificatesV1alpha1 from './certificates/v1alpha1/index.ts'
import * as certificatesV1beta1 from './certificates/v1beta1/index.ts'
import * as coordination from './coordination/index.ts'
import * as coordinationV1alpha2 from './coordination/v1alpha2/index.ts'
import * as coordinationV1beta1 from './coordination/v1beta1/index.ts'
import * as core from './core/index.ts'
import * as discovery from './discovery/index.ts'
import * as events from './events/index.ts'
import * as flowcontrol from './flowcontrol/index.ts'
import * as imagepolicy from './imagepolicy/index.ts'
import * as internal from './internal/index.ts'
import * as meta from './meta/index.ts'
import * as metaV1beta1 from './meta/v1beta1/index.ts'
import * as networking from './networking/index.ts'
import * as networkingV1beta1 from './networking/v1beta1/index.ts'
import * as node from './node/index.ts'
import * as policy from './policy/index.ts'
import * as rbac from './rbac/index.ts'
import * as resource from './resource/index.ts'
import * as resourceV1alpha3 from './resource/v1alpha3/index.ts'
import * as resourceV1beta1 from './resource/v1beta1/index.ts'
import * as resourceV1beta2 from './resource/v1beta2/index.ts'
import * as scheduling from './scheduling/index.ts'
import * as schedulingV1alpha2 from './scheduling/v1alpha2/index.ts'
import * as storage from './storage/index.ts'
import * as storageV1beta1 from './storage/v1beta1/index.ts'
import * as storagemigration from './storagemigration/index.ts'

/** The messages of one group and version. */
export interface SchemaPackage {
  /** OpenAPI names its models after it: reversed `<domain>`, this name, then the message's. `<component>` is the platform's component word. */
  readonly name: string
  readonly messages: readonly Message[]
}

const rows: readonly (readonly [name: string, exports: object])[] = [
  ['api.core.v1', core],
  ['apimachinery.pkg.apis.meta.v1', meta],
  ['apimachinery.pkg.apis.meta.v1beta1', metaV1beta1],
  ['api.apps.v1', apps],
  ['api.batch.v1', batch],
  ['api.autoscaling.v2', autoscaling],
  ['api.autoscaling.v1', autoscalingV1],
  ['api.policy.v1', policy],
  ['api.rbac.v1', rbac],
  ['api.networking.v1', networking],
  ['api.networking.v1beta1', networkingV1beta1],
  ['api.storage.v1', storage],
  ['api.storage.v1beta1', storageV1beta1],
  ['api.coordination.v1', coordination],
  ['api.coordination.v1beta1', coordinationV1beta1],
  ['api.coordination.v1alpha2', coordinationV1alpha2],
  ['api.discovery.v1', discovery],
  ['api.events.v1', events],
  ['api.certificates.v1', certificates],
  ['api.certificates.v1beta1', certificatesV1beta1],
  ['api.certificates.v1alpha1', certificatesV1alpha1],
  ['api.admissionregistration.v1', admissionregistration],
  ['api.admissionregistration.v1beta1', admissionregistrationV1beta1],
  ['api.admissionregistration.v1alpha1', admissionregistrationV1alpha1],
  ['api.authentication.v1', authentication],
  ['api.authorization.v1', authorization],
  ['api.flowcontrol.v1', flowcontrol],
  ['api.node.v1', node],
  ['api.scheduling.v1', scheduling],
  ['api.scheduling.v1alpha2', schedulingV1alpha2],
  ['api.resource.v1', resource],
  ['api.resource.v1beta2', resourceV1beta2],
  ['api.resource.v1beta1', resourceV1beta1],
  ['api.resource.v1alpha3', resourceV1alpha3],
  ['apiextensions-apiserver.pkg.apis.apiextensions.v1', apiextensions],
  ['<component>-aggregator.pkg.apis.apiregistration.v1', apiregistration],
  ['api.apiserverinternal.v1alpha1', internal],
  ['api.storagemigration.v1beta1', storagemigration],
  ['api.apidiscovery.v2', apidiscovery],
  ['api.imagepolicy.v1alpha1', imagepolicy],
  ['api.admission.v1', admission],
]

const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null && 'fields' in value

/** All built-in messages by package. A message that several versions share is listed in each, the first being its home. */
export function schemaPackages(): readonly SchemaPackage[] {
  return rows.map(([name, exports]) => ({ name, messages: Object.values(exports).filter(isMessage) }))
}
