/** Rows for audit: creates with events in a file, compared with a server without a policy. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Compare } from './api-rows.ts'
import { createRate } from './create-rate.ts'
import { startDaemon } from './daemon.ts'

const aims = { Metadata: '≥ 0.95', RequestResponse: '≥ 0.8' } as const

/** Measures all rows of this file, in creates per second of the daemon's processor time: the store is in memory. */
export async function auditRows<Row>(compare: Compare<Row>, seconds: number, port: number): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-bench-'))
  const rows: Row[] = []
  const creates = { plural: 'configmaps', seconds, per: 'second of processor time' } as const
  for (const [index, level] of (['Metadata', 'RequestResponse'] as const).entries()) {
    const policy = join(directory, `${level}.json`)
    // As in the policies that people use, requests have one event.
    const rules = [{ level, omitStages: ['RequestReceived'] }]
    writeFileSync(policy, JSON.stringify({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules }))
    const audit = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(directory, `${level}.log`)}`, '--audit-log-mode=batch']
    const plain = await startDaemon(port + 2 * index, ['--data-dir=:memory:'])
    const recorded = await startDaemon(port + 2 * index + 1, ['--data-dir=:memory:', ...audit])
    try {
      const name = `create with audit level ${level}, to a file in mode batch`
      rows.push(await compare(name, aims[level], createRate(recorded, creates), createRate(plain, creates)))
    } finally {
      await recorded.stop()
      await plain.stop()
    }
  }
  rmSync(directory, { recursive: true, force: true })
  return rows
}
