/** Thousands of objects that go at once hold the thread for short: the controllers that let them go work in slices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definitionOf, definitionsPath, widget } from '../../conformance/custom-resources.ts'
import { longestPause } from '../../support/pauses.ts'
import { eventually } from '../../support/wait.ts'
import { start, type TestServer } from './support.ts'

const count = 1_500
/** Milliseconds. Without slices it was 200 and more. */
const limit = 100
const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
const pods = '/api/v1/namespaces/default/pods'

const claim = (name: string) => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
})
const named = Array.from({ length: count }, (_, at) => `c${at}`)
const isEmpty = async (server: TestServer, path: string) => {
  const { status, body } = await server.get<{ readonly items?: readonly unknown[] }>(`${path}?limit=1`)
  return status === 404 || body.items?.length === 0
}

/** The least counts, because collections of garbage and other processes disturb single looks. */
async function shortest(look: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let looks = 0; looks < 2 && least >= limit; looks++) least = Math.min(least, await look())
  return Math.round(least)
}

test(`${count} claims under deletion that one pod has used`, async (t) => {
  const server = await start(t, { controllers: ['persistentvolumeclaim-protection'], admissionPlugins: { disable: ['ServiceAccount'] } })
  const pause = await shortest(async () => {
    for (const name of named) await server.create(claims, claim(name))
    const volumes = named.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))
    await server.create(pods, { metadata: { name: 'user' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], volumes } })
    await server.delete(claims)
    return longestPause(async () => {
      await server.delete(`${pods}/user`, { gracePeriodSeconds: 0 })
      await eventually('the claims are gone', () => isEmpty(server, claims))
    })
  })
  t.diagnostic(`${pause} ms`)
  assert.ok(pause < limit, `held the thread for ${pause} ms`)
})

test(`a definition with ${count} objects`, async (t) => {
  const group = 'many.example.com'
  const widgets = `/apis/${group}/v1/namespaces/default/widgets`
  const server = await start(t, { controllers: [] })
  const pause = await shortest(async () => {
    await server.create(definitionsPath, definitionOf(group))
    await eventually('the served definition', async () => (await server.get(widgets)).status === 200)
    for (const name of named) await server.create(widgets, widget(group, name))
    return longestPause(async () => {
      await server.delete(`${definitionsPath}/widgets.${group}`)
      await eventually('its end', async () => (await server.get(`${definitionsPath}/widgets.${group}`)).status === 404)
    })
  })
  t.diagnostic(`${pause} ms`)
  assert.ok(pause < limit, `held the thread for ${pause} ms`)
})
