/** Lifecycle of custom resources, from definition to deletion; the messages are those of kube-apiserver. */
import assert from 'node:assert/strict'
import { type Api, assertFailure } from '../support/api.ts'
import { eventually } from '../support/wait.ts'
import { watchAt } from '../support/watch-reader.ts'
import { customResourceRoutes } from './custom-resource-routes.ts'
import { definitionChanges } from './definition-changes.ts'
import {
  condition,
  type Definition,
  define,
  definitionOf,
  definitionsPath,
  isGone,
  names,
  newGroup,
  reached,
  readDefinition,
  stored,
  versionOf,
  widget,
} from './definitions.ts'
import { describeHttp, type Limits, type On, type Open } from './http-suite.ts'

export * from './definitions.ts'

function naming(on: On): void {
  on('accepts names and establishes the definition', async ({ api }) => {
    const group = newGroup()
    const found = await define(api, definitionOf(group))
    assert.deepEqual(found.status.acceptedNames, { ...names, singular: 'widget', listKind: 'WidgetList' })
    assert.deepEqual(found.status.storedVersions, ['v1'])
    assert.deepEqual(
      found.status.conditions.map(({ type, status, reason, message }) => [type, status, reason, message]),
      [
        ['NamesAccepted', 'True', 'NoConflicts', 'no conflicts found'],
        ['Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted'],
      ],
    )
    assert.equal(found.metadata.generation, 1)
  })

  on('refuses names in use by another definition of the group until that definition is deleted', async ({ api }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const other = definitionOf(group, { names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['wd', 'gd'] } }, 'gadgets')
    const found = await define(api, other, 'NamesAccepted', 'False')
    assert.deepEqual(condition(found, 'NamesAccepted'), ['False', 'ShortNamesConflict', '"wd" is already in use'])
    assert.deepEqual(condition(found, 'Established'), ['False', 'NotAccepted', 'not all names are accepted'])
    assert.equal((await api.get(`/apis/${group}/v1/gadgets`)).status, 404)
    await api.delete(`${definitionsPath}/widgets.${group}`)
    const later = await reached(api, `gadgets.${group}`, (each) => condition(each, 'Established')?.[0] === 'True')
    assert.deepEqual(later.status.acceptedNames['shortNames'], ['wd', 'gd'])
    assert.equal((await api.get(`/apis/${group}/v1/gadgets`)).status, 200)
  })

  on('releases accepted names that are removed from the spec', async ({ api }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    await api.patch(`${definitionsPath}/widgets.${group}`, { spec: { names: { shortNames: null, categories: null } } })
    const found = await reached(api, `widgets.${group}`, ({ status }) => status.acceptedNames['shortNames'] === undefined)
    assert.deepEqual(found.status.acceptedNames, { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' })
    await define(api, definitionOf(group, { names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['wd'] } }, 'gadgets'))
  })

  on('keeps the accepted names when the newly wanted ones are in use', async ({ api }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    await define(api, definitionOf(group, { names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget' } }, 'gadgets'))
    await api.patch(`${definitionsPath}/gadgets.${group}`, { spec: { names: { singular: 'widget', categories: ['all'] } } })
    const found = await reached(api, `gadgets.${group}`, (each) => condition(each, 'NamesAccepted')?.[0] === 'False')
    assert.deepEqual(condition(found, 'NamesAccepted'), ['False', 'SingularConflict', '"widget" is already in use'])
    assert.deepEqual([found.status.acceptedNames['singular'], found.status.acceptedNames['categories']], ['gadget', ['all']])
    assert.equal(condition(found, 'Established')?.[0], 'True')
    assert.equal((await api.get(`/apis/${group}/v1/gadgets`)).status, 200)
  })

  on('does not establish a definition with an unreadable caBundle of the conversion webhook', async ({ api }) => {
    const group = newGroup()
    const clientConfig = { url: 'https://webhook.example.com/', caBundle: btoa('\n') }
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
    const found = await define(api, definitionOf(group, { conversion }), 'Established', 'False')
    assert.deepEqual(condition(found, 'Established'), ['False', 'InvalidCABundle', 'The conversion webhook CABundle is invalid'])
    assert.deepEqual(condition(found, 'NamesAccepted')?.[0], 'True')
    const patch = { spec: { conversion: { strategy: 'None', webhook: null } } }
    assert.equal((await api.patch(`${definitionsPath}/widgets.${group}`, patch)).status, 200)
    await reached(api, `widgets.${group}`, (now) => condition(now, 'Established')?.[1] === 'InitialNamesAccepted')
  })

  on('sets KubernetesAPIApprovalPolicyConformant for protected groups', async ({ api }) => {
    const group = `${newGroup().split('.')[0]}.k8s.io`
    const definition = definitionOf(group)
    assertFailure(await api.send('POST', definitionsPath, definition), 422, 'Invalid')
    const domain = (await api.get<{ major: string }>('/version')).status === 200 ? await labelDomain(api) : ''
    const annotations = { [`api-approved.${domain}`]: 'unapproved, a test' }
    const found = await define(api, { ...definition, metadata: { ...definition.metadata, annotations } as { name: string } })
    assert.deepEqual(condition(found, 'KubernetesAPIApprovalPolicyConformant'), [
      'False',
      'UnapprovedAnnotation',
      'not approved: "unapproved, a test"',
    ])
  })
}

/** Domain of this platform's labels, taken from the name label that the server sets on namespaces. */
async function labelDomain({ get }: Api): Promise<string> {
  const { labels = {} } = (await get('/api/v1/namespaces/default')).body.metadata
  return Object.keys(labels)[0]?.split('/')[0] ?? ''
}

function objects(on: On): void {
  on('all verbs', async ({ api, under, namespace }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const at = (rest = '') => under(`${group}/v1`, `widgets${rest}`)
    const created = await api.create(at(), widget(group, 'a'))
    assert.deepEqual(created.spec, { size: 'small', weight: 3 })
    assert.equal(created.metadata.generation, 1)
    assert.deepEqual((await api.get(at('/a'))).body, created)
    assertFailure(
      await api.send('PUT', at('/a'), widget(group, 'a')),
      422,
      'Invalid',
      /^widgets\.[^ ]+ "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update/,
    )
    const put = await api.send('PUT', at('/a'), { ...created, spec: { size: 'large', weight: 5 } })
    assert.deepEqual([put.status, put.body.spec, put.body.metadata.generation], [200, { size: 'large', weight: 5 }, 2])
    const patched = await api.patch(at('/a'), [{ op: 'replace', path: '/spec/weight', value: 7 }], 'application/json-patch+json')
    assert.deepEqual(patched.body.spec, { size: 'large', weight: 7 })
    assertFailure(
      await api.send('POST', at(), widget(group, 'b', { size: 'huge' })),
      422,
      'Invalid',
      /spec.size: Unsupported value: "huge": supported values: "small", "large"/,
    )
    const other = { ...widget(group, 'b'), kind: 'Gadget' }
    assertFailure(
      await api.send('POST', at(), other),
      422,
      'Invalid',
      /^Gadget\..* "b" is invalid: kind: Invalid value: "Gadget": must be Widget$/,
    )
    // Without a namespace in the URL, custom resources can only be read.
    for (const method of ['POST', 'DELETE']) {
      const { status, body } = await api.send<unknown>(method, `/apis/${group}/v1/widgets`, widget(group, 'b'))
      assert.deepEqual([status, body], [404, '404 page not found\n'])
    }
    const status = await api.patch(`${at('/a')}/status`, { status: { weight: 6 }, spec: { weight: 1 } })
    assert.deepEqual([status.body.spec?.['weight'], status.body.status], [7, { weight: 6 }])
    const scale = await api.get(`${at('/a')}/scale`)
    assert.deepEqual([scale.body.kind, scale.body.spec, scale.body.status], ['Scale', { replicas: 7 }, { replicas: 6 }])
    await api.patch(`${at('/a')}/scale`, { spec: { replicas: 2 } })
    assert.equal((await api.get(at('/a'))).body.spec?.['weight'], 2)
    const list = await api.list(at())
    assert.deepEqual([list.kind, list.apiVersion, list.items.length], ['WidgetList', `${group}/v1`, 1])
    // kube-apiserver has no built-in list types for custom resources, so each item carries kind and apiVersion.
    assert.deepEqual([list.items[0]?.kind, list.items[0]?.apiVersion], ['Widget', `${group}/v1`])
    assert.match((await api.get<string>(at(), { accept: 'application/yaml' })).body, /\n *(- )?kind: Widget\n/)
    assert.equal((await api.list(`/apis/${group}/v1/widgets`)).items[0]?.metadata.namespace, namespace)
    const table = await api.get<{ columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }>(at(), {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    })
    assert.deepEqual(
      [table.body.columnDefinitions.map(({ name }) => name), table.body.rows[0]?.cells],
      [
        ['Name', 'Size'],
        ['a', 'large'],
      ],
    )
    assert.equal((await api.delete(at('/a'))).status, 200)
    await api.create(at(), widget(group, 'c'))
    assert.equal((await api.delete(at())).status, 200)
    assert.deepEqual((await api.list(at())).items, [])
  })

  on('refuses bodies without kind or apiVersion, or with the wrong ones', async ({ api, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const at = under(`${group}/v1`, 'widgets')
    const { kind: _, ...kindless } = widget(group, 'a')
    assertFailure(await api.send('POST', at, kindless), 400, 'BadRequest', /Object 'Kind' is missing in '\{.*\}' \(\{/)
    const { apiVersion: __, ...versionless } = widget(group, 'a')
    const mismatch = `the API version in the data () does not match the expected API version (${group}/v1)`
    assertFailure(await api.send('POST', at, versionless), 400, 'BadRequest', mismatch)
    const other = await api.send('POST', at, { ...widget(group, 'a'), kind: 'Pod' })
    assertFailure(other, 422, 'Invalid', `Pod.${group} "a" is invalid: kind: Invalid value: "Pod": must be Widget`)
    await api.create(at, widget(group, 'a'))
    const patched = await api.patch(`${at}/a`, { kind: 'Pod', apiVersion: 'q/v1' })
    assertFailure(
      patched,
      422,
      'Invalid',
      `Pod.q "a" is invalid: [kind: Invalid value: "Pod": must be Widget, apiVersion: Invalid value: "q/v1": must be ${group}/v1]`,
    )
    const nameless = await api.send('PUT', `${at}/a`, { ...widget(group, 'a'), metadata: {} })
    assertFailure(nameless, 400, 'BadRequest', 'the name of the object (a based on URL) was undeterminable: name must be provided')
  })

  on('server-side apply, dry run and watches', async ({ api, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const at = (rest = '') => under(`${group}/v1`, `widgets${rest}`)
    const watch = await watchAt(api.fetch, at())
    const apply = (manager: string, spec: object, query = '') =>
      api.send('PATCH', `${at('/a')}?fieldManager=${manager}${query}`, widget(group, 'a', spec), {
        'content-type': 'application/apply-patch+yaml',
      })
    assert.equal((await apply('one', { size: 'small', tags: ['x'] }, '&dryRun=All')).status, 201)
    assert.equal((await apply('one', { size: 'small', tags: ['x'] })).status, 201)
    const both = await apply('two', { size: 'small', tags: ['y'] })
    assert.deepEqual(both.body.spec, { size: 'small', tags: ['x', 'y'], weight: 3 })
    assertFailure(await apply('two', { size: 'large' }), 409, 'Conflict', /conflict with "one": .spec.size/)
    assert.deepEqual([(await watch.object()).type, (await watch.object()).type], ['ADDED', 'MODIFIED'])
    await watch.close()
  })
}

function scales(on: On): void {
  on('scale of an object without replicas', async ({ api, under }) => {
    const group = newGroup()
    const specReplicasPath = '.spec.count'
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } }
    const subresources = { scale: { specReplicasPath, statusReplicasPath: '.status.count' } }
    await define(api, definitionOf(group, { versions: [{ ...stored, schema, subresources }] }))
    await api.create(under(`${group}/v1`, 'widgets'), widget(group, 'a'))
    const path = under(`${group}/v1`, 'widgets/a')
    const scale = `${path}/scale`
    assertFailure(
      await api.get(scale),
      500,
      'InternalError',
      `Internal error occurred: the spec replicas field "${specReplicasPath}" does not exist`,
    )
    const text = `the spec replicas field "${specReplicasPath}" cannot be empty`
    assertFailure(await api.patch(scale, { metadata: { labels: { a: 'b' } } }), 400, 'BadRequest', new RegExp(text))
    assert.deepEqual((await api.patch(scale, { spec: { replicas: 3 } })).body.spec, { replicas: 3 })
    assert.deepEqual((await api.get(path)).body.spec?.['count'], 3)
  })
}

function clusterScales(on: On): void {
  on('scale of a cluster-scoped object', async ({ api }) => {
    const group = newGroup()
    await define(api, definitionOf(group, { scope: 'Cluster' }))
    const path = `/apis/${group}/v1/widgets`
    await api.create(path, widget(group, 'a'))
    const { status, body } = await api.get(`${path}/a/scale`)
    assert.deepEqual([status, body.kind, body.metadata.namespace, body.spec], [200, 'Scale', undefined, { replicas: 3 }])
    assert.deepEqual((await api.patch(`${path}/a/scale`, { spec: { replicas: 5 } })).body.spec, { replicas: 5 })
    assert.equal((await api.get(`${path}/a`)).body.spec?.['weight'], 5)
  })
}

function changes(on: On): void {
  on('subresources and field selectors that a version does not declare', async ({ api, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group, { versions: [stored, versionOf('v2', { deprecated: true })] }))
    await api.create(under(`${group}/v1`, 'widgets'), widget(group, 'a'))
    for (const [method, name] of [
      ['GET', 'a'],
      ['PATCH', 'none'],
    ] as const) {
      const answer = await api.send(method, under(`${group}/v2`, `widgets/${name}/status`), method === 'GET' ? undefined : {})
      const { details } = assertFailure(answer, 404, 'NotFound', `widgets.${group} "${name}" not found`)
      assert.deepEqual(details, { name, group, kind: 'widgets' })
      assert.match(answer.headers.get('warning') ?? '', /v2 Widget is deprecated/)
    }
    const selected = await api.get(under(`${group}/v1`, 'widgets?fieldSelector=spec.size%3Dsmall'))
    assertFailure(selected, 400, 'BadRequest', 'field label not supported: spec.size')
  })

  on('a version is added, becomes the storage version and is removed', async ({ api, under }) => {
    const group = newGroup()
    const path = `${definitionsPath}/widgets.${group}`
    await define(api, definitionOf(group))
    await api.create(under(`${group}/v1`, 'widgets'), widget(group, 'a'))
    assert.equal((await api.get(`/apis/${group}/v2`)).status, 404)
    await api.patch(path, { spec: { versions: [stored, versionOf('v2')] } })
    await eventually('v2 is served', async () => (await api.get(under(`${group}/v2`, 'widgets/a'))).status === 200)
    assert.equal((await api.get(under(`${group}/v2`, 'widgets/a'))).body.apiVersion, `${group}/v2`)
    await api.patch(path, { spec: { versions: [{ ...stored, storage: false }, versionOf('v2', { storage: true })] } })
    const moved = await reached(api, `widgets.${group}`, ({ status }) => status.storedVersions.length === 2)
    assert.deepEqual(moved.status.storedVersions, ['v1', 'v2'])
    assertFailure(
      await api.patch(path, { spec: { versions: [versionOf('v2', { storage: true })] } }),
      422,
      'Invalid',
      /status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions/,
    )
    const found = (await api.get(under(`${group}/v2`, 'widgets/a'))).body
    const again = await api.send('PUT', under(`${group}/v2`, 'widgets/a'), found)
    assert.notEqual(again.body.metadata.resourceVersion, found.metadata.resourceVersion)
    const { body: pruned } = await api.patch(`${path}/status`, { status: { storedVersions: ['v2'] } })
    assert.deepEqual((pruned as Definition).status.storedVersions, ['v2'])
    await api.patch(path, { spec: { versions: [versionOf('v2', { storage: true })] } })
    await isGone(api, `/apis/${group}/v1`)
    assert.deepEqual((await api.get(under(`${group}/v2`, 'widgets/a'))).body.spec, { size: 'small', weight: 3 })
  })

  on('watches end when the spec of the definition changes, but not while it is only terminating', async ({ api, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const at = under(`${group}/v1`, 'widgets')
    const first = await watchAt(api.fetch, at)
    await api.patch(`${definitionsPath}/widgets.${group}`, { spec: { names: { categories: ['all'] } } })
    assert.deepEqual(await first.rest(), [])
    await reached(api, `widgets.${group}`, ({ status }) => String(status.acceptedNames['categories']) === 'all')
    const second = await watchAt(api.fetch, at)
    await api.create(at, widget(group, 'held', { size: 'small' }, { finalizers: ['example.com/hold'] }))
    assert.equal((await second.object()).type, 'ADDED')
    await api.delete(`${definitionsPath}/widgets.${group}`)
    const { type, object } = await second.object()
    assert.deepEqual([type, object.metadata.deletionTimestamp !== undefined], ['MODIFIED', true])
    await api.patch(`${at}/held`, { metadata: { finalizers: null } })
    assert.equal((await second.object()).type, 'DELETED')
    assert.deepEqual(await second.rest(), [])
  })

  on('stored objects are served with new defaults and without removed fields', async ({ api, under }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const at = under(`${group}/v1`, 'widgets')
    await api.create(at, widget(group, 'a', { size: 'small', tags: ['x'] }))
    const spec = { type: 'object', properties: { size: { type: 'string' }, colour: { type: 'string', default: 'red' } } }
    await api.patch(`${definitionsPath}/widgets.${group}`, {
      spec: { versions: [{ ...stored, subresources: {}, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }] },
    })
    const found = await eventually('the new default is there', async () => {
      const { body } = await api.get(`${at}/a`)
      return body.spec?.['colour'] !== undefined && body
    })
    assert.deepEqual(found.spec, { size: 'small', colour: 'red' })
    assert.deepEqual((await api.list(at)).items[0]?.spec, found.spec)
  })
}

const marked = (name: string, defaults: { readonly [field: string]: string }, more: object) => {
  const fields = ['a', 'first', 'second'].map((field) => [field, { type: 'string', ...(defaults[field] && { default: defaults[field] }) }])
  const spec = { type: 'object', properties: Object.fromEntries(fields) }
  return { name, served: true, storage: false, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } }, ...more }
}

function versions(on: On): void {
  on('objects are read with the defaults of the storage version', async ({ api, under }) => {
    const group = newGroup()
    const name = `widgets.${group}`
    const first = marked('v1', { a: 'A', first: 'one' }, {})
    const second = marked('v2', { a: 'A', second: 'two' }, { storage: true, served: false })
    await define(api, definitionOf(group, { versions: [first, second] }))
    const path = under(`${group}/v1`, 'widgets')
    const made = await api.create(path, widget(group, 'a', {}))
    assert.deepEqual(made.spec, { a: 'A', first: 'one', second: 'two' })
    const more = marked('v2', { a: 'A', second: 'changed' }, { storage: true, served: false })
    await api.patch(`${definitionsPath}/${name}`, { spec: { versions: [first, more] } })
    await api.create(path, widget(group, 'b', {}))
    await eventually('the new default shows', async () => {
      const { items } = await api.list(path)
      return items.every(({ spec }) => spec?.['second'] === 'changed')
    })
    const plain = marked('v2', {}, { storage: true, served: false })
    await api.patch(`${definitionsPath}/${name}`, { spec: { versions: [marked('v1', { second: 'of v1' }, {}), plain] } })
    await eventually('the default is gone', async () => (await api.get(`${path}/a`)).body.spec?.['second'] === undefined)
  })

  on('a status dropped on create is replaced by the defaults of the schema', async ({ api, under }) => {
    const group = newGroup()
    const phase = { type: 'string', default: 'Pending' }
    const status = { type: 'object', properties: { phase, weight: { type: 'integer' } }, default: { weight: -1 } }
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } }
    const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
    await define(api, definitionOf(group, { versions: [version] }))
    const path = under(`${group}/v1`, 'widgets')
    const expected = { phase: 'Pending', weight: -1 }
    const made = await api.create(path, { ...widget(group, 'a'), status: { weight: 7 } })
    assert.deepEqual([made.status, (await api.get(`${path}/a`)).body.status], [expected, expected])
    const same = await api.patch(`${path}/a`, { metadata: { labels: {} } })
    assert.equal(same.body.metadata.resourceVersion, made.metadata.resourceVersion)
    const { body } = await api.patch(`${path}/a`, { spec: { size: 'large' }, status: { weight: 8 } })
    assert.deepEqual([body.status, body.metadata.generation], [expected, 2])
  })

  on('a field manager removes fields that it applied in a version no longer served', async ({ api, under }) => {
    const group = newGroup()
    const name = `widgets.${group}`
    const open = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', additionalProperties: { type: 'string' } } } } }
    const version = (name: string, served: boolean, storage: boolean) => ({ name, served, storage, schema: open })
    await define(api, definitionOf(group, { versions: [version('v1', true, true)] }))
    const apply = (name: string, spec: object) =>
      api.patch(
        `${under(`${group}/${name}`, 'widgets')}/a?fieldManager=owner`,
        { apiVersion: `${group}/${name}`, kind: 'Widget', metadata: { name: 'a' }, spec },
        'application/apply-patch+yaml',
      )
    assert.equal((await apply('v1', { a: 'A', b: 'B' })).status, 201)
    const versions = [version('v1', false, false), version('v2', true, true)]
    await api.patch(`${definitionsPath}/${name}`, { spec: { versions } })
    await eventually('v2 is served', async () => (await api.get(under(`${group}/v2`, 'widgets'))).status === 200)
    assert.deepEqual((await readDefinition(api, name)).status.storedVersions, ['v1', 'v2'])
    assert.deepEqual((await apply('v2', { a: 'A' })).body.spec, { a: 'A' })
  })

  on('metadata of embedded resources is defaulted by the schema', async ({ api, under }) => {
    const group = newGroup()
    const metadata = { type: 'object', properties: { name: { type: 'string', default: 'inner' } } }
    const template = (more: object) => ({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: {
        kind: { type: 'string', default: 'Pod' },
        apiVersion: { type: 'string', default: 'v1' },
        metadata: { ...metadata, ...more },
        spec: { type: 'object' },
      },
    })
    const properties = { own: template({}), whole: template({ default: { labels: { a: 'b' } } }) }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } }
    await define(api, definitionOf(group, { versions: [{ name: 'v1', served: true, storage: true, schema }] }))
    const made = await api.create(under(`${group}/v1`, 'widgets'), widget(group, 'a', { own: { metadata: {} }, whole: {} }))
    const head = { kind: 'Pod', apiVersion: 'v1' }
    assert.deepEqual(made.spec, {
      own: { ...head, metadata: { name: 'inner' } },
      whole: { ...head, metadata: { name: 'inner', labels: { a: 'b' } } },
    })
  })

  on('apply refuses null for fields that are not nullable, or takes what it applied there before', async ({ api, under }) => {
    const group = newGroup()
    const inner = (more: object) => ({ type: 'object', properties: { a: { type: 'string' } }, ...more })
    const properties = { strict: inner({}), loose: inner({ nullable: true }), filled: inner({ default: { a: 'b' } }) }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } }
    await define(api, definitionOf(group, { versions: [{ name: 'v1', served: true, storage: true, schema }] }))
    const apply = (spec: object, name = 'a') =>
      api.patch(`${under(`${group}/v1`, 'widgets')}/${name}?fieldManager=test`, widget(group, name, spec), 'application/apply-patch+yaml')
    assert.equal((await apply({ strict: { a: '1' }, loose: { a: '1' }, filled: { a: '1' } })).status, 201)
    const answer = await apply({ strict: null }, 'b')
    assertFailure(answer, 422, 'Invalid', /spec\.strict: Invalid value: "null": spec\.strict in body must be of type object: "null"/)
    assert.deepEqual((await apply({ strict: null })).body.spec, { strict: {}, filled: { a: 'b' } }, 'the map that was applied before stays')
    assert.deepEqual((await apply({ loose: null, filled: null })).body.spec, { loose: null, filled: { a: 'b' } })
  })
}

