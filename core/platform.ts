/** Names with a product word. No other file of core/ contains one (test/architecture/architecture.test.ts). */
export interface Platform {
  /** Domain of API groups: `<domain>` in definitions. */
  readonly domain: string
  /** Domain of well-known labels, annotations, taints and secret types: `<labels>` in definitions. */
  readonly labelDomain: string
  readonly namespaces: { readonly system: string; readonly public: string; readonly nodeLease: string }
  /** Media type of protobuf responses; requests may use any of `protobufTypes`. */
  readonly protobufType: string
  readonly protobufTypes: readonly string[]
  readonly certDir: string
  /** Product name in titles. */
  readonly title: string
  /** Name of the store in health checks. */
  readonly storeName: string
  /** Name of the API server's service in namespace `default`. */
  readonly service: string
  /** Product word of component names such as `system:<component>-scheduler`, and of finalizer names. */
  readonly component: string
  readonly finalizer: string
  /** Product word of metrics and of health checks that clients know by name. */
  readonly product: string
  /** Response headers with the uids of the flow schema and of the priority level. */
  readonly flowHeaders: { readonly schema: string; readonly level: string }
  /** User names of components that have their own metrics label. */
  readonly componentUsers: readonly string[]
  /** Name of node agents in metrics. */
  readonly agent: string
  /** Issuer of legacy service account tokens (stored in Secrets). */
  readonly legacyIssuer: string
  /** Aliases of flag prefixes: `[ours, alias]`. */
  readonly flagAliases: readonly (readonly [ours: string, alias: string])[]
  /** Aliases in flag values and configuration files: `[ours, alias]`; accepted on every platform. */
  readonly wordAliases: readonly (readonly [ours: string, alias: string])[]
  /** Program names that select this column. */
  readonly programs: readonly string[]
  /** Resolves the placeholders `<domain>` and `<labels>` in a string. */
  name(text: string): string
}

const protobufTypes = ['application/vnd.kubernetes.protobuf', 'application/vnd.platform.protobuf']

const flowHeaders = { schema: 'x-kubernetes-pf-flowschema-uid', level: 'x-kubernetes-pf-prioritylevel-uid' }

const wordAliases = [
  ['kvstore3', 'etcd3'],
  ['platformConfigFile', 'kubeConfigFile'],
  ['PlatformConfigFile', 'KubeConfigFile'],
  ['Nodeagent', 'Kubelet'],
  ['NodePlatformProxy', 'NodeKubeProxy'],
] as const

interface Column extends Omit<Platform, 'name' | 'domain'> {}

const columns = {
  platform: {
    labelDomain: 'kubernetes.io',
    namespaces: { system: 'platform-system', public: 'platform-public', nodeLease: 'platform-node-lease' },
    protobufType: 'application/vnd.platform.protobuf',
    protobufTypes,
    certDir: '/var/run/platform',
    title: 'Platform',
    storeName: 'kvstore',
    service: 'platform',
    component: 'kube',
    finalizer: 'kubernetes',
    product: 'kubernetes',
    flowHeaders,
    componentUsers: ['kube_proxy', 'kubelet'],
    agent: 'kubelet',
    legacyIssuer: 'kubernetes/serviceaccount',
    flagAliases: [],
    wordAliases,
    programs: ['apiserver'],
  },
  kubernetes: {
    labelDomain: 'kubernetes.io',
    namespaces: { system: 'kube-system', public: 'kube-public', nodeLease: 'kube-node-lease' },
    protobufType: 'application/vnd.kubernetes.protobuf',
    protobufTypes,
    certDir: '/var/run/kubernetes',
    title: 'Kubernetes',
    storeName: 'etcd',
    service: 'kubernetes',
    component: 'kube',
    finalizer: 'kubernetes',
    product: 'kubernetes',
    flowHeaders,
    componentUsers: ['kube_proxy', 'kubelet'],
    agent: 'kubelet',
    legacyIssuer: 'kubernetes/serviceaccount',
    flagAliases: [
      ['kvstore-', 'etcd-'],
      ['nodeagent-', 'kubelet-'],
      ['platform-service-node-port', 'kubernetes-service-node-port'],
    ],
    wordAliases,
    programs: ['kube-apiserver'],
  },
} satisfies Record<string, Column>

export type PlatformName = keyof typeof columns
export const platformNames = Object.keys(columns) as readonly PlatformName[]

/** Maximum cached strings of `name`: far more than this code has. */
const maxKnown = 10_000

/** The names of one column; `domain` replaces the domain of API groups (flag `--platform-domain`). */
export function createPlatform(name: PlatformName = 'platform', domain = 'k8s.io'): Platform {
  const column = columns[name]
  const known = new Map<string, string>()
  return {
    ...column,
    domain,
    name(text) {
      if (!text.includes('<')) return text
      const found = known.get(text)
      if (found !== undefined) return found
      const written = text.replaceAll('<domain>', domain).replaceAll('<labels>', column.labelDomain)
      if (known.size < maxKnown) known.set(text, written)
      return written
    },
  }
}

/** The column for a program name, if any. */
export function platformOfProgram(program: string): PlatformName | undefined {
  return platformNames.find((name) => (columns[name].programs as readonly string[]).includes(program))
}
