import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admissionConfiguration } from '../../../../core/admission/file/admission.ts'
import { ConfigurationFileError } from '../../../../core/config/files/error.ts'
import { loadFile } from '../../../../core/config/files/load.ts'
import { tracingConfiguration } from '../../../../core/config/files/tracing.ts'
import { type FileKindName, fileKinds } from '../../../../core/flags/file-kinds.ts'
import { createPlatform } from '../../../../core/platform.ts'
import fc from '../../../support/fast-check.ts'

const platform = createPlatform()
const load = (text: string) => loadFile(tracingConfiguration, text, 'f.yaml', platform)
const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n'

describe('rules for files of every kind', () => {
  test('YAML and JSON', () => {
    assert.equal(load(`${head}endpoint: localhost:4317`).endpoint, 'localhost:4317')
    assert.equal(
      load('{"apiVersion":"apiserver.config.k8s.io/v1beta1","kind":"TracingConfiguration","samplingRatePerMillion":5}')
        .samplingRatePerMillion,
      5,
    )
  })
  test('kind and apiVersion must match', () => {
    for (const [text, message] of [
      ['', 'f.yaml: must be an object of kind TracingConfiguration'],
      ['[]', 'f.yaml: must be an object of kind TracingConfiguration'],
      ['a: 1', 'f.yaml: kind: Required value'],
      ['kind: TracingConfiguration', 'f.yaml: apiVersion: Required value'],
      ['kind: Other\napiVersion: v1', 'f.yaml: kind: expected TracingConfiguration, got Other'],
      [
        'kind: TracingConfiguration\napiVersion: apiserver.config.k8s.io/v3',
        'f.yaml: apiVersion: no kind "TracingConfiguration" is registered for version "apiserver.config.k8s.io/v3"; use apiserver.config.k8s.io/v1',
      ],
    ] as const) {
      assert.throws(() => load(text), { name: 'ConfigurationFileError', message })
    }
    const other = createPlatform('platform', 'example.org')
    assert.ok(loadFile(tracingConfiguration, head.replace('k8s.io', 'example.org'), 'f', other))
  })
  test('all decoding errors are reported at once, in one line', () => {
    assert.throws(() => load(`${head}endpoint: 1\nsamplingRatePerMillion: x\nextra: 1\n__proto__: 1`), {
      message:
        'f.yaml: endpoint: expected string, received number; f.yaml: samplingRatePerMillion: expected number, received string; f.yaml: unknown field "extra"; f.yaml: unknown field "__proto__"',
    })
  })
  test('duplicate keys, syntax errors and several documents', () => {
    assert.throws(() => load(`${head}endpoint: a\nendpoint: b`), /^ConfigurationFileError: f\.yaml: line 4: Map keys must be unique/)
    assert.throws(() => load(`${head}endpoint: [`), /^ConfigurationFileError: f\.yaml: line \d+: /)
    assert.throws(() => load(`${head}---\n${head}`), /multiple documents/)
  })
  test('YAML bombs are refused', () => {
    const levels = Array.from({ length: 30 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`)
    assert.throws(() => load(`${head}l0: &l0 [x]\n${levels.join('\n')}`), ConfigurationFileError)
    assert.throws(() => load('['.repeat(100_000)), ConfigurationFileError)
    assert.throws(() => load(' '.repeat(4_000_000)), /must not be longer/)
  })
  test('any text either loads or throws a ConfigurationFileError', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('jwt: [{}]', 'resources: [{}]', 'authorizers: [{webhook: {}}]', 'plugins: [{}]', 'jwt: null'),
    )
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(fileKinds) as FileKindName[])), fc.array(line, { maxLength: 4 }), (kind, lines) => {
        try {
          loadFile(fileKinds[kind], `apiVersion: apiserver.config.k8s.io/v1\nkind: ${kind}\n${lines.join('\n')}`, 'f', platform)
        } catch (error) {
          assert.ok(error instanceof ConfigurationFileError, String(error))
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('TracingConfiguration', () => {
  for (const [text, message] of [
    ['samplingRatePerMillion: -1', 'samplingRatePerMillion: Invalid value: -1: sampling rate must be positive'],
    [
      'samplingRatePerMillion: 1000001',
      'samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million',
    ],
    ['endpoint: http://a', 'endpoint: Invalid value: "http://a": unsupported scheme: http. Options are none, dns, unix, unix-abstract'],
  ] as const) {
    test(text, () => assert.throws(() => load(head + text), { message: `f.yaml: ${message}` }))
  }
  test('endpoints with and without a scheme', () => {
    for (const endpoint of ['localhost:4317', 'dns://a:1', 'unix:///run/x'])
      assert.equal(load(`${head}endpoint: ${endpoint}`).endpoint, endpoint)
  })
})

describe('AdmissionConfiguration', () => {
  const admission = (plugins: string) =>
    loadFile(
      admissionConfiguration,
      `apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: ${plugins}`,
      '/etc/a/f.yaml',
      platform,
    )
  test('paths are relative to the file, and inline content is kept', () => {
    const { plugins } = admission(
      '[{name: PodSecurity, path: p.yaml}, {name: EventRateLimit, path: /x, configuration: {kubeConfigFile: 1}}]',
    )
    assert.deepEqual(
      plugins.map(({ path }) => path),
      ['/etc/a/p.yaml', '/x'],
    )
    assert.deepEqual(plugins[1]?.configuration, { kubeConfigFile: 1 })
  })
  test('plugin names must be registered and unique', () => {
    assert.throws(() => admission('[{name: Nope}]'), /plugins\[0\]\.name: Unsupported value: "Nope"/)
    assert.throws(() => admission('[{name: Priority}, {name: Priority}]'), /plugins\[1\]\.name: Duplicate value: "Priority"/)
    assert.throws(() => admission('[{}]'), /plugins\[0\]\.name: Required value/)
  })
})
