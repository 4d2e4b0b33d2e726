/** Addresses, response headers and health of a server. */
import { type EndpointReconcilerType, endpointReconcilers } from '../controllers/bootstrap/endpoint-reconcilers.ts'
import { parseAddress } from '../schema/formats/ip.ts'
import { option } from './option.ts'
import { callable, items, limited, milliseconds, oneOf, text, within } from './types.ts'

function directiveProblem(directive: string): string | undefined {
  if (directive === 'includeSubDomains' || directive === 'preload' || /^max-age=[^=]*$/.test(directive)) return undefined
  return 'must be max-age=seconds, includeSubDomains or preload (RFC 6797)'
}

/** Why a text is not an IP address or empty, or undefined. */
export const addressProblem = (text: string) =>
  text === '' || parseAddress(text)?.leadingZeros === false ? undefined : 'must be an IP address'

/** Values of `--endpoint-reconciler-type`. */
export const endpointReconcilerTypes = Object.keys(endpointReconcilers) as readonly EndpointReconcilerType[]

export const servingOptions = {
  advertiseAddress: option(limited(text, addressProblem), {
    default: '',
    description: "IP address of this server in the endpoints of the API server's service. Empty: the service has no endpoints.",
  }),
  peerAdvertiseIp: option(limited(text, addressProblem), {
    default: '',
    description:
      'IP address at which other API servers reach this one; only with peerAdvertisePort. Default: advertiseAddress and its port.',
  }),
  peerAdvertisePort: option(within({ min: 0, max: 65_535 }), {
    default: 0,
    description: 'Port at which other API servers reach this one; only with peerAdvertiseIp. 0: advertiseAddress and its port.',
  }),
  endpointReconciler: option(oneOf(endpointReconcilerTypes), {
    default: 'lease',
    description:
      "How the endpoints of the API server's service are kept: lease (each server renews a key in the store), master-count (deprecated) or none.",
  }),
  serverCount: option(within({ min: 1 }), {
    default: 1,
    description: 'Number of API servers in the cluster, for endpointReconciler master-count.',
  }),
  securePort: option(within({ min: 1, max: 65_535 }), { default: 6443, description: 'Port that belongs to advertiseAddress.' }),
  serverAddress: option(text, { default: '127.0.0.1:6443', description: 'Host and port in discovery documents.' }),
  rootCa: option(text, {
    default: '',
    description: "PEM of the serving certificate's authority, published in the root CA config map of each namespace. Empty: not published.",
  }),
  corsAccepts: option<(origin: string) => boolean>(callable, {
    description: 'Returns true for allowed CORS origins. Absent: no CORS.',
  }),
  hstsDirectives: option(items(directiveProblem), {
    default: [],
    description:
      'Directives of the Strict-Transport-Security response header, such as max-age=31536000,includeSubDomains. Empty: no header.',
  }),
  livezGracePeriod: option(milliseconds(), {
    default: 0,
    description: 'Time after startup during which /livez ignores unfinished startup work.',
  }),
}
