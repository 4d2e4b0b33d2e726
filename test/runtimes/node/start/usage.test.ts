import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { nodeUsage } from '../../../../runtimes/node/start/usage.ts'

test('processor time and memory are counted on every system', () => {
  const before = nodeUsage.cpuSeconds?.() ?? 0
  const end = performance.now() + 30
  while (performance.now() < end);
  assert.ok((nodeUsage.cpuSeconds?.() ?? 0) > before)
  const resident = nodeUsage.residentBytes?.() ?? 0
  assert.ok(resident > 10e6 && resident < 10e9, String(resident))
})

test('an open socket is waited for', async () => {
  const before = nodeUsage.waiting?.() ?? 0
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  assert.equal(nodeUsage.waiting?.(), before + 1)
  server.close()
  await once(server, 'close')
})

test('Linux tells the rest', { skip: existsSync('/proc/self/stat') ? false : 'no procfs' }, () => {
  const { openFiles, openFilesLimit, virtualBytes, virtualBytesLimit, residentBytes, receivedBytes, sentBytes } = nodeUsage
  const before = openFiles?.() ?? 0
  const file = openSync('/proc/self/stat', 'r')
  assert.equal(openFiles?.(), before + 1)
  closeSync(file)
  assert.ok((openFilesLimit?.() ?? 0) > before)
  assert.ok((virtualBytes?.() ?? 0) > (residentBytes?.() ?? 0))
  const limit = virtualBytesLimit?.() ?? 0
  assert.ok(limit === -1 || limit > 0)
  for (const read of [receivedBytes, sentBytes]) assert.ok((read?.() ?? -1) >= 0)
})
