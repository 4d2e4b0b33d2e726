import { authenticationOptions, serviceAccountOptions } from '../../options/authentication.ts'
import { bool, choice, duration, map, string, strings } from '../flag-types.ts'
import { boundedBy, describedBy, sets } from '../option-flag.ts'

const notBlank = (text: string) => (text.trim() === '' ? 'must not be empty' : undefined)

const headerProblem = (text: string) => (/^\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+\s*$/.test(text) ? undefined : 'must be the name of a header')

const httpsProblem = (text: string) => {
  if (text === '') return undefined
  return URL.canParse(text) && new URL(text).protocol === 'https:' ? undefined : 'must be an https URL'
}

/** An issuer with a colon must be a URI (RFC 7519, section 2: StringOrURI). */
const issuerProblem = (text: string) => {
  if (text === '') return 'must not be empty'
  return text.includes(':') && (/\s/.test(text) || !URL.canParse(text)) ? 'must be a valid URI when it contains a colon' : undefined
}

export const authenticationFlags = {
  'anonymous-auth': bool(describedBy(authenticationOptions.anonymous)),
  'authentication-config': string({
    path: 'file',
    help: 'Path of the AuthenticationConfiguration file. Cannot be combined with --oidc-*, nor with --anonymous-auth when the file sets anonymous.',
  }),
  'authentication-token-webhook-config-file': string({
    path: 'file',
    help: 'Path of a connection file (kubeconfig format) for the webhook that authenticates bearer tokens.',
  }),
  'authentication-token-webhook-version': choice({
    oneOf: ['v1', 'v1beta1'],
    default: 'v1beta1',
    help: 'Version of TokenReview to send to the webhook.',
  }),
  'authentication-token-webhook-cache-ttl': duration({
    default: 120_000,
    help: 'Time to cache responses of the webhook.',
  }),
  'client-ca-file': string({
    path: 'file',
    help: 'CA bundle for client certificates. A client with a valid certificate is authenticated as the common name of the certificate.',
  }),
  'token-auth-file': string({
    path: 'file',
    help: 'Path of a CSV file with static tokens: token,user,uid,"group1,group2".',
  }),
  'enable-bootstrap-token-auth': bool(sets('authentication', 'bootstrapTokens')),
  'api-audiences': strings({
    default: ({ given }) => given('service-account-issuer'),
    help: 'Audiences of this API; service account tokens must be bound to at least one. Default: the values of --service-account-issuer.',
  }),
  'oidc-issuer-url': string({ check: httpsProblem, help: 'URL of the OpenID issuer; must be https.' }),
  'oidc-client-id': string({ help: 'Client ID that ID tokens must be issued for; required with --oidc-issuer-url.' }),
  'oidc-ca-file': string({
    path: 'file',
    help: "CA bundle for the issuer's certificate. Default: the host's root certificates.",
  }),
  'oidc-username-claim': string({
    default: 'sub',
    help: 'Claim to use as the user name. Claims other than sub are not guaranteed to be unique. Experimental.',
  }),
  'oidc-username-prefix': string({
    help: 'Prefix of user names. Default: the issuer URL followed by #, unless the claim is email. The value - means no prefix.',
  }),
  'oidc-groups-claim': string({ help: 'Claim to use as groups: a string or a list of strings. Experimental.' }),
  'oidc-groups-prefix': string({ help: 'Prefix of group names.' }),
  'oidc-required-claim': map({ split: 'never', help: 'Claim that ID tokens must contain with this value. Repeatable.' }),
  'oidc-signing-algs': strings({
    default: ['RS256'],
    oneOf: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'],
    help: 'Accepted signing algorithms (RFC 7518, section 3.1).',
  }),
  'requestheader-client-ca-file': string({
    path: 'file',
    help: 'CA bundle for client certificates of front proxies, verified before their user headers are trusted.',
  }),
  'requestheader-allowed-names': strings({
    checkItem: notBlank,
    help: 'Accepted common names of front proxies. Empty: any.',
  }),
  'requestheader-username-headers': strings({
    checkItem: headerProblem,
    help: 'Headers to read the user name from, such as X-Remote-User.',
  }),
  'requestheader-group-headers': strings({
    checkItem: headerProblem,
    help: 'Headers to read groups from, such as X-Remote-Group.',
  }),
  'requestheader-uid-headers': strings({
    checkItem: headerProblem,
    help: "Headers to read the user's UID from, such as X-Remote-Uid. Needs RemoteRequestHeaderUID.",
  }),
  'requestheader-extra-headers-prefix': strings({
    checkItem: headerProblem,
    help: 'Prefixes of headers to read extra user attributes from, such as X-Remote-Extra-.',
  }),
  'proxy-client-cert-file': string({
    path: 'file',
    help: 'Client certificate for calls to aggregated API servers. It should be issued by an authority in --requestheader-client-ca-file.',
  }),
  'proxy-client-key-file': string({ path: 'file', help: 'Key of --proxy-client-cert-file.' }),
  'service-account-issuer': strings({
    split: false,
    checkItem: issuerProblem,
    help: 'Issuer of service account tokens, preferably an https URL. Repeatable: the first value issues tokens, all values are accepted. Default: https://apiserver.default.svc.cluster.local.',
  }),
  'service-account-jwks-uri': string({
    check: httpsProblem,
    help: "URL of the JSON Web Key Set in the issuer's discovery document. Default: /openid/v1/jwks of this server.",
  }),
  'service-account-key-file': strings({
    path: 'file',
    split: false,
    checkItem: notBlank,
    help: 'PEM file with RSA or ECDSA keys that verify service account tokens. Repeatable. Default: --tls-private-key-file.',
  }),
  'service-account-signing-key-file': string({ path: 'file', help: 'Private key that signs service account tokens.' }),
  'service-account-signing-endpoint': string({
    help: 'Unix socket of an external signer of service account tokens. Cannot be combined with key files.',
  }),
  'service-account-lookup': bool(describedBy(serviceAccountOptions.lookup)),
  'service-account-extend-token-expiration': bool({ ...describedBy(serviceAccountOptions.extend), default: true }),
  'service-account-max-token-expiration': duration({
    ...describedBy(serviceAccountOptions.maxSeconds),
    ...boundedBy(serviceAccountOptions.maxSeconds),
  }),
}
