/**
 * Coordinated leader election (KEP-4355) of Kubernetes' own controller manager and scheduler: two of each, the holder is killed, and a
 * candidate that emulates an older version takes over. Where the original API server is installed too, the same happens on it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Api, TestObject } from '../support/api.ts'
import { eventually, within } from '../support/wait.ts'
import { type Program, type ProgramName, programPath } from './programs.ts'
import { type Server, serverNames, startServer } from './server.ts'

const programs: readonly ProgramName[] = ['kube-controller-manager', 'kube-scheduler']
const missing = programs.filter((name) => programPath(name) === undefined)
const skip = missing.length > 0 && `not installed (on PATH or in KUBERNETES_BIN): ${missing.join(', ')}`

const gate = '--feature-gates=CoordinatedLeaderElection=true'
/** Seconds that a holder has its lease for, which others take when it is not renewed. */
const leaseSeconds = 6
const durations = [`--leader-elect-lease-duration=${leaseSeconds}s`, '--leader-elect-renew-deadline=4s', '--leader-elect-retry-period=1s']
/** Milliseconds within which a lease has a new holder: it expires, is looked at every 5 s, and candidates have 5 s to answer. */
const takeover = leaseSeconds * 1000 + 10_000

const coordination = '/apis/coordination.k8s.io'
const candidates = `${coordination}/v1beta1/namespaces/kube-system/leasecandidates`

type Spec = { readonly [field: string]: string | number | undefined }
const specOf = ({ spec }: TestObject) => (spec ?? {}) as Spec

/** A started program and the name under which it is a candidate. */
interface Contender {
  readonly program: Program
  readonly candidate: string
  readonly spec: Spec
}

/** What happens to the candidates for the lease of a program. Returns what must be the same on every server. */
async function contest(server: Server, name: ProgramName): Promise<object> {
  const { api } = server
  const known = new Set<string>()
  const enter = async (label: string, flags: readonly string[] = []): Promise<Contender> => {
    const program = await server.startComponent(name, `${name}-${label}`, [gate, ...durations, ...flags])
    const found = await eventually(`candidate ${label}`, async () =>
      (await api.list(candidates)).items.find((each) => specOf(each)['leaseName'] === name && !known.has(each.metadata.name)),
    )
    known.add(found.metadata.name)
    return { program, candidate: found.metadata.name, spec: specOf(found) }
  }
  const lease = () => leaseOf(api, name)
  /** Waits until the contender holds the lease and renews it. */
  const heldBy = async ({ candidate }: Contender, timeout?: number): Promise<Spec> => {
    const elected = await eventually(
      `${candidate} is elected`,
      async () => {
        const spec = await lease()
        return spec['holderIdentity'] === candidate && spec
      },
      timeout,
    )
    return eventually(`${candidate} renews`, async () => {
      const spec = await lease()
      return spec['renewTime'] !== elected['renewTime'] && spec['leaseDurationSeconds'] === leaseSeconds && spec
    })
  }
  const facts = ({ holderIdentity, renewTime, acquireTime, ...rest }: Spec, ...all: Contender[]) => ({
    ...rest,
    holder: all.findIndex(({ candidate }) => candidate === holderIdentity),
    isAcquired: acquireTime !== undefined,
    isRenewed: renewTime !== undefined,
  })

  const first = await enter('first')
  const alone = facts(await heldBy(first), first)
  const second = await enter('second')
  await first.program.kill()
  const afterKill = facts(await heldBy(second, takeover), first, second)

  // The best candidate is the one with the oldest emulated version; the holder ends itself when it is told so.
  const third = await enter('older', ['--emulated-version=1.35'])
  const status = await within('end of the holder', second.program.ended)
  const emulating = facts(await heldBy(third, takeover), first, second, third)
  const fourth = await enter('fourth')
  await third.program.stop()
  const afterStop = facts(await heldBy(fourth, takeover), first, second, third, fourth)
  await fourth.program.stop()
  /** Without its times: whether it has been pinged depends on when it entered. */
  const plain = ({ spec: { renewTime: _renewed, pingTime: _pinged, ...rest } }: Contender) => rest
  return {
    alone,
    afterKill,
    status,
    emulating,
    afterStop,
    second: plain(second),
    third: plain(third),
  }
}

const leaseOf = async (api: Api, name: string) => specOf((await api.get(`${coordination}/v1/namespaces/kube-system/leases/${name}`)).body)

describe('coordinated leader election', { skip, concurrency: true }, () => {
  const servers: Server[] = []
  before(async () => {
    for (const name of serverNames) servers.push(await startServer(name, [gate, '--runtime-config=coordination.k8s.io/v1beta1=true']))
  })
  after(async () => {
    for (const server of servers) await server.close()
  })
  for (const name of programs) {
    test(`of ${name}: the best candidate leads, also after kill -9, an older one, and an orderly end`, async () => {
      const outcomes = await Promise.all(servers.map((server) => contest(server, name)))
      assert.equal(outcomes.length, serverNames.length)
      for (const outcome of outcomes) assert.deepEqual(outcomes[0], outcome)
    })
  }
})
