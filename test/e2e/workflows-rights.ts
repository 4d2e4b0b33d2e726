import assert from 'node:assert/strict'
import { eventually } from '../support/wait.ts'
import type { Desk, Desks } from './kubectl-desk.ts'

/** The answer of `auth can-i`, `yes` or `no`; its exit status must agree. */
async function can({ try: attempt }: Desk, question: string): Promise<string> {
  const { code, stdout, stderr } = await attempt(`auth can-i ${question}`)
  const [answer = ''] = stdout.trim().split(/[ \n]/)
  assert.equal(code, answer === 'yes' ? 0 : 1, `${question}: ${stdout}${stderr}`)
  return answer
}

/** Waits until a question has this answer, because a write takes effect a moment later. */
const until = (desk: Desk, expected: string, question: string) =>
  eventually(`${expected}: ${question}`, async () => (await can(desk, question)) === expected)

async function answers(desk: Desk, questions: readonly (readonly [question: string, answer: string])[]): Promise<void> {
  for (const [question, answer] of questions) assert.equal(await can(desk, question), answer, question)
}

async function refused({ try: attempt }: Desk, command: string, text: RegExp): Promise<void> {
  const { code, stderr } = await attempt(command)
  assert.equal(code, 1, `${command} succeeds`)
  assert.match(stderr, text, command)
}

const account = (namespace: string, name: string) =>
  `--as=system:serviceaccount:${namespace}:${name} --as-group=system:serviceaccounts --as-group=system:serviceaccounts:${namespace}`

