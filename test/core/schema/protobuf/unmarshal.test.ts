/**
 * What kube-apiserver's own decoders (`Unmarshal` of its Go types of 1.36) read from bytes that no encoder writes: fields that repeat, in any order,
 * packed and not, groups, unknown fields, entries of maps without a key or past their end, and damage. `unmarshal.tsv` has recorded rows of kind, bytes and
 * what Go prints, or its error.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createPlatform } from '../../../../core/platform.ts'
import { bind } from '../../../../core/resources/bind.ts'
import { builtInResources } from '../../../../core/resources/group-versions.ts'
import { DecodeError } from '../../../../core/schema/decode.ts'
import { parseExact } from '../../../../core/schema/json/text.ts'
import type { Message } from '../../../../core/schema/model.ts'
import { decodeProtobuf } from '../../../../core/schema/protobuf/protobuf.ts'
import { root } from '../../../support/root.ts'

const platform = createPlatform()
const schemas = new Map<string, Message>()
for (const definition of builtInResources) {
  const { group, kind, version, schema } = bind(definition, platform)
  if (version === (kind === 'HorizontalPodAutoscaler' ? 'v2' : 'v1')) schemas.set(`${group}/${kind}`, schema)
}

const bytes = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const schemaOf = (kind: string) => schemas.get(kind) ?? assert.fail(kind)
const decoded = (kind: string, hex: string) => decodeProtobuf(schemaOf(kind), bytes(hex))

const recorded = readFileSync(join(root, 'test/core/schema/protobuf/unmarshal.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((row) => row.split('\t') as [kind: string, hex: string, printed: string])

describe('protobuf, as Go reads it', () => {
  it('recorded values', () => {
    const values = recorded.filter(([, , printed]) => !printed.startsWith('error: '))
    assert.ok(values.length > 150)
    for (const [kind, hex, printed] of values) assert.deepEqual(decoded(kind, hex), parseExact(printed), `${kind} ${hex}`)
  })

  it('recorded errors', () => {
    const errors = recorded.filter(([, , printed]) => printed.startsWith('error: '))
    assert.ok(errors.length > 20)
    for (const [kind, hex, printed] of errors) {
      assert.throws(
        () => decoded(kind, hex),
        (error) => {
          assert.ok(error instanceof DecodeError)
          // Go's names of fields are not known here.
          assert.equal(`error: ${error.message}`.replace(/field \w+/, 'field'), printed, `${kind} ${hex}`)
          return true
        },
      )
    }
  })

  it('a second metadata adds to the first', () => {
    assert.deepEqual(decoded('/ConfigMap', '0a0a 0a0161 5a05 0a016b 1200 0a08 0a0162 5a03 0a016c')['metadata'], {
      name: 'b',
      labels: { k: '', l: '' },
    })
  })

  it('texts keep a byte order mark, and have one U+FFFD for each invalid byte', () => {
    assert.deepEqual(decoded('/ConfigMap', '0a0b 0a04 efbbbf61 1203 e28261')['metadata'], {
      name: '\ufeffa',
      generateName: '\ufffd\ufffda',
    })
  })
})
