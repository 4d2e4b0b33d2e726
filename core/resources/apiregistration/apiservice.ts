import { timestamp } from '../../schema/formats/time.ts'
import { bool, bytes, field, type Infer, int32, keyedList, message, pointer, required, string } from '../../schema/model.ts'
import { resource } from '../definition.ts'
import { conditionFields } from '../meta/condition.ts'
import { object, specAndStatus } from '../meta/object.ts'
import { nameProblems, validateAPIService } from './apiservice-validation.ts'
import { apiServiceColumns } from './columns.ts'

export const ServiceReference = message('ServiceReference', 'Points at a service.', () => ({
  namespace: field(1, string, 'Namespace of the service.'),
  name: field(2, string, 'Name of the service.'),
  port: pointer(3, int32, 'Port of the service; 443 by default.'),
})).with({
  defaults(service) {
    service.port ??= 443
  },
})

export const APIServiceSpec = message('APIServiceSpec', 'The server of a group and version.', () => ({
  service: pointer(1, ServiceReference, 'Service that requests are passed on to; absent for this server itself.'),
  group: field(2, string, 'API group.'),
  version: field(3, string, 'API version.'),
  insecureSkipTLSVerify: field(4, bool, 'Does not verify the certificate; excludes caBundle.'),
  caBundle: field(5, bytes, 'PEM bundle that verifies the server, in base64.', { extensions: { 'x-kubernetes-list-type': 'atomic' } }),
  groupPriorityMinimum: required(7, int32, 'Priority of the group in discovery; higher ones come first.'),
  versionPriority: required(8, int32, 'Priority of the version in its group; higher ones come first.'),
}))

export const APIServiceCondition = message('APIServiceCondition', 'An observation about an API service.', () => ({
  type: required(1, string, 'Aspect that is judged, in CamelCase.', { goType: 'v1.APIServiceConditionType', openEnum: ['Available'] }),
  ...conditionFields,
}))

export const APIServiceStatus = message('APIServiceStatus', 'State of an API service.', () => ({
  conditions: keyedList(1, APIServiceCondition, 'type', 'Latest observations, one per condition type.'),
}))

export const APIService = object(
  'APIService',
  'Registers the server of a group and version; named <version>.<group>.',
  specAndStatus(APIServiceSpec, APIServiceStatus),
)

/** The condition of what this server serves itself. */
const localCondition = (now: number): Infer<typeof APIServiceCondition> => ({
  type: 'Available',
  status: 'True',
  lastTransitionTime: timestamp(now),
  reason: 'Local',
  message: 'Local APIServices are always available',
})

export const apiServices = resource({
  group: 'apiregistration.<domain>',
  version: 'v1',
  names: ['apiservices', 'apiservice'],
  anyFinalizers: true,
  categories: ['api-extensions'],
  namespaced: false,
  schema: APIService,
  columns: apiServiceColumns,
  storageKey: 'apiregistration.<domain>/apiservices',
  lifecycle: { introduced: '1.10' },
  status: true,
  statusTables: false,
  statusKeeps: 'metadata',
  nameFormat: 'pathSegment',
  metadataOnUpdate: ['update', 'object'],
  updateNeedsVersion: true,
  strategy: {
    prepareCreate(registration, { now }) {
      if (!registration.spec?.service) registration.status = { conditions: [localCondition(now)] }
    },
    nameProblems,
    validate: validateAPIService,
  },
})
