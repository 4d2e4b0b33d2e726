/** CEL variables and types of webhook and policy expressions. */
import { type CelEnvironment, createCelEnvironment } from '../../cel/environment.ts'
import { authorizerType, resourceCheckType } from '../../cel/library/authorizer.ts'
import { jsonPatchLibrary, jsonPatchType } from '../../cel/library/json-patch.ts'
import { boolType, type CelType, dynType, intType, listType, mapType, objectType, stringType, timestampType } from '../../cel/types.ts'

const texts = listType(stringType)
const kindType = objectType('kubernetes.GroupVersionKind', { group: stringType, version: stringType, kind: stringType })
const resourceType = objectType('kubernetes.GroupVersionResource', { group: stringType, version: stringType, resource: stringType })
const userType = objectType('kubernetes.UserInfo', {
  username: stringType,
  uid: stringType,
  groups: texts,
  extra: mapType(stringType, texts),
})

/** An AdmissionRequest without its objects. */
export const requestType = objectType('kubernetes.AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: stringType,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: userType,
  dryRun: boolType,
  options: dynType,
})

const namespaceMetadataType = objectType('kubernetes.NamespaceMetadata', {
  name: stringType,
  generateName: stringType,
  namespace: stringType,
  labels: mapType(stringType, stringType),
  annotations: mapType(stringType, stringType),
  UID: stringType,
  creationTimestamp: timestampType,
  deletionGracePeriodSeconds: intType,
  deletionTimestamp: timestampType,
  generation: intType,
  resourceVersion: stringType,
  finalizers: texts,
})
const conditionType = objectType('kubernetes.NamespaceCondition', {
  status: stringType,
  type: stringType,
  lastTransitionTime: timestampType,
  message: stringType,
  reason: stringType,
})

/** A namespace object in expressions. */
export const namespaceType = objectType('kubernetes.Namespace', {
  metadata: namespaceMetadataType,
  spec: objectType('kubernetes.NamespaceSpec', { finalizers: texts }),
  status: objectType('kubernetes.NamespaceStatus', { conditions: listType(conditionType), phase: stringType }),
})

/** Variables in addition to `object`, `oldObject`, `request` and `namespaceObject`. */
export interface ExpressionScope {
  /** `params`. */
  readonly params?: boolean
  /** `authorizer`, and `authorizer.requestResource`. */
  readonly authorizer?: boolean
  /** `Object{}`, `JSONPatch{}` and `jsonpatch.escapeKey`. */
  readonly patches?: boolean
  /** Type of `variables`. */
  readonly variables?: CelType
}

const authorizerVariables = { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType }

/** `Object` and `Object.<field>…<field>`: objects with arbitrary fields. */
function objectNamed(name: string): CelType | undefined {
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined
  return { kind: 'object', name, parameters: [], field: (json) => ({ type: dynType, json }) }
}

/** Result types of mutations. */
export const applyConfigurationType: CelType = objectNamed('Object') as CelType
export const jsonPatchListType: CelType = listType(jsonPatchType)

/** Types of `object`, `oldObject` and `params`, if known. */
export interface KnownTypes {
  readonly object?: CelType
  readonly params?: CelType
}

export function expressionEnvironment(
  { params, authorizer, patches, variables }: ExpressionScope,
  { object = dynType, params: paramsType = dynType }: KnownTypes = {},
): CelEnvironment {
  return createCelEnvironment({
    variables: {
      object,
      oldObject: object,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params && { params: paramsType }),
      ...(authorizer && authorizerVariables),
      ...(variables && { variables }),
    },
    ...(patches && { types: [jsonPatchType], typeNamed: objectNamed, libraries: [jsonPatchLibrary()] }),
  })
}

/** Environment of webhooks' match conditions, for both validation and evaluation. */
export const conditionEnvironment = (): CelEnvironment => expressionEnvironment({ authorizer: true })
