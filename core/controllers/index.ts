/** Controllers that the API itself needs when no controller manager is running, by name. */
import { clusterRoleAggregation } from './cluster-role-aggregation.ts'
import type { Controller } from './controller.ts'
import { concernsOwners, garbageCollector } from './garbage-collector.ts'
import { namespaceController } from './namespace.ts'
import { inEachNamespace } from './namespaced.ts'
import { policyTypeChecking } from './policy-type-checking.ts'
import { resourceQuota } from './resource-quota.ts'
import { serviceAccountTokens } from './service-account-tokens.ts'
import { protectInUse } from './storage-protection.ts'
import { protections } from './storage-uses.ts'
import type { Wakes } from './wakes.ts'

interface Row {
  readonly start: Controller
  readonly wakesAt: Wakes
}

const protection = (name: keyof typeof protections): Row => {
  const { plural, users } = protections[name]
  return { start: protectInUse(name, protections[name]), wakesAt: [plural, ...users.map((user) => user.plural)] }
}

export const controllers = {
  'clusterrole-aggregation': { start: clusterRoleAggregation, wakesAt: ['clusterroles'] },
  'garbage-collector': { start: garbageCollector, wakesAt: concernsOwners },
  namespace: { start: namespaceController, wakesAt: ['namespaces'] },
  // Any object may be counted. Without quotas, it has nothing to do.
  resourcequota: { start: resourceQuota, wakesAt: () => true },
  'root-ca-certificate-publisher': {
    start: inEachNamespace('root-ca-certificate-publisher', 'configmaps', (context) =>
      context.rootCa === ''
        ? undefined
        : {
            kind: 'ConfigMap',
            apiVersion: 'v1',
            metadata: { name: `${context.platform.component}-root-ca.crt` },
            data: { 'ca.crt': context.rootCa },
          },
    ),
    wakesAt: ['namespaces', 'configmaps'],
  },
  'validatingadmissionpolicy-status': { start: policyTypeChecking, wakesAt: ['validatingadmissionpolicies'] },
  serviceaccount: {
    start: inEachNamespace('serviceaccount', 'serviceaccounts', () => ({
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: { name: 'default' },
    })),
    wakesAt: ['namespaces', 'serviceaccounts'],
  },
  'serviceaccount-token': { start: serviceAccountTokens, wakesAt: ['secrets', 'serviceaccounts'] },
  'persistentvolume-protection': protection('persistentvolume-protection'),
  'persistentvolumeclaim-protection': protection('persistentvolumeclaim-protection'),
  'volumeattributesclass-protection': protection('volumeattributesclass-protection'),
} satisfies { readonly [name: string]: Row }

export type ControllerName = keyof typeof controllers

/** Values of `--controllers`. */
export const controllerNames: readonly string[] = Object.keys(controllers)
