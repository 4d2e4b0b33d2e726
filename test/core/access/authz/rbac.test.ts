import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rbacAuthorizer, rulesFor } from '../../../../core/access/authz/rbac.ts'
import { RbacIndex } from '../../../../core/access/authz/rbac-index.ts'
import type { PolicyRule } from '../../../../core/access/authz/rbac-rule.ts'
import { onPath, onResource, userOf } from './attributes.ts'

const roleGroup = 'rbac.authorization.k8s.io'

function world(): RbacIndex {
  const index = new RbacIndex(roleGroup)
  const clusterRole = (name: string, ...rules: PolicyRule[]) => index.upsertRole({ metadata: { name }, rules })
  const role = (namespace: string, name: string, ...rules: PolicyRule[]) => index.upsertRole({ metadata: { name, namespace }, rules })
  const bind = (binding: string, kind: string, name: string, ...subjects: string[]) => {
    const [namespace, bindingName = ''] = binding.includes('/') ? binding.split('/') : [undefined, binding]
    index.upsertBinding({
      metadata: { name: bindingName, ...(namespace !== undefined && { namespace }) },
      roleRef: { apiGroup: roleGroup, kind, name },
      subjects: subjects.map((subject) => {
        const [subjectKind = '', subjectName = '', home] = subject.split(' ')
        return { kind: subjectKind, name: subjectName, ...(home !== undefined && { namespace: home }) }
      }),
    })
  }

  clusterRole('root', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { verbs: ['*'], nonResourceURLs: ['*'] })
  clusterRole('reader', { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'services'] })
  clusterRole('logs', { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] })
  clusterRole('scaler', { verbs: ['get', 'update'], apiGroups: ['*'], resources: ['*/scale'] })
  clusterRole('apps', { verbs: ['*'], apiGroups: ['apps', 'batch'], resources: ['*'] })
  clusterRole('everything-readable', { verbs: ['get'], apiGroups: ['*'], resources: ['*'] })
  clusterRole('one-secret', { verbs: ['get', 'watch'], apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'] })
  clusterRole('probes', { verbs: ['get'], nonResourceURLs: ['/healthz', '/healthz/*', '/api*'] })
  clusterRole(
    'two-rules',
    { verbs: ['get'], apiGroups: [''], resources: ['nodes'] },
    { verbs: ['list'], apiGroups: [''], resources: ['events'] },
  )
  role('dev', 'editor', { verbs: ['get', 'update'], apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments'] })
  role('dev', 'empty')
  role('prod', 'editor', { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] })

  bind('roots', 'ClusterRole', 'root', 'User root', 'Group admins')
  bind('readers', 'ClusterRole', 'reader', 'User reader', 'Group readers', 'ServiceAccount bot dev')
  bind('logs', 'ClusterRole', 'logs', 'User logger')
  bind('scalers', 'ClusterRole', 'scaler', 'User scaler')
  bind('apps', 'ClusterRole', 'apps', 'User apps')
  bind('getters', 'ClusterRole', 'everything-readable', 'User getter')
  bind('secrets', 'ClusterRole', 'one-secret', 'User keeper')
  bind('probes', 'ClusterRole', 'probes', 'User prober', 'Group system:unauthenticated')
  bind('two', 'ClusterRole', 'two-rules', 'User two')
  bind('homeless', 'ClusterRole', 'root', 'ServiceAccount homeless')
  bind('strange', 'ClusterRole', 'root', 'Robot strange')
  bind('wrong-kind', 'Role', 'editor', 'User crossed')
  bind('dev/editors', 'Role', 'editor', 'User editor', 'ServiceAccount bot', 'ServiceAccount ci prod')
  bind('dev/readers', 'ClusterRole', 'reader', 'User guest')
  bind('dev/roots', 'ClusterRole', 'root', 'User owner')
  bind('dev/empty', 'Role', 'empty', 'User empty')
  bind('prod/editors', 'Role', 'editor', 'User editor')
  bind('prod/gone', 'Role', 'gone', 'User ghost')
  bind('gone', 'ClusterRole', 'gone', 'User ghost')
  return index
}

/** User, verbs, resource, namespace (- for cluster scope) and name (- for none). Each verb is one decision. */
const allowed = `
root              get,list,create,delete,frobnicate   pods                     dev   -
root              get,list,create,delete              widgets.example.com      -     w
root              get,update                          pods/status              prod  web
someone+admins    get,delete                          nodes                    -     n1
someone+x+admins  create                              pods/exec                dev   web
owner             get,list,create,delete,watch        pods                     dev   -
owner             get,update                          deployments.apps/scale   dev   web
reader            get,list                            pods                     -     -
reader            get,list                            pods                     dev   web
reader            get,list                            services                 prod  -
x+readers         get,list                            pods                     any   -
x+y+readers       get,list                            services                 any   s
system:serviceaccount:dev:bot  get,list               pods                     prod  -
system:serviceaccount:dev:bot  get,update             configmaps               dev   c
system:serviceaccount:prod:ci  get,update             configmaps               dev   c
logger            get                                 pods/log                 dev   web
scaler            get,update                          deployments.apps/scale   dev   web
scaler            get,update                          replicationcontrollers/scale dev web
scaler            get,update                          widgets.example.com/scale dev  web
apps              get,list,create,patch,approve       deployments.apps         dev   -
apps              get,update                          deployments.apps/status  dev   web
apps              create,delete                       jobs.batch               dev   -
getter            get                                 pods                     dev   web
getter            get                                 pods/log                 dev   web
getter            get                                 widgets.example.com      -     w
keeper            get,watch                           secrets                  dev   a
keeper            get,watch                           secrets                  prod  b
two               get                                 nodes                    -     n
two               list                                events                   dev   -
editor            get,update                          configmaps               dev   c
editor            get,update                          deployments.apps         dev   web
editor            get                                 configmaps               prod  c
guest             get,list                            pods                     dev   web
`
const refused = `
nobody            get,list,create,delete              pods                     dev   -
nobody+x          get                                 pods                     -     -
Root              get                                 pods                     dev   -
admins            get                                 pods                     dev   -
reader            watch,create,delete,GET             pods                     dev   -
reader            get                                 pods/log                 dev   web
reader            get,list                            pods.apps                dev   web
reader            get,list                            pod                      dev   web
reader            get,list                            secrets                  dev   -
readers           get                                 pods                     dev   -
system:serviceaccount:prod:bot  get,list,update       pods                     dev   -
system:serviceaccount:prod:bot  get                   configmaps               dev   c
system:serviceaccount:dev:bot   get                   configmaps               prod  c
system:serviceaccount:dev:ci    get                   configmaps               dev   c
system:serviceaccount::homeless get                   pods                     dev   -
system:serviceaccount:dev:homeless get                pods                     dev   -
homeless          get                                 pods                     dev   -
strange           get                                 pods                     dev   -
logger            get,list                            pods                     dev   web
logger            list,create                         pods/log                 dev   web
logger            get                                 pods/logs                dev   web
scaler            get,update                          deployments.apps         dev   web
scaler            patch,delete                        deployments.apps/scale   dev   web
scaler            get                                 deployments.apps/status  dev   web
apps              get,list                            pods                     dev   -
apps              get                                 deployments.extensions   dev   -
getter            list,watch,create                   pods                     dev   -
keeper            get,watch                           secrets                  dev   c
keeper            list                                secrets                  dev   a
keeper            get,watch                           secrets                  dev   -
keeper            get                                 secrets/status           dev   a
two               list                                nodes                    -     n
two               get                                 events                   dev   e
editor            get,update                          configmaps               test  c
editor            get                                 configmaps               -     c
editor            update                              configmaps               prod  c
editor            get                                 deployments.apps         prod  web
editor            delete                              configmaps               dev   c
guest             get,list                            pods                     prod  web
guest             get,list                            pods                     -     -
owner             get,list,create                     pods                     prod  -
owner             get                                 nodes                    -     n
empty             get,list                            pods                     dev   -
crossed           get,update                          configmaps               dev   c
ghost             get                                 pods                     prod  -
`
const allowedPaths = `
root     get,post,put  /anything
prober   get           /healthz /healthz/etcd /healthz/ /api /apis /api/v1
x+system:unauthenticated  get  /healthz /apis/apps
`
const refusedPaths = `
prober   post,head     /healthz
prober   get           /healthzz /metrics / /version
reader   get           /healthz
apps     get           /apis/apps
`

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
const list = (words: string | undefined) => (words ?? '').split(',')

function* decisions() {
  for (const [table, verdict] of [
    [allowed, 'allow'],
    [refused, 'no-opinion'],
  ] as const) {
    for (const [who = '', verbs, what = '', namespace = '', name = ''] of lines(table)) {
      const [home, item] = [namespace === '-' ? '' : namespace, name === '-' ? '' : name]
      for (const verb of list(verbs)) yield { attributes: onResource(who, verb, what, home, item), verdict }
    }
  }
  for (const [table, verdict] of [
    [allowedPaths, 'allow'],
    [refusedPaths, 'no-opinion'],
  ] as const) {
    for (const [who = '', verbs, ...paths] of lines(table)) {
      for (const verb of list(verbs)) for (const path of paths) yield { attributes: onPath(who, verb, path), verdict }
    }
  }
}

test('decides every row of the table', () => {
  const authorizer = rbacAuthorizer(world())
  let count = 0
  for (const { attributes, verdict } of decisions()) {
    count++
    const { user, verb, resource, subresource, namespace, name, path } = attributes
    const request = `${user.name} ${user.groups} ${verb} ${resource}/${subresource} ${namespace}/${name} ${path}`
    const decision = authorizer.authorize(attributes, undefined)
    assert.ok(!(decision instanceof Promise))
    assert.equal(decision.verdict, verdict, request)
  }
  assert.ok(count >= 150, `only ${count} decisions`)
})

test('the reason names the binding that allowed a request', () => {
  const authorizer = rbacAuthorizer(world())
  const reason = (...request: Parameters<typeof onResource>) => {
    const decision = authorizer.authorize(onResource(...request), undefined)
    return decision instanceof Promise ? '' : decision.reason
  }
  assert.equal(reason('reader', 'get', 'pods'), 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to User "reader"')
  assert.equal(
    reason('x+readers', 'get', 'pods'),
    'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "readers"',
  )
  assert.equal(
    reason('system:serviceaccount:dev:bot', 'get', 'configmaps', 'dev'),
    'RBAC: allowed by RoleBinding "editors/dev" of Role "editor" to ServiceAccount "bot/dev"',
  )
  assert.equal(reason('nobody', 'get', 'pods', 'dev'), '')
})

test('errors name the missing roles of bindings', () => {
  const decision = rbacAuthorizer(world()).authorize(onResource('ghost', 'get', 'pods', 'prod'), undefined)
  assert.deepEqual(decision, {
    verdict: 'no-opinion',
    reason: `RBAC: [clusterrole.${roleGroup} "gone" not found, role.${roleGroup} "gone" not found]`,
  })
})

test('follows changes of roles and bindings', () => {
  const index = new RbacIndex(roleGroup)
  const allows = (who: string, verb = 'get') => 'allowedBy' in index.decide(onResource(who, verb, 'pods', 'dev'))
  const rules = (verb: string) => [{ verbs: [verb], apiGroups: [''], resources: ['pods'] }]
  const roleRef = { kind: 'ClusterRole', name: 'r' }

  index.upsertBinding({ metadata: { name: 'b' }, roleRef, subjects: [{ kind: 'User', name: 'ann' }] })
  assert.equal(allows('ann'), false, 'the role does not exist yet')
  index.upsertRole({ metadata: { name: 'r' }, rules: rules('get') })
  assert.equal(allows('ann'), true)
  index.upsertBinding({ metadata: { name: 'b' }, roleRef, subjects: [{ kind: 'User', name: 'bob' }] })
  assert.deepEqual([allows('ann'), allows('bob')], [false, true])
  index.upsertBinding({ metadata: { name: 'b2', namespace: 'dev' }, roleRef, subjects: [{ kind: 'User', name: 'bob' }] })
  index.removeBinding('', 'b')
  assert.equal(allows('bob'), true, 'the other binding remains')
  index.upsertRole({ metadata: { name: 'r' }, rules: rules('list') })
  assert.deepEqual([allows('bob'), allows('bob', 'list')], [false, true])
  index.removeBinding('dev', 'b2')
  assert.equal(allows('bob', 'list'), false)
  index.removeRole('', 'r')
  index.removeBinding('dev', 'never-there')
  index.removeRole('nowhere', 'never-there')
})

test('lists the rules of a user', () => {
  const rules = rulesFor(world(), userOf('editor+system:unauthenticated'), 'dev')
  assert.deepEqual(rules, {
    resourceRules: [{ verbs: ['get', 'update'], apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments'] }],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/healthz/*', '/api*'] }],
    incomplete: false,
  })
  const ghost = rulesFor(world(), userOf('ghost'), 'dev')
  assert.equal(ghost.evaluationError, `clusterrole.${roleGroup} "gone" not found`)
})
