/** Errors that the reference has without its watch cache, as for events (apiserver/pkg/storage/etcd3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure } from '../../support/api.ts'
import { startInProcess } from '../../support/in-process.ts'
import { within } from '../../support/wait.ts'

for (const watchCache of [true, false])
  test(`a resourceVersion that is none, ${watchCache ? 'with' : 'without'} the watch cache`, async (t) => {
    const { api } = await startInProcess({ controllers: [], watchCache }, t)
    const fault = 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'
    for (const path of [
      '/api/v1/namespaces/default/configmaps/none',
      '/api/v1/namespaces/default',
      '/api/v1/namespaces/default/events/none',
      '/apis/events.k8s.io/v1/namespaces/default/events/none',
    ]) {
      const cached = watchCache && !path.endsWith('events/none')
      const { status, body } = await api.get<{ message: string; reason?: string }>(`${path}?resourceVersion=x`)
      assert.deepEqual(
        [status, body.reason, body.message],
        cached ? [500, undefined, fault] : [400, 'BadRequest', `invalid resource version: ${fault}`],
      )
    }
    const late = await within('the answer', api.get('/api/v1/events?resourceVersion=99999999'))
    assert.deepEqual([late.status, late.headers.get('retry-after')], [504, null])
    assertFailure(await api.get('/api/v1/namespaces?resourceVersion=x'), 400, 'BadRequest', /^invalid resource version: /)
    const watch = await api.get<{ message: string }>('/api/v1/namespaces?watch=true&resourceVersion=x')
    assert.deepEqual([watch.status, watch.body.message], [500, fault])
  })
