import { connections } from '../../verbs/actions/connect.ts'
import { debugPaths } from '../debug.ts'
import type { Features } from './features.ts'

/** Most servers read no configuration files: what reads them is imported on demand. It brings zod, whose start takes as long as a server's. */
export const allFeatures: Features = {
  encryption: async (options, context) => (await import('../../encryption/configured.ts')).createEncryption(options, context),
  authentication: async (context) => (await import('../../access/authn/file/authenticators.ts')).configuredAuthentication(context),
  authorization: () => import('../../access/authz/file/rows.ts'),
  admission: async (path, context) => (await import('../../admission/file/load.ts')).loadPluginConfigurations(path, context),
  audit: async (options, ports, metrics, passed) => (await import('../audit.ts')).createAudit(options, ports, metrics, passed),
  // It brings OpenTelemetry.
  tracing: async (tracer) => (await import('../../tracing/tracer.ts')).createRequestTracer(tracer),
  connections,
  debug: debugPaths,
}
