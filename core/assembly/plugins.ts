/** The admission plugins of a server. */

import type { AdmissionPlugin } from '../admission/attributes.ts'
import type { PluginConfigurations } from '../admission/configuration.ts'
import { manifestRows } from '../admission/manifest/metrics.ts'
import { admissionRows } from '../admission/metrics.ts'
import { claimAccess } from '../admission/plugins/claim-access.ts'
import { choosePlugins, makePlugins } from '../admission/plugins/index.ts'
import { policyParameters } from '../admission/plugins/policy-parameters.ts'
import { rbacEscalation } from '../admission/plugins/rbac-escalation.ts'
import { type MaybePromise, then } from '../common/maybe-promise.ts'
import { hashReports } from '../config/reload-metrics.ts'
import { emulatedRelease } from '../meta/version.ts'
import type { CompleteOptions } from '../options/index.ts'
import type { AssemblyContext } from './context.ts'
import { featureFor } from './features/features.ts'
import { createOwnWrites } from './own-writes.ts'
import type { Parts } from './parts.ts'

const chosenPlugins = ({ admission }: CompleteOptions) => {
  const { enable = [], disable = [] } = admission.admissionPlugins
  return choosePlugins(enable, disable)
}
const emulated = ({ general }: CompleteOptions) => emulatedRelease(general.version)

/** In the order in which they run. */
export function assemblePlugins(
  needed: Pick<Parts, 'lookup' | 'authorization'>,
  context: AssemblyContext,
): MaybePromise<readonly AdmissionPlugin[]> {
  const { features, options, ports } = context
  const { general, apis, admission } = options
  const { admissionFile } = admission
  if (admissionFile === '') return pluginsWith({}, needed, context)
  const load = featureFor(features, 'admission', 'admissionFile')
  return load(admissionFile, { platform: general.platform, gates: apis.gates, ports }).then((fromFile) =>
    pluginsWith(fromFile, needed, context),
  )
}

/** `fromFile` replaces configurations of plugins. */
function pluginsWith(
  fromFile: PluginConfigurations,
  { lookup, authorization }: Pick<Parts, 'lookup' | 'authorization'>,
  { options, shared, ports, settings, fetchOwn }: AssemblyContext,
): MaybePromise<readonly AdmissionPlugin[]> {
  const { authorizer, rbac } = authorization
  const { general, admission } = options
  const { platform } = general
  const { clock, outbound, files, telemetry, limits } = ports
  const { enabled } = settings
  const manifestMetrics = general.metrics.record(manifestRows)
  const chosen = makePlugins(shared.of(chosenPlugins), {
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
    release: shared.of(emulated),
    dryRunWebhooks: admission.dryRunWebhooks,
    tolerationSeconds: admission.tolerationSeconds,
  })
  return then(chosen, (plugins) => [
    ...plugins,
    ...admission.extraPlugins,
    ...(rbac ? [rbacEscalation(platform, authorizer, rbac)] : []),
    claimAccess(platform, lookup, authorizer, enabled),
    policyParameters(platform, lookup, authorizer),
  ])
}
