/** Requests that custom resources don't support: the reference routes them by verb alone. Answers recorded from kube-apiserver 1.36.2. */
import assert from 'node:assert/strict'
import type { Status } from '../../core/answers/status.ts'
import { define, definitionOf, newGroup, widget } from './definitions.ts'
import type { On } from './http-suite.ts'

const unnamed = 'name must be provided'

export function customResourceRoutes(on: On): void {
  on('requests that custom resources do not support', async ({ api, at, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const kind = `widgets.${group}`
    const path = (rest = '') => under(`${group}/v1`, `widgets${rest}`)
    await api.create(path(), widget(group, 'a'))
    const unsupported = (verb: string) =>
      [405, `${verb} is not supported on resources of kind "${kind}"`, { group, kind: 'widgets' }] as const
    const missing = [404, `${kind} "a" not found`, { name: 'a', group, kind: 'widgets' }] as const
    const absent = [404, 'the server could not find the requested resource', {}] as const
    const misplaced = [404, undefined] as const
    const rows: readonly (readonly [
      method: string,
      path: string,
      answer: readonly [code: number, message: string | undefined, details?: object],
    ])[] = [
      ['PUT', path(), [400, unnamed]],
      ['PATCH', path(), [400, unnamed]],
      ['OPTIONS', path(), unsupported('')],
      ['OPTIONS', path('/a'), unsupported('')],
      ['POST', path('/a/status'), unsupported('create')],
      ['DELETE', path('/a/status'), unsupported('delete')],
      ['DELETE', path('/a/scale'), unsupported('delete')],
      ['DELETE', path('/a/status/more'), unsupported('delete')],
      ['GET', path('/a/other'), missing],
      ['PUT', path('/a/other'), missing],
      ['DELETE', path('/a/other/more'), missing],
      ['PUT', `/apis/${group}/v1/widgets`, misplaced],
      ['DELETE', `/apis/${group}/v1/widgets`, misplaced],
      ['GET', `/apis/${group}/v1/widgets/a`, misplaced],
      ['GET', `/apis/${group}/v1/widgets/a/status`, misplaced],
      ['PUT', at('configmaps'), [405, 'the server does not allow this method on the requested resource', {}]],
      ['GET', at('configmaps/a/other'), absent],
    ]
    for (const [method, where, [code, message, details]] of rows) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const body = ['PUT', 'PATCH', 'POST'].includes(method) ? {} : undefined
      const { status, body: answer } = await api.send<Status>(method, where, body, body && { 'content-type': type })
      assert.deepEqual([status, answer.message, answer.details], [code, message, details], `${method} ${where}`)
    }
  })

  on('HEAD of custom resources, and a POST with a name in the path', async ({ api, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const path = (rest = '') => under(`${group}/v1`, `widgets${rest}`)
    assert.equal((await api.create(path('/ignored'), widget(group, 'a'))).metadata.name, 'a')
    for (const each of ['', '/a', '/a/status']) assert.equal((await api.send('HEAD', path(each))).status, 200, each)
    assert.equal((await api.send('HEAD', path('/ignored'))).status, 404)
    assert.equal((await api.get(path('/a/status/more'))).status, 200)
  })
}
