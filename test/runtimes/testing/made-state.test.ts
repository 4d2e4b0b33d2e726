/** The first state that the package has from its build: nothing but its uids and times tells the first server from one that has written it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '../../../runtimes/testing/index.ts'
import { makeState } from '../../../runtimes/testing/made-state.ts'

const collections = [
  ...['/api/v1/namespaces', '/api/v1/services', '/api/v1/serviceaccounts', '/api/v1/configmaps', '/api/v1/endpoints', '/api/v1/events'],
  ...['/apis/apiregistration.k8s.io/v1/apiservices', '/apis/scheduling.k8s.io/v1/priorityclasses'],
  ...['/apis/networking.k8s.io/v1/servicecidrs', '/apis/networking.k8s.io/v1/ipaddresses'],
]

const uid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g
const varying = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|(?<="resourceVersion":")\d+/g

const alike = (text: string) => text.replace(uid, 'UID').replace(varying, '…')

test('a server that starts from the state of the build has what a new one writes', async (t) => {
  const made = await makeState()
  const uids = new Set(made.match(uid))
  assert(uids.size > 30, 'few objects')
  assert.doesNotMatch(made, /PRIVATE KEY|CERTIFICATE/)

  // What the build defines.
  Object.assign(globalThis, { madeFirstState: made })
  t.after(() => Reflect.deleteProperty(globalThis, 'madeFirstState'))
  const began = Math.floor(Date.now() / 1000) * 1000
  const copied = await startTestServer()
  t.after(() => copied.close())
  // Servers with other options than the usual ones start from nothing.
  const written = await startTestServer({ identity: 'made-state' })
  t.after(() => written.close())
  for (const namespace of ['default', 'kube-node-lease', 'kube-public', 'kube-system'])
    await written.objects('v1', 'ServiceAccount', { namespace }).until('default', () => true, 60_000)

  for (const path of collections) {
    const [ours, theirs] = await Promise.all([copied, written].map(async (server) => (await server.fetch(path)).text()))
    assert.equal(alike(ours as string), alike(theirs as string), path)
    for (const [each] of (ours as string).matchAll(uid)) assert(!uids.has(each), `${path}: ${each} is that of the build`)
    for (const [time] of (ours as string).matchAll(/(?<="creationTimestamp":")[^"]+/g))
      assert(Date.parse(time) >= began, `${path}: ${time}`)
  }
})
