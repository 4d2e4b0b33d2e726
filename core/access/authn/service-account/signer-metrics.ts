/** Metrics of calls to an external signer. A code is the name of a gRPC status, or `unknown-non-grpc` when no call was made. */
import { counter, gauge, histogram, type Recorded } from '../../../metrics.ts'
import { CallError } from '../../../ports.ts'

const signer = 'apiserver_externaljwt'

export const externalSignerRows = {
  calls: histogram(`${signer}_request_duration_seconds`, 'Duration of a call to the external signer, in seconds.', {
    labels: ['method', 'code'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
  signed: counter(`${signer}_sign_request_total`, 'Sign requests to the external signer.', { labels: ['code'] }),
  fetches: counter(`${signer}_fetch_keys_request_total`, 'Key fetches from the external signer.', { labels: ['code'] }),
  fetchedAt: gauge(`${signer}_fetch_keys_success_timestamp`, 'Time of the last key fetch, in seconds since the epoch.'),
  dataFrom: gauge(`${signer}_fetch_keys_data_timestamp`, 'Data timestamp of these keys, in seconds since the epoch.'),
}

export type SignerMetrics = Recorded<typeof externalSignerRows>

/** The code for an error. */
const codeOf = (error: unknown): string => (error instanceof CallError ? error.codeName : 'unknown-non-grpc')

/** Runs an attempt and reports its code. */
export async function reported<T>(attempt: () => Promise<T>, report: (code: string, result?: T) => void): Promise<T> {
  try {
    const result = await attempt()
    report('OK', result)
    return result
  } catch (error) {
    report(codeOf(error))
    throw error
  }
}
