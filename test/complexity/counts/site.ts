/** A server with everything on, which is filled and measured from within the process. */
import assert from 'node:assert/strict'
import { apiAs, startInProcess } from '../../support/in-process.ts'
import { eventually } from '../../support/wait.ts'

export interface Site {
  /** Sends a request as an administrator or as `as`, and reads the answer; asserts that it succeeds. */
  send(method: string, path: string, body?: object, as?: As): Promise<void>
  create(path: string, object: object): Promise<void>
  /** Opens a watch that the site reads until it closes. */
  watch(path: string): Promise<void>
  /** The default service account of a namespace exists. */
  prepared(namespace: string): Promise<void>
  close(): Promise<void>
}

export interface As {
  readonly user?: string
  readonly group?: string
  readonly type?: string
}

export async function openSite(): Promise<Site> {
  const { server, close } = await startInProcess({
    platform: 'kubernetes',
    authorizationModes: ['Node', 'RBAC'],
    priorityAndFairness: 'on',
    serviceClusterIpRanges: ['10.96.0.0/12'],
    admissionPlugins: { enable: ['NodeRestriction'] },
    tokens: [{ token: 'admin', user: { name: 'admin', groups: ['system:masters'] } }],
  })
  const aborts: AbortController[] = []
  const api = apiAs(server, 'admin')
  async function send(method: string, path: string, body?: object, { user, group, type = 'application/json' }: As = {}): Promise<void> {
    const response = await api.fetch(path, {
      method,
      headers: {
        ...(body && { 'content-type': type }),
        ...(user && { 'impersonate-user': user }),
        ...(group && { 'impersonate-group': group }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  }
  const site: Site = {
    send,
    create: (path, object) => send('POST', path, object),
    async watch(path) {
      const abort = new AbortController()
      aborts.push(abort)
      const separator = path.includes('?') ? '&' : '?'
      const response = await api.fetch(`${path}${separator}watch=true&resourceVersion=1`, { signal: abort.signal })
      assert.equal(response.status, 200)
      const reader = response.body!.getReader()
      const read = async () => {
        while (!(await reader.read()).done);
      }
      read().catch(() => {})
    },
    async prepared(namespace) {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
      await eventually(`the service account of ${namespace}`, async () => (await api.get(path)).status === 200)
    },
    async close() {
      for (const abort of aborts) abort.abort()
      await close()
    },
  }
  for (const namespace of ['here', 'elsewhere']) {
    await site.create('/api/v1/namespaces', { metadata: { name: namespace } })
    await site.prepared(namespace)
  }
  return site
}
