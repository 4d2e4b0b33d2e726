/**
 * What kubectl 1.20 to 1.36 sends: for each kind the life of an object from `apply` to `delete`, then commands that have requests of their own.
 * Managers write in the order of their names, so that entries with the same second have one order.
 */
import type { ResourceDefinition } from '../../../core/resources/definition.ts'
import type { JsonObject } from '../../../core/schema/model.ts'
import { collectionPath } from '../../support/minimal-objects.ts'
import { type Call, get, type Part, type Scene, send } from '../exchange.ts'
import { account, isNamedFreely, harmlessObjectOf as objectOf, pathOf, removes } from '../inputs/objects.ts'
import { storedKinds, titleOf } from '../kinds.ts'

const tables = {
  accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
}
const json = { accept: 'application/json' }
const metadataOnly = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json' }
const [merge, strategic, jsonPatch, apply] = ['merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml'].map(
  (type) => ({ ...json, 'content-type': `application/${type}` }),
) as [object, object, object, object]

const patch = (path: string, body: unknown, type: object) => send('PATCH', path, body, { ...type })
const remove = (path: string, body: object): Call => send('DELETE', path, { kind: 'DeleteOptions', apiVersion: 'v1', ...body }, json)

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const annotated = (object: JsonObject, more: object = {}): JsonObject => ({
  ...object,
  metadata: {
    ...(object['metadata'] as JsonObject),
    annotations: { [lastApplied]: `${JSON.stringify({ ...object, metadata: { annotations: {}, ...(object['metadata'] as object) } })}\n` },
    ...more,
  },
})

const inMetadata = (object: JsonObject, more: object): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), ...more },
})