/** Roles, bindings and access reviews. */
export function rightsWork(on: Desks): void {
  on('create role and rolebinding: users, groups and service accounts', async (desk) => {
    const { k, namespace } = desk
    const made = 'rbac.authorization.k8s.io'
    assert.equal(await k('create role reader --verb=get --verb=list --resource=pods,deployments.apps'), `role.${made}/reader created\n`)
    assert.equal(await k('create role scaler --verb=update --resource=deployments.apps/scale'), `role.${made}/scaler created\n`)
    assert.equal(await k('create role one --verb=get --resource=configmaps --resource-name=a'), `role.${made}/one created\n`)
    await k('create serviceaccount bot')
    const subjects = `--user=ann --group=readers --serviceaccount=${namespace}:bot`
    assert.equal(await k(`create rolebinding reader --role=reader ${subjects}`), `rolebinding.${made}/reader created\n`)
    await k('create rolebinding scaler --role=scaler --user=ann')
    await k('create rolebinding one --role=one --user=ann')
    await until(desk, 'yes', 'get configmaps/a --as=ann')
    const bot = account(namespace, 'bot')
    await answers(desk, [
      ['list pods --as=ann', 'yes'],
      ['get deployments.apps --as=ann', 'yes'],
      ['create pods --as=ann', 'no'],
      ['update deployments.apps --subresource=scale --as=ann', 'yes'],
      ['update deployments.apps --as=ann', 'no'],
      ['get configmaps/b --as=ann', 'no'],
      ['get configmaps --as=ann', 'no'],
      ['list pods --as=bob', 'no'],
      ['list pods --as=bob --as-group=readers', 'yes'],
      ['list pods --as=bob --as-group=writers', 'no'],
      [`list pods ${bot}`, 'yes'],
      [`delete pods ${bot}`, 'no'],
      [`list pods ${account(namespace, 'other')}`, 'no'],
      ['list pods --as=ann --all-namespaces', 'no'],
    ])
    assert.match(await k('describe rolebinding reader'), new RegExp(`ServiceAccount +bot +${namespace}`))
  })

  on('create clusterrole and clusterrolebinding: all namespaces, paths, aggregation', async (desk) => {
    const { k, kubectl, namespace } = desk
    const name = (suffix: string) => `${namespace}-${suffix}`
    const made = 'rbac.authorization.k8s.io'
    assert.equal(
      await k(`create clusterrole ${name('nodes')} --verb=get,list,watch --resource=nodes`),
      `clusterrole.${made}/${name('nodes')} created\n`,
    )
    await k(`create clusterrole ${name('logs')} --verb=get --non-resource-url=/logs/*`)
    await k(`create clusterrole ${name('all')} --aggregation-rule=gather=${namespace}`)
    assert.equal(
      await k(`create clusterrolebinding ${name('nodes')} --clusterrole=${name('nodes')} --user=ann --group=${namespace}`),
      `clusterrolebinding.${made}/${name('nodes')} created\n`,
    )
    await k(`create clusterrolebinding ${name('logs')} --clusterrole=${name('logs')} --user=ann`)
    await k(`create clusterrolebinding ${name('all')} --clusterrole=${name('all')} --user=carol`)
    await k(`create rolebinding view --clusterrole=view --user=dave`)
    await until(desk, 'yes', 'list pods --as=dave')
    await answers(desk, [
      ['list nodes --as=ann', 'yes'],
      ['delete nodes --as=ann', 'no'],
      [`watch nodes --as=bob --as-group=${namespace}`, 'yes'],
      ['get /logs/today --as=ann', 'yes'],
      ['get /metrics --as=ann', 'no'],
      ['list nodes --as=carol', 'no'],
      ['get secrets --as=dave', 'no'],
      ['list pods --as=dave --namespace=default', 'no'],
    ])
    await kubectl.run('label', 'clusterrole', name('nodes'), `gather=${namespace}`)
    await until(desk, 'yes', 'list nodes --as=carol')
    await kubectl.run('delete', 'clusterrolebinding', name('nodes'))
    await until(desk, 'no', 'list nodes --as=ann')
  })

  on('auth can-i --list', async (desk) => {
    const { k, namespace } = desk
    await k('create role mixed --verb=get,list --resource=configmaps --resource-name=a')
    await k(`create rolebinding mixed --role=mixed --user=ann --serviceaccount=${namespace}:bot`)
    const bot = account(namespace, 'bot')
    await until(desk, 'yes', `get configmaps/a ${bot}`)
    for (const who of ['--as=ann', bot]) {
      const rules = await k(`auth can-i --list ${who}`)
      assert.match(rules, /^Resources +Non-Resource URLs +Resource Names +Verbs$/m, who)
      assert.match(rules, /^configmaps +\[\] +\[a\] +\[get list\]$/m, who)
    }
    assert.match(
      await k(`auth can-i --list ${bot} --as-group=system:authenticated`),
      /^selfsubjectaccessreviews[^ ]* +\[\] +\[\] +\[create\]$/m,
    )
    assert.match(await k('auth can-i --list'), /^\*\.\* +\[\] +\[\] +\[\*\]$/m)
    assert.match(await k('auth can-i --list'), /^ +\[\*\] +\[\] +\[\*\]$/m)
  })

  on('auth reconcile', async (desk) => {
    const { k, namespace, file, stored } = desk
    const rule = (verbs: string[], resources: string[]) => ({ apiGroups: [''], resources, verbs })
    const role = (...rules: object[]) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace },
      rules,
    })
    const binding = (roleName: string, ...users: string[]) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'b', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: roleName },
      subjects: users.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
    })
    let count = 0
    const reconcile = (items: object[], ...more: string[]) => {
      const path = file(`rights-${++count}.json`, { apiVersion: 'v1', kind: 'List', items })
      return k(`auth reconcile -f ${path}`, ...more)
    }
    assert.match(await reconcile([role(rule(['get'], ['pods'])), binding('r', 'ann')]), /role.rbac.authorization.k8s.io\/r reconciled/)
    await until(desk, 'yes', 'get pods --as=ann')
    await reconcile([role(rule(['get'], ['pods']))])
    // Reconcile adds what is missing and removes nothing.
    await reconcile([role(rule(['list'], ['services'])), binding('r', 'bob')])
    await until(desk, 'yes', 'list services --as=bob')
    await answers(desk, [
      ['get pods --as=ann', 'yes'],
      ['get pods --as=bob', 'yes'],
    ])
    await reconcile([role(rule(['list'], ['services'])), binding('r', 'bob')], '--remove-extra-permissions', '--remove-extra-subjects')
    await until(desk, 'no', 'get pods --as=bob')
    await until(desk, 'no', 'list services --as=ann')
    await answers(desk, [['list services --as=bob', 'yes']])
    // The role of a binding is immutable, so reconcile recreates the binding.
    await k('create role other --verb=delete --resource=pods')
    await reconcile([binding('other', 'bob')])
    await until(desk, 'yes', 'delete pods --as=bob')
    assert.equal(await stored('rolebinding b', '.roleRef.name'), 'other')
  })

  on('users can not grant more than they have, except with escalate and bind', async (desk) => {
    const { k, kubectl, namespace } = desk
    const rbac = 'roles.rbac.authorization.k8s.io'
    await k(`create role author --verb=get,create,update,patch --resource=${rbac},rolebindings.rbac.authorization.k8s.io`)
    await k('create role pods --verb=get,list --resource=pods')
    await k('create role secrets --verb=get --resource=secrets')
    for (const role of ['author', 'pods']) await k(`create rolebinding ${role} --role=${role} --user=ann`)
    await until(desk, 'yes', 'list pods --as=ann')
    await until(desk, 'yes', `create ${rbac} --as=ann`)

    await k('create role own --verb=list --resource=pods --as=ann')
    await k('create rolebinding own --role=own --user=bob --as=ann')
    await until(desk, 'yes', 'list pods --as=bob')
    const attempts = /user "ann" \(groups=\["system:authenticated"\]\) is attempting to grant RBAC permissions not currently held:/
    await refused(desk, 'create role more --verb=get --resource=secrets --as=ann', attempts)
    await refused(desk, 'create role more --verb=* --resource=pods --as=ann', /\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["\*"\]\}/)
    await refused(desk, 'create rolebinding more --role=secrets --user=ann --as=ann', attempts)
    await refused(desk, 'create rolebinding more --clusterrole=cluster-admin --user=ann --as=ann', /is attempting to grant/)
    const patch = '[{"op":"replace","path":"/rules/0/resources","value":["secrets"]}]'
    const patched = await desk.try(`patch role own --type=json --as=ann -p ${patch}`)
    assert.match(patched.stderr, attempts, 'a patch')

    // The verb escalate applies to roles, bind to bindings.
    await k(`create role escalate --verb=escalate --resource=${rbac}`)
    await k('create rolebinding escalate --role=escalate --user=ann')
    await until(desk, 'yes', `escalate ${rbac} --as=ann`)
    await k('create role more --verb=get --resource=secrets --as=ann')
    await refused(desk, 'create rolebinding more --role=more --user=ann --as=ann', attempts)
    await k(`create role bind --verb=bind --resource=${rbac} --resource-name=more`)
    await k('create rolebinding bind --role=bind --user=ann')
    await until(desk, 'yes', `bind ${rbac}/more --as=ann`)
    await refused(desk, 'create rolebinding other --role=secrets --user=ann --as=ann', attempts)
    await k('create rolebinding more --role=more --user=ann --as=ann')
    await until(desk, 'yes', 'get secrets --as=ann')
    await refused(desk, `create clusterrole ${namespace}-x --verb=get --resource=pods --as=ann`, /cannot create resource "clusterroles"/)
    assert.match(await kubectl.run('get', 'clusterrole', 'cluster-admin', '-o', 'name'), /cluster-admin/)
  })
}
