/** All metrics of this server but those whose names have a product word (`build.ts`, `health.ts`). */
import type { MetricRow } from '../metric-row.ts'
import { chainRows, policyRows, webhookRows } from './admission.ts'
import { aggregationRows } from './aggregation.ts'
import { auditRows } from './audit.ts'
import { accountTokenRows, attemptRows, certificateRows, externalSignerRows, jwtRows, tokenRows } from './authentication.ts'
import { authorizationRows, decisionRows } from './authorization.ts'
import { censusRows } from './census.ts'
import { authenticationFileRows, authorizationFileRows, encryptionFileRows } from './configuration.ts'
import { egressRows } from './egress.ts'
import { expressionRows } from './expressions.ts'
import { fairnessRows } from './fairness.ts'
import { ownClientRows } from './own-client.ts'
import { processRows } from './process.ts'
import { queueRows } from './queues.ts'
import { requestRows } from './requests.ts'
import { keyCacheRows, kmsRows, storageRows, transformationRows } from './storage.ts'

export const metricRows: readonly MetricRow[] = [
  requestRows,
  aggregationRows,
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
  certificateRows,
  externalSignerRows,
  authenticationFileRows,
  auditRows,
  decisionRows,
  authorizationRows,
  authorizationFileRows,
  storageRows,
  transformationRows,
  keyCacheRows,
  kmsRows,
  encryptionFileRows,
].flatMap((rows): readonly MetricRow[] => Object.values(rows))
