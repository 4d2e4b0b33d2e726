/** The types of the options of the stores. */
import { rangeProblem, serverProblem } from '../../core/config/bounds.ts'
import {
  bool,
  callable,
  clockType,
  filled,
  integer,
  limited,
  list,
  loggerType,
  methods,
  number,
  oneOf,
  type RowsOf,
  refined,
  shape,
  text,
} from '../../core/options/types.ts'
import type { DurableStoreOptions } from './durable.ts'
import type { EtcdOptions, EtcdTimeouts } from './etcd.ts'
import type { IndexedDbStoreOptions } from './indexed-db.ts'
import type { MemoryStoreOptions } from './memory.ts'
import type { SqlStoreOptions } from './sql.ts'

const bytes = limited(integer, (value: number) => rangeProblem(value, { min: 1 }))
const milliseconds = limited(number, (value: number) => rangeProblem(value, { min: 0 }))

export const memoryRows = { clock: clockType, pastBytes: bytes } satisfies RowsOf<MemoryStoreOptions>

export const durableRows = {
  directory: filled,
  ownerTimeout: milliseconds,
  clock: clockType,
  logger: loggerType,
  recover: text,
  segmentBytes: bytes,
  pastBytes: bytes,
  sharedMemory: bool,
} satisfies RowsOf<DurableStoreOptions>

export const sqlRows = {
  database: methods('rows', 'run', 'transaction', 'size'),
  clock: clockType,
  pastBytes: bytes,
  ended: callable,
} satisfies RowsOf<SqlStoreOptions>

export const indexedDbRows = {
  name: filled,
  durability: oneOf(['relaxed', 'strict']),
  clock: clockType,
  pastBytes: bytes,
  ended: callable,
} satisfies RowsOf<IndexedDbStoreOptions>

const timeouts = { request: milliseconds, attempt: milliseconds, start: milliseconds } satisfies RowsOf<EtcdTimeouts>

export const etcdRows = {
  servers: refined(list(limited(text, serverProblem)), (servers: readonly string[]) =>
    servers.length > 0 ? undefined : 'must not be empty',
  ),
  clock: clockType,
  logger: loggerType,
  timeouts: shape(timeouts),
  ca: text,
  cert: text,
  key: text,
  dial: callable,
} satisfies RowsOf<EtcdOptions>
