/** The types of all ports of a server. */
import type { Ports } from '../ports.ts'
import { callable, clockType, groupResources, having, list, loggerType, methods, object, type RowsOf, shape } from './types.ts'

const storeType = methods(
  ...['get', 'list', 'count', 'size', 'put', 'delete', 'watch', 'currentRevision', 'compact', 'grantLease', 'close'],
)

export const portRows = {
  store: storeType,
  overrides: list(shape({ store: storeType, resources: groupResources }, ['store', 'resources'])),
  clock: clockType,
  files: methods('read', 'watch'),
  outbound: methods('fetch', 'call'),
  limits: methods('open', 'admit', 'pass'),
  threads: methods('answer', 'ask'),
  telemetry: having({ logger: loggerType, audit: callable, tracer: object, setVerbosity: callable, logFiles: methods('find') }, ['logger']),
} satisfies RowsOf<Ports>
