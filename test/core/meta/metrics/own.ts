/** The metrics of this server: all tables of rows but those of functions, whose names have a product word. */

import { certificateRows } from '../../../../core/access/authn/certificate/metrics.ts'
import { impersonationRows } from '../../../../core/access/authn/impersonation-metrics.ts'
import { authenticationFileRows, jwtRows } from '../../../../core/access/authn/jwt/metrics.ts'
import { attemptRows, tokenRows } from '../../../../core/access/authn/metrics.ts'
import { accountTokenRows } from '../../../../core/access/authn/service-account/metrics.ts'
import { externalSignerRows } from '../../../../core/access/authn/service-account/signer-metrics.ts'
import { authorizationFileRows, authorizationRows, decisionRows } from '../../../../core/access/authz/metrics.ts'
import { manifestRows } from '../../../../core/admission/manifest/metrics.ts'
import { admissionRows, chainRows } from '../../../../core/admission/metrics.ts'
import { aggregationRows } from '../../../../core/aggregation/metrics.ts'
import { ownClientRows } from '../../../../core/assembly/own-client.ts'
import { auditRows } from '../../../../core/audit/metrics.ts'
import { conversionRows } from '../../../../core/controllers/custom-resources/conversion-metrics.ts'
import { queueRows } from '../../../../core/controllers/queue-metrics.ts'
import { encryptionFileRows, encryptionRows } from '../../../../core/encryption/metrics.ts'
import { fairnessRows } from '../../../../core/fairness/metrics.ts'
import { requestRows } from '../../../../core/filters/metrics.ts'
import { censusRows } from '../../../../core/meta/metrics/census.ts'
import { processRows, startRows } from '../../../../core/meta/metrics/process.ts'
import { peerListRows } from '../../../../core/meta/peer-list-metrics.ts'
import type { MetricRow } from '../../../../core/metrics.ts'
import { serviceRows } from '../../../../core/objects/registry/allocators/metrics.ts'
import { storageRows } from '../../../../core/objects/registry/object-counts.ts'
import { cacheRows, sizeRows, storeCallRows } from '../../../../core/objects/storage/metrics.ts'
import { watchRows } from '../../../../core/objects/watch/metrics.ts'
import { forwardingRows } from '../../../../core/outgoing/forwarding/metrics.ts'
import { peerRows } from '../../../../core/peers/metrics.ts'
import { expressionRows } from '../../../../core/schema/rule-metrics.ts'
import { resourceRows } from '../../../../core/verbs/metrics.ts'
import { egressRows } from '../../../../runtimes/node/egress/metrics.ts'
import { workerRows } from '../../../../runtimes/node/workers/metrics.ts'

const tables = {
  accountTokenRows,
  admissionRows,
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
  encryptionRows,
  expressionRows,
  externalSignerRows,
  fairnessRows,
  forwardingRows,
  impersonationRows,
  jwtRows,
  manifestRows,
  ownClientRows,
  peerListRows,
  peerRows,
  processRows,
  queueRows,
  requestRows,
  resourceRows,
  serviceRows,
  sizeRows,
  startRows,
  storageRows,
  storeCallRows,
  tokenRows,
  watchRows,
  workerRows,
}

export const tableNames: readonly string[] = Object.keys(tables)
export const metricRows: readonly MetricRow[] = Object.values(tables).flatMap((rows): readonly MetricRow[] => Object.values(rows))
