import { type BindingRow, events, type RoleRow, read, rule } from './rows.ts'

const election = ['leases', 'leasecandidates'].map((resource) => rule('get watch list create update', 'coordination.<domain>', resource))

/** Default roles in the system and public namespaces. */
export const namespaceRoles: readonly RoleRow[] = [
  {
    namespace: '<system>',
    name: 'extension-apiserver-authentication-reader',
    rules: [rule(read, 'core', 'configmaps', 'extension-apiserver-authentication')],
  },
  { namespace: '<system>', name: 'system:controller:bootstrap-signer', rules: [rule(read, 'core', 'secrets')] },
  { namespace: '<system>', name: 'system:controller:cloud-provider', rules: [rule('create get list watch', 'core', 'configmaps')] },
  {
    namespace: '<system>',
    name: 'system:controller:token-cleaner',
    rules: [rule('get list watch delete', 'core', 'secrets'), events],
  },
  ...['<component>-controller-manager', '<component>-scheduler'].map((component) => ({
    namespace: '<system>',
    name: `system::leader-locking-${component}`,
    rules: election,
  })),
  {
    namespace: '<public>',
    name: 'system:controller:bootstrap-signer',
    rules: [rule(read, 'core', 'configmaps'), rule('update', 'core', 'configmaps', 'cluster-info'), events],
  },
]

export const namespaceBindings: readonly BindingRow[] = [
  {
    namespace: '<system>',
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    users: ['system:<component>-controller-manager', 'system:<component>-scheduler'],
  },
  {
    namespace: '<system>',
    name: 'system::leader-locking-<component>-controller-manager',
    users: ['system:<component>-controller-manager'],
    accounts: ['<component>-controller-manager', 'leader-election-controller'],
  },
  {
    namespace: '<system>',
    name: 'system::leader-locking-<component>-scheduler',
    users: ['system:<component>-scheduler'],
    accounts: ['<component>-scheduler'],
  },
  { namespace: '<system>', name: 'system:controller:bootstrap-signer', accounts: ['bootstrap-signer'] },
  { namespace: '<system>', name: 'system:controller:cloud-provider', accounts: ['cloud-provider'] },
  { namespace: '<system>', name: 'system:controller:token-cleaner', accounts: ['token-cleaner'] },
  { namespace: '<public>', name: 'system:controller:bootstrap-signer', accounts: ['bootstrap-signer'] },
]
