import type { BindingRow } from './rows.ts'

/** Default cluster role bindings. `system:node` has no subjects: the Node authorizer replaces the binding. */
export const clusterBindings: readonly BindingRow[] = [
  { name: 'cluster-admin', groups: ['system:masters'] },
  { name: 'system:monitoring', groups: ['system:monitoring'] },
  { name: 'system:discovery', groups: ['system:authenticated'] },
  { name: 'system:basic-user', groups: ['system:authenticated'] },
  { name: 'system:public-info-viewer', groups: ['system:authenticated', 'system:unauthenticated'] },
  { name: 'system:service-account-issuer-discovery', groups: ['system:serviceaccounts'] },
  { name: 'system:node' },
  { name: 'system:node-proxier', users: ['system:<component>-proxy'] },
  { name: 'system:<component>-controller-manager', users: ['system:<component>-controller-manager'] },
  { name: 'system:<component>-scheduler', users: ['system:<component>-scheduler'] },
  { name: 'system:volume-scheduler', users: ['system:<component>-scheduler'] },
  { name: 'system:<component>-dns', accounts: ['<component>-dns'] },
  { name: 'system:cluster-trust-bundle-discovery', groups: ['system:serviceaccounts'], gates: ['ClusterTrustBundle'] },
]
