import { once } from '../common/once.ts'
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
import type { ResourceDefinition } from './definition.ts'
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
import { ownMessages } from './own-messages.ts'
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

/** One version of an API group. */
export interface GroupVersion {
  /** Empty for the core group; `<domain>` is a placeholder for the platform's domain. */
  readonly group: string
  /** Its name determines stability: versions that are neither alpha nor beta are served by default. */
  readonly version: string
  /** Package in OpenAPI model names: reversed `<domain>`, this name, then the message's. `<component>` is the platform's component word. */
  readonly package: string
  /** Priority of the group in discovery, higher first, as in the reference. 0: not in discovery. */
  readonly priority: number
  /** Priority of the version in its group, higher first. */
  readonly versionPriority: number
  /** Its resources; none if its kinds are only bodies. The release of introduction is part of each resource. */
  readonly definitions: readonly ResourceDefinition[]
  readonly messages: readonly Message[]
  /** Those messages as this version has them, if it is another one than v1 (own-messages.ts). */
  readonly copies: readonly Message[]
}

/** Custom resource groups come after all built-in ones. */
export const customGroupPriority = 1000

/** Versions of custom resource groups are ordered by stability and number. */
export const customVersionPriority = 100

/** Exports of a group's folder: its messages and the rows of its resources. */
type Exports = { readonly [name: string]: unknown }

const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null && 'fields' in value
const isDefinition = (value: unknown): value is ResourceDefinition => typeof value === 'object' && value !== null && 'origin' in value

function row(group: string, version: string, name: string, priority: number, versionPriority: number, exports: Exports): GroupVersion {
  const definitions = Object.values(exports)
    .filter(isDefinition)
    .sort((a, b) => (a.names.plural < b.names.plural ? -1 : 1))
  const shared = { group, version, package: name, priority, versionPriority }
  const declared = () => Object.values(exports).filter(isMessage)
  // Messages are declared for v1, unless they are given to another version.
  const owned = version === 'v1' ? undefined : ownMessages(declared, version)
  const ofVersion = (definition: ResourceDefinition): ResourceDefinition => {
    const schema = once(() => owned?.(definition.schema))
    return Object.defineProperty({ ...definition }, 'schema', { enumerable: true, get: schema })
  }
  return {
    ...shared,
    definitions: owned ? definitions.map(ofVersion) : definitions,
    // Computed on demand: only documentation needs them, and there are thousands of exports.
    get messages() {
      return declared()
    },
    get copies() {
      return owned ? declared().map(owned) : []
    },
  }
}

/** The built-in group versions. A message shared by several is listed in each; the first one is its home, and the others have copies. */
export const groupVersions: readonly GroupVersion[] = [
  row('', 'v1', 'api.core.v1', 18000, 1, core),
  row('meta.<domain>', 'v1', 'apimachinery.pkg.apis.meta.v1', 0, 0, meta),
  row('meta.<domain>', 'v1beta1', 'apimachinery.pkg.apis.meta.v1beta1', 0, 0, metaV1beta1),
  row('apps', 'v1', 'api.apps.v1', 17800, 15, apps),
  row('batch', 'v1', 'api.batch.v1', 17400, 15, batch),
  row('autoscaling', 'v2', 'api.autoscaling.v2', 17500, 30, autoscaling),
  row('autoscaling', 'v1', 'api.autoscaling.v1', 17500, 15, autoscalingV1),
  row('policy', 'v1', 'api.policy.v1', 17100, 15, policy),
  row('rbac.authorization.<domain>', 'v1', 'api.rbac.v1', 17000, 15, rbac),
  row('networking.<domain>', 'v1', 'api.networking.v1', 17200, 15, networking),
  row('networking.<domain>', 'v1beta1', 'api.networking.v1beta1', 17200, 9, networkingV1beta1),
  row('storage.<domain>', 'v1', 'api.storage.v1', 16800, 15, storage),
  row('storage.<domain>', 'v1beta1', 'api.storage.v1beta1', 16800, 9, storageV1beta1),
  row('coordination.<domain>', 'v1', 'api.coordination.v1', 16500, 15, coordination),
  row('coordination.<domain>', 'v1beta1', 'api.coordination.v1beta1', 16500, 13, coordinationV1beta1),
  row('coordination.<domain>', 'v1alpha2', 'api.coordination.v1alpha2', 16500, 12, coordinationV1alpha2),
  row('discovery.<domain>', 'v1', 'api.discovery.v1', 16200, 15, discovery),
  row('events.<domain>', 'v1', 'api.events.v1', 17750, 15, events),
  row('certificates.<domain>', 'v1', 'api.certificates.v1', 17300, 15, certificates),
  row('certificates.<domain>', 'v1beta1', 'api.certificates.v1beta1', 17300, 9, certificatesV1beta1),
  row('certificates.<domain>', 'v1alpha1', 'api.certificates.v1alpha1', 17300, 1, certificatesV1alpha1),
  row('admissionregistration.<domain>', 'v1', 'api.admissionregistration.v1', 16700, 15, admissionregistration),
  row('admissionregistration.<domain>', 'v1beta1', 'api.admissionregistration.v1beta1', 16700, 12, admissionregistrationV1beta1),
  row('admissionregistration.<domain>', 'v1alpha1', 'api.admissionregistration.v1alpha1', 16700, 9, admissionregistrationV1alpha1),
  row('authentication.<domain>', 'v1', 'api.authentication.v1', 17700, 15, authentication),
  row('authorization.<domain>', 'v1', 'api.authorization.v1', 17600, 15, authorization),
  row('flowcontrol.apiserver.<domain>', 'v1', 'api.flowcontrol.v1', 16100, 21, flowcontrol),
  row('node.<domain>', 'v1', 'api.node.v1', 16300, 15, node),
  row('scheduling.<domain>', 'v1', 'api.scheduling.v1', 16600, 15, scheduling),
  row('scheduling.<domain>', 'v1alpha2', 'api.scheduling.v1alpha2', 16600, 2, schedulingV1alpha2),
  row('resource.<domain>', 'v1', 'api.resource.v1', 16200, 21, resource),
  row('resource.<domain>', 'v1beta2', 'api.resource.v1beta2', 16200, 15, resourceV1beta2),
  row('resource.<domain>', 'v1beta1', 'api.resource.v1beta1', 16200, 9, resourceV1beta1),
  row('resource.<domain>', 'v1alpha3', 'api.resource.v1alpha3', 16200, 1, resourceV1alpha3),
  row('apiextensions.<domain>', 'v1', 'apiextensions-apiserver.pkg.apis.apiextensions.v1', 16700, 15, apiextensions),
  row('apiregistration.<domain>', 'v1', '<component>-aggregator.pkg.apis.apiregistration.v1', 20000, 15, apiregistration),
  row('internal.apiserver.<domain>', 'v1alpha1', 'api.apiserverinternal.v1alpha1', 16000, 9, internal),
  row('storagemigration.<domain>', 'v1beta1', 'api.storagemigration.v1beta1', 15800, 9, storagemigration),
  row('apidiscovery.<domain>', 'v2', 'api.apidiscovery.v2', 0, 0, apidiscovery),
  row('imagepolicy.<domain>', 'v1alpha1', 'api.imagepolicy.v1alpha1', 0, 0, imagepolicy),
  row('admission.<domain>', 'v1', 'api.admission.v1', 0, 0, admission),
]

/** All built-in resources in all versions, one row each. `<domain>` is a placeholder for the domain of API groups. */
export const builtInResources: readonly ResourceDefinition[] = groupVersions.flatMap(({ definitions }) => definitions)
