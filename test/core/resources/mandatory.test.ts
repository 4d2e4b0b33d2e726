import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mandatoryLevels, mandatorySchemas } from '../../../core/resources/flowcontrol/mandatory.ts'
import { causesOf, startServer, tables, withChanges } from './support.ts'

const client = startServer()
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1'
const rows = [
  ['FlowSchema', 'flowschemas', mandatorySchemas],
  ['PriorityLevelConfiguration', 'prioritylevelconfigurations', mandatoryLevels],
] as const

for (const [kind, plural, specs] of rows) {
  for (const [name, spec] of Object.entries(specs)) {
    test(`${kind} ${name} has a fixed spec`, async () => {
      const { send } = await client
      const path = `/apis/${apiVersion}/${plural}?dryRun=All`
      const object = { kind, apiVersion, metadata: { name }, spec }
      const taken = await send('POST', path, object)
      assert.equal(taken.code, 201, JSON.stringify(taken.body))
      const change = kind === 'FlowSchema' ? { 'spec.rules': undefined } : { 'spec.limited': { nominalConcurrencyShares: 7 } }
      const refused = await send('POST', path, withChanges(object, change))
      assert.match(
        causesOf(refused).join('\n'),
        new RegExp(`spec of '${name}' (except the 'spec.exempt' field )?must equal the fixed value`),
      )
    })
  }
}

test('lendablePercent of the exempt priority level is configurable', async () => {
  const { send } = await client
  const spec = { type: 'Exempt', exempt: { nominalConcurrencyShares: 5, lendablePercent: 50 } }
  const object = { kind: 'PriorityLevelConfiguration', apiVersion, metadata: { name: 'exempt' }, spec }
  const taken = await send('POST', `/apis/${apiVersion}/prioritylevelconfigurations?dryRun=All`, object)
  assert.equal(taken.code, 201, JSON.stringify(taken.body))
})

tables(
  client,
  {
    path: '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates',
    manifest: {
      apiVersion: 'coordination.k8s.io/v1beta1',
      kind: 'LeaseCandidate',
      metadata: { name: 'c' },
      spec: { leaseName: 'l', binaryVersion: '1.36.0', emulationVersion: '1.35.0', strategy: 'OldestEmulationVersion' },
    },
  },
  {
    stored: [['a prerelease', { 'spec.binaryVersion': '1.36.0-alpha.1+x' }, {}]],
    refused: [
      [
        'no version, which is less than any',
        { 'spec.binaryVersion': '1.36' },
        ['must be a valid semantic version', 'must be greater than or equal to `emulationVersion`'].map(
          (why) => `spec.binaryVersion: Invalid value: "1.36": ${why}`,
        ),
      ],
      [
        'emulation version above the binary version',
        { 'spec.emulationVersion': '1.37.0' },
        ['spec.binaryVersion: Invalid value: "1.36.0": must be greater than or equal to `emulationVersion`'],
      ],
      [
        'no emulation version',
        { 'spec.emulationVersion': undefined },
        ["spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"],
      ],
    ],
  },
)

tables(
  client,
  {
    path: '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations',
    manifest: {
      apiVersion: 'storagemigration.k8s.io/v1beta1',
      kind: 'StorageVersionMigration',
      metadata: { name: 'm' },
      spec: { resource: { group: 'apps', resource: 'deployments' } },
    },
  },
  {
    refused: [
      ['no resource', { 'spec.resource.resource': '' }, ['spec.resource.resource: Required value: resource is required to be set']],
    ],
    updates: [
      [
        'resource',
        { 'spec.resource.resource': 'daemonsets' },
        ['spec: Invalid value: {"Resource":{"Group":"apps","Resource":"daemonsets"}}: field is immutable'],
      ],
    ],
  },
)
