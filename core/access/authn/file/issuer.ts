/** Validation of `issuer` in an AuthenticationConfiguration. */

import type { FileContext } from '../../../config/files/kind.ts'
import type { FieldErrors } from '../../../schema/field-error.ts'
import type { FieldPath } from '../../../schema/field-path.ts'
import { quote } from '../../../schema/go/quote.ts'
import { issuerEgresses } from '../jwt/settings.ts'
import type { JWTAuthenticator } from './jwt.ts'

function validateURL(text: string, path: FieldPath, errors: FieldErrors): void {
  if (!URL.canParse(text)) {
    errors.invalid(path, text, 'must be a URL')
    return
  }
  const url = new URL(text)
  if (url.protocol !== 'https:') errors.invalid(path, text, 'URL scheme must be https')
  if (url.username !== '' || url.password !== '') errors.invalid(path, text, 'URL must not contain a username or password')
  if (url.search !== '') errors.invalid(path, text, 'URL must not contain a query')
  if (url.hash !== '') errors.invalid(path, text, 'URL must not contain a fragment')
}

const trimmed = (text: string) => text.replace(/\/+$/, '')

function validateAudiences(audiences: readonly string[], policy: string, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('audiences')
  if (audiences.length === 0) {
    errors.required(at, `at least one ${at} is required`)
    return
  }
  for (const [index, audience] of audiences.entries()) {
    if (audience === '') errors.required(at.index(index))
    if (audiences.indexOf(audience) < index) errors.duplicate(at.index(index), audience)
  }
  if (policy === 'MatchAny' || (policy === '' && audiences.length === 1)) return
  const detail = audiences.length > 1 ? 'must be MatchAny for multiple audiences' : 'must be empty or MatchAny for single audience'
  errors.invalid(path.child('audienceMatchPolicy'), policy, `audienceMatchPolicy ${detail}`)
}

export function validateIssuer(issuer: JWTAuthenticator['issuer'], path: FieldPath, errors: FieldErrors, context: FileContext): void {
  const { url, discoveryURL, audiences, audienceMatchPolicy, certificateAuthority, egressSelectorType: egress } = issuer
  if (url === '') errors.required(path.child('url'))
  else {
    if (context.ownIssuers.includes(url)) {
      errors.invalid(path.child('url'), url, `URL must not overlap with disallowed issuers: [${context.ownIssuers.join(' ')}]`)
    }
    validateURL(url, path.child('url'), errors)
  }
  if (discoveryURL !== '') {
    const at = path.child('discoveryURL')
    if (url !== '' && trimmed(url) === trimmed(discoveryURL)) errors.invalid(at, discoveryURL, 'discoveryURL must be different from URL')
    validateURL(discoveryURL, at, errors)
  }
  validateAudiences(audiences, audienceMatchPolicy, path, errors)
  if (certificateAuthority !== '' && !/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(certificateAuthority)) {
    errors.invalid(path.child('certificateAuthority'), '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')
  }
  if (egress === '') return
  const at = path.child('egressSelectorType')
  const gate = 'StructuredAuthenticationConfigurationEgressSelector'
  if (!context.gates.enabled(gate)) errors.invalid(at, egress, `egress selector is not supported when ${gate} feature gate is disabled`)
  const known = issuerEgresses.find((each) => each === egress)
  if (known === undefined) errors.invalid(at, egress, 'egress selector must be either controlplane or cluster')
  else if (context.egress === undefined) errors.invalid(at, egress, 'egress selector needs --egress-selector-config-file')
  else if (!context.egress.includes(known)) errors.invalid(at, egress, `egress lookup for ${quote(egress)} is not configured`)
}

/** Issuer and discovery URLs must be unique, so that at most one authenticator handles a token. */
export function validateUnique(jwt: readonly JWTAuthenticator[], root: FieldPath, errors: FieldErrors): void {
  for (const name of ['url', 'discoveryURL'] as const) {
    const seen = new Set<string>()
    for (const [index, { issuer }] of jwt.entries()) {
      if (issuer[name] !== '' && seen.has(issuer[name])) errors.duplicate(root.index(index).child('issuer').child(name), issuer[name])
      seen.add(issuer[name])
    }
  }
}
