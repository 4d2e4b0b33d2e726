/** Converts flags to options of the core. */

import type { AuthorizationFiles } from '../../../core/access/authz/configured.ts'
import { reportedVersion, versionInfo } from '../../../core/config/version.ts'
import { effectiveVersion } from '../../../core/flags/emulation.ts'
import { optionsOfFlags } from '../../../core/flags/options.ts'
import type { ParsedFlags } from '../../../core/flags/parse.ts'
import { hostPort } from '../../../core/outgoing/url-parts.ts'
import type { ServerOptions } from '../../../core/server.ts'
import { buildInfo } from '../build-info.ts'

/** The API server's URL from the environment that pods get (in-cluster configuration). */
function clusterServer(): Pick<AuthorizationFiles, 'clusterServer'> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env
  return host && port ? { clusterServer: `https://${hostPort(host, Number(port))}` } : {}
}

/** Options of the core. @throws FlagError */
export function serverOptions(flags: ParsedFlags): ServerOptions {
  const { emulated, minCompatibility } = effectiveVersion(flags)
  const options = optionsOfFlags(flags)
  return {
    ...options,
    version: versionInfo(buildInfo(), reportedVersion(flags.get('version')), emulated, minCompatibility),
    authorizationFiles: { ...options.authorizationFiles, ...clusterServer() },
  }
}
