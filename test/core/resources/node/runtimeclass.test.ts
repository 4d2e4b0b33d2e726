import { startServer, tables } from '../support.ts'

const client = startServer()
const apiVersion = 'node.k8s.io/v1'

tables(
  client,
  { path: `/apis/${apiVersion}/runtimeclasses`, manifest: { apiVersion, kind: 'RuntimeClass', metadata: { name: 'vm' }, handler: 'vm' } },
  {
    refused: [['dots in the handler', { handler: 'a.b' }, ['handler: Invalid value: "a.b": must not contain dots']]],
    updates: [['handler', { handler: 'other' }, ['handler: Invalid value: "other": field is immutable']]],
  },
)
