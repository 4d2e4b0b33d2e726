/**
 * `npm run bench [-- GROUP…]`: the performance of the server as a ratio to a baseline, such as a bare listener, measured in the
 * same run. The environment variables ROUNDS and SECONDS set number and duration.
 */
import { readFileSync } from 'node:fs'
import { admissionRows } from './admission-rows.ts'
import { agentRows } from './agent-rows.ts'
import { apiRows, type Compare } from './api-rows.ts'
import { auditRows } from './audit-rows.ts'
import { authenticationRows } from './authentication-rows.ts'
import { authorizationRows } from './authorization-rows.ts'
import { coreRows } from './core-rows.ts'
import { cpuRows } from './cpu-rows.ts'
import { customResourceRows } from './custom-resource-rows.ts'
import { encryptionRows } from './encryption.ts'
import { etcdRows } from './etcd-rows.ts'
import { expressionRows } from './expression-rows.ts'
import { paceRows } from './pace-rows.ts'
import { policyRows } from './policy-rows.ts'
import type { Row } from './row.ts'
import { runtimeRows } from './runtime-rows.ts'
import { startRows } from './start-rows.ts'
import { watchRows } from './watch-rows.ts'

const rounds = Number(process.env['ROUNDS'] ?? 3)
const seconds = Number(process.env['SECONDS'] ?? 2)

const groups: { readonly [name: string]: (compare: Compare<Row>, seconds: number, port: number) => Promise<Row[]> } = {
  admission: admissionRows,
  agents: agentRows,
  core: coreRows,
  cpu: cpuRows,
  api: apiRows,
  audit: auditRows,
  authentication: authenticationRows,
  authorization: authorizationRows,
  'custom-resources': customResourceRows,
  encryption: encryptionRows,
  etcd: etcdRows,
  expressions: expressionRows,
  pace: paceRows,
  policies: policyRows,
  runtimes: runtimeRows,
  start: startRows,
  watches: watchRows,
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`
const line = ({ name, ours, limit, ratio, aim }: Row) => `| ${name} | ${ours} | ${limit} | ${ratio?.toFixed(2) ?? ''} | ${aim} |`

/** Alternates between the two, so that both see the same machine. */
const compare: Compare<Row> = async (name, aim, ours, limit) => {
  const pairs: [number, number][] = []
  for (let round = 0; round < rounds; round++) pairs.push([await ours(), await limit()])
  const row = {
    name,
    ours: perSecond(median(pairs.map(([value]) => value))),
    limit: perSecond(median(pairs.map(([, value]) => value))),
    ratio: median(pairs.map(([a, b]) => a / b)),
    aim,
  }
  console.error(line(row))
  return row
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in groups))
if (unknown.length > 0) throw new Error(`no group ${unknown.join(', ')}; there are ${Object.keys(groups).join(', ')}`)
let port = 20_000 + (process.pid % 20_000)
const rows: Row[] = []
for (const [name, measure] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  rows.push(...(await measure(compare, seconds, port)))
  port += 10
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
console.log(`apiserver ${version}, node ${process.version}, medians of ${rounds} rounds of ${seconds} s\n`)
console.log('| | ours | baseline | ratio | target |\n| --- | --- | --- | --- | --- |')
for (const row of rows) console.log(line(row))
