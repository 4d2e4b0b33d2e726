/** The metrics of this server: all tables of rows but those of functions, whose names have a product word. */
import { certificateRows } from '../../../../core/authn/certificate/metrics.ts'
import { impersonationRows } from '../../../../core/authn/impersonation-metrics.ts'
import { authenticationFileRows, jwtRows } from '../../../../core/authn/jwt/metrics.ts'
import { attemptRows, tokenRows } from '../../../../core/authn/metrics.ts'
import { accountTokenRows } from '../../../../core/authn/service-account/metrics.ts'
import { externalSignerRows } from '../../../../core/authn/service-account/signer-metrics.ts'
import { authorizationFileRows, authorizationRows, decisionRows } from '../../../../core/authz/metrics.ts'
import { encryptionFileRows } from '../../../../core/meta/metrics/encryption.ts'
import { chainRows, podSecurityRows, policyRows, webhookRows } from '../../../../core/meta/metrics/rows/admission.ts'
import { aggregationRows } from '../../../../core/meta/metrics/rows/aggregation.ts'
import { auditRows } from '../../../../core/meta/metrics/rows/audit.ts'
import { censusRows } from '../../../../core/meta/metrics/rows/census.ts'
import { conversionRows } from '../../../../core/meta/metrics/rows/conversion.ts'
import { egressRows } from '../../../../core/meta/metrics/rows/egress.ts'
import { expressionRows } from '../../../../core/meta/metrics/rows/expressions.ts'
import { fairnessRows } from '../../../../core/meta/metrics/rows/fairness.ts'
import { forwardingRows } from '../../../../core/meta/metrics/rows/forwarding.ts'
import { ownClientRows } from '../../../../core/meta/metrics/rows/own-client.ts'
import { peerListRows, peerRows } from '../../../../core/meta/metrics/rows/peers.ts'
import { processRows } from '../../../../core/meta/metrics/rows/process.ts'
import { queueRows } from '../../../../core/meta/metrics/rows/queues.ts'
import { requestRows } from '../../../../core/meta/metrics/rows/requests.ts'
import { serviceRows } from '../../../../core/meta/metrics/rows/services.ts'
import {
  cacheRows,
  keyCacheRows,
  kmsRows,
  storageRows,
  storeCallRows,
  transformationRows,
} from '../../../../core/meta/metrics/rows/storage.ts'
import { watchRows } from '../../../../core/meta/metrics/rows/watches.ts'
import type { MetricRow } from '../../../../core/metrics.ts'

const tables = {
  accountTokenRows,
  aggregationRows,
  attemptRows,
  auditRows,
  authenticationFileRows,
  authorizationFileRows,
  authorizationRows,
  cacheRows,
  censusRows,
  certificateRows,
  chainRows,
  conversionRows,
  decisionRows,
  egressRows,
  encryptionFileRows,
  expressionRows,
  externalSignerRows,
  fairnessRows,
  forwardingRows,
  impersonationRows,
  jwtRows,
  keyCacheRows,
  kmsRows,
  ownClientRows,
  peerListRows,
  peerRows,
  podSecurityRows,
  policyRows,
  processRows,
  queueRows,
  requestRows,
  serviceRows,
  storageRows,
  storeCallRows,
  tokenRows,
  transformationRows,
  watchRows,
  webhookRows,
}

export const tableNames: readonly string[] = Object.keys(tables)
export const metricRows: readonly MetricRow[] = Object.values(tables).flatMap((rows): readonly MetricRow[] => Object.values(rows))
