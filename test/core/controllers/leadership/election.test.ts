/** Who is elected: versions and strategies as in the reference's election_test.go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bestCandidate, bestStrategy, candidateOf, isLeaseExpired } from '../../../../core/controllers/leadership/election.ts'
import { compareVersions, parseVersion } from '../../../../core/controllers/leadership/version.ts'

const candidate = (name: string, binaryVersion: string, emulationVersion: string, more: { created?: string; strategy?: string } = {}) =>
  candidateOf({
    kind: 'LeaseCandidate',
    apiVersion: 'coordination.k8s.io/v1beta1',
    metadata: { name, creationTimestamp: more.created ?? '2026-01-01T00:00:00Z' },
    spec: { binaryVersion, emulationVersion, strategy: more.strategy ?? 'OldestEmulationVersion' },
  })

test('versions are read tolerantly, and compared as semantic versions', () => {
  const ascending = ['0.1', 'v1.2.3-alpha', '1.2.3-alpha.1', '1.2.3-alpha.beta', '1.2.3-2a', '1.2.3', '1.2.10', ' 1.3 ', '2', '10.0.0']
  const sorted = ascending.toSorted((one, other) => compareVersions(parseVersion(one)!, parseVersion(other)!))
  assert.deepEqual(sorted, [
    '0.1',
    '1.2.3-2a',
    'v1.2.3-alpha',
    '1.2.3-alpha.1',
    '1.2.3-alpha.beta',
    '1.2.3',
    '1.2.10',
    ' 1.3 ',
    '2',
    '10.0.0',
  ])
  assert.equal(compareVersions(parseVersion('1.36')!, parseVersion('v1.36.0+build.7')!), 0)
  assert.equal(compareVersions(parseVersion('1.2.3-10')!, parseVersion('1.2.3-9')!), 1)
  assert.equal(compareVersions(parseVersion('1.2.03')!, parseVersion('1.2.3')!), 0)
  for (const malformed of ['', 'x', '1.', '1.2.3.4', '1.2-alpha', '1.2.3-01', '-1', '1.2.3-', '1.2.3+', `1.${'0'.repeat(300)}`]) {
    assert.equal(parseVersion(malformed), undefined, malformed)
  }
})

test('the oldest emulated version leads, then the oldest binary, then the first that came', () => {
  const rows: readonly (readonly [ReturnType<typeof candidate>[], string | undefined])[] = [
    [[], undefined],
    [[candidate('a', '1.36.0', '1.36.0'), candidate('b', '1.36.0', '1.35.0')], 'b'],
    [[candidate('a', '1.36.0', '1.35.0'), candidate('b', '1.35.0', '1.35.0')], 'b'],
    [[candidate('a', '1.36.0', '1.36.0', { created: '2026-01-02T00:00:00Z' }), candidate('b', '1.36.0', '1.36.0')], 'b'],
    [[candidate('a', '1.36.0', '1.36.0'), candidate('b', '1.36.0', '1.36.0')], 'a'],
    [[candidate('a', '1.36.0', ''), candidate('b', '1.36.0', '1.36.0')], 'b'],
    [[candidate('a', '', '1.30.0')], undefined],
    [[candidate('a', '1.9.0', '1.9.0'), candidate('b', '1.10.0', '1.10.0')], 'a'],
  ]
  for (const [candidates, expected] of rows) assert.equal(bestCandidate(candidates)?.name, expected)
})

test('the strategy is that of the newest binaries, which must agree', () => {
  const other = 'example.com/mine'
  assert.throws(() => bestStrategy([]), /no candidate/)
  assert.equal(bestStrategy([candidate('a', '1.35.0', '1.35.0'), candidate('b', '1.36.0', '1.36.0', { strategy: other })]), other)
  assert.equal(
    bestStrategy([candidate('a', '1.36.0', '1.35.0'), candidate('b', '1.35.0', '1.35.0', { strategy: other })]),
    'OldestEmulationVersion',
  )
  assert.throws(
    () => bestStrategy([candidate('a', '1.36.0', '1.35.0'), candidate('b', '1.36.0', '1.36.0', { strategy: other })]),
    /a and b have one binary version and different strategies/,
  )
})

test('a lease expires its duration after its renewal; without either it has expired', () => {
  const now = Date.parse('2026-01-01T00:00:10Z')
  assert.ok(!isLeaseExpired({ renewTime: '2026-01-01T00:00:05.000000Z', leaseDurationSeconds: 5 }, now))
  assert.ok(isLeaseExpired({ renewTime: '2026-01-01T00:00:04.999999Z', leaseDurationSeconds: 5 }, now))
  assert.ok(isLeaseExpired({ leaseDurationSeconds: 5 }, now))
  assert.ok(isLeaseExpired({ renewTime: '2026-01-01T00:00:05.000000Z' }, now))
})
