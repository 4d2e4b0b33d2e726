/** The admission plugins of a server. */

import type { AdmissionPlugin } from '../admission/attributes.ts'
import { manifestRows } from '../admission/manifest/metrics.ts'
import { admissionRows } from '../admission/metrics.ts'
import { claimAccess } from '../admission/plugins/claim-access.ts'
import { choosePlugins, makePlugins } from '../admission/plugins/index.ts'
import { policyParameters } from '../admission/plugins/policy-parameters.ts'
import { rbacEscalation } from '../admission/plugins/rbac-escalation.ts'
import { hashReports } from '../config/reload-metrics.ts'
import { emulatedRelease } from '../meta/version.ts'
import type { AssemblyContext } from './context.ts'
import { featureFor } from './features/features.ts'
import { createOwnWrites } from './own-writes.ts'
import type { Parts } from './parts.ts'

/** In the order in which they run. */
export async function assemblePlugins(
  { lookup, authorization }: Pick<Parts, 'lookup' | 'authorization'>,
  context: AssemblyContext,
): Promise<AdmissionPlugin[]> {
  const { authorizer, rbac } = authorization
  const { features, options, ports, settings, fetchOwn } = context
  const { general, apis, admission } = options
  const { platform } = general
  const { enable = [], disable = [] } = admission.admissionPlugins
  const { clock, outbound, files, telemetry, limits } = ports
  const { enabled } = settings
  const fromFile =
    admission.admissionFile === ''
      ? {}
      : await featureFor(
          features,
          'admission',
          'admissionFile',
        )(admission.admissionFile, {
          platform,
          gates: apis.gates,
          ports,
        })
  const manifestMetrics = general.metrics.record(manifestRows)
  const chosen = await makePlugins(choosePlugins(enable, disable), {
    ...lookup,
    write: createOwnWrites(fetchOwn, platform),
    platform,
    clock,
    limits,
    outbound,
    files,
    logger: telemetry.logger,
    configuration: { ...admission.pluginConfigurations, ...fromFile },
    metrics: general.metrics.record(admissionRows),
    manifests: (plugin) => hashReports(manifestMetrics, clock, general.identity, plugin),
    authorizer,
    enabled,
    release: emulatedRelease(general.version),
    dryRunWebhooks: admission.dryRunWebhooks,
    tolerationSeconds: admission.tolerationSeconds,
  })
  return [
    ...chosen,
    ...admission.extraPlugins,
    ...(rbac ? [rbacEscalation(platform, authorizer, rbac)] : []),
    claimAccess(platform, lookup, authorizer, enabled),
    policyParameters(platform, lookup, authorizer),
  ]
}
