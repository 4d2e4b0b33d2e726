/** What other servers of the cluster should not say that they serve: each answer is read in slices, or refused with a short error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../../core/common/slices.ts'
import type { DiscoveredGroup } from '../../../core/meta/aggregated-discovery.ts'
import { mergeServers } from '../../../core/meta/merge-servers.ts'
import { uncounted } from '../../../core/metrics.ts'
import { createAsking } from '../../../core/peers/asking.ts'
import { peerRows } from '../../../core/peers/metrics.ts'
import { createPlatform } from '../../../core/platform.ts'
import { nodeClock as clock } from '../../../runtimes/node/clock.ts'
import { longestPause } from '../../support/pauses.ts'
import { trials } from '../../support/soak.ts'

const size = trials(2, 15) * 1024 * 1024
const metrics = uncounted(peerRows)
const listOf = (items: string) => `{"kind":"APIGroupDiscoveryList","items":${items}}`
const many = (text: string) => text.repeat(Math.floor(size / text.length))
const each = (count: number, of: (index: number) => unknown) => JSON.stringify(Array.from({ length: count }, (_, index) => of(index)))
const group = (name: string, resources: unknown) => ({ metadata: { name }, versions: [{ version: 'v1', resources }] })

const answers: { readonly [name: string]: string } = {
  brackets: many('['),
  braces: many('{"a":'),
  items: listOf(`[${many('{},')}{}]`),
  scalars: listOf(`[${many('0,')}0]`),
  kind: `{"kind":"${many('x')}"}`,
  'kind as object': `{"kind":{"a":"${many('x')}"}}`,
  spaces: `{${many(' ')}}`,
  null: 'null',
  text: '<html>',
  'no list': listOf('{"a":1}'),
  'other types': listOf('[1,null,[],{"versions":1},{"metadata":[]}]'),
  groups: listOf(each(9_000, (index) => ({ metadata: { name: `g${(index * 7_919) % 9_000}` } }))),
  'too many groups': listOf(each(60_000, (index) => ({ metadata: { name: `g${index}` } }))),
  twins: listOf(each(5_000, () => group('apps', [{ resource: 'a', verbs: ['get'] }]))),
  resources: listOf(
    each(1, () =>
      group(
        'apps',
        Array.from({ length: 15_000 }, (_, index) => ({ resource: `r${index}`, verbs: [] })),
      ),
    ),
  ),
  verbs: listOf(each(1, () => group('apps', [{ resource: 'a', verbs: Array.from({ length: 40_000 }, (_, index) => `v${index}`) }]))),
}

test(`${Object.keys(answers).length} lists`, async () => {
  const found: string[] = []
  for (const [name, text] of Object.entries(answers)) {
    const asking = createAsking({
      ...{ platform: createPlatform('kubernetes'), metrics, ownOnly: {}, clock, pauses: new Pauses(clock) },
      connect: async () => ({ origin: new URL('https://192.0.2.1:6443'), options: {} }),
      outbound: { fetch: async () => new Response(text) },
    })
    let error = ''
    let groups: readonly DiscoveredGroup[] = []
    const asked = await longestPause(async () => {
      await asking('b', new AbortController().signal).then(
        (peer) => {
          groups = peer.groups
        },
        (thrown: Error) => {
          error = thrown.message
        },
      )
    })
    const merged = await longestPause(async () => {
      mergeServers(
        new Map([
          ['a', [group('apps', [{ resource: 'a', verbs: ['list'] }]) as unknown as DiscoveredGroup]],
          ['b', groups],
        ]),
      )
    })
    if (error.length > 4_096) found.push(`${name}: an error of ${error.length} characters`)
    if (asked > 250) found.push(`${name} held the thread for ${Math.round(asked)} ms`)
    if (merged > 250) found.push(`${name}, merged, held the thread for ${Math.round(merged)} ms`)
  }
  assert.deepEqual(found, [])
})
