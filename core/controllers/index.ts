/** Controllers that the API itself needs when no controller manager is running, by name. */
import { clusterRoleAggregation } from './cluster-role-aggregation.ts'
import type { Controller, ControllerContext } from './controller.ts'
import { garbageCollector } from './garbage-collector.ts'
import { namespaceController } from './namespace.ts'
import { inEachNamespace } from './namespaced.ts'
import { policyTypeChecking } from './policy-type-checking.ts'
import { resourceQuota } from './resource-quota.ts'
import { serviceAccountTokens } from './service-account-tokens.ts'
import { protectInUse } from './storage-protection.ts'
import { protections } from './storage-uses.ts'

const controllers: { readonly [name: string]: Controller } = {
  'clusterrole-aggregation': clusterRoleAggregation,
  'garbage-collector': garbageCollector,
  namespace: namespaceController,
  resourcequota: resourceQuota,
  'root-ca-certificate-publisher': inEachNamespace('root-ca-certificate-publisher', 'configmaps', ({ platform, rootCa }) =>
    rootCa === ''
      ? undefined
      : { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `${platform.component}-root-ca.crt` }, data: { 'ca.crt': rootCa } },
  ),
  'validatingadmissionpolicy-status': policyTypeChecking,
  serviceaccount: inEachNamespace('serviceaccount', 'serviceaccounts', () => ({
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: { name: 'default' },
  })),
  'serviceaccount-token': serviceAccountTokens,
  ...Object.fromEntries(Object.entries(protections).map(([name, protection]) => [name, protectInUse(name, protection)])),
}

/** Values of `--controllers`. */
export const controllerNames: readonly string[] = Object.keys(controllers)

/** Starts the named controllers; the returned function stops them. */
export function startControllers(names: readonly string[], context: ControllerContext): () => void {
  const stops = names.flatMap((name) => (Object.hasOwn(controllers, name) ? [controllers[name]!(context)] : []))
  return () => {
    for (const stop of stops) stop()
  }
}
