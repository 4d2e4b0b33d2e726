/** A write to an object that does not exist creates it: every such write needs the right to create, not only the right to update. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import { bind } from '../../../../core/resources/bind.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { allKinds } from '../../../support/all-kinds.ts'
import { assertFailure } from '../../../support/api.ts'
import { type InProcess, startInProcess } from '../../../support/in-process.ts'
import { collectionPath, restingObject } from '../../../support/minimal-objects.ts'
import { withoutDefinitionController } from '../../../support/without-definition-controller.ts'

const platform = createPlatform()
const definitions = builtInResources
  .map((definition) => bind(definition, platform))
  .filter(({ verbs }) => verbs.includes('create') && verbs.includes('update') && verbs.includes('patch'))

let running: InProcess
/** Whether creating is denied. */
let isDenied = false
before(async () => {
  running = await startInProcess({
    ...allKinds,
    controllers: [],
    admissionPlugins: { disable: ['ServiceAccount', 'StorageObjectInUseProtection'] },
    authorizers: [
      withoutDefinitionController,
      {
        name: 'no-create',
        authorize: ({ verb }) =>
          isDenied && verb === 'create' ? { verdict: 'deny', reason: 'no' } : { verdict: 'no-opinion', reason: '' },
      },
    ],
  })
})
after(() => running.close())

const applyType = { 'content-type': 'application/apply-patch+yaml' }

for (const definition of definitions) {
  const { names, version, group, createOnUpdate } = definition
  describe(`${names.plural}.${group}/${version}`, () => {
    const object = restingObject(definition, 'missing') as { metadata: { name: string } }
    const path = `${collectionPath(definition)}/${object.metadata.name}`
    const writes = {
      PUT: () => running.api.send('PUT', path, object),
      apply: () => running.api.send('PATCH', `${path}?fieldManager=m&force=true`, object, applyType),
    }
    for (const [title, write] of Object.entries(writes)) {
      test(`${title} of a missing object without the right to create`, async () => {
        isDenied = true
        const answer = await write()
        if (title === 'PUT' && !createOnUpdate) assertFailure(answer, 404, 'NotFound', /not found/)
        else assertFailure(answer, 403, 'Forbidden', /cannot create resource ".*: no$/)
        assert.equal((await running.api.get(path)).status, 404)
        isDenied = false
        if (title === 'PUT' && !createOnUpdate) return
        assert.equal((await write()).status, 201)
        assert.equal((await running.api.delete(`${path}?gracePeriodSeconds=0`)).status, 200)
      })
    }
  })
}
