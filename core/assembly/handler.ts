/** What answers the requests of a server: the filters, and the handlers behind them. */

import type { AdmissionPlugin } from '../admission/attributes.ts'
import { createAdmission } from '../admission/chain.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import { noRules } from '../authz/rules.ts'
import { filters } from '../filters/chain.ts'
import { compose, type Handler } from '../filters/filter.ts'
import { createRouter } from '../filters/router.ts'
import type { Health } from '../meta/health.ts'
import type { createAdmissionMetrics } from '../meta/metrics/admission.ts'
import { createAttemptMetrics } from '../meta/metrics/attempt.ts'
import { createRuleMetrics } from '../meta/metrics/rule.ts'
import { createServerMetrics } from '../meta/metrics/server.ts'
import { createMeta } from '../meta/mount.ts'
import { releaseOf } from '../meta/version.ts'
import type { ResourceTable } from '../registry/served.ts'
import { createNegotiator } from '../request/negotiate.ts'
import type { Pauses } from '../slices.ts'
import { createDispatch } from '../verbs/dispatch.ts'
import type { Services } from '../verbs/services.ts'
import type { AssemblyContext } from './context.ts'
import type { Identities } from './identities.ts'

export interface HandlerParts {
  readonly table: ResourceTable
  readonly identities: Identities
  readonly authorizer: Authorizer
  readonly plugins: readonly AdmissionPlugin[]
  readonly admissionMetrics: ReturnType<typeof createAdmissionMetrics>
  readonly pauses: Pauses
  readonly health: Health
}

export function createHandler(parts: HandlerParts, { options, ports, settings }: AssemblyContext): Handler {
  const { table, identities, authorizer, plugins, admissionMetrics, pauses, health } = parts
  const { platform, metrics, version } = options
  const { clock, outbound, telemetry } = ports
  const { logger } = telemetry
  const serverMetrics = createServerMetrics(metrics, clock)
  const negotiator = createNegotiator(platform)
  const { serviceAccounts: _keys, ...behaviour } = options
  const { serviceAccounts } = identities
  const services: Services = {
    ...behaviour,
    release: releaseOf(version),
    settings,
    clock,
    logger,
    outbound,
    table,
    rules: createRuleMetrics(metrics, clock),
    admission: createAdmission(plugins, { clock, observer: admissionMetrics }),
    pauses,
    deprecated: serverMetrics.deprecated,
    negotiator,
    authorizer,
    rulesFor: (user, namespace) => authorizer.rulesFor?.(user, namespace) ?? noRules,
    tokens: identities.tokens,
    audiences: identities.audiences,
    ...(serviceAccounts && { serviceAccounts }),
  }
  const chain = filters({
    ...options,
    settings,
    clock,
    logger,
    negotiator,
    authenticator: identities.authenticator,
    authenticationObserver: createAttemptMetrics(metrics, platform),
    frontProxyHeaders: options.clusterAuthentication?.frontProxies?.headers,
    authorizer,
    metrics: serverMetrics,
  })
  const meta = createMeta({ ...options, settings, others: identities.documents, table, clock, health })
  return compose(
    chain,
    createRouter({ delegates: options.delegates, resources: createDispatch(services), fixed: meta.answer, owns: meta.owns, others: [] }),
  )
}
