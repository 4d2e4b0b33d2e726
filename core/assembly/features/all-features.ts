import { configuredAuthentication } from '../../access/authn/file/authenticators.ts'
import { rowOfFlags, rowsOfFile } from '../../access/authz/file/rows.ts'
import { loadPluginConfigurations } from '../../admission/file/load.ts'
import { createEncryption } from '../../encryption/configured.ts'
import { connections } from '../../verbs/actions/connect.ts'
import { createAudit } from '../audit.ts'
import { debugPaths } from '../debug.ts'
import type { Features } from './features.ts'

export const allFeatures: Features = {
  encryption: createEncryption,
  authentication: configuredAuthentication,
  authorization: { rowOfFlags, rowsOfFile },
  admission: loadPluginConfigurations,
  audit: createAudit,
  // Imported on demand: it brings OpenTelemetry.
  tracing: async (tracer) => (await import('../../tracing/tracer.ts')).createRequestTracer(tracer),
  connections,
  debug: debugPaths,
}
