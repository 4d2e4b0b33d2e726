/** The types of the options of `listen`. */
import { rangeProblem } from '../../../core/config/bounds.ts'
import type { RowsOf } from '../../../core/options/types.ts'
import { bool, clockType, filled, integer, limited, list, loggerType, oneOf, shape, text } from '../../../core/options/types.ts'
import { cipherSuites, tlsVersions } from '../http/tls.ts'
import type { ListenOptions } from '../network/listener.ts'

const within = (min: number, max: number) => limited(integer, (value: number) => rangeProblem(value, { min, max }))
const namedPair = shape({ cert: filled, key: filled, names: list(text) }, ['cert', 'key'])

export const listenRows = {
  cert: filled,
  key: filled,
  sni: list(namedPair),
  clientAuthorities: list(text),
  address: text,
  port: within(0, 65_535),
  sharePort: bool,
  http2: bool,
  maxConcurrentStreams: within(1, 2 ** 31 - 1),
  minVersion: oneOf(Object.keys(tlsVersions)),
  cipherSuites: list(oneOf(Object.keys(cipherSuites))),
  logger: loggerType,
  clock: clockType,
} satisfies RowsOf<ListenOptions>
