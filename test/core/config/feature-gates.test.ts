import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { dependencies } from '../../../core/config/feature-gate-dependencies.ts'
import { specOf } from '../../../core/config/feature-gate-history.ts'
import { gateRows } from '../../../core/config/feature-gate-rows.ts'
import { parseFeatureGates } from '../../../core/config/feature-gates.ts'
import { createPlatform } from '../../../core/platform.ts'
import { rootUrl } from '../../support/root.ts'

const parse = (...pairs: string[]) => parseFeatureGates(pairs, createPlatform())
const shared = new URL('../shared/', rootUrl)

test('rows are sorted and unique, alpha gates are off, and no row is later than 1.36', () => {
  const names = gateRows.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)].sort())
  for (const row of gateRows) {
    if (row.stage === 'alpha') assert.equal(row.default, false, row.name)
    assert.ok(Number(row.since.split('.')[1]) <= 36, row.name)
  }
})

test('every gate in the facts and the specification has a row', {
  skip: !existsSync(shared) && 'the specification is not beside the checkout',
}, () => {
  const folder = new URL('facts/messages/', shared)
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
  const named = texts.flatMap((text) => [...text.matchAll(/"featureGate": ?"([^"]+)"/g)].flatMap((match) => match[1]?.split(',') ?? []))
  const spec = readFileSync(new URL('spec.md', shared), 'utf8')
  named.push(...[...spec.matchAll(/(?:gate|feature) ([A-Z]\w+)|the ([A-Z]\w+) gate/g)].map((match) => match[1] ?? match[2] ?? ''))
  // Comments of the API or flags name them; no server of release 1.36 knows them.
  const withoutRow = ['CSIStorageCapacity', 'PodCertificateProjection', 'ServiceAccountIssuerDiscovery', 'TopologyAwareHints']
  const known = new Set<string>([...gateRows.map(({ name }) => name), ...withoutRow])
  assert.ok(named.length > 100)
  assert.deepEqual(
    [...new Set(named)].filter((name) => !known.has(name)),
    [],
  )
})

test('every gate that the original lists has the same default and stage here', {
  skip: !existsSync(shared) && 'the specification is not beside the checkout',
}, () => {
  const { wordAliases } = createPlatform('kubernetes')
  const ours = (name: string) => wordAliases.reduce((text, [word, alias]) => text.replace(alias, word), name)
  const text = readFileSync(new URL('facts/reference-1.36.2/feature-gates.txt', shared), 'utf8')
  const listed = [...text.matchAll(/^(\w+)=true\|false \((ALPHA|BETA) - default=(true|false)\)$/gm)]
  const distribution = ['MinimumKubeletVersion', 'RouteExternalCertificate', 'StoragePerformantSecurityPolicy']
  const expected = listed
    .map(([, name = '', stage = '', value]) => `${ours(name)} ${stage.toLowerCase()} ${value}`)
    .filter((each) => !/^All(Alpha|Beta) /.test(each) && !distribution.some((name) => each.startsWith(`${ours(name)} `)))
  const own = gateRows
    .filter(({ stage }) => stage === 'alpha' || stage === 'beta')
    .map(({ name, stage, default: value }) => `${name} ${stage} ${value}`)
  assert.deepEqual(own.sort(), expected.sort())
})

test('defaults and changes', () => {
  const gates = parse()
  assert.equal(gates.enabled('WatchList'), true)
  assert.equal(gates.enabled('KMSv1'), false)
  assert.equal(gates.all.length, gateRows.length)
  assert.equal(parse('WatchList=false').enabled('WatchList'), false)
  assert.equal(parse('kube:WatchList=false').enabled('WatchList'), false)
  assert.equal(parse(' WatchList = F ', '').enabled('WatchList'), false)
})

test('a named gate takes precedence over AllAlpha and AllBeta, in any order', () => {
  for (const pairs of [
    ['AllAlpha=true', 'CBORServingAndStorage=false'],
    ['CBORServingAndStorage=false', 'AllAlpha=true'],
  ]) {
    const gates = parse(...pairs)
    assert.equal(gates.enabled('CBORServingAndStorage'), false)
    assert.equal(gates.enabled('ShardedListAndWatch'), true)
    assert.equal(gates.enabled('MaxUnavailableStatefulSet'), false)
  }
  const gates = parse('AllBeta=false')
  assert.equal(gates.enabled('WatchList'), false)
  assert.equal(gates.enabled('MutatingAdmissionPolicy'), true)
})

test('errors name the gate', () => {
  assert.throws(() => parse('Nope=true'), { name: 'DecodeError', message: 'unrecognized feature gate: Nope' })
  assert.throws(() => parse('constructor=true'), /unrecognized feature gate: constructor/)
  assert.throws(() => parse('WatchList'), /missing bool value for WatchList/)
  assert.throws(() => parse('WatchList=maybe'), /invalid value of WatchList=maybe/)
  assert.throws(() => parse('other:WatchList=true'), /component not registered: other/)
  assert.throws(() => parse('APIServerTracing=false'), /cannot set feature gate APIServerTracing to false, feature is locked to true/)
  assert.deepEqual(parse('APIServerTracing=true').enabled('APIServerTracing'), true)
})

test('gates about nodes may be spelled as on the platform', () => {
  assert.equal(parse('KubeletInUserNamespace=true').enabled('NodeagentInUserNamespace'), true)
  assert.throws(() => parse('KubeletTracing=false'), /cannot set feature gate KubeletTracing to false/)
})

test('gates to be removed warn', () => {
  assert.match(parse('KMSv1=true').warnings[0] ?? '', /setting deprecated feature gate KMSv1=true/)
  assert.match(parse('MutatingAdmissionPolicy=true').warnings[0] ?? '', /setting GA feature gate/)
  assert.deepEqual(parse('WatchList=true', 'ShardedListAndWatch=true').warnings, [])
})

test('switching a gate without effect here warns, by name or by stage', () => {
  const idle = 'APIServingWithRoutine=true has no effect: it bounds the stack size of goroutines, and there are none'
  assert.deepEqual(parse('APIServingWithRoutine=true').warnings, [idle])
  assert.deepEqual(parse('APIServingWithRoutine=false').warnings, [])
  assert.ok(parse('AllAlpha=true').warnings.includes(idle))
  const nodes = parse('MemoryQoS=true').warnings
  assert.deepEqual(nodes, [], 'gates of other components give no warning')
})

test('a gate is read, or its row states why it is not', () => {
  const files = ['core/', 'runtimes/'].flatMap((folder) => {
    const url = new URL(folder, rootUrl)
    const names = readdirSync(url, { recursive: true, encoding: 'utf8' })
    return names.filter((file) => /\.(ts|js)$/.test(file) && !file.includes('feature-gate')).map((file) => new URL(file, url))
  })
  const code = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const isRead = (name: string) => new RegExp(`['",]${name}['",]`).test(code)
  for (const { name, readBy, idle, lockToDefault } of gateRows) {
    assert.ok(!readBy || !idle, `${name} has two reasons`)
    if (readBy || idle) assert.ok(!isRead(name), `${name} is read, and its row has a reason why it is not`)
    // Gates that can't be switched need no reason.
    else assert.ok(lockToDefault || isRead(name), `nothing reads ${name}: its row needs \`readBy\`, or \`idle\` with the reason`)
  }
})

test('a gate that needs others is refused without them', () => {
  const message = 'GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]'
  assert.throws(() => parse('GangScheduling=true'), { name: 'DecodeError', message })
  assert.equal(parse('GangScheduling=true', 'GenericWorkload=true').enabled('GangScheduling'), true)
  assert.throws(
    () => parse('APIServerIdentity=false', 'AllAlpha=true'),
    /StorageVersionAPI is enabled, but depends on features that are disabled/,
  )
  assert.throws(() => parse('DRADeviceTaintRules=true', 'DRADeviceTaints=false'), /DRADeviceTaintRules is enabled, but depends/)
  for (const [name, needed] of Object.entries(dependencies)) {
    const known = new Set<string>(gateRows.map((row) => row.name))
    assert.ok(
      [name, ...needed].every((each) => known.has(each)),
      name,
    )
  }
  for (const minor of [33, 34, 35, 36])
    for (const pairs of [[], ['AllAlpha=true', 'AllBeta=true'], ['AllBeta=false']]) parseFeatureGates(pairs, createPlatform(), `1.${minor}`)
})

test('an emulated release has its own gates, stages and defaults', () => {
  const at = (minor: number, ...pairs: string[]) => parseFeatureGates(pairs, createPlatform(), `1.${minor}`)
  const name = 'ConstrainedImpersonation'
  assert.equal(at(36).enabled(name), true)
  assert.equal(at(35).enabled(name), false)
  assert.equal(at(35, `${name}=true`).enabled(name), true)
  assert.equal(at(35, 'AllAlpha=true').enabled(name), true)
  assert.equal(at(34).enabled(name), false)
  assert.throws(() => at(34, `${name}=true`), {
    name: 'DecodeError',
    message: `cannot set feature gate ${name} to true, feature is PreAlpha at emulated version 1.34`,
  })
  assert.throws(() => at(33, 'Nope=true'), /unrecognized feature gate: Nope/)
  assert.ok(at(34).all.every(({ row }) => row.name !== name))
  assert.equal(at(34, 'AllAlpha=true').enabled(name), false)
  assert.equal(at(33).enabled('WatchList'), false)
  assert.equal(at(33, 'InPlacePodVerticalScaling=false').enabled('InPlacePodVerticalScaling'), false)
  assert.throws(() => at(35, 'InPlacePodVerticalScaling=false'), /locked to true/)
  assert.deepEqual(
    [33, 34, 35, 36].map((minor) => at(minor).enabled('ImageVolume')),
    [false, false, true, true],
  )
})

test('earlier stages of gates precede later ones', () => {
  for (const row of gateRows) {
    const specs = [33, 34, 35, 36].flatMap((minor) => specOf(row, `1.${minor}`) ?? [])
    const releases = specs.map(({ since }) => Number(since.split('.')[1]))
    assert.deepEqual(
      releases,
      releases.toSorted((a, b) => a - b),
      row.name,
    )
    assert.equal(specs.at(-1), row, row.name)
    for (const { stage, default: value } of specs) if (stage === 'alpha') assert.equal(value, false, row.name)
  }
})
