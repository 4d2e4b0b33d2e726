/** No two owners have equal or nested storage keys: a definition named like a built-in resource never touches that resource's objects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import { bind } from '../../../../core/resources/bind.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { memoryStore } from '../../../../runtimes/web/index.ts'
import { condition, define, definitionOf, definitionsPath, isGone, readDefinition, versionOf } from '../../../conformance/definitions.ts'
import type { TestMetadata } from '../../../support/api.ts'
import { startCore } from '../../../support/core-server.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { eventually } from '../../../support/wait.ts'
import { watchAt } from '../../../support/watch-reader.ts'

const platform = createPlatform('kubernetes')
const rows = builtInResources.map((row) => bind(row, platform))
const keys = [...new Set(rows.map(({ storageKey }) => storageKey))].filter((key) => key !== '')

test('storage keys of other sets are refused, and the table stays as it was', async (t) => {
  const server = await startCore({ platform })
  t.after(() => server.close())
  const [pods] = rows.filter(({ kind }) => kind === 'Pod')
  const { revision } = server.table
  for (const key of keys)
    for (const storageKey of [key, `${key}/more`, ...(key.includes('/') ? [key.slice(0, key.indexOf('/'))] : [])])
      assert.throws(
        () => server.table.replace('other', [{ ...pods!, group: 'a.example.com', storageKey }]),
        /belongs to other resources/,
        storageKey,
      )
  assert.equal(server.table.revision, revision)
  const free = { ...pods!, group: 'a.example.com', storageKey: 'a.example.com/pods' }
  server.table.replace('other', [free])
  assert.throws(() => server.table.replace('third', [free]), /belongs to other resources/)
  server.table.replace('other', [])
  server.table.replace('third', [free])
})

const named = [...new Set(rows.filter(({ group }) => group.includes('.')).map(({ group, names }) => `${names.plural} ${group}`))]

test('definitions named like every built-in resource come and go, and no other object with them', async (t) => {
  const store = memoryStore()
  const { api } = await startInProcess({ store, platform: 'kubernetes', controllers: [] }, t)
  await define(api, definitionOf('kept.example.com'))
  const stored = async () =>
    // Registrations of custom resources go a little later than their definitions.
    (await store.list({ prefix: '/' })).items.map(({ key }) => key).filter((key) => !/leases|masterleases|apiservices\/v9\./.test(key))
  await eventually('the definition that stays is registered', async () =>
    (await stored()).some((key) => key.endsWith('/v1.kept.example.com')),
  )
  const before = await stored()
  const overlapping: string[] = []
  for (const each of named) {
    const [plural = '', group = ''] = each.split(' ')
    const kind = 'Look'
    const metadata = {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'https://example.com/1' },
      finalizers: ['example.com/look'],
    }
    const versions = [versionOf('v9', { storage: true })]
    await define(api, { ...definitionOf(group, { scope: 'Cluster', names: { plural, kind }, versions }, plural), metadata })
    const path = `${definitionsPath}/${metadata.name}`
    const { resourceVersion } = (await api.get(path)).body.metadata
    const watch = await watchAt(api.fetch, definitionsPath, { resourceVersion, fieldSelector: `metadata.name=${metadata.name}` })
    await api.delete(path)
    await watch.until(({ object }) => (object.metadata as TestMetadata).finalizers?.length === 1)
    await watch.close()
    const [, reason, message] = condition(await readDefinition(api, metadata.name), 'Terminating') ?? []
    if (reason === 'OverlappingBuiltInResource') {
      overlapping.push(metadata.name)
      assert.equal(message, 'instances overlap with built-in resources in storage')
      assert.equal((await api.get(`/apis/${group}/v9/${plural}`)).status, 404)
    } else assert.equal(reason, 'InstanceDeletionCompleted', metadata.name)
    await api.patch(path, { metadata: { finalizers: null } })
    await isGone(api, path)
    assert.deepEqual(await stored(), before, `${metadata.name} has gone, and nothing else`)
  }
  assert.deepEqual(overlapping.sort(), ['apiservices.apiregistration.k8s.io', 'customresourcedefinitions.apiextensions.k8s.io'])
})