function published(on: On): void {
  on('discovery and OpenAPI', async ({ api }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const { body } = await api.get<{
      resources: { name: string; shortNames?: string[]; verbs: string[]; kind: string; categories?: string[] }[]
    }>(`/apis/${group}/v1`)
    assert.deepEqual(
      body.resources.map(({ name, kind }) => [name, kind]),
      [
        ['widgets', 'Widget'],
        ['widgets/status', 'Widget'],
        ['widgets/scale', 'Scale'],
      ],
    )
    assert.deepEqual([body.resources[0]?.shortNames, body.resources[0]?.categories], [['wd'], ['shop']])
    const v3 = await api.get<{ paths: { [name: string]: { serverRelativeURL: string } } }>('/openapi/v3')
    const url = v3.body.paths[`apis/${group}/v1`]?.serverRelativeURL ?? ''
    const document = await api.get<{
      components: { schemas: { [name: string]: { properties: { spec: { properties: { weight: object } } } } } }
    }>(url)
    const model = `com.example.${group.split('.')[0]}.v1.Widget`
    assert.deepEqual(document.body.components.schemas[model]?.properties.spec.properties.weight, {
      type: 'integer',
      minimum: 1,
      default: 3,
      description: 'How heavy it is.',
    })
    const v2 = await api.get<{ definitions: object; paths: object }>('/openapi/v2')
    assert(Object.keys(v2.body.definitions).includes(model))
    assert(Object.keys(v2.body.paths).includes(`/apis/${group}/v1/namespaces/{namespace}/widgets/{name}/scale`))
  })
}

