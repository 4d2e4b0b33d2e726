/** Default roles and bindings and other objects of a fresh server, and those of the reference. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject } from '../../../core/schema/model.ts'
import { fact } from './facts.ts'
import { type Ours, startOurs, text } from './in-process.ts'

let ours: Ours
before(async () => {
  ours = await startOurs()
})
after(() => ours.close())

/** Objects that have the server's address or time in them. */
const varying = /services\/default\/|servicecidrs|token-tracking/
/** Roles that a controller fills; none ran beside the reference. */
const filled = /clusterroles\/\/(admin|edit|view)$/

/** `GROUPVERSION/RESOURCE/NAMESPACE/NAME`, with an empty namespace for cluster-wide objects. */
function pathOf(key: string): string {
  const [name = '', namespace = '', resource = '', ...version] = key.split('/').reverse()
  const base = version.reverse().join('/')
  return namespace === '' ? `${base}/${resource}/${name}` : `${base}/namespaces/${namespace}/${resource}/${name}`
}

/** Without what differs between any two servers: conditions are written after the start. */
function comparable({ kind: _kind, apiVersion: _version, metadata, rules, ...others }: JsonObject, withRules: boolean): JsonObject {
  const { uid: _uid, creationTimestamp: _time, managedFields: _managers, resourceVersion: _revision, ...kept } = metadata as JsonObject
  const { conditions: _conditions, ...status } = (others['status'] ?? {}) as JsonObject
  return {
    metadata: kept,
    ...(withRules && rules !== undefined && { rules }),
    ...others,
    ...(others['status'] !== undefined && { status }),
  }
}

const objects = Object.entries(fact('bootstrap-objects')).filter(([key]) => !varying.test(key))

for (const [key, their] of objects) {
  test(key, async () => {
    const withRules = !filled.test(key)
    assert.equal(text(comparable(await ours.json(pathOf(key)), withRules)), text(comparable(their, withRules)))
  })
}
