/** Each part of a definition that may change: all that is served from it follows, and watches go on where the reference server's do. */
import assert from 'node:assert/strict'
import { type Api, assertFailure } from '../support/api.ts'
import { eventually } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'
import { define, definitionOf, definitionsPath, names, newGroup, schema, versionOf, widget } from './definitions.ts'
import type { On, TestNamespace } from './http-suite.ts'

interface Before extends TestNamespace {
  readonly group: string
  /** Path of the widgets in a version. */
  readonly widgets: (version?: string) => string
}

interface Change {
  /** A merge patch of the definition. */
  readonly patch: object
  /** Whether the server knows the change. */
  readonly known: (space: Before) => Promise<boolean>
}

const first = versionOf('v1', { storage: true, subresources: { status: {} } })
const second = versionOf('v2')
const versions = (ofFirst: object, ofSecond: object = {}) => ({
  spec: {
    versions: [
      { ...first, ...ofFirst },
      { ...second, ...ofSecond },
    ],
  },
})

interface Discovered {
  readonly name: string
  readonly singularName: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

const discovered = async ({ api, group }: Before, version = 'v1') =>
  (await api.get<{ resources?: readonly Discovered[] }>(`/apis/${group}/${version}`)).body.resources ?? []

const listed = async (space: Before, name: string) => (await discovered(space)).some((each) => each.name === name)

const documented = async ({ api, group }: Before) => {
  const { body } = await api.get<{ paths: { [name: string]: { serverRelativeURL: string } } }>('/openapi/v3')
  return JSON.stringify((await api.get(body.paths[`apis/${group}/v1`]?.serverRelativeURL ?? '')).body)
}

const inTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const create = (api: Api, path: string, group: string, spec: object) => api.send('POST', `${path}?dryRun=All`, widget(group, 'other', spec))
const webhook = { clientConfig: { url: 'https://127.0.0.1:1/convert' }, conversionReviewVersions: ['v1'] }

const changes: { readonly [what: string]: Change } = {
  'printer columns': {
    patch: versions({ additionalPrinterColumns: [{ name: 'Heavy', type: 'integer', jsonPath: '.spec.weight' }] }),
    async known({ api, widgets }) {
      const { body } = await api.get<{ columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }>(widgets(), inTable)
      return JSON.stringify([body.columnDefinitions.map(({ name }) => name), body.rows[0]?.cells]) === '[["Name","Heavy"],["a",3]]'
    },
  },
  'short names': {
    patch: { spec: { names: { ...names, shortNames: ['wdg'] } } },
    known: async (space) => (await discovered(space))[0]?.shortNames?.join() === 'wdg',
  },
  categories: {
    patch: { spec: { names: { ...names, categories: ['all'] } } },
    known: async (space) => (await discovered(space))[0]?.categories?.join() === 'all',
  },
  'the singular name': {
    patch: { spec: { names: { ...names, singular: 'wid' } } },
    known: async (space) => (await discovered(space))[0]?.singularName === 'wid',
  },
  'the status subresource is removed': {
    patch: versions({ subresources: null }),
    known: async (space) =>
      !(await listed(space, 'widgets/status')) &&
      (await space.api.get(`${space.widgets()}/a/status`)).status === 404 &&
      !(await documented(space)).includes('{name}/status'),
  },
  'a scale subresource': {
    patch: versions({ subresources: { scale: { specReplicasPath: '.spec.weight', statusReplicasPath: '.status.weight' } } }),
    known: async (space) =>
      (await listed(space, 'widgets/scale')) &&
      JSON.stringify((await space.api.get(`${space.widgets()}/a/scale`)).body.spec) === '{"replicas":3}' &&
      (await documented(space)).includes('{name}/scale'),
  },
  'selectable fields': {
    patch: versions({ selectableFields: [{ jsonPath: '.spec.size' }] }),
    async known({ api, widgets }) {
      const selected = (value: string) => api.get<{ items: object[] }>(`${widgets()}?fieldSelector=spec.size%3D${value}`)
      const [small, large] = await Promise.all([selected('small'), selected('large')])
      return small.status === 200 && small.body.items.length === 1 && large.body.items.length === 0
    },
  },
  'validation rules': {
    patch: versions({
      schema: { openAPIV3Schema: { ...schema, 'x-kubernetes-validations': [{ rule: "self.spec.size != 'large'", message: 'too large' }] } },
    }),
    async known({ api, widgets, group }) {
      const answer = await create(api, widgets(), group, { size: 'large' })
      if (answer.status === 201) return false
      assertFailure(answer, 422, 'Invalid', /too large/)
      return true
    },
  },
  'the schema': {
    patch: versions({
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'boolean' } } } } } },
    }),
    known: async (space) =>
      (await create(space.api, space.widgets(), space.group, { size: true })).status === 201 &&
      !(await documented(space)).includes('How heavy it is.'),
  },
  'a version is not served': {
    patch: versions({}, { served: false }),
    known: async (space) => (await space.api.get(space.widgets('v2'))).status === 404 && (await discovered(space, 'v2')).length === 0,
  },
  deprecation: {
    patch: versions({ deprecated: true, deprecationWarning: 'use something else' }),
    known: async ({ api, widgets }) => /use something else/.test((await api.get(widgets())).headers.get('warning') ?? ''),
  },
  'the storage version': {
    patch: versions({ storage: false }, { storage: true }),
    async known({ api, group }) {
      const { body } = await api.get(`${definitionsPath}/widgets.${group}`)
      return JSON.stringify(body.status?.['storedVersions']) === '["v1","v2"]'
    },
  },
  'the conversion': {
    patch: { spec: { conversion: { strategy: 'Webhook', webhook } } },
    known: async ({ api, widgets }) =>
      /conversion webhook for .* failed/.test(JSON.stringify((await api.get(`${widgets('v2')}/a`)).body)) &&
      (await api.get(`${widgets()}/a`)).status === 200,
  },
}

