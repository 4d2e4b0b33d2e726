import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseFeatureGates } from '../../../../core/config/feature-gates.ts'
import { loadFile } from '../../../../core/config/files/load.ts'
import { encryptionConfiguration } from '../../../../core/encryption/file/encryption.ts'
import { encryptionFileConflicts } from '../../../../core/encryption/file/providers.ts'
import { createPlatform } from '../../../../core/platform.ts'

const platform = createPlatform()
const key = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')

function load(resources: unknown, automaticReload = false) {
  const text = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources })
  return loadFile(encryptionConfiguration, text, 'f', platform, { automaticReload })
}
const entry = (provider: unknown, ...resources: string[]) => ({
  resources: resources.length > 0 ? resources : ['secrets'],
  providers: [provider],
})
const keys = (secret: string) => ({ keys: [{ name: 'k', secret }] })
const kms = (fields: object) => entry({ kms: { name: 'p', endpoint: 'unix:///run/p', ...fields } })

function problems(resources: unknown, automaticReload?: boolean): string {
  try {
    load(resources, automaticReload)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return ''
}

test('files with kind EncryptionConfig are accepted', () => {
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'EncryptionConfig', resources: [entry({ identity: {} })] })
  assert.deepEqual(loadFile(encryptionConfiguration, text, 'f', platform).resources[0]?.resources, ['secrets'])
  const wrong = JSON.stringify({ apiVersion: 'v1', kind: 'EncryptionConfiguration', resources: [] })
  assert.throws(() => loadFile(encryptionConfiguration, wrong, 'f', platform), /apiVersion: no kind/)
})

describe('keys', () => {
  const allowed = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] }
  for (const [name, lengths] of Object.entries(allowed)) {
    for (const length of [8, 16, 24, 31, 32]) {
      test(`${name} with ${length} bytes`, () => {
        const found = problems([entry({ [name]: keys(key(length)) })])
        if (lengths.includes(length)) assert.equal(found, '')
        else
          assert.match(
            found,
            new RegExp(`resources\\[0\\]\\.providers\\[0\\]\\.${name}\\.keys\\[0\\]\\.secret: Invalid value: "REDACTED": .*got ${length}`),
          )
      })
    }
  }
  test('keys have names and base64 secrets; errors do not show secrets', () => {
    assert.match(problems([entry({ aescbc: { keys: [{ secret: key(32) }] } })]), /keys\[0\]\.name: Required value/)
    assert.match(problems([entry({ aescbc: { keys: [] } })]), /aescbc\.keys: Required value/)
    assert.match(problems([entry({ aescbc: keys('') })]), /secret: Required value/)
    const found = problems([entry({ aescbc: keys('top-secret!') })])
    assert.match(found, /secret: Invalid value: "REDACTED": secrets must be base64 encoded/)
    assert.ok(!found.includes('top-secret'))
  })
})

describe('providers', () => {
  test('exactly one provider in an element, at least one element', () => {
    assert.match(problems([entry({ identity: {}, aescbc: keys(key(32)) })]), /more than one provider/)
    assert.match(problems([entry({})]), /does not contain any of the expected providers/)
    assert.match(problems([{ resources: ['secrets'], providers: [] }]), /providers: Required value/)
    assert.match(problems([]), /resources: Required value/)
    assert.match(problems([entry({ identity: { x: 1 } })]), /unknown field "[^"]*identity\.x"/)
  })
  test('kms has defaults that depend on its version', () => {
    const first = (fields: object) => load([kms(fields)]).resources[0]?.providers[0]?.kms
    assert.deepEqual(first({}), { name: 'p', endpoint: 'unix:///run/p', apiVersion: 'v1', timeout: 3000, cachesize: 1000 })
    assert.deepEqual(first({ apiVersion: 'v2', timeout: '5s' }), {
      name: 'p',
      endpoint: 'unix:///run/p',
      apiVersion: 'v2',
      timeout: 5000,
      cachesize: undefined,
    })
    assert.equal(first({ cachesize: -1 })?.cachesize, -1)
  })
  for (const [fields, message] of [
    [{ cachesize: 0 }, /cachesize: Invalid value: 0: cachesize should be a positive value, or negative to disable/],
    [{ apiVersion: 'v2', cachesize: 5 }, /cachesize is not supported in v2/],
    [{ apiVersion: 'v3' }, /only v1 and v2 are supported/],
    [{ apiVersion: 'v2', name: 'a:b' }, /must not contain ':'/],
    [{ endpoint: 'tcp://a' }, /unsupported scheme "tcp" for KMS provider/],
    [{ endpoint: '' }, /endpoint is a mandatory field/],
    [{ name: '' }, /name is a mandatory field/],
    [{ timeout: '0s' }, /timeout should be a positive value/],
    [{ timeout: 'soon' }, /timeout: must be a duration/],
  ] as const) {
    test(JSON.stringify(fields), () => assert.match(problems([kms(fields)]), message))
  }
  test('plugin names are unique for v2, and for v1 when the file is reloaded', () => {
    assert.match(
      problems([kms({ apiVersion: 'v2' }), { ...kms({ apiVersion: 'v2' }), resources: ['configmaps'] }]),
      /duplicate KMS provider name p/,
    )
    const old = [kms({}), { ...kms({}), resources: ['configmaps'] }]
    assert.equal(problems(old), '')
    assert.match(problems(old, true), /duplicate KMS provider name p/)
  })
  test('KMS v1 requires its gate', () => {
    const gates = (...pairs: string[]) => parseFeatureGates(pairs, platform)
    assert.match(encryptionFileConflicts(load([kms({})]), gates())[0] ?? '', /needs --feature-gates=KMSv1=true/)
    assert.deepEqual(encryptionFileConflicts(load([kms({})]), gates('KMSv1=true')), [])
    assert.deepEqual(encryptionFileConflicts(load([kms({ apiVersion: 'v2' })]), gates()), [])
  })
})

describe('resources', () => {
  const identity = (...resources: string[]) => entry({ identity: {} }, ...resources)
  for (const [name, message] of [
    ['Secrets', /should not contain capital letters/],
    ['*', /use '\*\.' to encrypt/],
    ['x.events.k8s.io', /Use 'events' instead/],
    ['x.extensions', /'extensions' group has been removed/],
    ['pods.*', /encrypting the same resource across groups/],
    ['serviceipallocations', /cannot be encrypted/],
  ] as const) {
    test(name, () => assert.match(problems([identity(name)]), message))
  }
  test('no duplicates and no overlaps in a list of resources', () => {
    assert.match(problems([identity('secrets', 'secrets')]), /cannot be specified multiple times/)
    for (const list of [
      ['secrets', '*.'],
      ['*.*', 'secrets'],
      ['*.apps', 'deployments.apps'],
      ['*.', '*.*'],
    ]) {
      assert.match(problems([identity(...list)]), /overlapping resources/, list.join())
    }
    assert.equal(problems([identity('secrets', '*.apps', 'jobs.batch')]), '')
  })
  test('a wider wildcard may follow an entry, not precede it', () => {
    assert.equal(problems([identity('events'), identity('*.apps'), identity('*.*')]), '')
    assert.match(
      problems([identity('*.*'), identity('*.apps')]),
      /resources\[1\]\.resources\[0\]: Invalid value: "\*\.apps": has no effect, since \*\.\* of an earlier entry overlaps it/,
    )
    assert.match(problems([identity('*.'), identity('secrets')]), /has no effect/)
    assert.equal(problems([identity('secrets'), identity('secrets')]), '')
  })
})