/** `apply`, `diff`, `edit`, `label`, `patch`, `replace`, `get`, `wait` and `delete` of one object. */
function* lives(): Generator<Scene> {
  for (const definition of storedKinds) {
    if (!isNamedFreely(definition) || definition.specFinalizers) continue
    // Both groups of events have the same objects.
    const name = definition.kind === 'Event' ? `worked-in-${definition.group || 'core'}` : `worked${definition.version}`
    const object = objectOf(definition, name)
    const [collection, path] = [collectionPath(definition), pathOf(definition, object)]
    const mine = `fieldSelector=metadata.name%3D${name}`
    const strict = 'fieldValidation=Strict'
    const since = 'resourceVersion={{1.metadata.resourceVersion}}'
    const calls: Call[] = [
      get(path, json),
      send('POST', `${collection}?fieldManager=kubectl-client-side-apply&${strict}`, annotated(object), json),
      send('POST', `${collection}?fieldManager=kubectl-create&${strict}`, object, json),
      get(path, json),
      get(`${collection}?${mine}&limit=500`, tables),
      patch(
        `${path}?fieldManager=kubectl-client-side-apply&${strict}`,
        { metadata: { labels: { app: 'x' }, annotations: { [lastApplied]: 'x\n' } } },
        strategic,
      ),
      patch(`${path}?dryRun=All&fieldManager=kubectl-client-side-apply&${strict}`, { metadata: { labels: { app: 'y' } } }, strategic),
      patch(`${path}?dryRun=All&fieldManager=kubectl&force=false&${strict}`, inMetadata(object, { labels: { app: 'z' } }), apply),
      patch(`${path}?dryRun=All&fieldManager=kubectl&force=true&${strict}`, inMetadata(object, { labels: { app: 'z' } }), apply),
      patch(`${path}?fieldManager=kubectl&force=false&${strict}`, inMetadata(object, { labels: { own: 'z' } }), apply),
      // The migration of fields from client-side apply, and its shortest form.
      patch(
        `${path}?fieldManager=kubectl-last-applied&force=true`,
        {
          ...{ kind: object['kind'], apiVersion: object['apiVersion'] },
          metadata: { name, annotations: { [lastApplied]: 'y' } },
        } as JsonObject,
        apply,
      ),
      patch(
        path,
        [
          { op: 'replace', path: '/metadata/managedFields', value: [{}] },
          { op: 'replace', path: '/metadata/resourceVersion', value: '{{9.metadata.resourceVersion}}' },
        ],
        jsonPatch,
      ),
      patch(path, { metadata: { managedFields: [{}] } }, merge),
      patch(`${path}?fieldManager=kubectl-edit&${strict}`, { metadata: { labels: { edited: 'x' }, resourceVersion: '1' } }, strategic),
      patch(`${path}?fieldManager=kubectl-edit&${strict}`, { metadata: { labels: { edited: 'x' } }, unknown: 1 }, merge),
      patch(`${path}?fieldManager=kubectl-edit`, { metadata: { labels: { edited: 'x' } } }, strategic),
      patch(`${path}?fieldManager=kubectl-label`, { metadata: { labels: { a: 'b', app: null } } }, merge),
      patch(`${path}?fieldManager=kubectl-label`, { metadata: { labels: { a: 'b c' } } }, merge),
      patch(`${path}?fieldManager=kubectl-label&dryRun=All`, { metadata: { labels: { dry: '' } } }, merge),
      patch(
        `${path}?fieldManager=kubectl-patch`,
        [
          { op: 'test', path: '/metadata/labels/a', value: 'b' },
          { op: 'replace', path: '/metadata/labels/a', value: 'c' },
        ],
        jsonPatch,
      ),
      patch(`${path}?fieldManager=kubectl-patch`, [{ op: 'test', path: '/metadata/labels/a', value: 'b' }], jsonPatch),
      patch(`${path}?fieldManager=kubectl-patch`, [{ op: 'remove', path: '/metadata/labels/none' }], jsonPatch),
      patch(`${path}?fieldManager=kubectl-patch`, { metadata: { finalizers: ['example.com/kept'] } }, merge),
      send('PUT', `${path}?fieldManager=kubectl-replace&${strict}`, inMetadata(object, { resourceVersion: '1' }), json),
      send('PUT', `${path}?fieldManager=kubectl-replace&${strict}`, inMetadata(object, { uid: 'x' }), json),
      send(
        'PUT',
        `${path}?fieldManager=kubectl-replace&${strict}&dryRun=All`,
        inMetadata(object, { resourceVersion: '{{22.metadata.resourceVersion}}', finalizers: ['example.com/kept'] }),
        json,
      ),
      send(
        'PUT',
        `${path}?fieldManager=kubectl-replace`,
        inMetadata(object, { finalizers: ['example.com/kept'], labels: { r: '' } }),
        json,
      ),
      get(path, tables),
      get(path, metadataOnly),
      get(path, { accept: 'application/yaml' }),
      get(`${collection}?${mine}&${since}&resourceVersionMatch=Exact&limit=500`, json),
      get(`${collection}?${mine}&${since}&resourceVersionMatch=NotOlderThan&limit=500`, tables),
      get(`${collection}?${mine}&labelSelector=r&limit=500`, metadataOnly),
      get(`${collection}?${mine}&${since}&watch=true&timeoutSeconds=1`, json),
      get(`${collection}?${mine}&${since}&watch=true&timeoutSeconds=1`, tables),
      get(`${collection}?${mine}&${since}&watch=true&timeoutSeconds=1&labelSelector=app`, metadataOnly),
      get(
        `${collection}?${mine}&watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
        metadataOnly,
      ),
      remove(path, { propagationPolicy: 'Background', dryRun: ['All'] }),
      remove(path, { propagationPolicy: 'Background', preconditions: { uid: 'x' } }),
      remove(path, { propagationPolicy: 'Background', preconditions: { resourceVersion: '1' } }),
      remove(path, { propagationPolicy: 'Sometimes' }),
      remove(path, { propagationPolicy: 'Foreground' }),
      remove(path, { gracePeriodSeconds: 0, propagationPolicy: 'Orphan' }),
      get(path, json),
      patch(path, { metadata: { labels: { late: 'x' }, finalizers: ['example.com/kept', 'example.com/more'] } }, merge),
      patch(path, { metadata: { finalizers: null } }, merge),
      get(path, json),
      get(`${collection}?${mine}&resourceVersion={{26.metadata.resourceVersion}}&watch=true&timeoutSeconds=1`, json),
      ...removes(definition, name),
      get(`${collection}?${mine}`, tables),
    ]
    yield { kind: titleOf(definition), at: 'life', calls }
    if (definition.status) yield { kind: titleOf(definition), at: 'status', calls: statusCommands(definition) }
    if (definition.scale) yield { kind: titleOf(definition), at: 'scale', calls: scaleCommands(definition) }
  }
}

/** `get`, `edit`, `patch`, `replace` and `apply` with `--subresource=status`. */
function statusCommands(definition: ResourceDefinition): readonly Call[] {
  const name = `reported${definition.version}`
  const object = objectOf(definition, name)
  const path = pathOf(definition, object)
  const [status, dry] = [`${path}/status`, 'dryRun=All']
  const labels = { labels: { a: 'b' } }
  return [
    send('POST', `${collectionPath(definition)}?fieldManager=kubectl-create`, object, json),
    get(status, json),
    get(status, tables),
    patch(`${status}?fieldManager=kubectl-edit`, { metadata: labels }, strategic),
    patch(`${status}?fieldManager=kubectl-edit&${dry}`, { status: null }, merge),
    patch(`${status}?fieldManager=kubectl-edit&${dry}`, { status: { unknown: 1 } }, merge),
    patch(`${status}?fieldManager=kubectl-edit&${dry}&fieldValidation=Strict`, { status: { unknown: 1 } }, merge),
    patch(`${status}?fieldManager=kubectl-patch`, [{ op: 'add', path: '/status', value: {} }], jsonPatch),
    patch(`${status}?fieldManager=kubectl-patch`, [{ op: 'remove', path: '/status' }], jsonPatch),
    send('PUT', `${status}?fieldManager=kubectl-replace`, inMetadata(object, { resourceVersion: '1' }), json),
    send('PUT', `${status}?fieldManager=kubectl-replace`, inMetadata(object, labels), json),
    patch(`${status}?fieldManager=kubectl&force=true`, { ...object, status: {} }, apply),
    patch(`${status}?fieldManager=kubectl`, { ...object, spec: undefined, status: undefined }, apply),
    patch(`${pathOf(definition, objectOf(definition, 'none'))}/status?fieldManager=kubectl`, { ...objectOf(definition, 'none') }, apply),
    send('POST', status, object, json),
    remove(status, {}),
    get(path, json),
    ...removes(definition, name),
  ]
}

/** `scale` and `autoscale`. */
function scaleCommands(definition: ResourceDefinition): readonly Call[] {
  const name = `scaled${definition.version}`
  const object = objectOf(definition, name)
  const path = `${pathOf(definition, object)}/scale`
  const scale = (replicas: unknown, more: object = {}) => ({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace: 'default', ...more },
    spec: { replicas },
  })
  const target = {
    kind: definition.kind,
    name,
    apiVersion: `${definition.group === '' ? '' : `${definition.group}/`}${definition.version}`,
  }
  const hpa = (version: string) => ({
    kind: 'HorizontalPodAutoscaler',
    apiVersion: `autoscaling/${version}`,
    metadata: { name },
    spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, ...(version === 'v1' && { targetCPUUtilizationPercentage: 80 }) },
  })
  return [
    send('POST', `${collectionPath(definition)}?fieldManager=kubectl-create`, object, json),
    get(path, json),
    get(path, tables),
    patch(path, { spec: { replicas: 2 } }, merge),
    patch(`${path}?dryRun=All`, { spec: { replicas: -1 } }, merge),
    patch(path, [{ op: 'replace', path: '/spec/replicas', value: 3 }], jsonPatch),
    patch(path, { spec: { replicas: 4 } }, strategic),
    patch(`${path}?fieldManager=kubectl`, scale(5), apply),
    patch(`${path}?fieldManager=kubectl&force=true`, scale(5), apply),
    send('PUT', path, scale(6), json),
    send('PUT', path, scale(6, { resourceVersion: '1' }), json),
    send('PUT', path, scale(7, { resourceVersion: '{{9.metadata.resourceVersion}}' }), json),
    send('PUT', path, scale('x'), json),
    send('PUT', `${path}?dryRun=All`, { ...scale(7), apiVersion: 'extensions/v1beta1' }, json),
    get(pathOf(definition, object), json),
    ...['v1', 'v2', 'v2beta2'].map((version) =>
      send('POST', `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers?dryRun=All`, hpa(version), json),
    ),
    ...removes(definition, name),
  ]
}

const space = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const pods = `${space}/pods`
const scene = (at: string, ...calls: Call[]): Scene => ({ kind: 'kubectl', at, calls })
const gone = (path: string): Call => ({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0&propagationPolicy=Background` })

const container = { name: 'main', image: 'example/main' }
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, labels: { run: name }, ...metadata },
  spec: { containers: [container], ...spec },
})