export function definitionChanges(on: On): void {
  for (const [what, { patch, known }] of Object.entries(changes))
    on(what, async (space) => {
      const { api, under } = space
      const group = newGroup()
      const before: Before = { ...space, group, widgets: (version = 'v1') => under(`${group}/${version}`, 'widgets') }
      await define(api, definitionOf(group, { versions: [first, second] }))
      const { metadata } = await api.create(before.widgets(), widget(group, 'a'))
      assert.equal(await known(before), false)
      const watch = await watchAt(api.fetch, before.widgets(), { resourceVersion: metadata.resourceVersion })
      const answer = await api.patch(`${definitionsPath}/widgets.${group}`, patch)
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      // kube-apiserver, too, ends the watches of a definition whose spec changes; an informer goes on from its last resourceVersion.
      assert.deepEqual(await watch.rest(), [])
      await eventually(`${what} is known`, () => known(before))
      const next = await watchAt(api.fetch, before.widgets(), { resourceVersion: metadata.resourceVersion })
      await api.patch(`${before.widgets()}/a`, { metadata: { labels: { changed: 'yes' } } })
      const { type, object } = await next.object()
      assert.deepEqual([type, object.metadata.labels], ['MODIFIED', { changed: 'yes' }])
      await next.close()
    })

  on('labels and the status of a definition change, and watches go on', async ({ api, under }) => {
    const group = newGroup()
    const definition = `${definitionsPath}/widgets.${group}`
    await define(api, definitionOf(group))
    const widgets = under(`${group}/v1`, 'widgets')
    const watch = await watchAt(api.fetch, widgets)
    await api.patch(definition, { metadata: { labels: { a: 'b' } } })
    const { conditions } = (await api.get(definition)).body.status as { conditions: object[] }
    const seen = { type: 'Seen', status: 'True', reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    const patched = await api.patch(`${definition}/status`, { status: { conditions: [...conditions, seen] } })
    assert.equal(patched.status, 200)
    // The next replacement would end the watch; a definition after this one is known later.
    await define(api, definitionOf(group, { names: { plural: 'gadgets', kind: 'Gadget' } }, 'gadgets'))
    await api.create(widgets, widget(group, 'a'))
    assert.equal((await watch.object()).type, 'ADDED')
    await watch.close()
  })
}
