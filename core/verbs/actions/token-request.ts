/** `serviceaccounts/token`: issues a service account token (KEP-1205). */

import type { TokenRequest as IssuerRequest } from '../../access/authn/service-account/issuer.ts'
import { badRequest, conflict, invalid, notFound } from '../../answers/status.ts'
import type { Platform } from '../../platform.ts'
import type { BoundObjectReference, TokenRequestSpec } from '../../resources/authentication/tokenrequest.ts'
import { TokenRequest } from '../../resources/authentication/tokenrequest.ts'
import type { ApiObject } from '../../resources/definition.ts'
import { FieldErrors } from '../../schema/field-error.ts'
import { FieldPath } from '../../schema/field-path.ts'
import { timestamp } from '../../schema/formats/time.ts'
import type { Infer } from '../../schema/model.ts'
import type { Services, Target, WriteServices } from '../services.ts'
import type { Action } from './action.ts'
import { specOf } from './pod.ts'

type Spec = Infer<typeof TokenRequestSpec>

type Reference = Infer<typeof BoundObjectReference>

type Bound = NonNullable<IssuerRequest['boundObject']>

const minSeconds = 600
const maxSeconds = 2 ** 32
/** Lifetime in seconds that projected volumes request; such a token gets an extended lifetime, for clients that don't reload it. */
const volumeSeconds = 3607
const body = { group: 'authentication.<domain>', version: 'v1', kind: 'TokenRequest', schema: TokenRequest }

function refuseIfAny(platform: Platform, { name }: Target, errors: FieldErrors, named = name): void {
  if (errors.list.length > 0) throw invalid({ group: platform.name(body.group), kind: body.kind }, named, errors.list)
}

/** Name and namespace in the body may be absent, but must match the URL. */
function validateSubject(platform: Platform, target: Target, { metadata }: ApiObject): void {
  const errors = new FieldErrors()
  for (const field of ['name', 'namespace'] as const) {
    const given = metadata[field]
    if (given && given !== target[field])
      errors.invalid(FieldPath.of('metadata', field), given, `must match the service account ${field} if specified`)
  }
  refuseIfAny(platform, target, errors)
}

/** Throws 409 when the request names the UID of a previous account. */
function checkUid({ platform, settings }: WriteServices, { name, exchange }: Target, given: string | undefined, uid: string): void {
  if (!given || given === uid) return
  const problem = `the UID in the token request (${given}) does not match the UID of the service account (${uid})`
  const gate = 'TokenRequestServiceAccountUIDValidation'
  if (settings.enabled(gate)) throw conflict({ group: platform.name(body.group), resource: body.kind }, name, problem)
  exchange.annotations.set(platform.name('authentication.<domain>/token-request-uid-mismatch'), problem)
  exchange.warnings.push(`${problem} but ${gate} is not enabled. In the future, this will return a conflict error`)
}

function validateSeconds(platform: Platform, target: Target, seconds: number): void {
  const errors = new FieldErrors()
  const path = FieldPath.of('spec', 'expirationSeconds')
  if (seconds < minSeconds) errors.invalid(path, seconds, 'may not specify a duration less than 10 minutes')
  if (seconds > maxSeconds) errors.invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')
  refuseIfAny(platform, target, errors, '')
}

async function find({ table }: WriteServices, plural: string, namespace: string, name: string): Promise<ApiObject> {
  const resource = table.lookup('', 'v1', plural)
  const entry = resource && (await resource.store.get({ namespace, name }))
  if (entry === undefined) throw notFound({ group: '', resource: plural }, name)
  return entry.copy()
}

/** The pod's node; without UID when the node is not found. */
async function nodeOf({ table }: WriteServices, pod: ApiObject): Promise<{ name: string; uid?: string } | undefined> {
  const name = specOf(pod).nodeName
  if (!name) return undefined
  const nodes = table.lookup('', 'v1', 'nodes')
  const uid = nodes && (await nodes.store.get({ namespace: '', name }))?.copy().metadata.uid
  return { name, ...(uid !== undefined && { uid }) }
}

const bindable: { readonly [kind in Bound['kind']]: string } = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }
const isBindable = (kind: string): kind is Bound['kind'] => Object.hasOwn(bindable, kind)

/** The object that the token is bound to, with its UID. It must exist, with the requested UID if given. */
async function boundObject(
  writes: WriteServices,
  target: Target,
  { kind = '', apiVersion = '', name = '', uid }: Reference,
): Promise<Bound> {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  if (group !== '' || !isBindable(kind)) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  const found = await find(writes, bindable[kind], kind === 'Node' ? '' : target.namespace, name)
  if (kind === 'Pod' && specOf(found).serviceAccountName !== target.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(target.name)} to pod running with different serviceaccount name.`,
    )
  if (uid && uid !== found.metadata.uid)
    throw conflict(
      { group, resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  const reference = { kind, name, uid: found.metadata.uid ?? '' }
  const node = kind === 'Pod' ? await nodeOf(writes, found) : undefined
  return node ? { ...reference, kind: 'Pod', node } : (reference as Bound)
}

export const tokenRequest = ({ writes, access: { identities } }: Pick<Services, 'writes' | 'access'>): Action => ({
  body,
  keepsMetadata: true,
  async perform(target, object) {
    const { platform, clock } = writes
    const { namespace, name, exchange } = target
    validateSubject(platform, target, object)
    const account = await find(writes, 'serviceaccounts', namespace, name)
    const uid = account.metadata.uid ?? ''
    checkUid(writes, target, object.metadata.uid, uid)
    const serviceAccounts = identities.serviceAccounts()
    if (serviceAccounts === undefined) throw badRequest('this server issues no tokens: it has no signing key')
    const { issuer, audiences: own, maxSeconds = 0, extendedSeconds } = serviceAccounts
    const spec = (object['spec'] ?? {}) as Spec
    const audiences = spec.audiences && spec.audiences.length > 0 ? spec.audiences : own
    let { expirationSeconds: seconds = 0 } = spec
    validateSeconds(platform, target, seconds)
    const bound = spec.boundObjectRef ? await boundObject(writes, target, spec.boundObjectRef) : undefined
    if (maxSeconds > 0 && seconds > maxSeconds) {
      exchange.warnings.push(`requested expiration of ${seconds} seconds shortened to ${maxSeconds} seconds`)
      seconds = maxSeconds
    }
    const now = clock.now()
    const injected = bound?.kind === 'Pod' && seconds === volumeSeconds && audiences.every((each) => own.includes(each))
    const extended = injected ? extendedSeconds : undefined
    const { token, credentialId } = await issuer.issue({
      namespace,
      name,
      uid,
      audiences,
      expirationSeconds: extended ?? seconds,
      ...(extended !== undefined && { warnAfterSeconds: seconds }),
      ...(bound && { boundObject: bound }),
    })
    exchange.annotations.set(platform.name('authentication.<labels>/issued-credential-id'), credentialId)
    const { name: _name, namespace: _namespace, uid: _uid, creationTimestamp: _time, ...rest } = object.metadata
    return {
      ...object,
      metadata: { name, namespace, uid: object.metadata.uid || uid, creationTimestamp: timestamp(now), ...rest },
      spec: { ...spec, audiences, expirationSeconds: seconds },
      status: { token, expirationTimestamp: timestamp(now + seconds * 1000) },
    }
  },
})