function deletion(on: On): void {
  on('deletes the objects before the definition', async ({ api, under }) => {
    const group = newGroup()
    const path = `${definitionsPath}/widgets.${group}`
    await define(api, definitionOf(group))
    const at = under(`${group}/v1`, 'widgets')
    await api.create(at, widget(group, 'free'))
    await api.create(at, widget(group, 'held', { size: 'small' }, { finalizers: ['example.com/hold'] }))
    const { status, body } = await api.delete<Definition>(path)
    assert.equal(status, 200)
    assert.deepEqual(body.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io'])
    assert.deepEqual(condition(body, 'Terminating'), [
      'True',
      'InstanceDeletionPending',
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    ])
    await isGone(api, `${at}/free`)
    const found = await readDefinition(api, `widgets.${group}`)
    assert.deepEqual(condition(found, 'Terminating'), ['True', 'InstanceDeletionInProgress', 'CustomResource deletion is in progress'])
    assertFailure(
      await api.send('POST', at, widget(group, 'new')),
      403,
      'Forbidden',
      `widgets.${group} "new" is forbidden: create not allowed while custom resource definition is terminating`,
    )
    const verbs = (await api.get<{ resources: { verbs: string[] }[] }>(`/apis/${group}/v1`)).body.resources[0]?.verbs
    assert.deepEqual(verbs, ['delete', 'deletecollection', 'get', 'list', 'watch'])
    await api.patch(`${at}/held`, { metadata: { finalizers: null } })
    await isGone(api, path)
    await isGone(api, `/apis/${group}`)
    assert.equal((await api.get(`${at}/held`)).status, 404)
    await define(api, definitionOf(group))
    assert.deepEqual((await api.list(at)).items, [])
  })

  on('deleting a namespace deletes its custom resources', async ({ api, under, namespace }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    await api.create(under(`${group}/v1`, 'widgets'), widget(group, 'a'))
    await api.delete(`/api/v1/namespaces/${namespace}`)
    await isGone(api, `/api/v1/namespaces/${namespace}`)
    assert.deepEqual((await api.list(`/apis/${group}/v1/widgets`)).items, [])
  })

  on('a custom resource as owner of a built-in object', async ({ api, under, at }) => {
    const group = newGroup()
    await define(api, definitionOf(group))
    const owner = await api.create(under(`${group}/v1`, 'widgets'), widget(group, 'owner'))
    const { apiVersion, kind, metadata } = owner
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }]
    await api.create(at('configmaps'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dependent', ownerReferences } })
    await api.delete(under(`${group}/v1`, 'widgets/owner'))
    await isGone(api, at('configmaps/dependent'))
  })
}

/** `open` starts an empty server. */
export function customResources(name: string, open: Open, limits: Limits = {}): void {
  const parts = {
    names: naming,
    objects,
    routes: customResourceRoutes,
    scales,
    clusterScales,
    changes,
    definitionChanges,
    versions,
    published,
    deletion,
  }
  describeHttp(name, open, parts, limits)
}
