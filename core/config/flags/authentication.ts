import { bool, choice, duration, map, string, strings } from '../flag-types.ts'

const notBlank = (text: string) => (text.trim() === '' ? 'must not be empty' : undefined)

const headerProblem = (text: string) => (/^\s*[!#$%&'*+\-.^_`|~0-9A-Za-z]+\s*$/.test(text) ? undefined : 'must be the name of a header')

const httpsProblem = (text: string) => {
  if (text === '') return undefined
  return URL.canParse(text) && new URL(text).protocol === 'https:' ? undefined : 'must be an https URL'
}

/** A colon makes it a URI (RFC 7519, section 2: StringOrURI). */
const issuerProblem = (text: string) => {
  if (text === '') return 'must not be empty'
  return text.includes(':') && (/\s/.test(text) || !URL.canParse(text)) ? 'must be a valid URI when it contains a colon' : undefined
}

const hour = 3_600_000

export const authenticationFlags = {
  'anonymous-auth': bool({
    default: true,
    built: true,
    help: 'Let requests without credentials through as system:anonymous, in group system:unauthenticated.',
  }),
  'authentication-config': string({
    built: true,
    help: 'File of kind AuthenticationConfiguration. Not with --oidc-* or --anonymous-auth for the same thing.',
  }),
  'authentication-token-webhook-config-file': string({
    built: true,
    help: 'Connection file of a remote service that decides on bearer tokens.',
  }),
  'authentication-token-webhook-version': choice({
    built: true,
    oneOf: ['v1', 'v1beta1'],
    default: 'v1beta1',
    help: 'Version of the TokenReview that the service is sent.',
  }),
  'authentication-token-webhook-cache-ttl': duration({ built: true, default: 120_000, help: 'How long answers of the service are kept.' }),
  'client-ca-file': string({ built: true, help: 'Client certificates of these authorities authenticate as their common name.' }),
  'token-auth-file': string({ built: true, help: 'File of static tokens.' }),
  'enable-bootstrap-token-auth': bool({
    built: true,
    help: 'Let secrets of type bootstrap.<labels>/token in the system namespace authenticate nodes that join.',
  }),
  'api-audiences': strings({
    default: ({ given }) => given('service-account-issuer'),
    built: true,
    help: 'Names of this API; service account tokens must be for one of them. Not set: the --service-account-issuer values.',
  }),
  'oidc-issuer-url': string({ built: true, check: httpsProblem, help: 'Issuer of ID tokens to accept; https only.' }),
  'oidc-client-id': string({ built: true, help: 'Client ID that ID tokens must be for; needed with the issuer.' }),
  'oidc-ca-file': string({ built: true, help: "CA file that verifies the issuer; not set: the host's roots." }),
  'oidc-username-claim': string({
    built: true,
    default: 'sub',
    help: 'Claim that becomes the user name. Others than sub may not be unique. Experimental.',
  }),
  'oidc-username-prefix': string({
    built: true,
    help: 'Text before user names. Not set: the issuer URL and #, unless the claim is email. - means no prefix.',
  }),
  'oidc-groups-claim': string({ built: true, help: 'Claim that becomes the groups: a string or a list. Experimental.' }),
  'oidc-groups-prefix': string({ built: true, help: 'Text before groups.' }),
  'oidc-required-claim': map({ built: true, split: 'never', help: 'Claim that must be there with this value, as key=value. Repeatable.' }),
  'oidc-signing-algs': strings({
    built: true,
    default: ['RS256'],
    oneOf: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'],
    help: 'Signing algorithms to accept (RFC 7518, section 3.1).',
  }),
  'requestheader-client-ca-file': string({
    built: true,
    help: 'CA file of front proxies; their certificates are checked before headers are believed.',
  }),
  'requestheader-allowed-names': strings({
    built: true,
    checkItem: notBlank,
    help: 'Common names that front proxies may have. Empty: any.',
  }),
  'requestheader-username-headers': strings({
    built: true,
    checkItem: headerProblem,
    help: 'Headers with the user name, such as X-Remote-User.',
  }),
  'requestheader-group-headers': strings({ built: true, checkItem: headerProblem, help: 'Headers with groups, such as X-Remote-Group.' }),
  'requestheader-uid-headers': strings({
    built: true,
    checkItem: headerProblem,
    help: 'Headers with the user UID, such as X-Remote-Uid. Needs RemoteRequestHeaderUID.',
  }),
  'requestheader-extra-headers-prefix': strings({
    built: true,
    checkItem: headerProblem,
    help: 'First parts of headers with further attributes, such as X-Remote-Extra-.',
  }),
  'proxy-client-cert-file': string({
    help: 'Client certificate that this server shows to aggregated API servers and to admission webhooks.',
  }),
  'proxy-client-key-file': string({ help: 'Key of --proxy-client-cert-file.' }),
  'service-account-issuer': strings({
    split: false,
    built: true,
    checkItem: issuerProblem,
    help: 'Issuer of service account tokens, best an https URL. Repeatable: the first one issues, all are accepted.',
  }),
  'service-account-jwks-uri': string({
    built: true,
    check: httpsProblem,
    help: 'Address of the key set in the discovery document, if it differs.',
  }),
  'service-account-key-file': strings({
    built: true,
    split: false,
    checkItem: notBlank,
    help: 'PEM file with RSA or ECDSA keys that verify service account tokens. Repeatable. Not set: --tls-private-key-file.',
  }),
  'service-account-signing-key-file': string({ built: true, help: 'Private key that signs service account tokens.' }),
  'service-account-signing-endpoint': string({ built: true, help: 'Socket of an external signer. Not with key files.' }),
  'service-account-lookup': bool({ built: true, default: true, help: 'Check that tokens exist in the store.' }),
  'service-account-extend-token-expiration': bool({
    built: true,
    default: true,
    help: 'Let tokens that are injected into pods live up to a year, whatever the longest validity is.',
  }),
  'service-account-max-token-expiration': duration({
    built: true,
    min: hour,
    max: 2 ** 32 * 1000,
    help: 'Longest validity of a token; longer requests are shortened to it.',
  }),
}
