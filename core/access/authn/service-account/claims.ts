import type { Platform } from '../../../platform.ts'
import type { User } from '../../../request/exchange.ts'
import { isObject } from '../../../schema/json/is-object.ts'
import { AuthenticationError } from '../authenticator.ts'
import { serviceAccountGroups, serviceAccountName } from '../names.ts'

export interface Reference {
  readonly name: string
  readonly uid: string
}

/** Private claims of a service account token, under the platform's label domain. */
export interface AccountClaims {
  readonly namespace: string
  readonly serviceaccount: Reference
  readonly pod?: Reference
  readonly secret?: Reference
  readonly node?: { readonly name: string; readonly uid?: string }
  /** Seconds since the epoch. Use of a projected token after this time is stale: its client did not reload it. */
  readonly warnafter?: number
}

type Loose = { readonly [key: string]: unknown }
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function reference(value: unknown): Reference | undefined {
  return isObject(value) ? { name: textOf(value['name']), uid: textOf(value['uid']) } : undefined
}

/** Reads the private claims of a verified payload. Throws an AuthenticationError when they don't name the account. */
export function readAccountClaims(payload: Loose, platform: Platform): AccountClaims {
  const claims = payload[platform.labelDomain]
  const account = isObject(claims) ? reference(claims['serviceaccount']) : undefined
  const namespace = isObject(claims) ? textOf(claims['namespace']) : ''
  if (!isObject(claims) || account === undefined || account.name === '' || namespace === '') {
    throw new AuthenticationError('service account token claims could not be validated due to unexpected private claim')
  }
  const [pod, secret, node] = [reference(claims['pod']), reference(claims['secret']), reference(claims['node'])]
  const warnafter = claims['warnafter']
  return {
    namespace,
    serviceaccount: account,
    ...(pod && { pod }),
    ...(secret && { secret }),
    ...(node && { node }),
    ...(typeof warnafter === 'number' && { warnafter }),
  }
}

/** The user of a service account token. `tokenId` is the claim `jti`. */
export function accountUser(claims: AccountClaims, tokenId: string | undefined, platform: Platform): User {
  const { namespace, serviceaccount, pod, node } = claims
  // By key, as the reference shows them.
  const extras: { readonly [key: string]: string | undefined } = {
    'credential-id': tokenId === undefined ? undefined : `JTI=${tokenId}`,
    'node-name': node?.name,
    'node-uid': node?.uid,
    'pod-name': pod?.name,
    'pod-uid': pod?.uid,
  }
  const extra = Object.entries(extras).flatMap(([key, value]): [string, string[]][] =>
    value === undefined || value === '' ? [] : [[platform.name(`authentication.<labels>/${key}`), [value]]],
  )
  return {
    name: serviceAccountName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  }
}
