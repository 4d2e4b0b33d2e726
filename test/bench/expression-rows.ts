/** Rows for CEL: evaluations of the rules of a policy per second, in this process. */
import { createCelEnvironment } from '../../core/cel/environment.ts'
import type { Program } from '../../core/cel/program.ts'
import { boolType, dynType } from '../../core/cel/types.ts'
import type { Compare } from './api-rows.ts'
import type { Row } from './row.ts'

/** Typical rules of administrators: over all containers, over labels, and over an optional field. */
export const podRules = [
  "object.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && 'memory' in c.resources.limits)",
  "has(object.metadata.labels) && 'app' in object.metadata.labels && object.metadata.labels['app'].size() < 64",
  "!has(object.spec.hostNetwork) || object.spec.hostNetwork == false || request.userInfo.username.startsWith('system:')",
]

export const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web-0', namespace: 'dev', labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5' } },
  spec: {
    containers: ['web', 'side'].map((name) => ({
      name,
      image: `registry.example.com/team/${name}:v1.2.3`,
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    })),
  },
}

function compiled(expression: string): Program {
  const environment = createCelEnvironment({ variables: { object: dynType, request: dynType } })
  const result = environment.compile(expression, { result: [boolType] })
  if ('issues' in result) throw new Error(result.issues)
  return result.program
}

/** Evaluations of the three rules together, per second. */
export function evaluationsPerSecond(seconds: number): number {
  const programs = podRules.map(compiled)
  const bindings = { object: pod, request: { userInfo: { username: 'jane' } } }
  const until = performance.now() + seconds * 1000
  const started = performance.now()
  let count = 0
  while (performance.now() < until) {
    for (let turn = 0; turn < 1000; turn++) {
      for (const { evaluate } of programs) if (evaluate(bindings).value !== true) throw new Error('a rule does not hold')
    }
    count += 1000
  }
  return (count * 1000) / (performance.now() - started)
}

/** The aim is an absolute number, without a comparison. */
export async function expressionRows(_compare: Compare<Row>, seconds: number): Promise<Row[]> {
  evaluationsPerSecond(seconds / 4)
  const ours = evaluationsPerSecond(seconds)
  const aim = 200_000
  return [
    {
      name: 'a policy with three rules over a pod',
      ours: `${Math.round(ours).toLocaleString('en')}/s`,
      limit: `${aim.toLocaleString('en')}/s`,
      ratio: ours / aim,
      aim: '≥ 1',
    },
  ]
}
