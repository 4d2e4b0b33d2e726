import * as admissionregistration from './admissionregistration/index.ts'
import * as admissionregistrationV1alpha1 from './admissionregistration/v1alpha1/index.ts'
import * as admissionregistrationV1beta1 from './admissionregistration/v1beta1/index.ts'
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
import * as internal from './internal/index.ts'
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

/** Every built-in resource in every served version, one row each. `<domain>` stands for the domain of API groups. */
export function builtinResources(): readonly ResourceDefinition[] {
  return [
    ...core.definitions,
    ...admissionregistration.definitions,
    ...admissionregistrationV1alpha1.definitions,
    ...admissionregistrationV1beta1.definitions,
    ...apiextensions.definitions,
    ...apiregistration.definitions,
    ...apps.definitions,
    ...authentication.definitions,
    ...authorization.definitions,
    ...autoscalingV1.definitions,
    ...autoscaling.definitions,
    ...batch.definitions,
    ...certificates.definitions,
    ...certificatesV1alpha1.definitions,
    ...certificatesV1beta1.definitions,
    ...coordination.definitions,
    ...coordinationV1alpha2.definitions,
    ...coordinationV1beta1.definitions,
    ...discovery.definitions,
    ...events.definitions,
    ...flowcontrol.definitions,
    ...internal.definitions,
    ...networking.definitions,
    ...networkingV1beta1.definitions,
    ...node.definitions,
    ...policy.definitions,
    ...rbac.definitions,
    ...resource.definitions,
    ...resourceV1alpha3.definitions,
    ...resourceV1beta1.definitions,
    ...resourceV1beta2.definitions,
    ...scheduling.definitions,
    ...schedulingV1alpha2.definitions,
    ...storage.definitions,
    ...storageV1beta1.definitions,
    ...storagemigration.definitions,
  ]
}
