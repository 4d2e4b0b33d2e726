/** Random sequences of added, replaced and removed resources and of writes: in the end all parts of the server agree with the store. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import { customResourceRows } from '../../../../core/resources/apiextensions/custom-resource.ts'
import { relabelling } from '../../../../core/resources/converter.ts'
import type { Versioning } from '../../../../core/resources/definition.ts'
import type { Api, TestObject } from '../../../support/api.ts'
import { startCore } from '../../../support/core-server.ts'
import { apiOn } from '../../../support/in-process.ts'
import { type RandomNumbers, randomNumbers } from '../../../support/random.ts'
import { trials } from '../../../support/soak.ts'
import { eventually } from '../../../support/wait.ts'
import { readWatch, type WatchReader } from '../../../support/watch-reader.ts'
import { ownedBy } from '../../controllers/support.ts'

const group = 'shop.example.com'
const kinds = ['Gadget', 'Gizmo', 'Widget'] as const
const pluralOf = (kind: string) => `${kind.toLowerCase()}s`
const namespaces = ['one', 'two']
const pathOf = (kind: string, namespace: string, version = 'v1') => `/apis/${group}/${version}/namespaces/${namespace}/${pluralOf(kind)}`
const versioning: Versioning = { heldIn: 'requested', converter: relabelling }

type Kind = (typeof kinds)[number]

/** Rows of a kind; its first version is the storage version. */
const rowsOf = (kind: Kind, versions: readonly string[]) =>
  customResourceRows({
    metadata: {},
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: pluralOf(kind), kind },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  }).map(({ row }) => ({ ...row, versioning }))

