import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportedVersion, versionInfo, versionText } from '../../../core/config/version.ts'
import { helpText } from '../../../core/flags/help.ts'
import { flagGroups, flags } from '../../../core/flags/rows/index.ts'
import { createPlatform } from '../../../core/platform.ts'

test('help lists every group and every flag, within 100 columns', () => {
  const text = helpText(createPlatform())
  for (const { title } of flagGroups) assert.ok(text.includes(`\n${title} flags:\n`), title)
  for (const name of Object.keys(flags)) assert.match(text, new RegExp(`^ +(-\\w, )?--${name}(?![\\w-])`, 'm'))
  for (const line of text.split('\n')) assert.ok(line.length <= 100, line)
  assert.ok(!/[<>]/.test(text), 'no placeholder is left')
})

test('help shows defaults', () => {
  const text = helpText(createPlatform())
  assert.match(text, /--secure-port int\n .*\(default 6443\)\n/)
  assert.match(text, /--event-ttl duration\n .*\(default 1h0m0s\)\n/)
  assert.match(text, /-v, --v int\n/)
  assert.match(text, /--version\[=version\]\n/)
  assert.ok(!text.includes('--etcd-servers'))
})

test('every flag has an effect', () => {
  for (const name of ['platform', 'kubernetes'] as const)
    assert.doesNotMatch(helpText(createPlatform(name), name).replaceAll(/\s+/g, ' '), /not (yet )?implemented|no effect/i)
})

test('help uses the spellings of a platform', () => {
  const text = helpText(createPlatform('kubernetes'), 'kubernetes')
  assert.match(text, /kube-apiserver \[flags\]/)
  assert.match(text, /--kvstore-servers, --etcd-servers strings\n/)
  assert.match(text, /\(default \/var\/run\/kubernetes\)/)
})

test('version', () => {
  const info = versionInfo({ runtime: 'node20', platform: 'linux/amd64' })
  assert.deepEqual([info.major, info.minor, info.gitVersion, info.goVersion], ['1', '36', 'v1.36.0', 'node20'])
  assert.equal(versionText('true', 'APIServer'), 'APIServer v1.36.0')
  assert.equal(JSON.parse(versionText('raw', 'APIServer') ?? '').gitVersion, 'v1.36.0')
  for (const flag of [undefined, 'false', 'v1.36.9']) assert.equal(versionText(flag, 'APIServer'), undefined)
  assert.equal(versionInfo({}, reportedVersion('v1.36.9')).gitVersion, 'v1.36.9')
  assert.equal(reportedVersion(undefined), 'v1.36.0')
})
