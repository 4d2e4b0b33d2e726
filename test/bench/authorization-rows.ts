/** Rows for authorization: cost of many roles and bindings for a request, and for a single decision. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rbacAuthorizer } from '../../core/access/authz/rbac.ts'
import { type BindingObject, RbacIndex } from '../../core/access/authz/rbac-index.ts'
import { onResource } from '../core/access/authz/attributes.ts'
import { tlsFetch } from '../support/tls-fetch.ts'
import type { Compare } from './api-rows.ts'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { load } from './load.ts'

interface Size {
  readonly bindings: number
  readonly roles: number
}

const many: Size = { bindings: 10_000, roles: 2_000 }
const few: Size = { bindings: 10, roles: 10 }
const group = 'rbac.authorization.k8s.io'
const rbac = `/apis/${group}/v1`
const configMaps = '/api/v1/namespaces/default/configmaps'
const token = 'bench-reader'

const role = (number: number) => ({
  kind: 'ClusterRole',
  apiVersion: `${group}/v1`,
  metadata: { name: `role-${number}` },
  rules: [{ verbs: ['get', 'list'], apiGroups: ['', 'example.com'], resources: [`r${number}`, 'configmaps'] }],
})
const binding = (number: number, { roles }: Size) => ({
  kind: 'RoleBinding',
  apiVersion: `${group}/v1`,
  metadata: { name: `binding-${number}`, namespace: 'default' },
  roleRef: { apiGroup: group, kind: 'ClusterRole', name: `role-${number % roles}` },
  subjects: [
    { apiGroup: group, kind: 'User', name: `user-${number}` },
    { apiGroup: group, kind: 'Group', name: `group-${number}` },
  ],
})

/** A daemon with this many roles and bindings, in which `user-7` reads config maps with a token. */
async function startFilled(port: number, size: Size, tokens: string): Promise<BenchDaemon> {
  const daemon = await startDaemon(port, ['--data-dir=:memory:', `--token-auth-file=${tokens}`])
  const { url, ca, cert, key } = daemon
  const { fetch, close } = tlsFetch(url, { ca, cert, key })
  const create = async (path: string, object: object) => {
    const response = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) })
    const text = await response.text()
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`)
  }
  const createAll = async (path: string, count: number, make: (number: number) => object) => {
    for (let from = 0; from < count; from += 100) {
      const some = Array.from({ length: Math.min(100, count - from) }, (_, index) => create(path, make(from + index)))
      await Promise.all(some)
    }
  }
  try {
    await create(configMaps, { metadata: { name: 'one' }, data: { text: 'x'.repeat(700) } })
    await createAll(`${rbac}/clusterroles`, size.roles, role)
    await createAll(`${rbac}/namespaces/default/rolebindings`, size.bindings, (number) => binding(number, size))
  } finally {
    close()
  }
  return daemon
}

function decisions(size: Size, seconds: number): () => Promise<number> {
  const index = new RbacIndex(group)
  for (let number = 0; number < size.roles; number++) index.upsertRole(role(number))
  for (let number = 0; number < size.bindings; number++) index.upsertBinding(binding(number, size) as BindingObject)
  const authorizer = rbacAuthorizer(index)
  const allowed = onResource('user-7+system:authenticated', 'get', 'configmaps', 'default', 'one')
  const refused = onResource('user-8+system:authenticated', 'delete', 'configmaps', 'default', 'one')
  return async () => {
    const began = performance.now()
    const end = began + seconds * 1000
    let count = 0
    for (; performance.now() < end; count += 1000)
      for (let twice = 0; twice < 500; twice++) {
        authorizer.authorize(allowed, undefined)
        authorizer.authorize(refused, undefined)
      }
    return (count * 1000) / (performance.now() - began)
  }
}

/** Measures all rows of this file; the limit is the same with few roles. */
export async function authorizationRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-bench-'))
  const tokens = join(directory, 'tokens.csv')
  writeFileSync(tokens, `${token},user-7,7\n`)
  const daemons: BenchDaemon[] = []
  try {
    daemons.push(await startFilled(port, many, tokens), await startFilled(port + 1, few, tokens))
    const measure = (daemon: BenchDaemon | undefined) => async () => {
      if (daemon === undefined) throw new Error('no daemon')
      const { url, ca } = daemon
      const headers = { authorization: `Bearer ${token}` }
      const { requestsPerSecond, failures } = await load({ seconds, url, ca, headers, path: `${configMaps}/one`, connections: 32 })
      if (failures > 0) throw new Error(`${failures} requests failed: GET ${configMaps}/one`)
      return requestsPerSecond
    }
    return [
      await compare('authorized GET, 10,000 bindings : 10', '≥ 0.95', measure(daemons[0]), measure(daemons[1])),
      await compare('RBAC decisions, 10,000 bindings : 10', '', decisions(many, seconds), decisions(few, seconds)),
    ]
  } finally {
    for (const daemon of daemons) await daemon.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
