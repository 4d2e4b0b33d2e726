/** All metrics of this server but those whose names have a product word (`build.ts`, `health.ts`). */
import type { MetricRow } from '../metric-row.ts'
import { chainRows, podSecurityRows, policyRows, webhookRows } from './admission.ts'
import { aggregationRows } from './aggregation.ts'
import { auditRows } from './audit.ts'
import {
  accountTokenRows,
  attemptRows,
  certificateRows,
  externalSignerRows,
  impersonationRows,
  jwtRows,
  tokenRows,
} from './authentication.ts'
import { authorizationRows, decisionRows } from './authorization.ts'
import { censusRows } from './census.ts'
import { authenticationFileRows, authorizationFileRows, encryptionFileRows } from './configuration.ts'
import { conversionRows } from './conversion.ts'
import { egressRows } from './egress.ts'
import { expressionRows } from './expressions.ts'
import { fairnessRows } from './fairness.ts'
import { forwardingRows } from './forwarding.ts'
import { ownClientRows } from './own-client.ts'
import { peerListRows, peerRows } from './peers.ts'
import { processRows } from './process.ts'
import { queueRows } from './queues.ts'
import { requestRows } from './requests.ts'
import { serviceRows } from './services.ts'
import { cacheRows, keyCacheRows, kmsRows, storageRows, storeCallRows, transformationRows } from './storage.ts'
import { watchRows } from './watches.ts'

export const metricRows: readonly MetricRow[] = [
  requestRows,
  serviceRows,
  forwardingRows,
  conversionRows,
  aggregationRows,
  peerRows,
  peerListRows,
  ownClientRows,
  queueRows,
  egressRows,
  processRows,
  censusRows,
  fairnessRows,
  chainRows,
  webhookRows,
  policyRows,
  expressionRows,
  attemptRows,
  tokenRows,
  jwtRows,
  accountTokenRows,
  impersonationRows,
  podSecurityRows,
  certificateRows,
  externalSignerRows,
  authenticationFileRows,
  auditRows,
  decisionRows,
  authorizationRows,
  authorizationFileRows,
  watchRows,
  storageRows,
  storeCallRows,
  cacheRows,
  transformationRows,
  keyCacheRows,
  kmsRows,
  encryptionFileRows,
].flatMap((rows): readonly MetricRow[] => Object.values(rows))
