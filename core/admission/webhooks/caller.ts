import { uncounted } from '../../metrics.ts'
import { createServiceAddress } from '../../outgoing/service-address.ts'
import { createConnect } from '../../outgoing/webhook/client-config.ts'
import type { WebhookPluginConfiguration } from '../configuration.ts'
import type { PluginContext } from '../context.ts'
import { admissionRows } from '../metrics.ts'
import type { Caller } from './call.ts'

/** Creates a plugin's webhook caller. */
export function createCaller(context: PluginContext, configuration: WebhookPluginConfiguration | undefined): Caller {
  const { platform, outbound, clock, logger, dryRunWebhooks: dryRun = false, metrics = uncounted(admissionRows) } = context
  const serviceAddress = createServiceAddress(context, platform.name('<labels>/service-name'))
  return {
    connect: createConnect(serviceAddress, configuration?.credentials),
    outbound,
    platform,
    clock,
    logger,
    dryRun,
    metrics,
  }
}
