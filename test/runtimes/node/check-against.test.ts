/** `apiserver check --against`: what exists in a cluster is copied, and the manifest is judged as an update of it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '../../../core/schema/model.ts'
import { Judge } from '../../../runtimes/node/check/judge.ts'
import { loadManifests } from '../../../runtimes/node/check/manifests.ts'
import { startServer } from '../../../runtimes/node/check/server.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const jobOf = (image: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'once' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } } },
})

/** Judges a manifest beside an object of a cluster. */
async function judged(manifest: object, existing: JsonObject) {
  const { path, remove } = temporaryDirectory()
  const server = await startServer({ platform: 'kubernetes' })
  try {
    writeFileSync(join(path, 'a.yaml'), JSON.stringify(manifest))
    const judge = new Judge(server, {
      namespace: 'default',
      skipUnknown: false,
      existing: async (at) => (at.endsWith('/once') ? existing : undefined),
    })
    const [verdict] = await judge.judge(loadManifests([path]).objects)
    assert.ok(verdict)
    return verdict
  } finally {
    await server.close()
    remove()
  }
}

/** The job as a cluster has it, with what the server adds. */
async function inCluster(): Promise<JsonObject> {
  const server = await startServer({ platform: 'kubernetes' })
  try {
    const target = '/apis/batch/v1/namespaces/default/jobs'
    const headers = ['content-type', 'application/json', 'accept', 'application/json']
    const response = await server.send({ method: 'POST', target, headers, body: JSON.stringify(jobOf('a')) })
    assert.equal(response.status, 201)
    return (await response.json()) as JsonObject
  } finally {
    await server.close()
  }
}

test('a job, whose selector is the server’s, is compared with the one that exists', async () => {
  const existing = await inCluster()
  const same = await judged(jobOf('a'), existing)
  assert.deepEqual([same.outcome, same.warnings], ['valid', []])
  const other = await judged(jobOf('b'), existing)
  assert.equal(other.outcome, 'invalid')
  assert.match(other.problems[0]?.message ?? '', /^spec\.template: Invalid value: .*: field is immutable$/)
})

test('a manifest whose object in the cluster can’t be copied is judged as a new one, with a warning', async () => {
  const { outcome, warnings } = await judged(jobOf('a'), { ...jobOf('a'), metadata: { name: 'once', labels: { 'no label': '' } } })
  assert.equal(outcome, 'valid')
  assert.match(warnings[0] ?? '', /^judged as a new object, because the one in the cluster can't be copied: .*metadata\.labels: /)
})
