/** Lists: order, selectors, pages and revisions. What every runtime answers: test/conformance/http-lists.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '../../../core/answers/status.ts'
import { configMap, type TestList } from '../../support/api.ts'
import { serverForTests } from '../../support/in-process.ts'

const api = serverForTests({ controllers: [] })
const maps = '/api/v1/namespaces/default/configmaps'
const names = ['e', 'b', 'd', 'a', 'c']
const namesOf = ({ items }: TestList) => items.map(({ metadata }) => metadata.name).join('')

let filled: Promise<unknown> | undefined

/** Creates the objects, once. */
function fill(): Promise<unknown> {
  const labelled = (name: string) => configMap(name, {}, { labels: { vowel: String('ae'.includes(name)) } })
  filled ??= Promise.all(names.map((name) => api.create(maps, labelled(name))))
  return filled
}

test('a list has the objects in the order of their names, and the revision it is of', async () => {
  await fill()
  const list = await api.list(maps)
  assert.deepEqual([list.kind, list.apiVersion, namesOf(list)], ['ConfigMapList', 'v1', 'abcde'])
  for (const { metadata } of list.items) assert.ok(Number(list.metadata.resourceVersion) >= Number(metadata.resourceVersion))
  assert.equal(namesOf(await api.list('/api/v1/configmaps')), 'abcde', 'of all namespaces')
  assert.deepEqual((await api.list('/api/v1/namespaces/nowhere/configmaps')).items, [])
})

test('selectors select', async () => {
  await fill()
  for (const [query, wanted] of [
    ['labelSelector=vowel=true', 'ae'],
    ['labelSelector=vowel!=true', 'bcd'],
    ['labelSelector=vowel in (true,none)', 'ae'],
    ['labelSelector=!vowel', ''],
    ['fieldSelector=metadata.name=b', 'b'],
    ['fieldSelector=metadata.name!=b,metadata.namespace=default', 'acde'],
  ] as const)
    assert.equal(namesOf(await api.list(`${maps}?${encodeURI(query)}`)), wanted, query)
})

test('pages are of one revision, and say how many objects are left', async () => {
  await fill()
  const first = await api.list(`${maps}?limit=2`)
  assert.deepEqual([namesOf(first), first.metadata.remainingItemCount], ['ab', 3])
  await api.create(maps, configMap('bb'))
  const token = encodeURIComponent(first.metadata.continue ?? '')
  const second = await api.list(`${maps}?limit=9&continue=${token}`)
  assert.deepEqual([namesOf(second), second.metadata.continue], ['cde', undefined])
  assert.equal(second.metadata.resourceVersion, first.metadata.resourceVersion)
  await api.delete(`${maps}/bb`)
})

test('a list of an earlier revision shows what was there', async () => {
  await fill()
  const { metadata } = await api.list(maps)
  await api.create(maps, configMap('later'))
  const exact = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`
  assert.equal(namesOf(await api.list(`${maps}?${exact}`)), 'abcde')
  assert.equal(namesOf(await api.list(`${maps}?resourceVersion=0`)), 'abcdelater')
  await api.delete(`${maps}/later`)
})

test('queries that make no sense are refused', async () => {
  for (const [query, code] of [
    ['limit=x', 400],
    ['labelSelector=a b', 400],
    ['fieldSelector=spec.none=a', 400],
    ['resourceVersion=x', 400],
    ['resourceVersionMatch=Exact', 422],
    ['continue=x', 400],
  ] as const)
    assert.equal((await api.get<Status>(`${maps}?${encodeURI(query)}`)).status, code, query)
})
