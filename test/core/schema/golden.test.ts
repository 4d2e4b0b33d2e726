/** Compares with files written by kube-apiserver: GOLDEN_DIR holds `<group>.<version>.<Kind>.json` and `.pb`. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createPlatform } from '../../../core/platform.ts'
import { builtInResources } from '../../../core/resources/group-versions.ts'
import { decode } from '../../../core/schema/decode.ts'
import type { Json, Message } from '../../../core/schema/model.ts'
import { decodeEnvelope, decodeProtobuf, encodeEnvelope, encodeProtobuf } from '../../../core/schema/protobuf/protobuf.ts'

const folder = process.env['GOLDEN_DIR'] ?? ''
const skip = folder === '' ? 'GOLDEN_DIR is not set' : existsSync(folder) ? false : `${folder} does not exist`

function schemas(): Map<string, Message> {
  const platform = createPlatform()
  const byName = new Map<string, Message>()
  for (const { group, version, kind, schema, subresources } of builtInResources) {
    const name = (itsGroup: string, itsVersion: string, itsKind: string) => `${platform.name(itsGroup) || 'core'}.${itsVersion}.${itsKind}`
    byName.set(name(group, version, kind), schema)
    for (const sub of subresources) byName.set(name(sub.group ?? group, sub.version ?? version, sub.kind), sub.schema)
  }
  return byName
}

describe('golden files', { skip }, () => {
  const known = skip === false ? schemas() : new Map<string, Message>()
  const names =
    skip === false
      ? readdirSync(folder)
          .filter((file) => /^[^_]*\.json$/.test(file))
          .map((file) => file.slice(0, -5))
      : []
  for (const name of names) {
    const schema = known.get(name)
    if (schema === undefined) continue
    it(name, () => {
      const text = readFileSync(join(folder, `${name}.json`), 'utf8').trimEnd()
      const framed = new Uint8Array(readFileSync(join(folder, `${name}.pb`)))
      const { value, unknown } = decode(schema, JSON.parse(text) as Json, { root: true })
      const { kind, apiVersion, raw } = decodeEnvelope(framed)
      assert.equal(JSON.stringify({ kind, apiVersion, ...decodeProtobuf(schema, raw) }), JSON.stringify(value))
      // Files of another release may have fields that these schemas lack.
      if (unknown.length > 0) return
      assert.equal(JSON.stringify(value, undefined, 2), text)
      assert.ok(Buffer.from(encodeEnvelope(apiVersion, kind, encodeProtobuf(schema, value))).equals(framed))
    })
  }
})
