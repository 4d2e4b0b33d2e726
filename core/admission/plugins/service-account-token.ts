import { generateName } from '../../objects/registry/names.ts'
import type { Platform } from '../../platform.ts'
import type { AccountPodSpec } from './service-account-secrets.ts'

/** Token lifetime in seconds; the value identifies automatically mounted tokens. */
const tokenSeconds = 3607
/** File mode: readable for everybody, writable for the owner. */
const mode = 0o644

/** Sources of the projected volume: token, cluster CA, namespace. */
const tokenSources = (platform: Platform): { readonly [source: string]: object }[] => [
  { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
  { configMap: { name: `${platform.component}-root-ca.crt`, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
]

/** Mounts the token into every container without a mount at that path; adds the volume unless the pod has one. */
export function mountToken(spec: AccountPodSpec, platform: Platform): void {
  const mountPath = platform.name('/var/run/secrets/<labels>/serviceaccount')
  const prefix = `${platform.component}-api-access-`
  const existing = (spec.volumes ?? []).find((volume) => volume.name.startsWith(prefix))
  const name = existing?.name ?? generateName(prefix)
  const without = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts }) => !(volumeMounts ?? []).some((mount) => mount.mountPath === mountPath),
  )
  for (const container of without) container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }]
  if (existing === undefined && without.length > 0) {
    const projected = { defaultMode: mode, sources: tokenSources(platform) }
    spec.volumes = [...(spec.volumes ?? []), { name, projected }]
  }
}
