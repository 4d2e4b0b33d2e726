/** Which definitions under deletion are let go, and which not yet. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pauses } from '../../../../core/common/slices.ts'
import type { ResourceClient } from '../../../../core/controllers/client.ts'
import type { Definition } from '../../../../core/controllers/custom-resources/definition.ts'
import { finalize } from '../../../../core/controllers/custom-resources/finalizer.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { cleanupFinalizer } from '../../../../core/resources/apiextensions/definition-deletion.ts'
import type { HookContext } from '../../../../core/schema/model.ts'
import { ManualClock } from '../../../support/clock.ts'

const platform = createPlatform('kubernetes')

/** A definition under deletion, of which this server serves no objects. */
function setUp(conditions: readonly object[]) {
  const definition = {
    metadata: {
      name: 'widgets.example.com',
      resourceVersion: '7',
      deletionTimestamp: '2026-01-02T03:04:05Z',
      finalizers: [platform.name(cleanupFinalizer)],
    },
    spec: { group: 'example.com', versions: [] },
    status: { conditions },
  } as unknown as Definition
  const patches: { readonly metadata: { readonly finalizers?: unknown } }[] = []
  const definitions: Pick<ResourceClient, 'mergePatch'> = {
    async mergePatch(_namespace, _name, patch) {
      patches.push(patch as (typeof patches)[number])
      return definition as never
    },
  }
  const step = () =>
    finalize(definition, {
      definitions: definitions as ResourceClient,
      hooks: () => ({ platform, now: Date.UTC(2026, 0, 2, 3, 4, 6) }) as HookContext,
      pauses: new Pauses(new ManualClock()),
      stored: () => undefined,
      overlaps: () => false,
    })
  return { step, isReleased: () => patches.some(({ metadata }) => metadata.finalizers === null) }
}

test('a definition that was never established goes at once', async () => {
  const { step, isReleased } = setUp([])
  assert.equal(await step(), undefined)
  assert.ok(isReleased())
})

test('a definition that another server has just established stays until its objects are deleted', async () => {
  const { step, isReleased } = setUp([{ type: 'Established', status: 'True' }])
  await assert.rejects(step(), /not served here yet/)
  assert.ok(!isReleased())
})
