import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { admissionPlugins, defaultAdmissionPlugins } from '../../../core/admission/plugins/index.ts'
import { flagGroups, flags, isFlagName } from '../../../core/flags/rows/index.ts'
import { createPlatform } from '../../../core/platform.ts'
import { rootUrl } from '../../support/root.ts'

const specification = new URL('../shared/spec.md', rootUrl)
const spec = existsSync(specification) ? readFileSync(specification, 'utf8') : undefined

/** Of the reference, although the specification does not name them. */
const unspecified = ['apiserver-count', 'log-json-info-buffer-size', 'log-json-split-stream']
const ours = ['data-dir', 'data-dir-recover', 'write-kubeconfig', 'platform', 'platform-domain', 'controllers', 'workers']
const branchFlags = ['enable-branches', 'max-branches', 'max-branch-ttl', 'max-branch-bytes']

function specifiedFlags(): readonly string[] {
  if (spec === undefined) return readFileSync(new URL('test/core/flags/spec-flags.txt', rootUrl), 'utf8').trim().split('\n')
  return [...new Set([...spec.matchAll(/`(?:-[a-z]`, `)?--([a-z0-9][a-z0-9-]*[a-z0-9]|v)(?=[`=])/g)].map((match) => match[1] ?? ''))]
}

const skip = spec === undefined && 'the specification is not beside the checkout'

test('every flag in the specification has a row, and every row is in the specification or our own', () => {
  const specified = specifiedFlags()
  assert.ok(specified.length > 150)
  assert.deepEqual(
    specified.filter((name) => !isFlagName(name)),
    [],
  )
  assert.deepEqual(
    Object.keys(flags).filter((name) => ![...specified, ...unspecified, ...ours, ...branchFlags].includes(name)),
    [],
  )
})

test('the committed list equals the specification', { skip }, () => {
  const committed = readFileSync(new URL('test/core/flags/spec-flags.txt', rootUrl), 'utf8').trim().split('\n')
  assert.deepEqual([...specifiedFlags()].sort(), committed.sort())
})

test('defaults equal those in the flag tables', { skip }, () => {
  const platform = createPlatform()
  const context = { platform, platformName: 'platform' as const, given: () => [] }
  /** Defaults given in prose, not as values. */
  const worded = ['storage-media-type', 'authorization-mode', 'tls-cipher-suites', 'log-text-info-buffer-size']
  const rows = [...(spec ?? '').matchAll(/^\| (?:`-[a-z]`, )?`--([a-z0-9-]+)` \| [^|]* \| ([^|]*) \|/gm)]
  let compared = 0
  for (const [, name = '', cell = ''] of rows) {
    const expected = cell.trim().replaceAll('`', '').replace('<platform-domain>', platform.domain)
    if (!isFlagName(name) || expected === '—' || expected === '[]' || worded.includes(name)) continue
    const row = flags[name]
    assert.equal(row.type.show(row.initial(context)), expected, name)
    compared++
  }
  assert.ok(compared > 50, String(compared))
})

/** Plugins that `kube-apiserver --help` of 1.36.2 names, both as known and as enabled by default, and the specification does not. */
const unlisted = ['JobValidation', 'PodGroupProtection', 'PodGroupWorkloadExists', 'PodResizeValidator']

test('the admission plugins equal those of the specification', { skip }, () => {
  const listed = (title: string) => [...(new RegExp(`^${title}: (.*)\\.$`, 'm').exec(spec ?? '')?.[1]?.split(', ') ?? []), ...unlisted]
  assert.deepEqual(admissionPlugins.map(({ name }) => name).sort(), listed('Known plugin names').sort())
  assert.deepEqual(new Set(defaultAdmissionPlugins), new Set(listed('Default-enabled set')))
})

test('flag names are unique over all groups, none begins with no-, and short names are unique', () => {
  const names = flagGroups.flatMap((group) => Object.keys(group.flags))
  assert.equal(new Set(names).size, names.length)
  assert.equal(names.length, Object.keys(flags).length)
  assert.deepEqual(
    names.filter((name) => name.startsWith('no-')),
    [],
  )
  const shorts = flagGroups.flatMap((group) => Object.values(group.flags).flatMap(({ short }) => short ?? []))
  assert.deepEqual(shorts.sort(), ['h', 'v'])
})