const workload = (kind: string, name: string, spec: object = {}) => ({
  kind,
  apiVersion: 'apps/v1',
  metadata: { name, labels: { app: name } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    ...(kind === 'StatefulSet' && { serviceName: 'x' }),
    ...spec,
  },
})

/** `rollout` and `set` of every workload. */
function* rollouts(): Generator<Scene> {
  for (const kind of ['Deployment', 'DaemonSet', 'StatefulSet']) {
    const name = `rolled-${kind.toLowerCase()}`
    const plural = `${kind.toLowerCase()}s`
    const path = `${apps}/${plural}/${name}`
    const set = (spec: object) => ({ spec: { template: { spec } } })
    const main = (more: object) => ({ containers: [{ name: 'main', ...more }] })
    yield scene(
      `rollout of ${plural}`,
      send('POST', `${apps}/${plural}?fieldManager=kubectl-create&fieldValidation=Strict`, workload(kind, name), json),
      patch(
        `${path}?fieldManager=kubectl-rollout`,
        { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2020-01-01T00:00:00Z' } } } } },
        strategic,
      ),
      patch(`${path}?fieldManager=kubectl-rollout`, { spec: { paused: true } }, strategic),
      patch(`${path}?fieldManager=kubectl-rollout`, { spec: { paused: null } }, strategic),
      patch(
        `${path}?fieldManager=kubectl-rollout`,
        [
          { op: 'replace', path: '/spec/template', value: workload(kind, name).spec.template },
          { op: 'replace', path: '/metadata/annotations', value: { 'deployment.kubernetes.io/revision': '1' } },
        ],
        jsonPatch,
      ),
      ...[
        main({ image: 'example/other:1' }),
        main({ image: '' }),
        main({ env: [{ name: 'A', value: 'b' }, { name: 'C' }] }),
        main({ env: [{ name: 'A', $patch: 'delete' }] }),
        main({ env: [{ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
        main({ env: [{ name: 'S', value: 'x' }] }),
        main({ envFrom: [{ prefix: 'P_', configMapRef: { name: 'c' } }] }),
        main({ resources: { limits: { cpu: '200m', memory: '512Mi' }, requests: { cpu: '100m' } } }),
        main({ resources: { limits: { cpu: '0' }, requests: { cpu: '1' } } }),
        main({ resources: { limits: null, requests: null } }),
        main({ livenessProbe: { httpGet: { port: 80 }, periodSeconds: 0 } }),
        main({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }] }),
        main({ ports: [{ containerPort: 80, protocol: 'UDP', name: 'dns' }] }),
        { containers: [{ name: 'other', image: 'x' }], $setElementOrder: 1 },
        { '$setElementOrder/containers': [{ name: 'other' }, { name: 'main' }], containers: [{ name: 'other', image: 'x' }] },
        { containers: [{ name: 'other', $patch: 'delete' }] },
        { serviceAccountName: 'default', serviceAccount: 'default' },
        { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
        { volumes: [{ name: 'v', emptyDir: {} }] },
        { volumes: [{ name: 'v', emptyDir: {}, persistentVolumeClaim: null }] },
        { nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
        { tolerations: null, nodeSelector: null, $retainKeys: ['containers'] },
      ].map((spec) => patch(`${path}?fieldManager=kubectl-set`, set(spec), strategic)),
      get(path, json),
      get(`${apps}/${plural}?fieldSelector=metadata.name%3D${name}&limit=500`, tables),
      get(`${apps}/controllerrevisions?labelSelector=app%3D${name}`, json),
      get(`${apps}/replicasets?labelSelector=app%3D${name}&limit=500`, tables),
      get(
        `${apps}/${plural}?fieldSelector=metadata.name%3D${name}&resourceVersion={{0.metadata.resourceVersion}}&watch=true&timeoutSeconds=1`,
        json,
      ),
      remove(path, { propagationPolicy: 'Orphan' }),
      patch(path, { metadata: { finalizers: null } }, merge),
      remove(path, { propagationPolicy: 'Background' }),
    )
  }
}

/** `run`, `debug`, `logs`, `exec`, `wait` and resizes of pods. */
function* podCommands(): Generator<Scene> {
  const one = `${pods}/debugged`
  const debugger_ = (name: string, more: object = {}) => ({ name, image: 'busybox', stdin: true, tty: true, ...more })
  const ephemeral = (...containers: object[]) => ({ spec: { ephemeralContainers: containers } })
  yield scene(
    'debug',
    send('POST', `${pods}?fieldManager=kubectl-run`, pod('debugged'), json),
    get(one, json),
    ...[
      ephemeral(debugger_('debugger-a', { targetContainerName: 'main' })),
      ephemeral(debugger_('debugger-b', { securityContext: { capabilities: { add: ['SYS_PTRACE'] } } })),
      ephemeral(debugger_('debugger-a', { image: 'other' })),
      ephemeral(debugger_('main')),
      ephemeral(debugger_('debugger-c', { targetContainerName: 'none' })),
      ephemeral(debugger_('debugger-d', { ports: [{ containerPort: 80 }] })),
      ephemeral(debugger_('debugger-e', { resources: { limits: { cpu: '1' } } })),
      ephemeral(debugger_('debugger-f', { livenessProbe: { exec: { command: ['x'] } } })),
      ephemeral(debugger_('debugger-g', { lifecycle: { preStop: { exec: { command: ['x'] } } } })),
      ephemeral(debugger_('debugger-h', { volumeMounts: [{ name: 'none', mountPath: '/x' }] })),
      ephemeral(debugger_('debugger-i', { restartPolicy: 'Always' })),
      ephemeral(debugger_('UPPER')),
      ephemeral({ name: 'no-image' }),
      ephemeral({ name: 'debugger-a', $patch: 'delete' }),
      { spec: { ephemeralContainers: null } },
      { spec: { containers: [{ name: 'main', image: 'changed' }] } },
      { metadata: { labels: { a: 'b' } } },
    ].map((body) => patch(`${one}/ephemeralcontainers`, body, strategic)),
    patch(`${one}/ephemeralcontainers`, [{ op: 'add', path: '/spec/ephemeralContainers/-', value: debugger_('debugger-j') }], jsonPatch),
    patch(`${one}/ephemeralcontainers?dryRun=All`, ephemeral(debugger_('debugger-k')), merge),
    patch(`${one}/ephemeralcontainers?fieldManager=kubectl`, { ...pod('debugged'), ...ephemeral(debugger_('debugger-l')) }, apply),
    get(`${one}/ephemeralcontainers`, json),
    send('PUT', `${one}/ephemeralcontainers`, { ...pod('debugged'), ...ephemeral() }, json),
    send('PUT', `${one}/ephemeralcontainers`, { kind: 'EphemeralContainers', apiVersion: 'v1', metadata: { name: 'debugged' } }, json),
    send('POST', `${one}/ephemeralcontainers`, pod('debugged'), json),
    patch(one, ephemeral(debugger_('debugger-m')), strategic),
    // A copy, as `debug --copy-to` makes it.
    send('POST', `${pods}?dryRun=All`, pod('copied', { ...ephemeral(debugger_('x')).spec, shareProcessNamespace: true }), json),
    send('POST', `${pods}?dryRun=All`, pod('copied', { shareProcessNamespace: true, nodeName: 'x', hostPID: true }), json),
    gone(one),
  )
  const sized = `${pods}/sized`
  const resources = (cpu: string, memory = '64Mi') => ({ requests: { cpu, memory }, limits: { cpu: '2', memory: '128Mi' } })
  const resized = (more: object) => ({ spec: { containers: [{ name: 'main', ...more }] } })
  yield scene(
    'resize',
    send('POST', pods, pod('sized', { containers: [{ ...container, resources: resources('100m') }] }), json),
    ...[
      resized({ resources: { requests: { cpu: '200m' } } }),
      resized({ resources: { requests: { cpu: '3' } } }),
      resized({ resources: { requests: { memory: null } } }),
      resized({ resources: null }),
      resized({ resources: { limits: { cpu: null } } }),
      resized({ resources: { requests: { 'example.com/x': '1' } } }),
      resized({ resources: { requests: { 'ephemeral-storage': '1' } } }),
      resized({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }),
      resized({ image: 'changed' }),
      { spec: { containers: [{ name: 'other', image: 'x' }] } },
      { spec: { resources: { limits: { cpu: '1' } } } },
      { metadata: { labels: { a: 'b' } } },
      { spec: { activeDeadlineSeconds: 5 } },
    ].map((body) => patch(`${sized}/resize`, body, strategic)),
    patch(`${sized}/resize?dryRun=All`, [{ op: 'replace', path: '/spec/containers/0/resources/requests/cpu', value: '150m' }], jsonPatch),
    patch(
      `${sized}/resize?fieldManager=kubectl&force=true`,
      { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'sized' }, ...resized({ resources: resources('300m') }) },
      apply,
    ),
    get(`${sized}/resize`, json),
    send('PUT', `${sized}/resize`, pod('sized'), json),
    send('PUT', `${sized}/resize`, pod('sized', { containers: [{ ...container, resources: resources('400m') }] }), json),
    send('POST', `${sized}/resize`, pod('sized'), json),
    patch(sized, resized({ resources: { requests: { cpu: '500m' } } }), strategic),
    get(sized, json),
    gone(sized),
  )
  const waited = `${pods}/waited`
  const mine = 'fieldSelector=metadata.name%3Dwaited'
  yield scene(
    'wait',
    get(`${pods}?${mine}`, json),
    send('POST', `${pods}?fieldManager=kubectl-run`, pod('waited'), json),
    get(`${pods}?${mine}&resourceVersion={{0.metadata.resourceVersion}}&watch=true&timeoutSeconds=1`, json),
    patch(
      `${waited}/status`,
      { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }] } },
      strategic,
    ),
    patch(
      `${waited}/status`,
      {
        status: {
          conditions: [
            { type: 'Ready', status: 'False' },
            { type: 'x/y', status: 'True' },
          ],
        },
      },
      strategic,
    ),
    get(`${pods}?${mine}&resourceVersion={{1.metadata.resourceVersion}}&watch=true&timeoutSeconds=1`, tables),
    get(`${pods}?${mine}&fieldSelector=status.phase%3DRunning&limit=500`, tables),
    get(`${pods}?fieldSelector=status.phase%3DRunning,metadata.name%3Dwaited&limit=500`, tables),
    get(`${pods}?fieldSelector=status.podIP%3D10.1.1.1,metadata.name%3Dwaited`, metadataOnly),
    get(`${pods}?fieldSelector=spec.hostNetwork%3Dfalse,metadata.name%3Dwaited`, metadataOnly),
    get(`${waited}/log`, { accept: 'application/json, */*' }),
    get(`${waited}/log?container=main&follow=true&previous=true&tailLines=1&timestamps=true`),
    get(`${waited}/log?container=none`),
    get(`${waited}/log?tailLines=-1`),
    get(`${waited}/log?sinceSeconds=0`),
    get(`${waited}/log?sinceSeconds=1&sinceTime=2020-01-01T00:00:00Z`),
    get(`${waited}/log?limitBytes=0`),
    get(`${waited}/log?stream=Stdout`),
    get(`${waited}/log?stream=Stdout&tailLines=1`),
    ...['exec?command=ls', 'exec?container=none&command=ls&stdout=true', 'attach', 'portforward?ports=80', 'exec'].flatMap((rest) => [
      get(`${waited}/${rest}`),
      send('POST', `${waited}/${rest}`, ''),
    ]),
    remove(waited, { gracePeriodSeconds: 30, propagationPolicy: 'Background' }),
    remove(waited, { gracePeriodSeconds: 0 }),
    get(`${pods}?${mine}&resourceVersion={{1.metadata.resourceVersion}}&watch=true&timeoutSeconds=1`, metadataOnly),
  )
  yield scene(
    'run',
    ...[
      pod('ran', { restartPolicy: 'Never', containers: [{ ...container, args: ['a'], stdin: true, stdinOnce: true, tty: true }] }),
      pod('ran', { restartPolicy: 'OnFailure', dnsPolicy: 'ClusterFirst' }),
      pod('ran', { containers: [{ ...container, imagePullPolicy: 'Sometimes' }] }),
      pod('ran', { containers: [{ ...container, image: 'Example/Main:1 ' }] }),
      pod('Ran'),
      pod('ran', { overhead: { cpu: '1' } }),
    ].map((body) => send('POST', `${pods}?fieldManager=kubectl-run&dryRun=All`, body, json)),
  )
}

/** `expose`, `create …` with their flags, `taint`, `cordon` and `drain`. */
function* otherCommands(): Generator<Scene> {
  const create = (path: string, body: object) =>
    send('POST', `${path}?fieldManager=kubectl-create&fieldValidation=Strict&dryRun=All`, body, json)
  const service = (spec: object, name = 'exposed') => ({ kind: 'Service', apiVersion: 'v1', metadata: { name }, spec })
  yield scene(
    'expose',
    ...[
      { selector: { app: 'x' }, ports: [{ port: 80, targetPort: 8080 }] },
      { ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }], type: 'NodePort', sessionAffinity: 'ClientIP' },
      {
        ports: [
          { name: 'port-1', port: 80 },
          { name: 'port-2', port: 81 },
        ],
        clusterIP: 'None',
      },
      { ports: [{ port: 80 }, { port: 81 }] },
      { type: 'ExternalName', externalName: 'example.com' },
      { type: 'ExternalName', externalName: '' },
      { type: 'LoadBalancer', loadBalancerIP: 'x', ports: [{ port: 80 }] },
      { ports: [{ name: '5678-8080', port: 5678, targetPort: 8080 }], clusterIP: '10.0.0.77' },
    ].map((spec) => create(`${space}/services`, service(spec))),
  )
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  yield scene(
    'create',
    create('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'created' } }),
    create(`${space}/configmaps`, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'c' },
      data: { a: 'b' },
      binaryData: { a: 'eA==' },
    }),
    create(`${space}/secrets`, {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's' },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': '' },
    }),
    create(`${space}/secrets`, {
      ...{ kind: 'Secret', apiVersion: 'v1', metadata: { name: 's' }, type: 'kubernetes.io/dockerconfigjson' },
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    }),
    create(`${space}/serviceaccounts`, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'a' } }),
    create(`${space}/resourcequotas`, {
      ...{ kind: 'ResourceQuota', apiVersion: 'v1', metadata: { name: 'q' } },
      spec: { hard: { cpu: '1', pods: '2' }, scopes: ['BestEffort'] },
    }),
    create('/apis/batch/v1/namespaces/default/jobs', {
      ...{ kind: 'Job', apiVersion: 'batch/v1', metadata: { name: 'j', annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' } } },
      spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    }),
    create('/apis/batch/v1/namespaces/default/cronjobs', {
      ...{ kind: 'CronJob', apiVersion: 'batch/v1', metadata: { name: 'j' } },
      spec: {
        schedule: '@daily',
        jobTemplate: { metadata: { name: 'j' }, spec: { template: { spec: { containers: [container], restartPolicy: 'OnFailure' } } } },
      },
    }),
    create('/apis/networking.k8s.io/v1/namespaces/default/ingresses', {
      ...{ kind: 'Ingress', apiVersion: 'networking.k8s.io/v1', metadata: { name: 'i' } },
      spec: {
        rules: [
          { host: 'a.b', http: { paths: [{ path: '/x', pathType: 'Exact', backend: { service: { name: 's', port: { number: 80 } } } }] } },
        ],
        tls: [{ hosts: ['a.b'], secretName: 't' }],
      },
    }),
    create('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      ...{ kind: 'PodDisruptionBudget', apiVersion: 'policy/v1', metadata: { name: 'p' } },
      spec: { minAvailable: '50%', selector: { matchLabels: { a: 'b' } } },
    }),
    create('/apis/scheduling.k8s.io/v1/priorityclasses', {
      ...{ kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: { name: 'p' } },
      ...{ value: 1000, globalDefault: false, description: 'x', preemptionPolicy: 'Never' },
    }),
    create(`${rbac}/namespaces/default/roles`, {
      ...{ kind: 'Role', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'r' } },
      rules: [{ apiGroups: [''], resources: ['pods', 'pods/status'], resourceNames: ['x'], verbs: ['get', 'list', 'watch'] }],
    }),
    create(`${rbac}/clusterroles`, {
      ...{ kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'r' } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    }),
    create(`${rbac}/namespaces/default/rolebindings`, {
      ...{ kind: 'RoleBinding', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'r' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'default', name: 'a' },
      ],
    }),
    create(`${space}/pods`, { kind: 'List', apiVersion: 'v1', items: [pod('x')] }),
    create(`${space}/pods`, { kind: 'PodList', apiVersion: 'v1', items: [pod('x')] }),
  )
  const node = '/api/v1/nodes/drained'
  const drained = 'fieldSelector=spec.nodeName%3Ddrained'
  yield scene(
    'cordon, taint, drain',
    send('POST', '/api/v1/nodes', { kind: 'Node', apiVersion: 'v1', metadata: { name: 'drained' } }, json),
    patch(`${node}?dryRun=All`, { spec: { unschedulable: true } }, strategic),
    patch(node, { spec: { unschedulable: true } }, strategic),
    get('/api/v1/nodes?fieldSelector=metadata.name%3Ddrained&limit=500', tables),
    patch(`${node}?fieldManager=kubectl-taint`, { spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] } }, strategic),
    patch(`${node}?fieldManager=kubectl-taint`, { spec: { taints: [{ key: 'a', effect: 'Sometimes' }] } }, strategic),
    patch(
      `${node}?fieldManager=kubectl-taint`,
      {
        spec: {
          taints: [
            { key: 'a', effect: 'NoExecute' },
            { key: 'a', effect: 'NoExecute' },
          ],
        },
      },
      merge,
    ),
    patch(`${node}?fieldManager=kubectl-taint`, { spec: { taints: null } }, strategic),
    send('POST', pods, pod('drained', { nodeName: 'drained' }), json),
    get(`/api/v1/pods?${drained}&limit=500`, tables),
    get(`/api/v1/pods?${drained}`, json),
    get('/apis/policy', json),
    get('/apis/policy/v1', json),
    ...['policy/v1', 'policy/v1beta1'].map((apiVersion) =>
      send(
        'POST',
        `${pods}/drained/eviction?dryRun=All`,
        { kind: 'Eviction', apiVersion, metadata: { name: 'drained', namespace: 'default' }, deleteOptions: { gracePeriodSeconds: 5 } },
        json,
      ),
    ),
    send(
      'POST',
      `${pods}/drained/eviction`,
      { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'drained', namespace: 'default' } },
      json,
    ),
    get(`${pods}/drained`, json),
    gone(`${pods}/drained`),
    patch(node, { spec: { unschedulable: null } }, strategic),
    patch(node, { spec: { podCIDR: '10.9.0.0/24' } }, strategic),
    patch(node, { spec: { podCIDR: '10.8.0.0/24' } }, strategic),
    remove(node, {}),
  )
  yield* access()
  yield* information()
}

