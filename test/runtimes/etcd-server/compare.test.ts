/** Random calls to our server and to etcd: their answers are the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Etcd3 } from 'etcd3'
import { startEtcd } from '../../support/etcd.ts'
import { hashOf } from '../../support/etcd-hash.ts'
import { startOwnEtcd } from '../../support/own-etcd.ts'
import { randomNumbers } from '../../support/random.ts'
import { progress, trials } from '../../support/soak.ts'
import { outcome, shown, stepOf } from './random-calls.ts'

const steps = trials(2_000, 50_000)

test(`${steps} random calls have the answers of etcd`, async () => {
  const [original, own] = await Promise.all([startEtcd(), startOwnEtcd({ durable: true })])
  const options = { defaultCallOptions: () => ({ deadline: Date.now() + 20_000 }) }
  const counts = new Map<string, number>()
  const [there, here] = [new Etcd3({ hosts: [...original.servers], ...options }), new Etcd3({ hosts: own.url, ...options })]
  const random = randomNumbers(1)
  const told = progress('calls', steps)
  try {
    let revision = 1
    for (let i = 0; i < steps; i++) {
      const step = stepOf(random, revision)
      const [wanted, found] = await Promise.all([outcome(step, there), outcome(step, here)])
      assert.deepEqual(found, wanted, `step ${i}: ${step[0]} ${JSON.stringify(step[2], shown)}`)
      const kind = `${step[0]} ${typeof wanted === 'string' ? wanted : 'ok'}`
      // The numbers of changes in a revision, which are hashed too, are not kept across a compaction.
      if (i % 20 === 0 && own.engine.history.oldest === 1)
        assert.deepEqual(await hashOf(own.url), await hashOf(original.servers[0] ?? ''), `hashes after step ${i}`)
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      revision = own.engine.history.revision
      told(i + 1)
    }
    if (process.env.APISERVER_SOAK) console.log(counts)
  } finally {
    there.close()
    here.close()
    await Promise.all([original.stop(), own.stop()])
  }
})
