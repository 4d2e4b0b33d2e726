/** The smallest valid object of each kind. */
import type { ResourceDefinition } from '../../core/resources/definition.ts'
import { apiVersionOf } from '../../core/resources/definition.ts'

const container = { name: 'main', image: 'example/main' }
const labels = { app: 'example' }
const template = { metadata: { labels }, spec: { containers: [container] } }
const jobTemplate = { metadata: { labels }, spec: { containers: [container], restartPolicy: 'Never' } }
const selector = { matchLabels: labels }
const account = { kind: 'ServiceAccount', name: 'default', namespace: 'default' }
const role = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: 'any' })
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
const webhook = {
  name: 'hook.example.com',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://hook.example.com/' },
  sideEffects: 'None',
}
const matchConstraints = {
  resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }],
}
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'any' }
const mutatingPolicy = {
  spec: {
    matchConstraints,
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
  },
}
const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const exactRequest = { name: 'one', exactly: { deviceClassName: 'any.example.com' } }
const pool = { name: 'pool', generation: 1, resourceSliceCount: 1 }
const now = '2026-01-01T00:00:00.000000Z'

/** For `CN=someone`, with a P-256 key. */
export const signingRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHNMHQCAQAwEjEQMA4GA1UEAwwHc29tZW9uZTBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABFsPoREQwU0jWrd22hlSycdZ64jxju8oJLjX0/azHfBnntbLXVCue5H9
NwJDr4fheQrRUyuKEBkRfDY1zDdbsoigADAKBggqhkjOPQQDAgNJADBGAiEAxS6N
NYhAWUuPnXfu+XkyR66bptYmi1tdSsUIEhcxvAUCIQDNjU3IDqUb4VK1InYX7qJe
EKe4ymeXH9krK7mREPH7Yw==
-----END CERTIFICATE REQUEST-----
`

const rootCertificate = `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUaMNVkbkAsx0WuB+uW3Tc5yBjhwIwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIYW55IHJvb3QwIBcNMjYxMTIxMTE0MzIzWhgPMjEyNjEwMjgx
MTQzMjNaMBMxETAPBgNVBAMMCGFueSByb290MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEWw+hERDBTSNat3baGVLJx1nriPGO7ygkuNfT9rMd8Gee1stdUK57kf03
AkOvh+F5CtFTK4oQGRF8NjXMN1uyiKNTMFEwHQYDVR0OBBYEFI9iEE5xqIAQ2UvA
SKun/ZGkDorBMB8GA1UdIwQYMBaAFI9iEE5xqIAQ2UvASKun/ZGkDorBMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAJd46qWsYn5I9w8Ix6zz7km+
9AqspC7zUnr/s3AcskKbAiBoBdGJKPK9E0ntl/uSJ/lF1I1VuxIRRi9xu0NTYMsj
yg==
-----END CERTIFICATE-----
`

/** By plural, with the version before it or the group after it where those differ. */
const objects: { readonly [path: string]: { readonly [field: string]: unknown } } = {
  configmaps: {},
  endpoints: {},
  events: { involvedObject: { namespace: 'default' } },
  limitranges: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } },
  namespaces: {},
  nodes: {},
  persistentvolumeclaims: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  persistentvolumes: { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp' } } },
  pods: { spec: { containers: [container] } },
  podtemplates: { template },
  replicationcontrollers: { spec: { selector: labels, template } },
  resourcequotas: { spec: { hard: { pods: '1' } } },
  secrets: {},
  serviceaccounts: {},
  services: { spec: { ports: [{ port: 80 }], selector: labels } },
  mutatingadmissionpolicies: mutatingPolicy,
  mutatingadmissionpolicybindings: { spec: { policyName: 'any' } },
  mutatingwebhookconfigurations: { webhooks: [webhook] },
  validatingadmissionpolicies: { spec: { matchConstraints, validations: [{ expression: 'true' }] } },
  validatingadmissionpolicybindings: { spec: { policyName: 'any', validationActions: ['Deny'] } },
  validatingwebhookconfigurations: { webhooks: [webhook] },
  customresourcedefinitions: {
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  },
  apiservices: {
    spec: {
      group: 'example.org',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { name: 'any', namespace: 'default' },
      insecureSkipTLSVerify: true,
    },
  },
  controllerrevisions: { revision: 1, data: {} },
  daemonsets: { spec: { selector, template } },
  deployments: { spec: { selector, template } },
  replicasets: { spec: { selector, template } },
  statefulsets: { spec: { selector, template, serviceName: 'any' } },
  horizontalpodautoscalers: { spec: { scaleTargetRef, maxReplicas: 1 } },
  cronjobs: { spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: jobTemplate } } } },
  jobs: { spec: { template: jobTemplate } },
  certificatesigningrequests: { spec: { request: btoa(signingRequest), signerName: 'example.com/any', usages: ['client auth'] } },
  clustertrustbundles: { spec: { trustBundle: rootCertificate } },
  podcertificaterequests: {
    spec: {
      signerName: 'example.com/any',
      podName: 'any',
      podUID: 'any',
      serviceAccountName: 'default',
      serviceAccountUID: 'any',
      nodeName: 'any',
      nodeUID: 'any',
      // DER, not PEM.
      stubPKCS10Request: signingRequest.replace(/-----.*-----|\n/g, ''),
    },
  },
  leases: { spec: {} },
  leasecandidates: { spec: { leaseName: 'any', strategy: 'OldestEmulationVersion', binaryVersion: '1.36.0', emulationVersion: '1.36.0' } },
  endpointslices: { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 80 }] },
  'events.events.k8s.io': {
    eventTime: now,
    reportingController: 'example.com/any',
    reportingInstance: 'any',
    action: 'Any',
    reason: 'Any',
    type: 'Normal',
    regarding: { namespace: 'default' },
  },
  flowschemas: { spec: { priorityLevelConfiguration: { name: 'exempt' } } },
  prioritylevelconfigurations: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
  storageversions: { spec: {} },
  ingressclasses: { spec: { controller: 'example.com/any' } },
  ingresses: { spec: { defaultBackend: { service: { name: 'any', port: { number: 80 } } } } },
  ipaddresses: { spec: { parentRef: { resource: 'services', namespace: 'default', name: 'any' } } },
  networkpolicies: { spec: { podSelector: {} } },
  servicecidrs: { spec: { cidrs: ['192.0.2.0/24'] } },
  runtimeclasses: { handler: 'any' },
  poddisruptionbudgets: { spec: { minAvailable: 1, selector } },
  clusterrolebindings: { roleRef: role('ClusterRole'), subjects: [account] },
  clusterroles: { rules },
  rolebindings: { roleRef: role('Role'), subjects: [account] },
  roles: { rules },
  deviceclasses: { spec: {} },
  resourceclaims: { spec: { devices: { requests: [exactRequest] } } },
  'v1beta1/resourceclaims': { spec: { devices: { requests: [{ name: 'one', deviceClassName: 'any.example.com' }] } } },
  resourceclaimtemplates: { spec: { spec: { devices: { requests: [exactRequest] } } } },
  'v1beta1/resourceclaimtemplates': { spec: { spec: { devices: { requests: [{ name: 'one', deviceClassName: 'any.example.com' }] } } } },
  resourceslices: { spec: { driver: 'any.example.com', nodeName: 'any', pool, devices: [{ name: 'one' }] } },
  'v1beta1/resourceslices': { spec: { driver: 'any.example.com', nodeName: 'any', pool, devices: [{ name: 'one', basic: {} }] } },
  devicetaintrules: { spec: { taint: { key: 'example.com/any', effect: 'NoSchedule' } } },
  resourcepoolstatusrequests: { spec: { driver: 'any.example.com' } },
  priorityclasses: { value: 1 },
  podgroups: { spec: { schedulingPolicy: { basic: {} } } },
  workloads: { spec: { podGroupTemplates: [{ name: 'one', schedulingPolicy: { basic: {} } }] } },
  csidrivers: { spec: {} },
  csinodes: { spec: { drivers: [{ name: 'any.example.com', nodeID: 'any' }] } },
  csistoragecapacities: { storageClassName: 'any' },
  storageclasses: { provisioner: 'example.com/any' },
  volumeattachments: { spec: { attacher: 'example.com', nodeName: 'any', source: { persistentVolumeName: 'any' } } },
  volumeattributesclasses: { driverName: 'any.example.com', parameters: { speed: 'high' } },
  storageversionmigrations: { spec: { resource: { group: 'apps', resource: 'deployments' } } },
}

/** Names of kinds with restricted names. */
const names: { readonly [plural: string]: string } = {
  apiservices: 'v1.example.org',
  customresourcedefinitions: 'widgets.example.com',
  ipaddresses: '192.0.2.7',
  storageversions: 'apps.deployments',
}

/** A new object of the kind in the version of the definition, which is bound to a platform. */
export function minimalObject(definition: ResourceDefinition, name = 'minimal') {
  const {
    version,
    names: { plural },
    kind,
    namespaced,
  } = definition
  const found = [`${version}/${plural}`, `${plural}.${definition.group}`, plural].find((key) => Object.hasOwn(objects, key))
  if (found === undefined) throw new Error(`no minimal ${plural}`)
  const metadata = { name: names[plural] ?? name, ...(namespaced && { namespace: 'default' }) }
  return structuredClone({ kind, apiVersion: apiVersionOf(definition), metadata, ...objects[found] })
}

/** As `minimalObject`, but nothing that runs in a server changes it after a write: an API service is one of the server itself. */
export function restingObject(definition: ResourceDefinition, name = 'minimal') {
  const object = minimalObject(definition, name)
  if (object.kind !== 'APIService') return object
  const {
    service: _service,
    insecureSkipTLSVerify: _insecure,
    ...spec
  } = (object as { spec?: object }).spec as { [field: string]: unknown }
  return { ...object, spec }
}

/** Path of the kind's collection, in namespace `default` if namespaced. */
export function collectionPath({ group, version, namespaced, names: { plural } }: ResourceDefinition): string {
  return `${group === '' ? '/api' : `/apis/${group}`}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}`
}