/** Counts the changes of the table. */
class Changes {
  count = 0
  readonly #waiting = new Set<() => void>()
  next(): void {
    this.count++
    for (const each of this.#waiting) each()
    this.#waiting.clear()
  }
  /** Resolves when there were more than `count` changes. */
  async after(count: number): Promise<void> {
    while (this.count <= count) await new Promise<void>((resolve) => void this.#waiting.add(resolve))
  }
}

/** As client-go's: one list, then watches, each from the last resourceVersion of the one before, also across a removal of the resource. */
function startInformer({ fetch, list }: Api, path: string, changes: Changes) {
  const known = new Map<string, string>()
  let watch: WatchReader | undefined
  let over = false

  async function run(): Promise<void> {
    const first = await list(path)
    for (const { metadata } of first.items) known.set(metadata.uid, metadata.resourceVersion)
    let { resourceVersion } = first.metadata
    while (!over) {
      const { count } = changes
      const abort = new AbortController()
      const response = await fetch(`${path}?watch=true&resourceVersion=${resourceVersion}`, { signal: abort.signal })
      if (response.status === 404) {
        await response.text()
        await changes.after(count)
        continue
      }
      assert(response.status === 200 && response.body, `${response.status}`)
      watch = readWatch(response.body, () => abort.abort(), path)
      for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
        assert(event.type !== 'ERROR', JSON.stringify(event.object))
        const { uid, resourceVersion: version } = event.object.metadata
        resourceVersion = version
        if (event.type === 'DELETED') known.delete(uid)
        else known.set(uid, version)
      }
    }
  }

  const running = run()
  // Reported by `stop`.
  running.catch(() => {})
  return {
    known,
    async stop() {
      over = true
      changes.next()
      await watch?.close()
      await running
    },
  }
}

async function open(t: TestContext, watchCache: boolean) {
  const server = await startCore({
    platform: createPlatform('kubernetes'),
    watchCache,
    controllers: ['garbage-collector', 'namespace', 'resourcequota'],
  })
  t.after(() => server.close())
  const api = apiOn(server)
  const hard = Object.fromEntries(kinds.map((kind) => [`count/${pluralOf(kind)}.${group}`, '1k']))
  for (const name of namespaces) {
    await api.create('/api/v1/namespaces', { metadata: { name } })
    await api.create(`/api/v1/namespaces/${name}/resourcequotas`, { metadata: { name: 'all' }, spec: { hard } })
  }
  const served = new Map<Kind, readonly string[]>()
  const changes = new Changes()
  return {
    api,
    served,
    changes,
    serve(kind: Kind, versions: readonly string[]) {
      if (versions.length > 0) served.set(kind, versions)
      else served.delete(kind)
      server.table.replace(pluralOf(kind), versions.length > 0 ? rowsOf(kind, versions) : [])
      changes.next()
    },
  }
}

type Shop = Awaited<ReturnType<typeof open>>

/** Discovery and OpenAPI list what is served, at once. */
async function assertPublished({ api, served }: Shop): Promise<void> {
  const { paths } = (await api.get<{ paths: object }>('/openapi/v2')).body
  for (const version of ['v1', 'v2']) {
    const expected = kinds.filter((kind) => served.get(kind)?.includes(version)).map(pluralOf)
    const { body } = await api.get<{ resources?: readonly { readonly name: string }[] }>(`/apis/${group}/${version}`)
    assert.deepEqual((body.resources ?? []).map(({ name }) => name).toSorted(), expected)
    const documented = kinds.map(pluralOf).filter((plural) => Object.hasOwn(paths, `/apis/${group}/${version}/${plural}`))
    assert.deepEqual(documented, expected)
  }
}

interface Owned extends TestObject {
  readonly metadata: TestObject['metadata'] & { readonly ownerReferences?: readonly { readonly uid: string }[] }
}

const all = async ({ api }: Shop, namespace: string) =>
  (await Promise.all(kinds.map(async (kind) => (await api.list(pathOf(kind, namespace))).items as readonly Owned[]))).flat()

async function assertFollowed(shop: Shop, informer: { readonly known: ReadonlyMap<string, string> }): Promise<void> {
  const { api } = shop
  for (const namespace of namespaces) {
    await eventually('objects without owner are collected', async () => {
      const found = await all(shop, namespace)
      const uids = new Set(found.map(({ metadata }) => metadata.uid))
      return found.every(({ metadata: { ownerReferences = [] } }) => ownerReferences.every(({ uid }) => uids.has(uid)))
    })
    await eventually('quotas count what is stored', async () => {
      const { status } = (await api.get(`/api/v1/namespaces/${namespace}/resourcequotas/all`)).body
      const used = status?.['used'] as { readonly [name: string]: string } | undefined
      const found = await all(shop, namespace)
      return kinds.every((kind) => used?.[`count/${pluralOf(kind)}.${group}`] === String(found.filter((each) => each.kind === kind).length))
    })
  }
  await eventually('the informer knows what is stored', async () => {
    const { items } = await api.list(`/apis/${group}/v1/widgets`)
    return (
      items.length === informer.known.size &&
      items.every(({ metadata: { uid, resourceVersion } }) => informer.known.get(uid) === resourceVersion)
    )
  })
  for (const namespace of namespaces) {
    await api.delete(`/api/v1/namespaces/${namespace}`)
    await eventually('the namespace is gone', async () => (await api.get(`/api/v1/namespaces/${namespace}`)).status === 404)
    assert.deepEqual(await all(shop, namespace), [])
  }
}

async function disorder(t: TestContext, random: RandomNumbers, watchCache: boolean): Promise<void> {
  const shop = await open(t, watchCache)
  const { api, served, serve } = shop
  for (const kind of kinds) serve(kind, ['v1'])
  const informer = startInformer(api, `/apis/${group}/v1/widgets`, shop.changes)
  const made: TestObject[] = []
  let count = 0
  const steps = [
    () => serve(random.pick(kinds), random.pick([[], ['v1'], ['v1', 'v2'], ['v1', 'v2']])),
    async () => {
      const kind = random.pick(kinds)
      const namespace = random.pick(namespaces)
      const owner = random.pick(made)
      // The version of an owner may not be served yet.
      const owners = owner && random.chance(0.7) ? [ownedBy({ ...owner, apiVersion: `${group}/${random.pick(['v1', 'v2'])}` })] : []
      const metadata = { name: `o${count++}`, ...(owner?.metadata.namespace === namespace && { ownerReferences: owners }) }
      const answer = await api.send('POST', pathOf(kind, namespace), { apiVersion: `${group}/v1`, kind, metadata })
      if (answer.status === 201) made.push(answer.body)
      else assert.equal(answer.status, 404, JSON.stringify(answer.body))
    },
    async () => {
      const object = random.pick(made)
      const propagationPolicy = random.pick(['Background', 'Foreground'])
      if (object) await api.delete(`${pathOf(object.kind, object.metadata.namespace ?? '')}/${object.metadata.name}`, { propagationPolicy })
    },
    () => assertPublished(shop),
  ]
  for (let step = 0; step < 60; step++) {
    await random.pick([...steps.slice(0, 3), ...steps.slice(0, 3), ...steps])()
    // Sometimes everybody has time to follow, otherwise the next change comes meanwhile.
    if (random.chance(0.3)) await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  for (const kind of kinds) serve(kind, ['v1', 'v2'])
  assert.deepEqual([...served.keys()].toSorted(), [...kinds])
  await assertPublished(shop)
  await assertFollowed(shop, informer)
  await informer.stop()
}

for (let trial = 0; trial < trials(4, 200); trial++) {
  const watchCache = trial % 4 !== 3
  test(`sequence ${trial}, ${watchCache ? 'with' : 'without'} watch cache`, (t) => disorder(t, randomNumbers(trial), watchCache))
}