/** `auth`, `create token` and `certificate`. */
function* access(): Generator<Scene> {
  const review = (kind: string, spec: object | undefined, version = 'v1', group = 'authorization') =>
    send(
      'POST',
      `/apis/${group}.k8s.io/${version}/${kind === 'SelfSubjectRulesReview' ? 'selfsubjectrulesreviews' : `${kind.toLowerCase()}s`}`,
      { kind, apiVersion: `${group}.k8s.io/${version}`, metadata: {}, ...(spec && { spec }), status: {} },
      json,
    )
  for (const token of [undefined, 'reference-alice', '']) {
    const as = (call: Call): Call => ({ ...call, ...(token !== undefined && { token }) })
    yield scene(
      `auth as ${token ?? 'the administrator'}`,
      ...[
        ...['default', 'kube-system', 'none', ''].map((namespace) => review('SelfSubjectRulesReview', { namespace })),
        ...[
          { resourceAttributes: { namespace: 'default', verb: 'create', group: 'apps', resource: 'deployments' } },
          { resourceAttributes: { namespace: '', verb: '*', group: '*', resource: '*' } },
          { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods', subresource: 'log', name: 'x' } },
          { resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector: { rawSelector: 'spec.nodeName=x' } } },
          {
            resourceAttributes: {
              verb: 'list',
              resource: 'pods',
              labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
            },
          },
          { resourceAttributes: { verb: 'list', resource: 'pods', labelSelector: { rawSelector: 'a', requirements: [] } } },
          { nonResourceAttributes: { path: '/logs/', verb: 'get' } },
          { nonResourceAttributes: { path: '/livez', verb: 'get' } },
          { nonResourceAttributes: { path: '/livez', verb: 'get' }, resourceAttributes: { verb: 'get' } },
          {},
        ].map((spec) => review('SelfSubjectAccessReview', spec)),
        ...['v1', 'v1beta1', 'v1alpha1'].map((version) => review('SelfSubjectReview', undefined, version, 'authentication')),
        get('/apis', json),
        get('/api/v1/namespaces/none/pods?limit=500', tables),
        get('/api/v1/namespaces?limit=500&fieldSelector=metadata.name%3Ddefault', tables),
      ].map(as),
    )
  }
  const token = (spec: object) =>
    send(
      'POST',
      `${space}/serviceaccounts/default/token`,
      { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', metadata: {}, spec, status: {} },
      json,
    )
  yield scene(
    'create token',
    ...[
      { audiences: null, expirationSeconds: null, boundObjectRef: null },
      { audiences: ['a', 'b'], expirationSeconds: 3600 },
      { audiences: [''] },
      { expirationSeconds: 0 },
      { expirationSeconds: 599 },
      { expirationSeconds: 4_294_967_297 },
      { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none', uid: 'x' } },
      { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'none' } },
    ].map(token),
    send('POST', `${space}/serviceaccounts/none/token`, { spec: {} }, json),
    send('POST', `${space}/serviceaccounts/default/token`, { metadata: { name: 'other' }, spec: {} }, json),
    send('POST', `${space}/serviceaccounts/default/token`, { metadata: { namespace: 'other' }, spec: {} }, json),
    get(`${space}/serviceaccounts/default/token`, json),
  )
}

/** `explain`, `api-resources`, `api-versions`, `cluster-info`, `events`, `top`, `get all`, `get --raw`. */
function* information(): Generator<Scene> {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  yield scene(
    'discovery',
    get('/api', { accept: `${aggregated},${aggregated.replace('v2', 'v2beta1')},application/json` }),
    get('/apis', { accept: `${aggregated},${aggregated.replace('v2', 'v2beta1')},application/json` }),
    get('/api', json),
    get('/apis', json),
    get('/version?timeout=32s', json),
    get('/version', { accept: '*/*' }),
    get('/apis/metrics.k8s.io/v1beta1/nodes', json),
    get('/apis/metrics.k8s.io', json),
    get('/openapi/v3?timeout=32s', json),
    get('/openapi/v3/apis/none/v1', json),
  )
  yield scene(
    'cluster-info, events, get all',
    get('/api/v1/namespaces/kube-system/services?labelSelector=kubernetes.io%2Fcluster-service%3Dtrue', json),
    ...[
      'involvedObject.name%3Dnone',
      'involvedObject.kind%3DPod,involvedObject.uid%3Dx',
      'type!%3DNormal,reason%3DKilling',
      'regarding.name%3Dx',
    ].flatMap((selector) => [
      get(`${space}/events?fieldSelector=${selector}&limit=500`, tables),
      get(`/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=${selector}&limit=500`, tables),
    ]),
    ...['pods', 'replicationcontrollers', 'services'].map((plural) => get(`/api/v1/namespaces/none/${plural}?limit=500`, tables)),
    ...['daemonsets', 'deployments', 'replicasets', 'statefulsets'].map((plural) =>
      get(`/apis/apps/v1/namespaces/none/${plural}?limit=500`, tables),
    ),
    get('/apis/autoscaling/v2/namespaces/none/horizontalpodautoscalers?limit=500', tables),
    ...['cronjobs', 'jobs'].map((plural) => get(`/apis/batch/v1/namespaces/none/${plural}?limit=500`, tables)),
    get('/api/v1/componentstatuses/none', tables),
    get('/api/v1/namespaces/none', json),
    get('/api/v1/namespaces/default/resourcequotas?limit=500', json),
    get('/api/v1/namespaces/default/limitranges?limit=500', json),
  )
}

const groups = [
  ...['v1', 'apps/v1', 'apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1', 'batch/v1beta1', 'policy/v1beta1', 'events.k8s.io/v1'],
  ...['events.k8s.io/v1beta1', 'networking.k8s.io/v1', 'networking.k8s.io/v1beta1', 'storage.k8s.io/v1alpha1', 'storage.k8s.io/v1beta1'],
  ...['coordination.k8s.io/v1beta1', 'admissionregistration.k8s.io/v1beta1', 'admissionregistration.k8s.io/v1alpha1'],
  ...['resource.k8s.io/v1beta1', 'rbac.authorization.k8s.io/v1beta1', 'autoscaling/v2beta2', 'discovery.k8s.io/v1beta1', 'none/v1'],
]

/** Manifests of earlier releases, sent to the path of a version that is served. */
function* otherVersions(): Generator<Scene> {
  for (const definition of storedKinds)
    for (const apiVersion of groups) {
      const object = { ...objectOf(definition, 'older'), apiVersion }
      const call = send('POST', `${collectionPath(definition)}?dryRun=All`, object, json)
      yield { kind: titleOf(definition), at: `another version: ${apiVersion}`, calls: [call] }
    }
  for (const apiVersion of groups)
    for (const kind of ['Scale', 'Eviction', 'DeploymentRollback', 'Binding', 'TokenRequest']) {
      const body = { kind, apiVersion, metadata: { name: 'none' } }
      yield {
        kind: 'kubectl',
        at: `another version: ${kind} ${apiVersion}`,
        calls: [
          send('PUT', `${apps}/deployments/none/scale`, body, json),
          send('POST', `${pods}/none/eviction`, body, json),
          send('POST', `${space}/serviceaccounts/none/token`, body, json),
        ],
      }
    }
}

function* scenes(): Generator<Scene> {
  yield* otherVersions()
  yield* lives()
  yield* rollouts()
  yield* podCommands()
  yield* otherCommands()
}

export const kubectl: Part = { name: 'kubectl', before: () => [account], scenes }
