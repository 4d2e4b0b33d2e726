/** The feed of all objects while resources are added, removed and changed: it delivers exactly what is stored, however late lists arrive. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ControllerContext } from '../../../core/controllers/controller.ts'
import type { ServeRows } from '../../../core/objects/registry/serving.ts'
import { followStore } from '../../../core/objects/registry/store-feed.ts'
import { createResourceTable } from '../../../core/objects/registry/table.ts'
import { createObjectStore } from '../../../core/objects/storage/object-store.ts'
import { createStores } from '../../../core/objects/storage/stores.ts'
import { directFeed } from '../../../core/objects/watch/direct.ts'
import type { KeyValueStore } from '../../../core/ports.ts'
import { resource } from '../../../core/resources/definition.ts'
import { object } from '../../../core/resources/meta/object.ts'
import { memoryStore } from '../../../runtimes/web/index.ts'
import { consoleLogger } from '../../../runtimes/web/ports.ts'
import { ManualClock } from '../../support/clock.ts'
import { type RandomNumbers, randomNumbers } from '../../support/random.ts'
import { trials } from '../../support/soak.ts'
import { eventually } from '../../support/wait.ts'

const group = 'shop.example.com'
const prefix = '/registry'
const plurals = ['gadgets', 'gizmos', 'widgets']
const rootOf = (plural: string) => `${prefix}/${group}/${plural}/`
const encoder = new TextEncoder()

const rowOf = (plural: string) =>
  resource({
    group,
    version: 'v1',
    kind: plural,
    names: [plural, plural],
    storageKey: `${group}/${plural}`,
    schema: object(plural, 'A kind.', {}),
  })

const storedObject = (plural: string, name: string) =>
  encoder.encode(`{"kind":"${plural}","apiVersion":"${group}/v1","metadata":{"name":"${name}"}}`)

/** All that is pending without timers has happened. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A store whose lists are read at once, and arrive when `release` is called with their number. */
function withLateLists(store: KeyValueStore) {
  const pending: (() => void)[] = []
  return {
    pending,
    release(at = 0) {
      pending.splice(at, 1)[0]?.()
    },
    store: {
      ...store,
      async list(options) {
        const page = await store.list(options)
        await new Promise<void>((resolve) => void pending.push(resolve))
        return page
      },
    } satisfies KeyValueStore,
  }
}

function open(t: TestContext) {
  const actual = memoryStore()
  const late = withLateLists(actual)
  const clock = new ManualClock()
  const serve: ServeRows = (rows) => {
    const all = rows.map((definition) => {
      const store = directFeed(createObjectStore(late.store, definition, prefix), late.store)
      const sample = (limit: number) => late.store.list({ prefix: store.keys.prefix(''), limit })
      return { definition, groupResource: { group, resource: definition.names.plural }, keys: store.keys, store, sample }
    })
    const stores = new Map(
      all.map(({ definition, store }) => [definition.storageKey, { rows: [definition], viewOf: () => store, close: store.close }] as const),
    )
    return { all, resources: all, stores }
  }
  const table = createResourceTable(serve)
  const seen = new Map<string, number>()
  const arrived = new Set<string>()
  const stores = createStores(late.store).all
  const feed = followStore({ stores, table, clock, logger: consoleLogger } as unknown as ControllerContext, `${prefix}/`, {
    reset: () => seen.clear(),
    ready() {},
    put: ({ entry }) => void seen.set(entry.key, entry.revision),
    delete: ({ key }) => void seen.delete(key),
    arrived: (root) => void arrived.add(root),
    forget(root) {
      arrived.delete(root)
      for (const key of seen.keys()) if (key.startsWith(root)) seen.delete(key)
    },
  })
  t.after(() => feed.close())
  const served = new Set<string>()

  return {
    late,
    arrived,
    seen,
    begin: () => clock.advance(0),
    serve(plural: string) {
      served.add(plural)
      table.replace(plural, [rowOf(plural)])
    },
    remove(plural: string) {
      served.delete(plural)
      table.replace(plural, [])
    },
    async put(plural: string, name: string) {
      const key = rootOf(plural) + name
      await actual.put(key, storedObject(plural, name), (await actual.get(key)).kv?.modRevision ?? 0)
    },
    async delete(plural: string, name: string) {
      const key = rootOf(plural) + name
      await actual.delete(key, (await actual.get(key)).kv?.modRevision ?? 0)
    },
    /** Delivers all lists, and asserts that the follower knows what is stored. */
    async check() {
      const stored = new Map<string, number>()
      for (const plural of served)
        for (const { key, modRevision } of (await actual.list({ prefix: rootOf(plural) })).items) stored.set(key, modRevision)
      do {
        late.release()
        await settled()
      } while (late.pending.length > 0)
      assert.deepEqual([...seen].toSorted(), [...stored].toSorted())
    },
  }
}

test('a resource is removed and added again while its objects are read', async (t) => {
  const shop = open(t)
  shop.begin()
  await shop.check()
  await shop.put('gadgets', 'a')
  shop.serve('gadgets')
  await eventually('the first run reads', async () => shop.late.pending.length === 1)
  shop.remove('gadgets')
  shop.serve('gadgets')
  await eventually('the second run reads', async () => shop.late.pending.length === 2)
  await shop.delete('gadgets', 'a')
  await settled()
  await shop.check()
  assert.deepEqual([...shop.arrived], [rootOf('gadgets')])
})

test('a resource is added while all objects are read', async (t) => {
  const shop = open(t)
  await shop.put('gadgets', 'a')
  shop.begin()
  await eventually('it reads', async () => shop.late.pending.length === 1)
  shop.serve('gadgets')
  await shop.delete('gadgets', 'a')
  await shop.check()
})

test('followers learn that the versions of a resource changed', async (t) => {
  const shop = open(t)
  shop.serve('gadgets')
  shop.begin()
  await shop.check()
  assert.deepEqual([...shop.arrived], [])
  shop.serve('gadgets')
  assert.deepEqual([...shop.arrived], [rootOf('gadgets')])
})

async function disorder(t: TestContext, random: RandomNumbers): Promise<void> {
  const shop = open(t)
  if (random.chance(0.7)) shop.begin()
  const names = ['a', 'b']
  const steps = [
    () => shop.serve(random.pick(plurals)),
    () => shop.remove(random.pick(plurals)),
    () => shop.put(random.pick(plurals), random.pick(names)),
    () => shop.delete(random.pick(plurals), random.pick(names)),
    () => shop.late.release(random.integer(shop.late.pending.length)),
    settled,
  ]
  for (let step = 0; step < 40; step++) await random.pick(steps)()
  shop.begin()
  await shop.check()
}

test('random sequences of changes', async (t) => {
  for (let trial = 0; trial < trials(300, 20_000); trial++)
    await disorder(t, randomNumbers(trial)).catch((error: unknown) => {
      throw new Error(`trial ${trial}`, { cause: error })
    })
})
