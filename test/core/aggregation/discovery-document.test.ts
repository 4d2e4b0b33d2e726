import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOfAggregated, resourcesOfList } from '../../../core/aggregation/discovery-document.ts'
import { Pauses } from '../../../core/common/slices.ts'
import type { PublishedResource } from '../../../core/meta/resource-rows.ts'
import { webClock } from '../../../runtimes/web/ports.ts'

const slices = () => new Pauses(webClock).sharedSlices()

const kind = { group: 'things.example.com', version: 'v1', kind: 'Thing' }
const rows: PublishedResource['rows'] = [
  { name: 'things', subresource: '', ...kind, verbs: ['get', 'list'] },
  { name: 'things/scale', subresource: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] },
]

test('both kinds of documents say the same', async () => {
  const thing: PublishedResource = { rows, singular: 'thing', namespaced: true, short: ['th'], categories: ['all'] }
  const document = {
    items: [
      {
        metadata: { name: 'things.example.com' },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                ...{ resource: 'things', responseKind: kind, scope: 'Namespaced', singularResource: 'thing', verbs: ['get', 'list'] },
                ...{ shortNames: ['th'], categories: ['all'] },
                subresources: [
                  { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] },
                ],
              },
            ],
          },
          { version: 'v2' },
        ],
      },
    ],
  }
  assert.deepEqual(await resourcesOfAggregated(document, 'things.example.com', 'v1', slices()), [thing])
  assert.deepEqual(await resourcesOfAggregated(document, 'things.example.com', 'v2', slices()), [])
  const list = await resourcesOfList(
    {
      resources: [
        { name: 'things/scale', namespaced: true, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] },
        {
          name: 'things',
          singularName: 'thing',
          namespaced: true,
          kind: 'Thing',
          verbs: ['get', 'list'],
          shortNames: ['th'],
          categories: ['all'],
        },
        { name: 'orphans/status', kind: 'Orphan', verbs: ['get'] },
      ],
    },
    'things.example.com',
    'v1',
    slices(),
  )
  assert.deepEqual(list, [thing])
})

test('documents of any shape are read', async () => {
  const odd = [null, 1, 'a', [], {}, [null], [{}], [{ versions: 1 }], [{ metadata: null, versions: [{ resources: [{ verbs: 1 }] }] }]]
  for (const items of odd) {
    await resourcesOfAggregated({ items } as never, 'g', 'v1', slices())
    await resourcesOfList({ resources: items } as never, 'g', 'v1', slices())
  }
})
