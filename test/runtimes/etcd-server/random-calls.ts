/** Random calls of etcd's API, and their answers without what differs from server to server. */
import type { Etcd3 } from 'etcd3'
import type { RandomNumbers } from '../../support/random.ts'

/** Bytes that are no text, too, and those next to the ends of ranges. */
export const keys = ['a', 'aa', 'ab', 'b', 'b\x00', 'b\xff', 'c', '\xff', '\xff\xff', '\x00', '\xe4\xb8'].map((key) =>
  Buffer.from(key, 'latin1'),
)
const values = ['', '1', '2', 'x'.repeat(50)].map((value) => Buffer.from(value))
const leases = ['1', '2', '9223372036854775807']

const chance = (random: RandomNumbers, share: number) => random.chance(share)

export function pick<T>(random: RandomNumbers, items: readonly T[]): T {
  return items[random.integer(items.length)] as T
}

const keyOf = (random: RandomNumbers) => (chance(random, 0.02) ? Buffer.alloc(0) : pick(random, keys))
export const endOf = (random: RandomNumbers) =>
  chance(random, 0.5) ? {} : { range_end: chance(random, 0.2) ? Buffer.from([0]) : pick(random, keys) }
export const near = (random: RandomNumbers, revision: number) => String(Math.max(0, revision - random.integer(12) + 1))
export const some = <T extends object>(random: RandomNumbers, share: number, fields: () => T) => (chance(random, share) ? fields() : {})

const rangeOf = (random: RandomNumbers, revision: number) => ({
  key: keyOf(random),
  ...endOf(random),
  ...some(random, 0.3, () => ({ limit: String(random.integer(5)) })),
  ...some(random, 0.2, () => ({ revision: near(random, revision) })),
  ...some(random, 0.3, () => ({ sort_order: pick(random, ['None', 'Ascend', 'Descend'] as const) })),
  ...some(random, 0.3, () => ({ sort_target: pick(random, ['Key', 'Version', 'Create', 'Mod', 'Value'] as const) })),
  ...some(random, 0.2, () => ({ keys_only: true })),
  ...some(random, 0.1, () => ({ count_only: true })),
  ...some(random, 0.1, () => ({ min_mod_revision: near(random, revision) })),
  ...some(random, 0.1, () => ({ max_mod_revision: near(random, revision) })),
  ...some(random, 0.1, () => ({ min_create_revision: near(random, revision) })),
  ...some(random, 0.1, () => ({ max_create_revision: near(random, revision) })),
})

const putOf = (random: RandomNumbers) => ({
  key: keyOf(random),
  value: pick(random, values),
  ...some(random, 0.2, () => ({ lease: pick(random, leases) })),
  ...some(random, 0.3, () => ({ prev_kv: true })),
  ...some(random, 0.1, () => ({ ignore_value: true, ...some(random, 0.8, () => ({ value: Buffer.alloc(0) })) })),
  ...some(random, 0.1, () => ({ ignore_lease: true, ...some(random, 0.8, () => ({ lease: '0' })) })),
})

const deleteOf = (random: RandomNumbers) => ({ key: keyOf(random), ...endOf(random), ...some(random, 0.3, () => ({ prev_kv: true })) })

const compareOf = (random: RandomNumbers, revision: number) => ({
  result: pick(random, ['Equal', 'Greater', 'Less', 'NotEqual'] as const),
  key: keyOf(random),
  ...some(random, 0.2, () => endOf(random)),
  ...pick<() => object>(random, [
    () => ({ target: 'Version', version: String(random.integer(4)) }),
    () => ({ target: 'Create', create_revision: near(random, revision) }),
    () => ({ target: 'Mod', mod_revision: near(random, revision) }),
    () => ({ target: 'Value', value: pick(random, values) }),
    () => ({ target: 'Lease', lease: pick(random, ['0', ...leases]) }),
  ])(),
})

function opOf(random: RandomNumbers, revision: number, depth: number): object {
  return pick<() => object>(random, [
    () => ({ request_range: rangeOf(random, revision) }),
    () => ({ request_put: putOf(random) }),
    () => ({ request_put: putOf(random) }),
    () => ({ request_delete_range: deleteOf(random) }),
    () => (depth > 2 ? { request_put: putOf(random) } : { request_txn: txnOf(random, revision, depth + 1) }),
  ])()
}

function txnOf(random: RandomNumbers, revision: number, depth = 0): object {
  const list = <T>(length: number, make: () => T) => Array.from({ length: random.integer(length) }, make)
  return {
    compare: list(3, () => compareOf(random, revision)),
    success: list(4, () => opOf(random, revision, depth)),
    failure: list(4, () => opOf(random, revision, depth)),
  }
}

/** A call by its name and its arguments. */
export type Step = readonly [name: string, call: (client: Etcd3) => Promise<unknown>, request: object]

export function stepOf(random: RandomNumbers, revision: number): Step {
  const step = <R extends object>(name: string, request: R, call: (client: Etcd3, request: R) => Promise<unknown>): Step => [
    name,
    (client) => call(client, request),
    request,
  ]
  const lease = () => ({ ID: pick(random, leases) })
  return pick<() => Step>(random, [
    ...Array(4).fill(() => step('put', putOf(random), (client, request) => client.kv.put(request))),
    ...Array(4).fill(() => step('range', rangeOf(random, revision), (client, request) => client.kv.range(request))),
    ...Array(6).fill(() => step('txn', txnOf(random, revision), (client, request) => client.kv.txn(request))),
    () => step('delete', deleteOf(random), (client, request) => client.kv.deleteRange(request)),
    ...(chance(random, 0.3)
      ? [() => step('compact', { revision: near(random, revision - 5) }, (client, request) => client.kv.compact(request))]
      : []),
    () =>
      step('grant', { ...lease(), TTL: pick(random, ['100', '1000', '9000000001']) }, (client, request) =>
        client.leaseClient.leaseGrant(request),
      ),
    () => step('revoke', lease(), (client, request) => client.leaseClient.leaseRevoke(request)),
    () => step('time to live', { ...lease(), keys: true }, (client, request) => client.leaseClient.leaseTimeToLive(request)),
  ])()
}

/** An answer without what differs from server to server, and from moment to moment. */
function plain(value: unknown, name: string): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (['cluster_id', 'member_id', 'raft_term'].includes(key)) return undefined
      if (key === 'TTL' && name === 'time to live') return Number(each) < 0
      if (key === 'keys' && Array.isArray(each)) return each.map((one) => Buffer.from(one).toString('hex')).sort()
      return each
    }),
  )
}

/** Bytes as text. */
export const shown = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'data' in value ? Buffer.from(value.data as number[]).toString('latin1') : value

export async function outcome([name, call]: Step, client: Etcd3): Promise<unknown> {
  try {
    return plain(await call(client), name)
  } catch (error) {
    return String(error)
  }
}
