/** The original API server on the embedded store, which speaks etcd's API: it answers as it did on etcd when its answers were recorded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHooks } from '../reference/hooks.ts'
import { adminToken, aliceToken, serviceAccountKey } from '../reference/ours.ts'
import { parts } from '../reference/parts/index.ts'
import { Recorded } from '../reference/recording.ts'
import { comparePart, serverSide } from '../reference/run.ts'
import { openTarget } from '../reference/target.ts'
import { ownEtcd } from '../support/daemon.ts'
import { loneAdminToken, startLoneServer } from './lone-server.ts'
import { programPath } from './programs.ts'

/** Parts that read, write, delete and watch, at old revisions and in pages, too, and do not depend on how fast informers of the original are. */
const names = ['reads', 'policies', 'life', 'status', 'update', 'deletion', 'patches', 'json-patches', 'interplay', 'sequences']

const skip = programPath('kube-apiserver') === undefined && 'not installed (on PATH or in KUBERNETES_BIN): kube-apiserver'

test('the original API server answers on the embedded store as on etcd', { timeout: 600_000, skip }, async (t) => {
  const hooks = await startHooks()
  t.after(() => hooks.close())
  const server = await startLoneServer(
    'the reference',
    (file) => {
      const users = [`${adminToken},admin,admin-uid,"system:masters"`, `${aliceToken},alice,alice-uid,"dev"`]
      const key = file('accounts.key', serviceAccountKey())
      return [
        `--token-auth-file=${file('users.csv', [...users, `${loneAdminToken},admin,admin-uid,"system:masters"`, ''].join('\n'))}`,
        ...['--service-account-issuer=https://kubernetes.default.svc', '--endpoint-reconciler-type=none', '--etcd-compaction-interval=0'],
        ...[`--service-account-signing-key-file=${key}`, `--service-account-key-file=${key}`],
        ...['--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction', '--enable-bootstrap-token-auth'],
      ]
    },
    ownEtcd,
  )
  t.after(() => server.close())
  const target = openTarget(server.url, adminToken)
  t.after(() => target.close())
  const differing: string[] = []
  let compared = 0
  for (const part of parts.filter(({ name }) => names.includes(name)))
    await comparePart(part, new Recorded(part.name, false), serverSide(target, hooks.settings), { whole: false, seed: 0 }, (outcome) => {
      compared++
      if (outcome.verdict === 'differs') differing.push(`${part.name} ${outcome.id}: ${outcome.class}`)
    })
  assert.ok(compared > 5_000, `${compared} requests`)
  assert.deepEqual(differing, [])
})
