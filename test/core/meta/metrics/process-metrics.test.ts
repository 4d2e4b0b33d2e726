import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFeatureGates } from '../../../../core/config/feature-gates.ts'
import { collectBuild } from '../../../../core/meta/metrics/build.ts'
import { collectProcess } from '../../../../core/meta/metrics/process.ts'
import { createMetrics } from '../../../../core/meta/metrics/registry.ts'
import { createPlatform } from '../../../../core/platform.ts'
import { startInProcess } from '../../../support/in-process.ts'
import { silentLogger } from '../../../support/logger.ts'
import { eventually } from '../../../support/wait.ts'

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('a process shows what its runtime knows, read anew each time', () => {
  const registry = createMetrics()
  let seconds = 1.5
  collectProcess(registry, { cpuSeconds: () => seconds, openFiles: () => 12, virtualBytes: () => undefined })
  assert.deepEqual(linesOf(registry.text()), ['process_cpu_seconds_total 1.5', 'process_open_fds 12'])
  seconds = 2
  assert.deepEqual(linesOf(registry.text()), ['process_cpu_seconds_total 2', 'process_open_fds 12'])
})

test('build, release and feature gates are in labels', () => {
  const registry = createMetrics()
  const platform = createPlatform('kubernetes')
  const version = {
    major: '1',
    minor: '36',
    emulationMajor: '1',
    emulationMinor: '35',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '34',
    gitVersion: 'v1.36.2',
    gitCommit: 'abc',
    gitTreeState: 'clean',
    buildDate: '2026-01-02T03:04:05Z',
    goVersion: 'node20',
    compiler: 'tsc',
    platform: 'linux/amd64',
  }
  collectBuild(registry, { platform, version, gates: parseFeatureGates(['CBORServingAndStorage=true'], platform, '1.35') })
  const lines = linesOf(registry.text())
  const build = [
    'build_date="2026-01-02T03:04:05Z",compiler="tsc",git_commit="abc",git_tree_state="clean",git_version="v1.36.2",go_version="node20"',
    'major="1",minor="36",platform="linux/amd64"',
  ].join(',')
  assert.ok(lines.includes(`kubernetes_build_info{${build}} 1`))
  assert.ok(lines.includes('version_info{binary="1.36.2",component="kube",emulation="1.35",min_compat="1.34"} 1'))
  assert.ok(lines.includes('kubernetes_feature_enabled{name="CBORServingAndStorage",stage="ALPHA"} 1'))
  assert.ok(lines.includes('kubernetes_feature_enabled{name="CRDObservedGenerationTracking",stage="BETA"} 0'), 'as in the emulated release')
  assert.ok(lines.includes('kubernetes_feature_enabled{name="ConsistentListFromCache",stage=""} 1'))
})

test('a server has metrics of its build, and of its process when its runtime has them', async () => {
  const { server } = await startInProcess({ controllers: [], telemetry: { logger: silentLogger, usage: { residentBytes: () => 4096 } } })
  const text = await (await server.fetch(new Request('http://test/metrics'))).text()
  await server.close()
  assert.match(text, /^process_resident_memory_bytes 4096$/m)
  assert.match(text, /^kubernetes_build_info\{.*major="1".*\} 1$/m)
  assert.match(text, /^# TYPE process_start_time_seconds gauge$/m)
})

test('a server shows its decisions on requests, its queues and its requests to itself', async () => {
  const { server } = await startInProcess()
  const send = (path: string, init: RequestInit = {}) => server.fetch(new Request(`http://test${path}`, init))
  await send('/api/v1/namespaces', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'new' } }),
  })
  await eventually('the account of the new namespace', async () => (await send('/api/v1/namespaces/new/serviceaccounts/default')).ok)
  const text = await (await send('/metrics')).text()
  await server.close()
  assert.match(text, /^authorization_attempts_total\{result="allowed"\} [1-9]/m)
  assert.match(text, /^authorization_duration_seconds_count\{result="allowed"\} [1-9]/m)
  assert.match(text, /^workqueue_adds_total\{name="serviceaccount"\} [1-9]/m)
  assert.match(text, /^rest_client_requests_total\{code="201",host="[^"]*",method="POST"\} [1-9]/m)
  assert.match(text, /^rest_client_request_duration_seconds_count\{host="[^"]*",verb="POST"\} [1-9]/m)
  assert.match(text, /^apiserver_selfrequest_total\{group="",resource="serviceaccounts",subresource="",verb="POST"\} [1-9]/m)
})
