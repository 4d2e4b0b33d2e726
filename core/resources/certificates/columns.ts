import type { Infer } from '../../schema/model.ts'
import { ageColumn, humanDuration, labelsText, nameColumn, none, textColumn } from '../cells.ts'
import type { CertificateSigningRequest } from './certificatesigningrequest.ts'
import type { PodCertificateRequest } from './v1beta1/podcertificaterequest.ts'

type RequestRow = Infer<typeof CertificateSigningRequest>

function durationText({ spec }: RequestRow): string {
  return typeof spec?.expirationSeconds === 'number' ? humanDuration(spec.expirationSeconds * 1000) : none
}

function conditionText({ status }: RequestRow): string {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type)
  const parts = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending']
  if (has('Failed')) parts.push('Failed')
  if (status?.certificate) parts.push('Issued')
  return parts.join(',')
}

export const certificateSigningRequestColumns = [
  nameColumn,
  ageColumn,
  textColumn('SignerName', 'Requested signer.', '.spec.signerName', none),
  textColumn('Requestor', 'Requesting user.', '.spec.username'),
  textColumn('RequestedDuration', 'Requested validity.', durationText),
  textColumn('Condition', 'State of the request.', conditionText),
]

export const clusterTrustBundleColumns = [nameColumn, textColumn('SignerName', 'Signer that it vouches for.', '.spec.signerName', none)]

type PodRequestRow = Infer<typeof PodCertificateRequest>

const ends = ['Issued', 'Denied', 'Failed']

export const podCertificateRequestColumns = [
  nameColumn,
  textColumn('PodName', 'Name of the pod.', '.spec.podName'),
  textColumn('ServiceAccountName', 'Service account of the pod.', '.spec.serviceAccountName'),
  textColumn('NodeName', 'Node of the pod.', '.spec.nodeName'),
  textColumn('SignerName', 'Requested signer.', '.spec.signerName'),
  textColumn<PodRequestRow>(
    'State',
    'Pending, Issued, Denied or Failed.',
    ({ status }) => status?.conditions?.findLast(({ type }) => ends.includes(type))?.type ?? 'Pending',
  ),
  textColumn<PodRequestRow>('UnverifiedUserAnnotations', 'Annotations for the signer.', ({ spec }) =>
    labelsText(spec?.unverifiedUserAnnotations),
  ),
]
