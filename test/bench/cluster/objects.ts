/** The objects of a cluster, about as large as real ones. */
import { nodeName } from './plan.ts'

export const appName = 'app'
export const rootCertificates = 'kube-root-ca.crt'

const conditionTypes = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']

/** A node's status, as its agent posts it. */
export const nodeStatus = (index: number, time: Date) => ({
  addresses: [
    { type: 'InternalIP', address: addressOf(index) },
    { type: 'Hostname', address: nodeName(index) },
  ],
  capacity: { cpu: '32', memory: '131072000Ki', pods: '110', 'ephemeral-storage': '203056560Ki' },
  allocatable: { cpu: '31850m', memory: '128000000Ki', pods: '110', 'ephemeral-storage': '187000000000' },
  conditions: conditionTypes.map((type) => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    reason: `Kubelet${type}`,
    message: `the agent reports ${type}`,
    lastHeartbeatTime: seconds(time),
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })),
  nodeInfo: {
    machineID: 'a'.repeat(32),
    systemUUID: '00000000-0000-4000-8000-000000000000',
    bootID: '00000000-0000-4000-8000-000000000000',
    kernelVersion: '6.1.0',
    osImage: 'Linux',
    containerRuntimeVersion: 'containerd://2.1.0',
    kubeletVersion: 'v1.36.2',
    kubeProxyVersion: 'v1.36.2',
    operatingSystem: 'linux',
    architecture: 'amd64',
  },
  images: Array.from({ length: 20 }, (_, image) => ({
    names: [`registry.example.com/team/image-${image}@sha256:${'0'.repeat(64)}`, `registry.example.com/team/image-${image}:v1`],
    sizeBytes: 50_000_000 + image,
  })),
})

const addressOf = (index: number) => `10.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`
const seconds = (time: Date) => `${time.toISOString().slice(0, 19)}Z`
const microseconds = (time: Date) => `${time.toISOString().slice(0, -1)}000Z`

export const node = (index: number) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName(index),
    labels: { 'kubernetes.io/hostname': nodeName(index), 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': `zone-${index % 3}` },
  },
  spec: { podCIDR: `10.${index >> 8}.${index & 255}.0/24` },
})

/** `resourceVersion`: that of the lease to replace; absent: a new one. */
export const lease = (index: number, time: Date, resourceVersion?: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: nodeName(index), namespace: 'kube-node-lease', ...(resourceVersion && { resourceVersion }) },
  spec: { holderIdentity: nodeName(index), leaseDurationSeconds: 40, renewTime: microseconds(time) },
})

/** A pod with a config map and a secret; bound if `node` is given. */
export const pod = (name: string, namespace: string, app: number, node?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    labels: { app: `app-${app}`, 'pod-template-hash': '7d4b9c6f5' },
    annotations: { 'example.com/checksum': 'c0ffee'.repeat(8) },
  },
  spec: {
    ...(node && { nodeName: node }),
    terminationGracePeriodSeconds: 30,
    containers: [
      {
        name: 'web',
        image: 'registry.example.com/team/web:v1.2.3',
        ports: [{ name: 'http', containerPort: 8080 }],
        env: Array.from({ length: 6 }, (_, index) => ({ name: `SETTING_${index}`, value: `value-${index}` })),
        resources: { limits: { memory: '128Mi' }, requests: { cpu: '100m', memory: '64Mi' } },
        readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
        volumeMounts: [
          { name: 'config', mountPath: '/config' },
          { name: 'secret', mountPath: '/secret' },
        ],
      },
    ],
    volumes: [
      { name: 'config', configMap: { name: appName } },
      { name: 'secret', secret: { secretName: appName } },
    ],
  },
})

/** The status of a started pod, as a patch. */
export const running = (address: number) => ({
  status: {
    phase: 'Running',
    podIP: addressOf(address),
    podIPs: [{ ip: addressOf(address) }],
    startTime: '2026-01-01T00:00:00Z',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
    containerStatuses: [
      {
        name: 'web',
        image: 'registry.example.com/team/web:v1.2.3',
        imageID: `sha256:${'0'.repeat(64)}`,
        containerID: `containerd://${'0'.repeat(64)}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  },
})

export const service = (name: string, namespace: string, app: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: `app-${app}` }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
})

/** A slice with as many endpoints as controllers put into one. */
export const endpointSlice = (service: string, namespace: string, first: number) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${service}-slice`, namespace, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: Array.from({ length: 100 }, (_, index) => ({
    addresses: [addressOf(first + index)],
    conditions: { ready: true, serving: true, terminating: false },
    targetRef: { kind: 'Pod', namespace, name: `steady-${first + index}`, uid: '00000000-0000-4000-8000-000000000000' },
    nodeName: nodeName(index),
  })),
})

/** A config map's or a secret's content. */
export const content = (kind: 'ConfigMap' | 'Secret', name: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  data: { text: 'eHh4'.repeat(250) },
})
